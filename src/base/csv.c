/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* getc_unlocked, strcasecmp */

#include "base/csv.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"

bool tw_csv_refuse(tw_csv *csv, const char *format, ...)
{
    char text[sizeof csv->error->text], line[32] = "";
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    if (csv->line > 0) snprintf(line, sizeof line, ":%llu", csv->line);
    tw_error_set(csv->error, TW_STATUS_INPUT, "%s%s: %s", tw_error_shorten_path(csv->name).text,
                 line, text);
    return false;
}

/* Into a fixed buffer: input without line ends must not use up the memory. False: there is no line,
 * or the error is set. */
static bool read_line(tw_csv *csv, char *text, size_t *length)
{
    size_t used = 0;
    int c;
    csv->line++;
    while ((c = getc_unlocked(csv->file)) != EOF && c != '\n') {
        if (used < TW_CSV_LINE_MAX)
            text[used++] = (char)c;
        else if (text[0] != '#')
            return tw_csv_refuse(csv, "line exceeds the limit of %d bytes", TW_CSV_LINE_MAX);
    }
    if (c == EOF && ferror(csv->file)) {
        tw_error_set_system(csv->error, "read", csv->name);
        return false;
    }
    csv->ended = c == '\n';
    if (c == EOF && used == 0) {
        csv->line--;
        return false;
    }
    if (used > 0 && text[used - 1] == '\r') used--;
    if (csv->line == 1 && used >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        used -= 3;
        memmove(text, text + 3, used);
    }
    text[used] = '\0';
    *length = used;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the line in place. Returns the number of fields, which may be more than there is room for.
 */
static size_t split(char *line, size_t length, tw_csv_field *field)
{
    const char *last = line + length;
    size_t count = 0;
    for (char *next = line; next; count++) {
        char *text = next, *comma = memchr(text, ',', (size_t)(last - text));
        char *end = comma ? comma : text + (last - text);
        next = comma ? comma + 1 : NULL;
        while (text < end && is_blank(*text))
            text++;
        while (end > text && is_blank(end[-1]))
            end--;
        *end = '\0';
        if (count < TW_CSV_COLUMNS_MAX) field[count] = (tw_csv_field){text, (size_t)(end - text)};
    }
    return count;
}

/* The fields of the next line that is neither blank nor a comment; 0: none. */
static size_t next_fields(tw_csv *csv, char *text, tw_csv_field *field)
{
    for (size_t length = 0; read_line(csv, text, &length);) {
        const size_t first = strspn(text, " \t");
        if (first < length && text[first] != '#') return split(text, length, field);
    }
    return 0;
}

bool tw_csv_open(tw_csv *csv, FILE *file, const char *name, tw_error *error)
{
    const int number = errno;
    csv->name = name;
    csv->file = file;
    csv->line = 0;
    csv->columns = 0;
    csv->error = error;
    csv->text = NULL;
    tw_error_clear(error);
    if (!file) return tw_csv_refuse(csv, "%s", tw_error_reason_of(number).text);
    csv->text = malloc(2 * (TW_CSV_LINE_MAX + 1));
    if (!csv->text) return tw_error_set_memory(error) == TW_STATUS_OK;
    csv->columns = next_fields(csv, csv->text + TW_CSV_LINE_MAX + 1, csv->column);
    if (csv->columns == 0) {
        csv->line = 0;
        return error->status == TW_STATUS_OK &&
               tw_csv_refuse(csv, "no header: the first line must name the columns");
    }
    return csv->columns <= TW_CSV_COLUMNS_MAX ||
           tw_csv_refuse(csv, "exceeds the limit of %d columns", TW_CSV_COLUMNS_MAX);
}

void tw_csv_close(tw_csv *csv)
{
    if (csv->file && csv->file != stdin) fclose(csv->file);
    free(csv->text);
    csv->file = NULL;
    csv->text = NULL;
}

bool tw_csv_next(tw_csv *csv)
{
    const size_t fields = next_fields(csv, csv->text, csv->field), columns = csv->columns;
    if (fields == columns || fields == 0) return fields > 0;
    if (fields < columns)
        return tw_csv_refuse(csv, "column '%s' is missing: the row has %zu of %zu fields",
                             csv->column[fields].text, fields, columns);
    const char *extra = columns < TW_CSV_COLUMNS_MAX ? csv->field[columns].text : "";
    return tw_csv_refuse(csv, "unexpected field %s after the last column '%s': the header has %zu",
                         tw_text_quote(extra, strlen(extra)).text, csv->column[columns - 1].text,
                         columns);
}

size_t tw_csv_find(const tw_csv *csv, const char *name)
{
    for (size_t k = 0; k < csv->columns; k++)
        if (strcmp(csv->column[k].text, name) == 0) return k;
    return TW_CSV_COLUMNS_MAX;
}

bool tw_csv_number(tw_csv *csv, size_t column, unsigned allowed, double *value)
{
    const tw_csv_field *f = &csv->field[column];
    *value = (double)NAN; /* a quantity without a value, such as a mean over no contacts */
    if ((allowed & TW_CSV_EMPTY) && f->length == 0) return true;
    if ((allowed & TW_CSV_NAN) && strcasecmp(f->text + (*f->text == '-'), "nan") == 0) return true;
    const char *problem =
        strlen(f->text) != f->length ? "contains a NUL byte" : tw_text_number(f->text, value);
    return !problem || tw_csv_refuse(csv, "column '%s': %s %s", csv->column[column].text,
                                     tw_text_quote(f->text, f->length).text, problem);
}
