/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads CSV without quotes row by row and in constant memory. The first line is the header. Blank
 * lines and lines that start with '#' are skipped; blanks around fields, CRLF and a UTF-8
 * byte-order mark are accepted. Errors name the file, the line, the column and what is wrong. */
#ifndef TW_BASE_CSV_H
#define TW_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum { TW_CSV_COLUMNS_MAX = 256, TW_CSV_LINE_MAX = 65535 };

typedef struct tw_csv_field {
    char *text;
    size_t length; /* less than that of the text: it contains a NUL */
} tw_csv_field;

typedef struct tw_csv {
    const char *name; /* for messages: the path, or "stdin" */
    FILE *file;
    unsigned long long line; /* last line read, from 1; 0: none */
    tw_csv_field column[TW_CSV_COLUMNS_MAX], field[TW_CSV_COLUMNS_MAX]; /* header; present row */
    size_t columns;
    bool ended;      /* the line has an end: it is complete */
    tw_error *error; /* of the caller; TW_STATUS_INPUT: bad input */
    char *text;      /* memory of the two lines */
} tw_csv;

/* Reads the header of a file that has been opened; NULL: it could not be, for the reason in errno.
 * False: see error. Close it in any case. */
bool tw_csv_open(tw_csv *csv, FILE *file, const char *name, tw_error *error);
void tw_csv_close(tw_csv *csv);

/* The next row; false: there is none, or see error. */
bool tw_csv_next(tw_csv *csv);

/* The number of the column with this name; TW_CSV_COLUMNS_MAX: none. */
size_t tw_csv_find(const tw_csv *csv, const char *name);

/* What else than a finite number a field may hold: "nan" or nothing, which are NaN. */
enum { TW_CSV_NAN = 1, TW_CSV_EMPTY = 2 };

/* The number in a column of the row; false: see error. */
bool tw_csv_number(tw_csv *csv, size_t column, unsigned allowed, double *value);

/* Sets the error, with file and line; returns false. */
bool tw_csv_refuse(tw_csv *csv, const char *format, ...) TW_PRINTF_LIKE(2, 3);

#endif
