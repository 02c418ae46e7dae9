/* SPDX-License-Identifier: BSD-3-Clause */
/* The characteristic curve of a stage: stress ratio over strain, a compression curve, loops. */
#ifndef TWIRL_APP_RESPONSE_CURVE_H
#define TWIRL_APP_RESPONSE_CURVE_H

#include <stdbool.h>

#include "response/response_rows.h"

typedef struct tw_response_curve {
    const char *x_label, *y_label; /* for people, with units */
    tw_response_rows_column x, y;
    double x_factor, y_factor; /* from the columns to those units */
    bool log_x;
} tw_response_curve;

tw_response_curve tw_response_curve_of(const tw_scenario_stage *stage);

#endif
