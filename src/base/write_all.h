/* SPDX-License-Identifier: BSD-3-Clause */
/* write(2) until everything is written. */
#ifndef TW_BASE_WRITE_ALL_H
#define TW_BASE_WRITE_ALL_H

#include <stddef.h>

/* Returns the number of bytes written: less than `count` if writing failed, with the reason in
 * errno. One call of write if the system allows, so that a killed program leaves whole rows. */
size_t tw_write_all(int descriptor, const void *bytes, size_t count);

#endif
