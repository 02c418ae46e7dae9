/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits to a set of probes: docs/theory/probes.md. */
#ifndef TW_PROBE_FIT_H
#define TW_PROBE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/directions.h"

/* One probe, as two points in the space of directions. */
typedef struct tw_fit_point {
    double stress[TW_DIRECTIONS_MAX];  /* increment [Pa] */
    double plastic[TW_DIRECTIONS_MAX]; /* irreversible part of the strain increment [-] */
} tw_fit_point;

/* A circle (sphere) through the origin. Its distance from the origin in the direction of a stress
 * increment is |irreversible strain|/|stress increment|. */
typedef struct tw_fit_circle {
    size_t count;                        /* number of fitted points */
    double diameter;                     /* [1/Pa] */
    double direction[TW_DIRECTIONS_MAX]; /* unit, from the origin through the centre */
    double
        rms; /* of the distances, relative to the diameter; NaN: no more points than unknowns [-] */
} tw_fit_circle;

/* One mechanism: irreversible strain = diameter flow (yield . stress increment) where the product
 * is positive. Irreversible strain on the other side is fitted by the second circle. */
typedef struct tw_fit_mechanism {
    tw_fit_circle loading, unloading; /* loading.direction is the yield direction */
    double flow[TW_DIRECTIONS_MAX];   /* unit */
    double flow_rms;                  /* weighted spread of the flow directions [rad] */
} tw_fit_mechanism;

/* False: too few points, or no irreversible strain at all. */
bool tw_fit_mechanism_find(int dimensions, const tw_fit_point *points, size_t count,
                           tw_fit_mechanism *out);

enum { TW_FIT_MAX = 6 };

/* Least-squares fit of y = A x. `matrix` is A by rows; x and y have `size` numbers per point.
 * `rms`: residual of y, relative; NaN: no more points than unknowns. False: the x do not span the
 * space. */
bool tw_fit_matrix(int size, size_t count, const double *x, const double *y,
                   double matrix[TW_FIT_MAX * TW_FIT_MAX], double *rms);

/* Solves A x = y, with A by rows. False: singular. */
bool tw_fit_solve(int size, const double *matrix, const double *y, double *x);

#endif
