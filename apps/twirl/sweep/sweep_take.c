/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_take.h"

#include "base/text.h"
#include "common/output.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

/* ---- Reading ---- */

static const char *const functions[] = {"", "max", "min", "mean"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Not written by `twirl run`, or not a number. */
static const tw_history_column absent[] = {TW_HISTORY_stage, TW_HISTORY_walls, TW_HISTORY_gravity};

typedef struct take_reading {
    const char *at;
    char *problem;
    size_t size;
} take_reading;

static bool refuse(const take_reading *r, const char *expected)
{
    if (*r->at)
        snprintf(r->problem, r->size, "%s: expected %s", tw_text_quote(r->at, strlen(r->at)).text,
                 expected);
    else
        snprintf(r->problem, r->size, "ends where %s is expected", expected);
    return false;
}

static size_t word_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
}

static bool read_word(take_reading *r, char word[TW_SWEEP_TAKE_NAME_MAX], const char *what)
{
    const size_t length = word_length(r->at);
    if (length == 0 || length >= TW_SWEEP_TAKE_NAME_MAX) return refuse(r, what);
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    return true;
}

static bool is_absent(tw_history_column column)
{
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (absent[i] == column) return true;
    return false;
}

static bool find_column(const take_reading *r, const char *name, tw_history_column *column)
{
    int found = 0;
    const char *names[TW_HISTORY_COLUMN_COUNT];
    for (int k = 0; k < TW_HISTORY_COLUMN_COUNT; k++)
        names[k] = tw_figure_history_name((tw_history_column)k);
    while (found < TW_HISTORY_COLUMN_COUNT && strcmp(name, names[found]) != 0)
        found++;
    *column = (tw_history_column)found;
    const bool missing = is_absent(*column);
    if (!missing && found < TW_HISTORY_COLUMN_COUNT) return true;
    snprintf(r->problem, r->size, "'%s' is not a column of numbers of history.csv", name);
    const char *near = tw_nearest(name, names, TW_HISTORY_COLUMN_COUNT);
    const size_t used = strlen(r->problem);
    if (!missing && near && used < r->size)
        snprintf(r->problem + used, r->size - used, "; did you mean '%s'?", near);
    return false;
}

static bool read_column(take_reading *r, tw_history_column *column)
{
    char word[TW_SWEEP_TAKE_NAME_MAX];
    return read_word(r, word, "the name of a column") && find_column(r, word, column);
}

/* [STAGE.]COLUMN */
static bool read_quantity(take_reading *r, tw_sweep_take *take)
{
    if (r->at[word_length(r->at)] == '.') {
        if (!read_word(r, take->stage, "the name of a stage")) return false;
        r->at++;
    }
    return read_column(r, &take->column);
}

static bool read_symbol(take_reading *r, char symbol, const char *expected)
{
    if (*r->at != symbol) return refuse(r, expected);
    r->at++;
    return true;
}

/* A number, or one in per cent. */
static bool read_number(take_reading *r, double *value)
{
    char text[64];
    const char *end = strstr(r->at, "..");
    size_t length = end ? (size_t)(end - r->at) : strlen(r->at);
    const bool percent = length > 0 && r->at[length - 1] == '%';
    const size_t digits = length - percent;
    if (digits >= sizeof text) return refuse(r, "a number");
    snprintf(text, sizeof text, "%.*s", (int)digits, r->at);
    text[strcspn(text, " ")] = '\0';
    if (tw_text_number(text, value) != NULL) return refuse(r, "a number");
    if (percent) *value /= 100.0;
    r->at += length;
    return true;
}

/* OTHER=NUMBER or OTHER=A..B */
static bool read_condition(take_reading *r, tw_sweep_take *take)
{
    if (!read_column(r, &take->other) ||
        !read_symbol(r, '=', "'=' and a number, as in strain=0.05") || !read_number(r, &take->from))
        return false;
    take->place = TW_SWEEP_TAKE_WHERE;
    if (strncmp(r->at, "..", 2) != 0) return true;
    r->at += 2;
    take->place = TW_SWEEP_TAKE_WITHIN;
    if (!read_number(r, &take->to)) return false;
    if (take->to > take->from) return true;
    snprintf(r->problem, r->size, "the range %g..%g is empty", take->from, take->to);
    return false;
}

/* FUNCTION( at the cursor; TW_SWEEP_TAKE_VALUE: none. */
static tw_sweep_function read_function(take_reading *r)
{
    for (size_t k = 1; k < FUNCTIONS; k++) {
        const size_t length = strlen(functions[k]);
        if (strncmp(r->at, functions[k], length) != 0 || r->at[length] != '(') continue;
        r->at += length + 1;
        return (tw_sweep_function)k;
    }
    return TW_SWEEP_TAKE_VALUE;
}

static bool read_place(take_reading *r, tw_sweep_take *take)
{
    static const char *const words[] = {"last", "first"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strcmp(r->at, words[k]) != 0) continue;
        take->place = (tw_sweep_place)k;
        r->at += strlen(r->at);
        return true;
    }
    const tw_sweep_function extreme = read_function(r);
    if (extreme == TW_SWEEP_TAKE_VALUE) return read_condition(r, take);
    if (extreme == TW_SWEEP_TAKE_MEAN) return refuse(r, "a condition, max(COLUMN) or min(COLUMN)");
    take->place =
        extreme == TW_SWEEP_TAKE_MAX ? TW_SWEEP_TAKE_AT_LARGEST : TW_SWEEP_TAKE_AT_SMALLEST;
    return read_column(r, &take->other) && read_symbol(r, ')', "')'");
}

bool tw_sweep_take_parse(tw_sweep_take *take, const char *text, char *problem, size_t size)
{
    take_reading r = {text, problem, size};
    *take = (tw_sweep_take){.text = text};
    take->function = read_function(&r);
    if (!read_quantity(&r, take)) return false;
    if (take->function != TW_SWEEP_TAKE_VALUE && !read_symbol(&r, ')', "')'")) return false;
    if (*r.at == '@') {
        r.at++;
        if (!read_place(&r, take)) return false;
    }
    if (*r.at) return refuse(&r, "the end, or '@' and a place");
    const bool range = take->place == TW_SWEEP_TAKE_WITHIN;
    if (take->function == TW_SWEEP_TAKE_VALUE ? !range : range || take->place == TW_SWEEP_TAKE_LAST)
        return true;
    snprintf(problem, size,
             take->function == TW_SWEEP_TAKE_VALUE
                 ? "a range of rows has many values: use max(), min() or mean() of the column"
                 : "max(), min() and mean() take a range: @COLUMN=A..B");
    return false;
}

/* ---- Evaluation ---- */

static bool is_within(const tw_sweep_take *take, const tw_figure_row *row)
{
    const double place = row->value[take->other];
    return take->place != TW_SWEEP_TAKE_WITHIN || (place >= take->from && place <= take->to);
}

static double extreme_of(const tw_sweep_take *take, tw_figure_rows h)
{
    double best = (double)NAN;
    for (size_t i = 0; i < h.count; i++) {
        const double value = h.row[i].value[take->column];
        if (isnan(value) || !is_within(take, &h.row[i])) continue;
        if (isnan(best) || (take->function == TW_SWEEP_TAKE_MAX ? value > best : value < best))
            best = value;
    }
    return best;
}

/* Over time, trapezoids between successive rows that are both in the range. */
static double mean_of(const tw_sweep_take *take, tw_figure_rows h)
{
    double sum = 0.0, duration = 0.0;
    for (size_t i = 1; i < h.count; i++) {
        const double *a = h.row[i - 1].value, *b = h.row[i].value;
        if (!is_within(take, &h.row[i - 1]) || !is_within(take, &h.row[i])) continue;
        const double step = b[TW_HISTORY_time] - a[TW_HISTORY_time];
        sum += 0.5 * step * (a[take->column] + b[take->column]);
        duration += step;
    }
    return duration > 0.0 ? sum / duration : (double)NAN;
}

static size_t extreme_row(tw_figure_rows h, tw_history_column column, double sign)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < h.count; i++) {
        const double value = sign * h.row[i].value[column];
        if (isnan(value)) continue;
        if (best == SIZE_MAX || value > sign * h.row[best].value[column]) best = i;
    }
    return best;
}

static double value_where(const tw_sweep_take *take, tw_figure_rows h)
{
    double *x = tw_exit_unless(malloc(2 * h.count * sizeof *x));
    double *y = x + h.count;
    for (size_t i = 0; i < h.count; i++) {
        x[i] = h.row[i].value[take->other];
        y[i] = h.row[i].value[take->column];
    }
    const double value = tw_figure_result_where(x, y, h.count, take->from);
    free(x);
    return value;
}

static double value_at(const tw_sweep_take *take, tw_figure_rows h)
{
    size_t row = h.count - 1;
    switch (take->place) {
    case TW_SWEEP_TAKE_FIRST:
        row = 0;
        break;
    case TW_SWEEP_TAKE_WHERE:
        return value_where(take, h);
    case TW_SWEEP_TAKE_AT_LARGEST:
    case TW_SWEEP_TAKE_AT_SMALLEST:
        row = extreme_row(h, take->other, take->place == TW_SWEEP_TAKE_AT_LARGEST ? 1.0 : -1.0);
        break;
    case TW_SWEEP_TAKE_LAST:
    case TW_SWEEP_TAKE_WITHIN:
        break;
    }
    return row == SIZE_MAX ? (double)NAN : h.row[row].value[take->column];
}

double tw_sweep_take_value(const tw_sweep_take *take, tw_figure_rows history)
{
    switch (take->function) {
    case TW_SWEEP_TAKE_MAX:
    case TW_SWEEP_TAKE_MIN:
        return extreme_of(take, history);
    case TW_SWEEP_TAKE_MEAN:
        return mean_of(take, history);
    case TW_SWEEP_TAKE_VALUE:
        break;
    }
    return value_at(take, history);
}
