/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths and whole files in the folder of a run. */
#ifndef TW_RUN_FILE_H
#define TW_RUN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/text.h"

typedef struct tw_file_path {
    char text[4096];
} tw_file_path;

/* FOLDER/NAME, or FOLDER/GROUP/NAMEending. */
tw_file_path tw_file_path_join(const char *folder, const char *name);
tw_file_path tw_file_path_in(const char *folder, const char *group, const char *name,
                             const char *ending);

bool tw_file_exists(const char *path);

/* A folder that exists already is fine. */
tw_status tw_file_make_folder(const char *path, tw_error *error);

/* A descriptor of a file in the folder of a run, for reading and writing; it is created if it is
 * not there. -1 on failure. Symbolic links are not followed: where others may write to the folder,
 * they could lead to any file of the user. */
int tw_file_open_own(const char *path, tw_error *error);

/* The whole file and a terminating 0, for the caller to free; NULL on failure. */
char *tw_file_read(const char *path, tw_error *error);
/* The whole file, which may contain zeros, and its length; NULL on failure. */
char *tw_file_read_bytes(const char *path, size_t *length, tw_error *error);

/* Hash of the first `length` bytes of a file; UINT64_MAX: of all of it. *found is how many there
 * were. */
tw_status tw_file_hash(const char *path, uint64_t length, uint64_t *found, uint64_t *hash,
                       tw_error *error);

/* Replaces the file atomically by the text, and frees the text in any case. */
tw_status tw_file_replace(const char *path, tw_text_buffer *text, tw_error *error);

#endif
