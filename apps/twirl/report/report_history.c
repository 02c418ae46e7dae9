/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_history.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A part of the text. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

/* Number of a column of the header; SIZE_MAX: there is none of this name. */
static size_t find_column(const tw_report_history *history, const char *name)
{
    const char *text = history->file.text;
    const size_t length = strlen(name);
    for (size_t number = 0;; number++) {
        const size_t width = strcspn(text, ",\r\n");
        if (width == length && memcmp(text, name, length) == 0) return number;
        text += width;
        if (*text++ != ',') return SIZE_MAX;
    }
}

static piece piece_of(const tw_report_history *history, size_t row, size_t column)
{
    const char *text = history->file.text + history->row[row];
    while (column > 0) {
        text += strcspn(text, ",\r\n");
        if (*text++ != ',') return (piece){"", 0};
        column--;
    }
    return (piece){text, strcspn(text, ",\r\n")};
}

static bool find_rows(tw_report_history *history)
{
    const char *text = history->file.text;
    const size_t length = history->file.length;
    size_t lines = 0;
    for (size_t k = 0; k < length; k++)
        lines += text[k] == '\n';
    history->row = malloc((lines + 1) * sizeof *history->row);
    if (!history->row) return false;
    history->rows = lines > 0 ? lines - 1 : 0;
    size_t line = 0; /* line 0 is the header */
    for (size_t k = 0; k < length; k++)
        if (text[k] == '\n') history->row[line++] = k + 1;
    if (lines == 0) history->row[0] = length;
    return true;
}

static bool is_same(const tw_history_part *part, piece name)
{
    return strlen(part->stage) == name.length && memcmp(part->stage, name.text, name.length) == 0;
}

static bool find_parts(tw_report_history *history)
{
    const size_t column = history->rows > 0 ? find_column(history, "stage") : SIZE_MAX;
    size_t capacity = 0;
    for (size_t k = 0; column != SIZE_MAX && k < history->rows; k++) {
        piece name = piece_of(history, k, column);
        if (name.length >= TW_HISTORY_STAGE_MAX) name.length = TW_HISTORY_STAGE_MAX - 1;
        if (history->parts == 0 || !is_same(&history->part[history->parts - 1], name)) {
            if (history->parts == capacity) {
                capacity = 2 * capacity + 16;
                tw_history_part *more = realloc(history->part, capacity * sizeof *more);
                if (!more) return false;
                history->part = more;
            }
            tw_history_part *part = &history->part[history->parts++];
            *part = (tw_history_part){.first = k};
            memcpy(part->stage, name.text, name.length);
        }
        history->part[history->parts - 1].count++;
    }
    return true;
}

bool tw_report_history_read(tw_report_history *history, const char *folder)
{
    *history = (tw_report_history){.file = tw_report_file_read(folder, "history.csv")};
    tw_report_file_cut(&history->file);
    if (!find_rows(history) || !find_parts(history)) return false;
    if (history->rows > 0)
        snprintf(history->id, sizeof history->id, "%08x",
                 (unsigned)tw_crc32(0, history->file.text, history->row[1]));
    return true;
}

void tw_report_history_free(tw_report_history *history)
{
    tw_report_file_free(&history->file);
    free(history->row);
    free(history->part);
    *history = (tw_report_history){.rows = 0};
}

const tw_history_part *tw_report_history_part(const tw_report_history *history, const char *stage)
{
    for (size_t k = 0; k < history->parts; k++)
        if (strcmp(history->part[k].stage, stage) == 0) return &history->part[k];
    return NULL;
}

double tw_report_history_value(const tw_report_history *history, size_t row, const char *column)
{
    char number[64], *end;
    const size_t place = find_column(history, column);
    if (place == SIZE_MAX) return (double)NAN;
    const piece f = piece_of(history, row, place);
    if (f.length == 0 || f.length >= sizeof number) return (double)NAN;
    snprintf(number, sizeof number, "%.*s", (int)f.length, f.text);
    const double value = strtod(number, &end);
    return *end ? (double)NAN : value;
}
