/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

#include "render/render_unit.h"

static const double percent_low = 1.0, percent_high = 99.0;

static const char *read_two(const char *low, const char *high, const tw_render_quantity *quantity,
                            tw_render_range_choice *choice)
{
    const size_t end = strlen(high);
    const bool percent = end > 0 && high[end - 1] == '%';
    const char *unit = percent ? "%" : quantity->unit;
    choice->kind = percent ? TW_RENDER_RANGE_PERCENTILES : TW_RENDER_RANGE_VALUES;
    if (!tw_render_unit_read(low, unit, &choice->low) ||
        !tw_render_unit_read(high, unit, &choice->high))
        return "is not LOW:HIGH";
    if (percent && !(choice->low >= 0.0 && choice->high <= 100.0))
        return "has percentiles below 0 or above 100";
    if (!(choice->low < choice->high)) return "has a LOW that is not below HIGH";
    return choice->high - choice->low < 1e300 ? NULL : "is too wide";
}

const char *tw_render_range_read(const char *text, const tw_render_quantity *quantity,
                                 tw_render_range_choice *choice)
{
    char low[128], high[64];
    const char *mark = strchr(text, ':');
    *choice = (tw_render_range_choice){.kind = TW_RENDER_RANGE_ALL};
    if (strcmp(text, "all") == 0) return NULL;
    if (!mark || (size_t)(mark - text) >= sizeof high || strlen(mark) > sizeof high)
        return "is not LOW:HIGH";
    snprintf(low, sizeof low, "%.*s", (int)(mark - text), text);
    snprintf(high, sizeof high, "%s", mark + 1);
    /* 0:50 kPa: the unit is that of both, unless LOW has its own. */
    static const char digits[] = "+-.0123456789eE";
    if (low[strspn(low, digits)] == '\0')
        snprintf(low + strlen(low), sizeof low - strlen(low), "%s", high + strspn(high, digits));
    return read_two(low, high, quantity, choice);
}

double tw_render_range_percentile(const double *sorted, size_t count, double percent)
{
    const double place = percent / 100.0 * (double)(count - 1);
    const size_t index = (size_t)place < count - 1 ? (size_t)place : count - 1;
    if (index == count - 1) return sorted[index];
    return sorted[index] + (place - (double)index) * (sorted[index + 1] - sorted[index]);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The percentile of the magnitudes, for a range that is symmetric about 0. The values become
 * magnitudes. */
static double magnitude(double *values, size_t count, double percent)
{
    for (size_t i = 0; i < count; i++)
        values[i] = values[i] < 0.0 ? -values[i] : values[i];
    qsort(values, count, sizeof *values, compare);
    return tw_render_range_percentile(values, count, percent);
}

static void find(tw_render_range *range, const tw_render_range_choice *choice,
                 tw_render_scale scale, double *values, size_t count)
{
    const bool automatic = choice->kind == TW_RENDER_RANGE_AUTO;
    const bool percentiles = choice->kind == TW_RENDER_RANGE_PERCENTILES;
    const double low = automatic ? percent_low : percentiles ? choice->low : 0.0;
    const double high = automatic ? percent_high : percentiles ? choice->high : 100.0;
    range->low = tw_render_range_percentile(values, count, low);
    range->high = tw_render_range_percentile(values, count, high);
    if (percentiles) return;
    switch (scale) {
    case TW_RENDER_SCALE_ZERO:
    case TW_RENDER_SCALE_COUNT:
        range->low = tw_math_min(range->low, 0.0);
        if (range->least >= 0.0) range->low = 0.0;
        break;
    case TW_RENDER_SCALE_SIGN:
        range->high = magnitude(values, count, high);
        range->low = -range->high;
        break;
    case TW_RENDER_SCALE_UNIT:
        range->low = 0.0;
        range->high = 1.0;
        break;
    case TW_RENDER_SCALE_PLAIN:
    case TW_RENDER_SCALE_CLASSES:
    case TW_RENDER_SCALE_NONE:
        break;
    }
}

tw_render_range tw_render_range_find(const tw_render_range_choice *choice, tw_render_scale scale,
                                     double *values, size_t count)
{
    tw_render_range range = {0};
    if (count > 0) {
        qsort(values, count, sizeof *values, compare);
        range = (tw_render_range){0.0, 0.0, values[0], values[count - 1]};
        if (choice->kind != TW_RENDER_RANGE_VALUES) find(&range, choice, scale, values, count);
        /* Almost all values are equal: the others are what is there to see. */
        const tw_render_range_choice all = {.kind = TW_RENDER_RANGE_ALL};
        if (choice->kind == TW_RENDER_RANGE_AUTO && tw_render_range_is_empty(&range))
            find(&range, &all, scale, values, count);
    }
    if (choice->kind == TW_RENDER_RANGE_VALUES) {
        range.low = choice->low;
        range.high = choice->high;
    }
    return range;
}

bool tw_render_range_is_empty(const tw_render_range *range)
{
    const double largest = tw_math_max(fabs(range->low), fabs(range->high));
    return !(range->high - range->low > 1e-9 * largest);
}

double tw_render_range_share(const tw_render_range *range, double value)
{
    if (tw_render_range_is_empty(range)) return 0.5;
    return (value - range->low) / (range->high - range->low);
}
