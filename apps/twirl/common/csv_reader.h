/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads rows of numbers from CSV, one at a time and in constant memory, by the names of their
 * columns.
 *
 * The first line is the header; columns may come in any order. Blank lines and lines that start
 * with '#' are skipped. Spaces around fields, CRLF and a UTF-8 byte-order mark are accepted. Errors
 * name the file, the line, the column and what is wrong. */
#ifndef TWIRL_APP_CSV_READER_H
#define TWIRL_APP_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TW_CSV_COLUMNS_MAX = 32, TW_CSV_LINE_MAX = 65535, TW_CSV_ERROR_MAX = 2048 };

typedef struct tw_csv_column {
    const char *name;
    int group; /* 0: required. The columns of any other group are all present, or all absent and 0.
                */
} tw_csv_column;

typedef enum tw_csv_status {
    TW_CSV_ROW,   /* a row was read; after open: the header was read */
    TW_CSV_END,   /* no more rows */
    TW_CSV_BAD,   /* bad input; see error */
    TW_CSV_FAILED /* the input could not be read; see error */
} tw_csv_status;

typedef struct tw_csv_reader {
    const tw_csv_column *columns;
    size_t column_count;
    size_t field_count;                   /* fields in a row of this input */
    size_t column_of[TW_CSV_COLUMNS_MAX]; /* by field */
    bool present[TW_CSV_COLUMNS_MAX];     /* by column */
    const char *name;                     /* for messages: the path, or "stdin" */
    FILE *file;
    unsigned long long line; /* last line read, from 1 */
    char error[TW_CSV_ERROR_MAX];
    char text[TW_CSV_LINE_MAX + 1];
} tw_csv_reader;

/* Opens `path` (NULL or "-": standard input) and reads its header. `columns` and `path` must
 * outlive the reader. Close the reader even after a failure. */
tw_csv_status tw_csv_reader_open(tw_csv_reader *reader, const char *path,
                                 const tw_csv_column *columns, size_t column_count);

/* The next row: values[i] belongs to columns[i]. */
tw_csv_status tw_csv_reader_next(tw_csv_reader *reader, double *values);

/* For a row that the caller does not accept: sets an error with file and line. */
tw_csv_status tw_csv_reader_refuse(tw_csv_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void tw_csv_reader_close(tw_csv_reader *reader);

#endif
