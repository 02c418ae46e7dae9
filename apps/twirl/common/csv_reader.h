/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of numbers from CSV, one at a time and in constant memory, by the names of their columns.
 *
 * The first line that counts is the header; the columns may come in any order. Blank lines and
 * lines that start with '#' do not count. Spaces around fields, CRLF and a UTF-8 byte-order mark
 * are accepted. Anything else is refused with a text that names the file, the line, the column and
 * the offence. */
#ifndef TWIRL_APP_CSV_READER_H
#define TWIRL_APP_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TW_CSV_COLUMNS_MAX = 32, TW_CSV_LINE_MAX = 65535, TW_CSV_ERROR_MAX = 2048 };

typedef struct tw_csv_column {
    const char *name;
    int group; /* 0: required. The columns of any other group are all there, or all absent and 0. */
} tw_csv_column;

typedef enum tw_csv_status {
    TW_CSV_ROW,   /* there is a row; after open: there is a header */
    TW_CSV_END,   /* no more rows */
    TW_CSV_BAD,   /* the input is wrong; the text is in error */
    TW_CSV_FAILED /* the input could not be read; the text is in error */
} tw_csv_status;

typedef struct tw_csv_reader {
    const tw_csv_column *columns;
    size_t column_count;
    size_t field_count;                   /* fields in a row of this input */
    size_t column_of[TW_CSV_COLUMNS_MAX]; /* by field */
    bool present[TW_CSV_COLUMNS_MAX];     /* by column */
    const char *name;                     /* for messages: the path, or "stdin" */
    FILE *file;
    unsigned long long line; /* the line last read, from 1 */
    char error[TW_CSV_ERROR_MAX];
    char text[TW_CSV_LINE_MAX + 1];
} tw_csv_reader;

/* Opens `path` (NULL or "-": standard input) and reads its header. `columns` and `path` must
 * outlive the reader. Close the reader whatever the answer. */
tw_csv_status tw_csv_reader_open(tw_csv_reader *reader, const char *path,
                                 const tw_csv_column *columns, size_t column_count);

/* The next row: values[i] belongs to columns[i]. */
tw_csv_status tw_csv_reader_next(tw_csv_reader *reader, double *values);

/* For a row whose numbers do not suit the caller: the same kind of error, with file and line. */
tw_csv_status tw_csv_reader_refuse(tw_csv_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void tw_csv_reader_close(tw_csv_reader *reader);

#endif
