/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response_take.h"

#include "base/nearest.h"
#include "base/text.h"
#include "response/response_series.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/history_columns.h>
#include <twirl/math.h>

/* ---- Reading ---- */

static const char *const functions[] = {"", "max", "min", "mean"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const columns[] = {
#define NAME(name, plotted) #name,
    TW_HISTORY_COLUMNS(NAME)
#undef NAME
};

/* In the list, but not written by `twirl run`, or not a number. */
static const char *const absent[] = {"stage",     "walls",     "gravity",
                                     "stress_yx", "stress_zx", "stress_zy"};

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

static bool read_word(take_reading *r, char word[TW_RESPONSE_NAME_MAX], const char *what)
{
    const size_t length = word_length(r->at);
    if (length == 0 || length >= TW_RESPONSE_NAME_MAX) return refuse(r, what);
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    return true;
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0) return true;
    return false;
}

static bool check_column(const take_reading *r, const char *name)
{
    enum { COLUMNS = sizeof columns / sizeof *columns, ABSENT = sizeof absent / sizeof *absent };
    const bool missing = is_listed(name, absent, ABSENT);
    if (!missing && is_listed(name, columns, COLUMNS)) return true;
    snprintf(r->problem, r->size, "'%s' is not a column of numbers of history.csv", name);
    const char *near = tw_nearest(name, columns, COLUMNS);
    const size_t used = strlen(r->problem);
    if (!missing && near && used < r->size)
        snprintf(r->problem + used, r->size - used, "; did you mean '%s'?", near);
    return false;
}

static bool read_column(take_reading *r, char word[TW_RESPONSE_NAME_MAX])
{
    return read_word(r, word, "the name of a column") && check_column(r, word);
}

/* [STAGE.]COLUMN */
static bool read_quantity(take_reading *r, tw_response_take *take)
{
    if (r->at[word_length(r->at)] == '.') {
        if (!read_word(r, take->stage, "the name of a stage")) return false;
        r->at++;
    }
    return read_column(r, take->column);
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
static bool read_condition(take_reading *r, tw_response_take *take)
{
    if (!read_column(r, take->other) ||
        !read_symbol(r, '=', "'=' and a number, as in strain=0.05") || !read_number(r, &take->from))
        return false;
    take->place = TW_RESPONSE_WHERE;
    if (strncmp(r->at, "..", 2) != 0) return true;
    r->at += 2;
    take->place = TW_RESPONSE_WITHIN;
    if (!read_number(r, &take->to)) return false;
    if (take->to > take->from) return true;
    snprintf(r->problem, r->size, "the range %g..%g is empty", take->from, take->to);
    return false;
}

/* FUNCTION( at the cursor; TW_RESPONSE_VALUE: none. */
static tw_response_function read_function(take_reading *r)
{
    for (size_t k = 1; k < FUNCTIONS; k++) {
        const size_t length = strlen(functions[k]);
        if (strncmp(r->at, functions[k], length) != 0 || r->at[length] != '(') continue;
        r->at += length + 1;
        return (tw_response_function)k;
    }
    return TW_RESPONSE_VALUE;
}

static bool read_place(take_reading *r, tw_response_take *take)
{
    static const char *const words[] = {"last", "first"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strcmp(r->at, words[k]) != 0) continue;
        take->place = (tw_response_place)k;
        r->at += strlen(r->at);
        return true;
    }
    const tw_response_function extreme = read_function(r);
    if (extreme == TW_RESPONSE_VALUE) return read_condition(r, take);
    if (extreme == TW_RESPONSE_MEAN) return refuse(r, "a condition, max(COLUMN) or min(COLUMN)");
    take->place = extreme == TW_RESPONSE_MAX ? TW_RESPONSE_AT_LARGEST : TW_RESPONSE_AT_SMALLEST;
    return read_column(r, take->other) && read_symbol(r, ')', "')'");
}

bool tw_response_take_parse(tw_response_take *take, const char *text, char *problem, size_t size)
{
    take_reading r = {text, problem, size};
    *take = (tw_response_take){.text = text};
    take->function = read_function(&r);
    if (!read_quantity(&r, take)) return false;
    if (take->function != TW_RESPONSE_VALUE && !read_symbol(&r, ')', "')'")) return false;
    if (*r.at == '@') {
        r.at++;
        if (!read_place(&r, take)) return false;
    }
    if (*r.at) return refuse(&r, "the end, or '@' and a place");
    const bool range = take->place == TW_RESPONSE_WITHIN;
    if (take->function == TW_RESPONSE_VALUE ? !range : range || take->place == TW_RESPONSE_LAST)
        return true;
    snprintf(problem, size,
             take->function == TW_RESPONSE_VALUE
                 ? "a range of rows has many values: use max(), min() or mean() of the column"
                 : "max(), min() and mean() take a range: @COLUMN=A..B");
    return false;
}

/* ---- Evaluation ---- */

static double extreme_of(const tw_response_history *h, const tw_response_take *take, size_t column,
                         size_t other)
{
    double best = (double)NAN;
    const bool all = take->place != TW_RESPONSE_WITHIN;
    for (size_t i = 0; i < h->rows; i++) {
        const double value = tw_response_history_at(h, i, column);
        const double place = tw_response_history_at(h, i, other);
        if (!all && !(place >= take->from && place <= take->to)) continue;
        if (isnan(value)) continue;
        if (isnan(best) || (take->function == TW_RESPONSE_MAX ? value > best : value < best))
            best = value;
    }
    return best;
}

/* Over time, trapezoids between successive rows that are both in the range. */
static double mean_of(const tw_response_history *h, const tw_response_take *take, size_t column,
                      size_t other)
{
    const size_t time = tw_response_history_find(h, "time");
    const bool all = take->place != TW_RESPONSE_WITHIN;
    double sum = 0.0, duration = 0.0;
    for (size_t i = 1; i < h->rows; i++) {
        const double a = tw_response_history_at(h, i - 1, other);
        const double b = tw_response_history_at(h, i, other);
        if (!all && !(tw_math_min(a, b) >= take->from && tw_math_max(a, b) <= take->to)) continue;
        const double step =
            tw_response_history_at(h, i, time) - tw_response_history_at(h, i - 1, time);
        sum += 0.5 * step *
               (tw_response_history_at(h, i - 1, column) + tw_response_history_at(h, i, column));
        duration += step;
    }
    return duration > 0.0 ? sum / duration : (double)NAN;
}

static size_t extreme_row(const tw_response_history *h, size_t column, double sign)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < h->rows; i++) {
        const double value = sign * tw_response_history_at(h, i, column);
        if (isnan(value)) continue;
        if (best == SIZE_MAX || value > sign * tw_response_history_at(h, best, column)) best = i;
    }
    return best;
}

static double value_where(const tw_response_history *h, size_t column, size_t other, double at)
{
    double *x = malloc(2 * h->rows * sizeof *x);
    if (!x) return (double)NAN;
    double *y = x + h->rows;
    for (size_t i = 0; i < h->rows; i++) {
        x[i] = tw_response_history_at(h, i, other);
        y[i] = tw_response_history_at(h, i, column);
    }
    const double value = tw_response_series_value((tw_response_series){x, y, h->rows}, at);
    free(x);
    return value;
}

static double value_at(const tw_response_history *h, const tw_response_take *take, size_t column,
                       size_t other)
{
    size_t row = h->rows - 1;
    switch (take->place) {
    case TW_RESPONSE_FIRST:
        row = 0;
        break;
    case TW_RESPONSE_WHERE:
        return value_where(h, column, other, take->from);
    case TW_RESPONSE_AT_LARGEST:
    case TW_RESPONSE_AT_SMALLEST:
        row = extreme_row(h, other, take->place == TW_RESPONSE_AT_LARGEST ? 1.0 : -1.0);
        break;
    case TW_RESPONSE_LAST:
    case TW_RESPONSE_WITHIN:
        break;
    }
    return row == SIZE_MAX ? (double)NAN : tw_response_history_at(h, row, column);
}

double tw_response_take_value(const tw_response_take *take, const tw_response_history *h)
{
    const size_t column = tw_response_history_find(h, take->column);
    const size_t other = tw_response_history_find(h, take->other);
    switch (take->function) {
    case TW_RESPONSE_MAX:
    case TW_RESPONSE_MIN:
        return extreme_of(h, take, column, other);
    case TW_RESPONSE_MEAN:
        return mean_of(h, take, column, other);
    case TW_RESPONSE_VALUE:
        break;
    }
    return value_at(h, take, column, other);
}
