/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_csv.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

bool tw_figure_csv_refuse(tw_figure_csv *csv, const char *format, ...)
{
    const int used = csv->line > 0
                         ? snprintf(csv->error, csv->error_size, "%s:%lu: ", csv->path, csv->line)
                         : snprintf(csv->error, csv->error_size, "%s: ", csv->path);
    va_list rest;
    va_start(rest, format);
    if (used >= 0 && (size_t)used < csv->error_size)
        vsnprintf(csv->error + used, csv->error_size - (size_t)used, format, rest);
    va_end(rest);
    return false;
}

bool tw_figure_csv_fail(tw_figure_csv *csv, const char *why)
{
    csv->failed = true;
    csv->line = 0;
    return tw_figure_csv_refuse(csv, "%s", why);
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Cuts the line in place. */
static void split(tw_figure_csv *csv, char *line)
{
    csv->fields = 0;
    for (char *next = line; next; csv->fields++) {
        char *end = strchr(next, ',');
        if (end) *end++ = '\0';
        if (csv->fields < TW_FIGURE_FIELDS_MAX) csv->field[csv->fields] = trim(next);
        next = end;
    }
}

/* The next line that is neither blank nor a comment. */
static bool next_line(tw_figure_csv *csv)
{
    for (;;) {
        const ssize_t length = getline(&csv->text, &csv->capacity, csv->file);
        if (length <= 0) break;
        csv->line++;
        csv->ended = csv->text[length - 1] == '\n';
        char *line = trim(csv->text);
        if (*line == '\0' || *line == '#') continue;
        split(csv, line);
        return true;
    }
    if (ferror(csv->file)) tw_figure_csv_fail(csv, tw_error_reason_of(errno).text);
    return false;
}

bool tw_figure_csv_open(tw_figure_csv *csv, const char *path, char *error, size_t error_size)
{
    *csv = (tw_figure_csv){.path = path, .error = error, .error_size = error_size};
    *error = '\0';
    csv->file = tw_read_file_stream(path);
    if (!csv->file) return tw_figure_csv_refuse(csv, "%s", tw_error_reason_of(errno).text);
    if (!next_line(csv)) {
        csv->line = 0;
        return !*error &&
               tw_figure_csv_refuse(csv, "no header: the first line must name the columns");
    }
    csv->header = csv->fields;
    if (csv->fields > TW_FIGURE_FIELDS_MAX)
        return tw_figure_csv_refuse(csv, "exceeds the limit of %d columns", TW_FIGURE_FIELDS_MAX);
    return true;
}

void tw_figure_csv_close(tw_figure_csv *csv)
{
    if (csv->file) fclose(csv->file);
    free(csv->text);
    csv->file = NULL;
    csv->text = NULL;
}

bool tw_figure_csv_next(tw_figure_csv *csv)
{
    if (!next_line(csv)) return false;
    if (csv->fields == csv->header) return true;
    return tw_figure_csv_refuse(csv, "%zu field%s, but the header has %zu", csv->fields,
                                csv->fields == 1 ? "" : "s", csv->header);
}

size_t tw_figure_csv_find(const tw_figure_csv *csv, const char *name)
{
    for (size_t k = 0; k < csv->header; k++)
        if (strcmp(csv->field[k], name) == 0) return k;
    return TW_FIGURE_FIELDS_MAX;
}

bool tw_figure_csv_number(tw_figure_csv *csv, size_t field, const char *column, bool empty,
                          double *value)
{
    const char *text = csv->field[field];
    *value = (double)NAN; /* a quantity without a value, such as a mean over no contacts */
    if ((empty && *text == '\0') || strcasecmp(text, "nan") == 0 || strcasecmp(text, "-nan") == 0)
        return true;
    const char *problem = tw_text_number(text, value);
    return !problem || tw_figure_csv_refuse(csv, "column '%s': %s %s", column,
                                            tw_text_quote(text, strlen(text)).text, problem);
}
