/* SPDX-License-Identifier: BSD-3-Clause */
/* A patch, the part of the unit sphere outside a set of caps, and its moments. */
#ifndef TW_SHAPE_PATCH_H
#define TW_SHAPE_PATCH_H

#include <stddef.h>

#include "base/mat3.h"

/* All directions within `angle` of `axis`. */
typedef struct tw_patch_cap {
    tw_vec3 axis;        /* unit vector */
    double angle;        /* [rad], between 0 and pi */
    double cosine, sine; /* of the angle */
} tw_patch_cap;

/* A covered part of a circle; scratch of tw_patch_measure. */
typedef struct tw_patch_span {
    double begin, end; /* [rad], within [-pi, pi] */
} tw_patch_span;

/* Integrals over the patch, n being the direction. */
typedef struct tw_patch_moments {
    double area;    /* of 1 */
    tw_vec3 first;  /* of n */
    tw_mat3 second; /* of n n */
    tw_mat3 third;  /* of n n (n . c), for the given vector c */
} tw_patch_moments;

/* Measures the patch outside `count` caps. Reorders the caps and drops redundant ones; `scratch`
 * holds 2 count spans. */
tw_patch_moments tw_patch_measure(tw_patch_cap *caps, size_t count, tw_vec3 c,
                                  tw_patch_span *scratch);

#endif
