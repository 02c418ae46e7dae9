/* SPDX-License-Identifier: BSD-3-Clause */
/* The range of values that the colours cover. */
#ifndef TWIRL_APP_RENDER_RANGE_H
#define TWIRL_APP_RENDER_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_quantity.h"

typedef enum tw_render_range_kind {
    TW_RENDER_RANGE_AUTO, /* as the scale of the quantity says, percentiles 1 and 99 */
    TW_RENDER_RANGE_ALL,
    TW_RENDER_RANGE_PERCENTILES,
    TW_RENDER_RANGE_VALUES
} tw_render_range_kind;

/* What the user asked for. */
typedef struct tw_render_range_choice {
    tw_render_range_kind kind;
    double low, high; /* percentiles [%] or values [SI] */
} tw_render_range_choice;

typedef struct tw_render_range {
    double low, high;   /* of the colours */
    double least, most; /* of the values */
} tw_render_range;

/* Reads LOW:HIGH with two values, which may have the unit of the quantity with a prefix (0:50 kPa),
 * or two percentiles (5%:95%), or `all`. Returns NULL, or what is wrong. */
const char *tw_render_range_read(const char *text, const tw_render_quantity *quantity,
                                 tw_render_range_choice *choice);

/* The percentile of sorted values, linear between them: 0 is the least, 100 the most. */
double tw_render_range_percentile(const double *sorted, size_t count, double percent);

/* Sorts the values. */
tw_render_range tw_render_range_find(const tw_render_range_choice *choice, tw_render_scale scale,
                                     double *values, size_t count);

/* Whether the ends are equal, but for rounding. */
bool tw_render_range_is_empty(const tw_render_range *range);

/* 0 to 1 in the range, beyond outside of it; 1/2 if the range is empty. */
double tw_render_range_share(const tw_render_range *range, double value);

#endif
