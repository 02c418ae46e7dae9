/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, symbols and units of the curves. */
#ifndef TWIRL_APP_CURVE_LABEL_H
#define TWIRL_APP_CURVE_LABEL_H

#include "plot/axis.h"
#include "plot/curve.h"

typedef struct tw_curve_label {
    const char *column; /* in curves.csv: "axial_strain" */
    const char *text;   /* at the axis, in the language of gnuplot */
    tw_axis_dimension dimension;
    bool zero; /* an axis of it includes 0 */
} tw_curve_label;

extern const tw_curve_label tw_curve_labels[TW_CURVES];

#endif
