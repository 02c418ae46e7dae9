/* SPDX-License-Identifier: BSD-3-Clause */
/* What a set of probes says of the material: docs/theory/probes.md. */
#ifndef TW_PROBE_FIT_H
#define TW_PROBE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/directions.h"

/* One probe as two points of the space of directions. */
typedef struct tw_fit_point {
    double stress[TW_DIRECTIONS_MAX];  /* increment [Pa] */
    double plastic[TW_DIRECTIONS_MAX]; /* irreversible part of the strain increment [-] */
} tw_fit_point;

/* A circle (sphere) through the origin. Along the direction of the stress increment it has the
 * distance |irreversible strain|/|stress increment|. */
typedef struct tw_fit_circle {
    size_t count;                        /* of points that it was fitted to */
    double diameter;                     /* [1/Pa] */
    double direction[TW_DIRECTIONS_MAX]; /* unit, from the origin through the centre */
    double rms;                          /* of the distances, relative to the diameter [-] */
} tw_fit_circle;

/* One mechanism: irreversible strain = diameter flow (yield . stress increment), where that is
 * positive. What irreversible strain there is elsewhere makes the other circle. */
typedef struct tw_fit_mechanism {
    tw_fit_circle loading, unloading; /* the direction of `loading` is that of the yield surface */
    double flow[TW_DIRECTIONS_MAX];   /* unit */
    double flow_rms;                  /* spread of the flow directions, weighed [rad] */
} tw_fit_mechanism;

/* False: too few points, or no irreversible strain at all. */
bool tw_fit_mechanism_find(int dimensions, const tw_fit_point *points, size_t count,
                           tw_fit_mechanism *out);

enum { TW_FIT_MAX = 6 };

/* The matrix A, row by row, of y = A x in the mean of squares; x and y have `size` numbers a row.
 * `rms`: what is left of y, relative to it. False: the x do not span the space. */
bool tw_fit_matrix(int size, size_t count, const double *x, const double *y,
                   double matrix[TW_FIT_MAX * TW_FIT_MAX], double *rms);

/* Solves A x = y, row by row; false: singular. */
bool tw_fit_solve(int size, const double *matrix, const double *y, double *x);

#endif
