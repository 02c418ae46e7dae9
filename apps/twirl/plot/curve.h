/* SPDX-License-Identifier: BSD-3-Clause */
/* The quantities that `twirl plot` draws, computed from the rows of a history. */
#ifndef TWIRL_APP_CURVE_H
#define TWIRL_APP_CURVE_H

#include <stdbool.h>

#include "plot/series.h"

/* Strains and stresses are positive in compression. */
typedef enum tw_curve {
    TW_CURVE_TIME,         /* since the first row */
    TW_CURVE_AXIAL_STRAIN, /* of the driven axis */
    TW_CURVE_SHEAR_STRAIN, /* engineering shear strain of the sheared plane */
    TW_CURVE_MAJOR_STRAIN, /* largest of the three normal strains */
    TW_CURVE_PATH_STRAIN,  /* column `strain` */
    TW_CURVE_CYCLE,
    TW_CURVE_ANGLE,        /* of a rigid rotation [degrees] */
    TW_CURVE_STRESS_RATIO, /* q/p */
    TW_CURVE_P,
    TW_CURVE_Q, /* negative in extension on axial paths; elsewhere sqrt(3/2 s:s) */
    TW_CURVE_VOLUMETRIC_STRAIN,
    TW_CURVE_VOID_RATIO,
    TW_CURVE_RU, /* pore-pressure ratio */
    TW_CURVE_SHEAR_STRESS,
    TW_CURVE_NORMAL_STRESS, /* across the sheared plane */
    TW_CURVE_SHEAR_RATIO,   /* shear stress over normal stress */
    TW_CURVE_AXIAL_STRESS,
    TW_CURVE_K0,   /* mean lateral stress over axial stress */
    TW_CURVE_B,    /* (s2 - s3)/(s1 - s3); none as long as q < 0.02 p */
    TW_CURVE_PI_X, /* stress over p in the deviatoric plane, the driven axis upwards */
    TW_CURVE_PI_Y,
    TW_CURVE_TURN_ERROR, /* |R' s R - s0|/p0 in a rotation R: 0 if the stress rotates with it */
    TW_CURVE_UNBALANCED,
    TW_CURVE_COORDINATION,
    TW_CURVE_SLIDING_FRACTION,
    TW_CURVE_FABRIC,   /* deviator of the fabric tensor */
    TW_CURVE_WORK,     /* of cell, walls and gravity; this and all energies since the first row */
    TW_CURVE_STORED,   /* in contacts */
    TW_CURVE_KINETIC,  /* translation and rotation */
    TW_CURVE_FRICTION, /* dissipated, here and below */
    TW_CURVE_MICRO_SLIP,
    TW_CURVE_ROLLING,
    TW_CURVE_TWISTING,
    TW_CURVE_DAMPING,
    TW_CURVE_RESIDUAL,
    TW_CURVES
} tw_curve;

/* The values of row i of the series; NaN for what the history lacks. Without columns of strain, the
 * volumetric strain is ln(V0/V) with V0 of the first row. */
void tw_curve_values(const tw_series *series, size_t i, double value[TW_CURVES]);

/* Which curves have a number in any row. */
void tw_curve_find(const tw_series *series, bool present[TW_CURVES]);

#endif
