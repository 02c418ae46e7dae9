/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a body: spheres in the frame of its principal axes, at size 1. A body of
 * size s [m] and density rho is the shape scaled by s: its volume scales with s^3, its inertia with
 * rho s^5. */
#ifndef TW_SHAPE_SHAPE_H
#define TW_SHAPE_SHAPE_H

#include <stddef.h>

#include <twirl/types.h>

#include "base/mat3.h"

typedef struct tw_shape {
    tw_sphere *spheres; /* in principal axes, origin at the centre of mass [-] */
    size_t count;
    double volume;   /* of the union of the spheres [-] */
    tw_vec3 moments; /* principal moments of inertia about x, y, z, unit density [-]; moments equal
                        by symmetry are bitwise equal */
    double radius;   /* of the smallest sphere about the origin that encloses all [-] */
    tw_vec3 centre;  /* centre of mass in the frame of the input [-] */
    tw_mat3 axes;    /* rotation from that frame: x = axes (x_input - centre) */
} tw_shape;

/* A shape from spheres in any frame. If its axes are principal they are kept (the rotation is the
 * unit matrix), whatever the order of the moments; so an isotropic shape is never rotated, and
 * orientations in imported files keep their meaning. Otherwise the moments ascend. On failure
 * `shape` is empty and may still be freed. */
tw_status tw_shape_make(tw_shape *shape, const tw_sphere *spheres, size_t count, tw_error *error);

/* One sphere of radius 1. */
tw_status tw_shape_make_sphere(tw_shape *shape, tw_error *error);

/* A bumpy grain after Kuhn: a central sphere and satellites with centres at `distance` from its
 * centre, in these directions:
 *     2  on the x axis
 *     3  in the x-y plane, the first on the x axis
 *     4  at every other corner of a cube
 *     6  on the axes
 *     8  at the corners of a cube with edges along the axes */
typedef struct tw_shape_bumpy {
    int satellites;
    double satellite_radius; /* [-] */
    double central_radius;   /* [-] */
    double distance;         /* [-] */
} tw_shape_bumpy;

tw_status tw_shape_make_bumpy(tw_shape *shape, const tw_shape_bumpy *bumpy, tw_error *error);

void tw_shape_free(tw_shape *shape);

/* Volume [m^3] and moments of inertia at unit density [m^5] of a body of size `size` [m]. */
TW_INLINE double tw_shape_volume(const tw_shape *shape, double size)
{
    return shape->volume * size * size * size;
}

TW_INLINE tw_vec3 tw_shape_moments(const tw_shape *shape, double size)
{
    return tw_vec3_scale(size * size * size * size * size, shape->moments);
}

/* Volume, centre of mass and inertia of a union of spheres. */

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
