/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_vary.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vary_reading {
    tw_sweep_vary *vary;
    char *problem;
    size_t size;
} vary_reading;

static bool refuse(const vary_reading *r, const char *item, const char *what)
{
    snprintf(r->problem, r->size, "'%s': %s", item, what);
    return false;
}

/* ---- Values ---- */

static bool add_value(const vary_reading *r, const char *text)
{
    tw_sweep_vary *v = r->vary;
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->value[i], text) == 0) return refuse(r, text, "is given twice");
    if (v->count == TW_SWEEP_VALUES_MAX) return refuse(r, v->key, "has more than 10000 values");
    char **more = realloc(v->value, (v->count + 1) * sizeof *more);
    if (!more) return false;
    v->value = more;
    v->value[v->count] = strdup(text);
    return v->value[v->count] && ++v->count;
}

/* A..B or A..B..STEP. `*is_range` is false for anything else. */
static bool add_whole_numbers(const vary_reading *r, const char *item, bool *is_range)
{
    static const long long most = 1000000000000000;
    long long from, to, step = 1;
    int end = 0, longer = 0;
    *is_range = sscanf(item, "%lld..%lld%n..%lld%n", &from, &to, &end, &step, &longer) >= 2 &&
                item[longer > 0 ? longer : end] == '\0';
    if (!*is_range) return true;
    if (step <= 0) return refuse(r, item, "the step of a range A..B..STEP must be above 0");
    if (to < from) return refuse(r, item, "the range is empty: A..B needs A <= B");
    if (from < -most || to > most || step > most)
        return refuse(r, item, "ranges of whole numbers go up to 1e15");
    if ((to - from) / step >= TW_SWEEP_VALUES_MAX)
        return refuse(r, item, "the range has more than 10000 values");
    char text[32];
    for (long long value = from; value <= to; value += step) {
        snprintf(text, sizeof text, "%lld", value);
        if (!add_value(r, text)) return false;
    }
    return true;
}

/* A:B:N, and a unit. Twelve digits: 0.3, where the sum has 0.30000000000000004. */
static bool add_numbers(const vary_reading *r, const char *item, bool *is_range)
{
    double from, to;
    long count;
    int end = 0;
    *is_range = sscanf(item, "%lf:%lf:%ld%n", &from, &to, &count, &end) == 3 && end > 0 &&
                (item[end] == '\0' || item[end] == ' ' || isalpha((unsigned char)item[end]) ||
                 item[end] == '%');
    if (!*is_range) return true;
    if (count < 2) return refuse(r, item, "A:B:N needs at least 2 values");
    if (count > TW_SWEEP_VALUES_MAX) return refuse(r, item, "the range has more than 10000 values");
    char text[128];
    for (long i = 0; i < count; i++) {
        const double part = (double)i / (double)(count - 1);
        snprintf(text, sizeof text, "%.12g%.64s", from + part * (to - from), item + end);
        if (!add_value(r, text)) return false;
    }
    return true;
}

static bool add_item(const vary_reading *r, char *item)
{
    bool is_range = false;
    item += strspn(item, " ");
    size_t length = strlen(item);
    while (length > 0 && item[length - 1] == ' ')
        item[--length] = '\0';
    if (length == 0) {
        snprintf(r->problem, r->size, "a value is empty");
        return false;
    }
    if (!add_whole_numbers(r, item, &is_range)) return false;
    if (!is_range && !add_numbers(r, item, &is_range)) return false;
    return is_range || add_value(r, item);
}

/* Length up to the next comma that separates values. */
static size_t item_length(const char *text)
{
    int depth = 0;
    char quote = '\0';
    size_t i = 0;
    for (; text[i] && (quote || depth > 0 || text[i] != ','); i++) {
        if (quote)
            quote = text[i] == quote ? '\0' : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
        else
            depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
    }
    return i;
}

static bool add_items(const vary_reading *r, char *text)
{
    for (;;) {
        const size_t length = item_length(text);
        const bool last = text[length] == '\0';
        text[length] = '\0';
        if (!add_item(r, text)) return false;
        if (last) return true;
        text += length + 1;
    }
}

bool tw_sweep_vary_parse(tw_sweep_vary *vary, const char *text, char *problem, size_t size)
{
    const vary_reading r = {vary, problem, size};
    const char *equals = strchr(text, '=');
    *vary = (tw_sweep_vary){0};
    problem[0] = '\0';
    if (!equals || equals == text)
        return refuse(&r, text, "expected KEY=VALUES, as in material.friction=0.1,0.3,0.5");
    vary->key = strndup(text, (size_t)(equals - text));
    char *values = strdup(equals + 1);
    const bool good = vary->key && values && add_items(&r, values);
    free(values);
    return good;
}

void tw_sweep_vary_free(tw_sweep_vary *vary)
{
    for (size_t i = 0; i < vary->count; i++)
        free(vary->value[i]);
    free(vary->value);
    free(vary->key);
    *vary = (tw_sweep_vary){0};
}

const char *tw_sweep_vary_label(const tw_sweep_vary *vary)
{
    const char *dot = strrchr(vary->key, '.');
    return dot ? dot + 1 : vary->key;
}

bool tw_sweep_vary_is_seed(const tw_sweep_vary *vary)
{
    return strcmp(vary->key, "specimen.seed") == 0;
}
