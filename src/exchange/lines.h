/* SPDX-License-Identifier: BSD-3-Clause */
/* A text file line by line, in constant memory, and the fields of a line. CRLF and a UTF-8
 * byte-order mark are accepted. */
#ifndef TW_EXCHANGE_LINES_H
#define TW_EXCHANGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <twirl/text.h>
#include <twirl/types.h>

#include "exchange/fault.h"

enum { TW_LINES_LENGTH_MAX = 8191 };

typedef struct tw_lines {
    FILE *file;
    const char *path;
    size_t number; /* of the present line, from 1 */
    char text[TW_LINES_LENGTH_MAX + 1];
    bool ended;
    tw_status status; /* why the last call answered false; TW_STATUS_OK: the file ended */
    tw_error *error;
    tw_plain plain;
} tw_lines;

/* False: status and error say why; nothing to close. */
bool tw_lines_open(tw_lines *lines, const char *path, tw_error *error);
void tw_lines_close(tw_lines *lines);

/* False at the end of the file, or when a line cannot be read. */
bool tw_lines_next(tw_lines *lines);

/* The next line that is not blank. */
bool tw_lines_next_filled(tw_lines *lines);

/* "PATH:LINE: ..." with TW_STATUS_INPUT; returns false. */
bool tw_lines_refuse(tw_lines *lines, const char *format, ...) TW_FAULT_PRINTF(2, 3);

/* Cuts `text` into fields, in place: at white space, or at each comma with the white space around
 * it taken off. Returns how many there are; fields beyond `max` are counted but not given. */
size_t tw_lines_split_blanks(char *text, char **fields, size_t max);
size_t tw_lines_split_commas(char *text, char **fields, size_t max);

/* The whole of `text` as a finite number; an exponent may be written with a D, as Fortran does.
 * NULL on success, otherwise the rest of a sentence that begins with the text: "is not a number".
 * Changes the D in place. */
const char *tw_lines_number(char *text, double *value);

#endif
