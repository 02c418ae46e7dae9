/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response_history.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file_reading {
    tw_response_history *history;
    const char *path, *stage;
    size_t stage_column;
    unsigned long line;
} file_reading;

static bool refuse(const file_reading *r, const char *what)
{
    snprintf(r->history->error, sizeof r->history->error, "%s:%lu: %s", r->path, r->line, what);
    return false;
}

static bool run_out(const file_reading *r)
{
    r->history->failed = true;
    snprintf(r->history->error, sizeof r->history->error, "%s: out of memory", r->path);
    return false;
}

/* Cuts the line at its commas. */
static size_t cut(char *line, char *field[TW_RESPONSE_COLUMNS_MAX])
{
    size_t count = 0;
    for (char *next = line; next && count < TW_RESPONSE_COLUMNS_MAX; count++) {
        field[count] = next;
        next = strchr(next, ',');
        if (next) *next++ = '\0';
    }
    return count;
}

static bool read_header(file_reading *r, const char *line)
{
    tw_response_history *h = r->history;
    h->header = strdup(line);
    if (!h->header) return run_out(r);
    h->columns = cut(h->header, h->name);
    r->stage_column = tw_response_history_find(h, "stage");
    return r->stage_column != SIZE_MAX || refuse(r, "the header has no column 'stage'");
}

static double *new_row(tw_response_history *h)
{
    if (h->rows == h->capacity) {
        const size_t capacity = h->capacity ? 2 * h->capacity : 256;
        double *more = realloc(h->value, capacity * h->columns * sizeof *more);
        if (!more) return NULL;
        h->value = more;
        h->capacity = capacity;
    }
    return &h->value[h->columns * h->rows++];
}

/* Texts, such as the name of the stage, are NaN. */
static bool read_row(file_reading *r, char *line)
{
    tw_response_history *h = r->history;
    char *field[TW_RESPONSE_COLUMNS_MAX];
    if (cut(line, field) != h->columns)
        return refuse(r, "the row does not have as many fields as the header");
    if (strcmp(field[r->stage_column], r->stage) != 0) return true;
    double *row = new_row(h);
    if (!row) return run_out(r);
    for (size_t c = 0; c < h->columns; c++)
        if (tw_text_number(field[c], &row[c]) != NULL) row[c] = (double)NAN;
    return true;
}

static bool read_lines(file_reading *r, FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    while (good && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        r->line++;
        if (line[0] == '\0' || line[0] == '#') continue;
        good = r->history->columns == 0 ? read_header(r, line) : read_row(r, line);
    }
    free(line);
    if (!good || !ferror(file)) return good;
    r->history->failed = true;
    return refuse(r, tw_error_reason_of(errno).text);
}

bool tw_response_history_read(tw_response_history *h, const char *path, const char *stage)
{
    file_reading r = {.history = h, .path = path, .stage = stage};
    *h = (tw_response_history){.columns = 0};
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(h->error, sizeof h->error, "%s: %s", path, tw_error_reason_of(errno).text);
        return false;
    }
    const bool good = read_lines(&r, file);
    fclose(file);
    if (good && h->rows == 0)
        snprintf(h->error, sizeof h->error, "%s: no row of stage '%s'", path, stage);
    return good && h->rows > 0;
}

void tw_response_history_free(tw_response_history *h)
{
    free(h->header);
    free(h->value);
    *h = (tw_response_history){.columns = 0};
}

size_t tw_response_history_find(const tw_response_history *h, const char *name)
{
    for (size_t c = 0; c < h->columns; c++)
        if (strcmp(h->name[c], name) == 0) return c;
    return SIZE_MAX;
}

double tw_response_history_at(const tw_response_history *h, size_t row, size_t column)
{
    return column == SIZE_MAX ? (double)NAN : h->value[row * h->columns + column];
}
