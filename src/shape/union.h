/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume, centre of mass and inertia of a union of spheres. */
#ifndef TW_SHAPE_UNION_H
#define TW_SHAPE_UNION_H

#include <stddef.h>

#include <twirl/types.h>

#include "base/mat3.h"

/* Properties of the union at unit density. Lengths are in the unit of the spheres, here [m]. */
typedef struct tw_union {
    double volume;   /* [m^3] */
    tw_vec3 centre;  /* centre of mass [m] */
    tw_mat3 inertia; /* about the centre of mass [m^5] */
    double residual; /* relative closure error of the computed surface: an estimate of the relative
                        error, about 1e-15 */
} tw_union;

/* Space covered by several spheres counts once. Spheres may overlap, touch, contain or duplicate
 * each other, or be separate. Exact up to rounding and reproducible. TW_STATUS_INPUT: no sphere, a
 * non-finite centre, or a radius that is not positive. */
tw_status tw_union_measure(const tw_sphere *spheres, size_t count, tw_union *result,
                           tw_error *error);

#endif
