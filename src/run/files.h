/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run. */
#ifndef TW_RUN_FILES_H
#define TW_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

typedef struct tw_path {
    char text[4096];
} tw_path;

/* FOLDER/NAME, or FOLDER/GROUP/NAMEending. */
tw_path tw_path_of(const char *folder, const char *name);
tw_path tw_path_in(const char *folder, const char *group, const char *name, const char *ending);

/* "cannot WHAT PATH: reason". */
tw_status tw_files_failed(tw_error *error, const char *what, const char *path);

bool tw_files_exist(const char *path);
tw_status tw_files_make_folder(const char *path, tw_error *error);

/* The file has its old content or the new one, whatever happens on the way. */
tw_status tw_files_write(const char *path, const char *text, size_t length, tw_error *error);
/* The whole file with a 0 behind it, to be freed; NULL on failure. */
char *tw_files_read(const char *path, tw_error *error);

/* A file that grows, and can be taken back to an earlier length. */
typedef struct tw_growth {
    int file;
    uint64_t length;
    tw_path path;
} tw_growth;

tw_status tw_growth_open(tw_growth *growth, tw_path path, uint64_t length, tw_error *error);
tw_status tw_growth_add(tw_growth *growth, const char *text, size_t length, tw_error *error);
tw_status tw_growth_sync(tw_growth *growth, tw_error *error);
void tw_growth_close(tw_growth *growth);

/* A text that grows. After a failure `text` is NULL and stays so. */
typedef struct tw_draft {
    char *text;
    size_t length, capacity;
} tw_draft;

tw_draft tw_draft_start(void);
void tw_draft_add(tw_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As JSON: a text in quotes; a number, or null for what is none. */
void tw_draft_quote(tw_draft *draft, const char *text);
void tw_draft_number(tw_draft *draft, double value);

#endif
