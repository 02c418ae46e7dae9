/* SPDX-License-Identifier: BSD-3-Clause */
/* write(2) until everything is written, and on the disk. */
#ifndef TW_BASE_WRITE_ALL_H
#define TW_BASE_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes written: less than `count` if writing failed, with the reason in
 * errno. One call of write if the system allows, so that a killed program leaves whole rows. */
size_t tw_write_all(int descriptor, const void *bytes, size_t count);

/* The same from a position on, which leaves that of the descriptor alone. */
size_t tw_write_all_at(int descriptor, const void *bytes, size_t count, uint64_t at);

/* fsync(2) until it is not interrupted. False with the reason in errno. */
bool tw_write_all_sync(int descriptor);

#endif
