/* SPDX-License-Identifier: BSD-3-Clause */
/* Two columns of a history as a piecewise linear curve y(x). Values that cannot be had are NaN. */
#ifndef TWIRL_APP_RESPONSE_SERIES_H
#define TWIRL_APP_RESPONSE_SERIES_H

#include <stddef.h>

typedef struct tw_response_series {
    const double *x, *y;
    size_t count;
} tw_response_series;

/* y where x first reaches `at`, from either side. */
double tw_response_series_value(tw_response_series series, double at);

/* Integral mean of y over x from `from` to `to`, for x that increases; NaN if the series does not
 * cover the range. */
double tw_response_series_mean(tw_response_series series, double from, double to);

/* The first row with the largest y; SIZE_MAX if no y is a number. */
size_t tw_response_series_largest(tw_response_series series);

#endif
