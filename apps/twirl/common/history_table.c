/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/history_table.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "common/output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELDS_MAX = 256 };

const char *const tw_history_table_names[TW_HISTORY_COLUMN_COUNT] = {
#define NAME(name) #name,
    TW_HISTORY_COLUMNS(NAME)
#undef NAME
};

typedef struct reading {
    tw_history_table *table;
    const char *path;
    unsigned long line;
    size_t fields;                            /* in the header */
    size_t field_of[TW_HISTORY_COLUMN_COUNT]; /* field of each column; FIELDS_MAX: none */
} reading;

__attribute__((format(printf, 2, 3))) static bool refuse(reading *r, const char *format, ...)
{
    char *error = r->table->error;
    const size_t size = sizeof r->table->error;
    const int used = r->line > 0 ? snprintf(error, size, "%s:%lu: ", r->path, r->line)
                                 : snprintf(error, size, "%s: ", r->path);
    va_list rest;
    va_start(rest, format);
    if (used >= 0 && (size_t)used < size)
        vsnprintf(error + used, size - (size_t)used, format, rest);
    va_end(rest);
    return false;
}

static bool fail(reading *r, const char *why)
{
    r->table->failed = true;
    r->line = 0;
    return refuse(r, "%s", why);
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Cuts the line in place. Returns the number of fields, of which up to FIELDS_MAX are stored. */
static size_t split(char *line, char **field)
{
    size_t count = 0;
    for (char *next = line; next; count++) {
        char *end = strchr(next, ',');
        if (end) *end++ = '\0';
        if (count < FIELDS_MAX) field[count] = trim(next);
        next = end;
    }
    return count;
}

static const char *without_prefix(const char *name)
{
    return strncmp(name, "energy_", 7) == 0 ? name + 7 : name;
}

static bool read_header(reading *r, char *line)
{
    char *field[FIELDS_MAX];
    r->fields = split(line, field);
    if (r->fields > FIELDS_MAX) return refuse(r, "exceeds the limit of %d columns", FIELDS_MAX);
    for (size_t c = 0; c < TW_HISTORY_COLUMN_COUNT; c++) {
        r->field_of[c] = FIELDS_MAX;
        for (size_t f = 0; f < r->fields; f++) {
            if (strcmp(without_prefix(field[f]), tw_history_table_names[c]) != 0) continue;
            if (r->field_of[c] != FIELDS_MAX)
                return refuse(r, "column '%s' appears twice", tw_history_table_names[c]);
            r->field_of[c] = f;
            r->table->present[c] = true;
        }
    }
    return true;
}

/* Room for one more element; NULL: out of memory. */
static void *grow(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) return array;
    const size_t wanted = *capacity ? 2 * *capacity : 16;
    void *more = realloc(array, wanted * size);
    if (more) *capacity = wanted;
    return more;
}

static tw_history_row *new_row(tw_history_table *table)
{
    tw_history_row *rows = grow(table->row, &table->capacity, table->count, sizeof *rows);
    if (!rows) return NULL;
    table->row = rows;
    return &rows[table->count++];
}

static bool read_value(reading *r, size_t column, const char *text, double *value)
{
    *value = (double)NAN; /* a quantity without a value, such as a mean over no contacts */
    if (*text == '\0' || strcasecmp(text, "nan") == 0 || strcasecmp(text, "-nan") == 0) return true;
    const char *problem = tw_text_number(text, value);
    return !problem || refuse(r, "column '%s': %s %s", tw_history_table_names[column],
                              tw_text_quote(text, strlen(text)).text, problem);
}

static bool is_stage(const tw_history_part *part, const char *stage)
{
    return strncmp(stage, part->stage, TW_HISTORY_STAGE_MAX - 1) == 0;
}

/* The part that a row of this stage belongs to; NULL: out of memory. */
static tw_history_part *part_of(tw_history_table *table, const char *stage)
{
    tw_history_part *last = table->parts > 0 ? &table->part[table->parts - 1] : NULL;
    if (last && is_stage(last, stage)) return last;
    tw_history_part *parts = grow(table->part, &table->part_capacity, table->parts, sizeof *parts);
    if (!parts) return NULL;
    table->part = parts;
    last = &parts[table->parts++];
    *last = (tw_history_part){.first = table->count};
    snprintf(last->stage, sizeof last->stage, "%.*s", TW_HISTORY_STAGE_MAX - 1, stage);
    return last;
}

static bool read_row(reading *r, char *line)
{
    char *field[FIELDS_MAX];
    const size_t fields = split(line, field);
    if (fields != r->fields)
        return refuse(r, "%zu field%s, but the header has %zu", fields, tw_output_plural(fields),
                      r->fields);
    const size_t stage_field = r->field_of[TW_HISTORY_stage];
    tw_history_part *part = part_of(r->table, stage_field == FIELDS_MAX ? "" : field[stage_field]);
    tw_history_row *row = part ? new_row(r->table) : NULL;
    if (!row) return fail(r, "out of memory");
    part->count++;
    for (size_t c = 0; c < TW_HISTORY_COLUMN_COUNT; c++) {
        row->value[c] = (double)NAN;
        if (r->field_of[c] == FIELDS_MAX || c == TW_HISTORY_stage) continue;
        if (!read_value(r, c, field[r->field_of[c]], &row->value[c])) return false;
    }
    return true;
}

static bool read_lines(reading *r, FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    while (good && getline(&line, &capacity, file) > 0) {
        char *text = trim(line);
        r->line++;
        if (*text == '\0' || *text == '#') continue;
        good = r->fields == 0 ? read_header(r, text) : read_row(r, text);
    }
    free(line);
    if (good && ferror(file)) return fail(r, tw_error_reason_of(errno).text);
    return good;
}

bool tw_history_table_read(tw_history_table *table, const char *path)
{
    reading r = {.table = table, .path = path};
    *table = (tw_history_table){.count = 0};
    FILE *file = tw_read_file_stream(path);
    if (!file) return refuse(&r, "%s", tw_error_reason_of(errno).text);
    const bool good = read_lines(&r, file);
    fclose(file);
    if (!good) return false;
    r.line = 0;
    return r.fields > 0 || refuse(&r, "no header: the first line must name the columns");
}

const tw_history_part *tw_history_table_part(const tw_history_table *table, const char *stage)
{
    for (size_t i = 0; i < table->parts; i++)
        if (is_stage(&table->part[i], stage)) return &table->part[i];
    return NULL;
}

bool tw_history_table_find(tw_history_table *table, const char *path, const char *stage,
                           tw_history_rows *rows)
{
    reading r = {.table = table, .path = path};
    if (!table->present[TW_HISTORY_stage]) return refuse(&r, "no column 'stage'");
    const tw_history_part *part = tw_history_table_part(table, stage);
    if (!part) return refuse(&r, "no row of stage '%s'", stage);
    *rows = (tw_history_rows){table->row + part->first, part->count};
    return true;
}

void tw_history_table_free(tw_history_table *table)
{
    free(table->row);
    free(table->part);
    table->row = NULL;
    table->part = NULL;
}
