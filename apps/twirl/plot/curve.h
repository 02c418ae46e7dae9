/* SPDX-License-Identifier: BSD-3-Clause */
/* What `twirl plot` draws, computed from the rows of a history. */
#ifndef TWIRL_APP_CURVE_H
#define TWIRL_APP_CURVE_H

#include <stdbool.h>

#include "plot/history_table.h"

typedef enum tw_curve {
    TW_CURVE_AXIAL_STRAIN,
    TW_CURVE_TIME,
    TW_CURVE_STRESS_RATIO,
    TW_CURVE_VOLUMETRIC_STRAIN,
    TW_CURVE_P,
    TW_CURVE_Q,
    TW_CURVE_COORDINATION,
    TW_CURVE_SLIDING_FRACTION,
    TW_CURVE_WORK,     /* of cell, walls and gravity */
    TW_CURVE_KINETIC,  /* translation and rotation */
    TW_CURVE_STORED,   /* in contacts */
    TW_CURVE_FRICTION, /* dissipated, here and below */
    TW_CURVE_DAMPING,
    TW_CURVE_RESIDUAL,
    TW_CURVES
} tw_curve;

/* Column names: "axial_strain". */
extern const char *const tw_curve_names[TW_CURVES];

/* Which curves have a number in any row; `axis` is the axial direction, 0 to 2. */
void tw_curve_find(const tw_history_table *table, int axis, bool present[TW_CURVES]);

/* The values of a row; NaN for none. Strains are positive in compression. Without columns of
 * strain, the volumetric strain is ln(V0/V) with V0 of the first row. q is the column of that name,
 * or sqrt(3/2 s:s) of the stress deviator s. */
void tw_curve_values(const tw_history_table *table, size_t row, int axis, double value[TW_CURVES]);

#endif
