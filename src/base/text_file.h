/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files: reading line by line, and writing. */
#ifndef TW_BASE_TEXT_FILE_H
#define TW_BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <twirl/types.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

/* Reads a text file line by line, in constant memory, and splits lines into fields. CRLF and a
 * UTF-8 byte-order mark are accepted. */

enum { TW_LINES_LENGTH_MAX = 8191 };

typedef struct tw_lines {
    FILE *file;
    const char *path;
    size_t number; /* of the current line, from 1 */
    char text[TW_LINES_LENGTH_MAX + 1];
    bool ended;
    tw_status status; /* why the last call returned false; TW_STATUS_OK: end of the file */
    tw_error *error;
    tw_c_locale plain;
} tw_lines;

/* On failure `status` and `error` are set and there is nothing to close. */
bool tw_lines_open(tw_lines *lines, const char *path, tw_error *error);
void tw_lines_close(tw_lines *lines);

/* The next line; false at the end of the file or if the line cannot be read. */
bool tw_lines_next(tw_lines *lines);

/* The next line that is not blank. */
bool tw_lines_next_filled(tw_lines *lines);

/* Sets the error "PATH:LINE: ..." with TW_STATUS_INPUT; returns false. */
bool tw_lines_refuse(tw_lines *lines, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* Split `text` into fields, in place: at white space, or at commas with the white space around each
 * field removed. Return the number of fields; those beyond `max` are counted but not stored. */
size_t tw_lines_split_blanks(char *text, char **fields, size_t max);
size_t tw_lines_split_commas(char *text, char **fields, size_t max);

/* tw_text_number for a field, in which the exponent may be written with a D, as in Fortran.
 * Replaces the D in place. */
const char *tw_lines_number(char *text, double *value);

/* Reads fields of the current line as numbers; false with an error that quotes the field, and names
 * the column if `column` is not NULL. */
bool tw_lines_read_number(tw_lines *lines, const char *column, char *field, double *value);
bool tw_lines_read_numbers(tw_lines *lines, char **fields, size_t count, double *values);

/* Whether the value is an integer of at least `least`, and small enough for a double to tell it
 * from its neighbours. */
bool tw_lines_is_integer(double value, double least);

/* Text output through base/file.h, with a decimal point in every locale. Write errors are
 * kept until finish. */

typedef struct tw_outfile {
    tw_replace_file file;
    FILE *stream;
    tw_c_locale plain;
} tw_outfile;

/* If this succeeds, finish must follow. */
tw_status tw_outfile_open(tw_outfile *out, const char *path, tw_error *error);

void tw_outfile_print(tw_outfile *out, const char *format, ...) TW_PRINTF_LIKE(2, 3);
void tw_outfile_write(tw_outfile *out, const void *bytes, size_t count);

/* Escapes &, <, > and quotation marks for XML. */
void tw_outfile_print_xml(tw_outfile *out, const char *text);

tw_status tw_outfile_finish(tw_outfile *out, tw_error *error);

#endif
