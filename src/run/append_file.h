/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that text is appended to, and that a resumed run truncates to an earlier length. */
#ifndef TW_RUN_APPEND_FILE_H
#define TW_RUN_APPEND_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/hash.h"
#include "base/text.h"
#include "run/file.h"

typedef struct tw_append_file {
    int descriptor; /* -1: closed */
    uint64_t length;
    tw_hash hash; /* of all bytes */
    tw_file_path path;
} tw_append_file;

/* Whether the file begins with `length` bytes that have this hash. */
tw_status tw_append_file_check(const char *path, uint64_t length, uint64_t hash, tw_error *error);

/* Creates the file, or truncates it to `length`. */
tw_status tw_append_file_open(tw_append_file *file, tw_file_path path, uint64_t length,
                              tw_error *error);
/* Refuses a file that another program has cut or lengthened. */
tw_status tw_append_file_add(tw_append_file *file, const char *text, size_t length,
                             tw_error *error);
/* Frees the text in any case. */
tw_status tw_append_file_add_text(tw_append_file *file, tw_text_buffer *text, tw_error *error);
/* Brings the text to the disk. Also refuses a file that was removed or replaced. */
tw_status tw_append_file_sync(tw_append_file *file, tw_error *error);
void tw_append_file_close(tw_append_file *file);

#endif
