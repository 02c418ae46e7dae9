/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of text to a file or to standard output. What has been written is always whole rows, and a
 * named file takes its name only when it is complete. */
#ifndef TWIRL_APP_ROW_WRITER_H
#define TWIRL_APP_ROW_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { TW_ROW_WRITER_ROW_MAX = 4096, TW_ROW_WRITER_BUFFER = 65536 };

typedef struct tw_row_writer {
    int file;
    bool each_row;            /* somebody is watching: a row is written as soon as it is known */
    const char *name;         /* for messages: the path, or "stdout" */
    char target[PATH_MAX];    /* the name the file takes in the end; "" where it has it already */
    char temporary[PATH_MAX]; /* the name it bears until then */
    char error[PATH_MAX + 128];
    size_t used;
    char buffer[TW_ROW_WRITER_BUFFER];
} tw_row_writer;

/* `path` NULL or "-" is standard output. False: the text is in error, here and below. */
bool tw_row_writer_open(tw_row_writer *writer, const char *path);

/* One row; the format brings its own line end. At most TW_ROW_WRITER_ROW_MAX bytes. */
bool tw_row_writer_add(tw_row_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All is well: writes what is left, closes, and gives the file its name. */
bool tw_row_writer_finish(tw_row_writer *writer);

/* Something is wrong: no file is left behind or overwritten. Rows for standard output are let out.
 */
void tw_row_writer_abandon(tw_row_writer *writer);

#endif
