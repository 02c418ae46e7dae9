/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in the folder of a run, without a run. */
#ifndef TW_RUN_FILES_H
#define TW_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

/* ---- Paths and whole files in the folder of a run ---- */

bool tw_run_file_exists(const char *path);

/* Whether the path leads to this open file: another program may have removed or replaced it. */
bool tw_run_file_is_at(int descriptor, const char *path);

/* A descriptor of a file in the folder of a run, for reading and writing; it is created if it is
 * not there. -1 on failure. Symbolic links are not followed: where others may write to the folder,
 * they could lead to any file of the user. */
int tw_run_file_open_own(const char *path, tw_error *error);

/* Hash of the first `length` bytes of a file; UINT64_MAX: of all of it. *found is how many there
 * were. */
tw_status tw_run_file_hash(const char *path, uint64_t length, uint64_t *found, uint64_t *hash,
                           tw_error *error);

/* The first `length` bytes of a file in a folder, for the caller to free; NULL on failure. */
char *tw_run_file_part(const char *folder, const char *name, uint64_t length, tw_error *error);

/* A file that text is appended to, and that a resumed run truncates to an earlier length. */

typedef struct tw_run_append_file {
    int descriptor; /* -1: closed */
    uint64_t length;
    tw_hash hash; /* of all bytes */
    tw_folder_path path;
} tw_run_append_file;

/* Whether the file begins with `length` bytes that have this hash. */
tw_status tw_run_append_file_check(const char *path, uint64_t length, uint64_t hash,
                                   tw_error *error);

/* Creates the file, or truncates it to `length`. */
tw_status tw_run_append_file_open(tw_run_append_file *file, tw_folder_path path, uint64_t length,
                                  tw_error *error);
/* Refuses a file that another program has cut or lengthened. */
tw_status tw_run_append_file_add(tw_run_append_file *file, const char *text, size_t length,
                                 tw_error *error);
/* Frees the text in any case. */
tw_status tw_run_append_file_add_text(tw_run_append_file *file, tw_text_buffer *text,
                                      tw_error *error);
/* Brings the text to the disk. Also refuses a file that was removed or replaced. */
tw_status tw_run_append_file_sync(tw_run_append_file *file, tw_error *error);
void tw_run_append_file_close(tw_run_append_file *file);

/* ---- JSON objects with a check ---- */

/* Closes the object with a member "check", the hash of all before it. */
void tw_run_json_close(tw_text_buffer *text, uint64_t seed);
/* Whether the text is such an object, closed with this seed and unchanged. */
bool tw_run_json_is_whole(const char *text, size_t length, uint64_t seed);

/* The column `check` of the history: a CRC-32 over the identity of the run and everything up to and
 * including the comma before it, without the checks of earlier rows. A row that was changed,
 * removed, moved or taken from another run has a wrong check, as have all rows after it. */

/* The check of the header, which has no column for it. */
uint32_t tw_run_history_check_start(uint64_t identity, const char *header);

/* Completes a row by its check and a newline. */
void tw_run_history_check_add(uint32_t *check, tw_text_buffer *row);

/* Number of the first line of the history with a wrong check, 1 for the header; 0: all are right,
 * and *check is the last. */
size_t tw_run_history_check_find(uint64_t identity, const char *header, const char *text,
                                 uint32_t *check);

/* The identity of a run: a number that its files carry, so that those of different runs are told
 * apart. It follows from the scenario and the first state, not from chance or time: two runs of the
 * same scenario are the same run, and their files are equal. */

/* `resolved` is the text of the scenario. The folder of an input file does not count, only its
 * name, because projects are moved; what is in the file counts through `first`, the hash of the
 * first state. */
uint64_t tw_run_identity(const char *resolved, uint64_t first);

#endif
