/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening files for reading, and read(2) until everything is read. Only regular files are opened: a
 * program would wait for the writer of a pipe, for ever if there is none. */
#ifndef TW_BASE_READ_FILE_H
#define TW_BASE_READ_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A descriptor and the length of the file; -1, with the reason in errno, on failure. `bytes` may be
 * NULL. */
int tw_read_file_open(const char *path, uint64_t *bytes);

/* The same as a stream; NULL, with the reason in errno, on failure. */
FILE *tw_read_file_stream(const char *path);

/* Return the number of bytes read: less than `count` at the end of the file, with errno 0, or if
 * reading failed, with the reason in errno. */
size_t tw_read_file_next(int descriptor, void *bytes, size_t count);
size_t tw_read_file_at(int descriptor, void *bytes, size_t count, uint64_t at);

#endif
