/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads CSV without quotes line by line: histories, probes, fits. Blank lines and lines that start
 * with '#' are skipped; blanks around fields and CRLF are accepted. */
#ifndef TWIRL_FIGURE_CSV_H
#define TWIRL_FIGURE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TW_FIGURE_FIELDS_MAX = 256 };

typedef struct tw_figure_csv {
    const char *path;
    FILE *file;
    char *text; /* of the line */
    size_t capacity;
    unsigned long line;                /* last line read, from 1; 0: none */
    char *field[TW_FIGURE_FIELDS_MAX]; /* of that line */
    size_t fields;                     /* of that line */
    size_t header;                     /* fields of the header */
    bool ended;                        /* the line has an end: it is complete */
    bool failed;                       /* out of memory or a read error, not bad input */
    char *error;                       /* of the caller */
    size_t error_size;
} tw_figure_csv;

/* Opens the file and reads its header into `field`. False: see error. Close it in any case. */
bool tw_figure_csv_open(tw_figure_csv *csv, const char *path, char *error, size_t error_size);
void tw_figure_csv_close(tw_figure_csv *csv);

/* The next row; false: there is none, or the error is not empty. */
bool tw_figure_csv_next(tw_figure_csv *csv);

/* The field of the header with this name; TW_FIGURE_FIELDS_MAX: none. To be asked before the first
 * row. */
size_t tw_figure_csv_find(const tw_figure_csv *csv, const char *name);

/* The number in a field; "nan" is NaN, and so is an empty field if `empty`. False: see error, which
 * names the column. */
bool tw_figure_csv_number(tw_figure_csv *csv, size_t field, const char *column, bool empty,
                          double *value);

/* Sets the error, with file and line; returns false. */
bool tw_figure_csv_refuse(tw_figure_csv *csv, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a failure that is no bad input, without a line. */
bool tw_figure_csv_fail(tw_figure_csv *csv, const char *why);

#endif
