/* SPDX-License-Identifier: BSD-3-Clause */
/* The axis of a figure: its unit, its range and its tics. */
#ifndef TWIRL_APP_AXIS_H
#define TWIRL_APP_AXIS_H

#include <stdbool.h>

#include "base/text.h"

typedef enum tw_axis_dimension {
    TW_AXIS_RATIO, /* also counts; no unit is shown */
    TW_AXIS_STRAIN,
    TW_AXIS_STRESS,
    TW_AXIS_ENERGY,
    TW_AXIS_TIME,
    TW_AXIS_ANGLE
} tw_axis_dimension;

typedef struct tw_axis {
    bool log;
    double factor; /* shown value over value in SI units */
    const char *unit;
    double low, high, step; /* as shown; step 0 for logarithmic axes */
    int decimals;           /* of the numbers at the tics */
} tw_axis;

typedef struct tw_axis_request {
    tw_axis_dimension dimension;
    double low, high; /* of the data, SI units; low > high: there is none */
    bool zero;        /* the range includes 0 */
    bool log, percent;
} tw_axis_request;

/* Round ends near the data, numbers with few digits. */
tw_axis tw_axis_choose(const tw_axis_request *request);

/* 0 at the lower end, 1 at the upper; NaN for what a logarithmic axis cannot show. */
double tw_axis_place(const tw_axis *axis, double value);

/* Number of characters of the longest number at a tic. */
int tw_axis_characters(const tw_axis *axis);

/* gnuplot: range and tics of the axis `name`, "x" or "y". */
void tw_axis_add(tw_text_buffer *text, const tw_axis *axis, const char *name);

/* gnuplot: an expression for the values of a column. */
void tw_axis_add_column(tw_text_buffer *text, const tw_axis *axis, const char *column);

#endif
