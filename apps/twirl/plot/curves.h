/* SPDX-License-Identifier: BSD-3-Clause */
/* What `twirl plot` draws, computed from the rows of a history. */
#ifndef TWIRL_APP_CURVES_H
#define TWIRL_APP_CURVES_H

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
    TW_CURVE_WORK,     /* put in by cell, walls and gravity */
    TW_CURVE_KINETIC,  /* of movement and rotation */
    TW_CURVE_STORED,   /* in contacts */
    TW_CURVE_FRICTION, /* dissipated, here and below */
    TW_CURVE_DAMPING,
    TW_CURVE_RESIDUAL,
    TW_CURVES
} tw_curve;

/* Names for columns: "axial_strain". */
extern const char *const tw_curve_names[TW_CURVES];

/* Which have a number in any row of the table; `axis` is the axial direction, 0 to 2. */
void tw_curves_find(const tw_history_table *table, int axis, bool present[TW_CURVES]);

/* The values of a row; NaN where there is none. Strains are positive in compression; where the
 * history has only a volume, the volumetric one is ln(V0/V), V0 being that of the first row. q is
 * the column of that name, or sqrt(3/2 s:s) of the deviator s of the stress. */
void tw_curves_at(const tw_history_table *table, size_t row, int axis, double value[TW_CURVES]);

#endif
