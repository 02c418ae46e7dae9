/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading, writing and replacing files. */
#ifndef TW_BASE_FILE_H
#define TW_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <twirl/types.h>

#include "base/hash.h"
#include "base/text.h"

/* Opening files for reading, and pread(2) until everything is read. Only regular files are opened:
 * a program would wait for the writer of a pipe, for ever if there is none. */

/* A descriptor and the length of the file; -1, with the reason in errno, on failure. `bytes` may be
 * NULL. */
int tw_read_file_open(const char *path, uint64_t *bytes);

/* As tw_read_file_open, but a stream; NULL, with the reason in errno, on failure. */
FILE *tw_read_file_stream(const char *path);

/* Returns the number of bytes read: less than `count` at the end of the file, with errno 0, or if
 * reading failed, with the reason in errno. */
size_t tw_read_file_at(int descriptor, void *bytes, size_t count, uint64_t at);

/* Adds the bytes of a file from `begin` to `end` to a hash. Returns their number, in the same way.
 */
uint64_t tw_read_file_hash(int descriptor, uint64_t begin, uint64_t end, tw_hash *hash);

/* The whole file, which may contain zeros, and a 0 at its end, for the caller to free; NULL on
 * failure. `length` and `error` may be NULL. */
char *tw_read_file_all(const char *path, size_t *length, tw_error *error);

/* write(2) until everything is written, and on the disk. */

/* Returns the number of bytes written: less than `count` if writing failed, with the reason in
 * errno. One call of write if the system allows, so that a killed program leaves whole rows. */
size_t tw_write_all(int descriptor, const void *bytes, size_t count);

/* As tw_write_all, from a position on; that of the descriptor stays. */
size_t tw_write_all_at(int descriptor, const void *bytes, size_t count, uint64_t at);

/* fsync(2) until it is not interrupted. False with the reason in errno. */
bool tw_write_all_sync(int descriptor);

/* Writing a file so that its name always stands for complete content: the old one, or the new one.
 * The new content goes to a temporary file beside the target; commit brings it to the disk, renames
 * it and brings the folder to the disk. If anything fails, the old file stays as it was and the
 * temporary one is removed.
 *
 *     tw_replace_file file;
 *     tw_status status = tw_replace_file_begin(&file, path, TW_REPLACE_FILE_OR_DEVICE, error);
 *     if (status != TW_STATUS_OK) return status;
 *     tw_replace_file_write(&file, bytes, count);
 *     ...
 *     return tw_replace_file_commit(&file, error);
 *
 * After a begin that succeeded, either commit or abort must follow. There are three ways to write:
 * tw_replace_file_write, a stream, or `descriptor`. */

enum { TW_REPLACE_FILE_PATH_MAX = 4096 };

typedef enum tw_replace_file_kind {
    TW_REPLACE_FILE_REGULAR,  /* anything but a regular file, or none, is an error */
    TW_REPLACE_FILE_OR_DEVICE /* devices, pipes and sockets are written in place */
} tw_replace_file_kind;

typedef struct tw_replace_file {
    char path[TW_REPLACE_FILE_PATH_MAX];      /* as given */
    char target[TW_REPLACE_FILE_PATH_MAX];    /* symbolic links resolved; "": written in place */
    char temporary[TW_REPLACE_FILE_PATH_MAX]; /* "" if written in place */
    int descriptor; /* open for writing; the temporary file also for reading */
    FILE *stream;   /* NULL until tw_replace_file_stream */
    int number;     /* errno of the first failed write, or 0 */
} tw_replace_file;

/* Creates the temporary file. A file that may not be written to is not replaced either. */
tw_status tw_replace_file_begin(tw_replace_file *file, const char *path, tw_replace_file_kind kind,
                                tw_error *error);

/* False if writing failed; the reason is kept for commit. */
bool tw_replace_file_write(tw_replace_file *file, const void *bytes, size_t count);

/* A buffered stream on the temporary file. It belongs to `file`: commit and abort close it. NULL,
 * with the reason in errno, if there is no memory; abort must still follow. */
FILE *tw_replace_file_stream(tw_replace_file *file);

tw_status tw_replace_file_commit(tw_replace_file *file, tw_error *error);
void tw_replace_file_abort(tw_replace_file *file);

/* Replaces the file by another name of `existing`, which is on the disk. False: the file system has
 * no such names, or it failed; the old file stays. */
bool tw_replace_file_link(const char *path, const char *existing);

/* Removes the temporary files that killed programs have left in a folder, but not in its
 * subfolders. No program may be writing there. */
void tw_replace_file_clean(const char *folder);

/* Removes the temporary files of one file, in a folder where other programs may be writing. */
void tw_replace_file_clean_target(const char *path);

/* All of it in one call, with TW_REPLACE_FILE_REGULAR. */
tw_status tw_replace_file_with(const char *path, const void *bytes, size_t count, tw_error *error);

/* By the text, which is freed in any case. */
tw_status tw_replace_file_text(const char *path, tw_text_buffer *text, tw_error *error);

/* ---- Folders ---- */

typedef struct tw_folder_path {
    char text[TW_REPLACE_FILE_PATH_MAX];
} tw_folder_path;

/* FOLDER/NAME, or FOLDER/GROUP/NAMEending; "" if that is too long. */
tw_folder_path tw_folder_path_join(const char *folder, const char *name);
tw_folder_path tw_folder_path_in(const char *folder, const char *group, const char *name,
                                 const char *ending);

/* A folder that exists already is fine; the one that it is to be created in must exist. */
tw_status tw_folder_make(const char *path, tw_error *error);

#endif
