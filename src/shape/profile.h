/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces of revolution about z: a chain of straight segments in the half-plane (rho, z). A
 * cylinder, cone, disc or annulus is one segment, a silo a few. The nearest point is in the
 * half-plane of the centre. In the common subset of C11, C++17 and CUDA. */
#ifndef TW_SHAPE_PROFILE_H
#define TW_SHAPE_PROFILE_H

#include <stddef.h>

#include <twirl/mesh.h>

#include "shape/basins.h"

typedef struct tw_profile_segment {
    tw_profile_point along, normal; /* to the next point [m]; unit, to its left */
    double scale;                   /* 1/along^2 [1/m^2] */
} tw_profile_segment;

/* Segment i goes from point i to the next, which of a closed chain is the first after the last. */
typedef struct tw_profile {
    const tw_profile_point *point;
    const tw_profile_segment *segment;
    uint32_t points;
} tw_profile;

TW_INLINE tw_profile_segment tw_profile_segment_make(tw_profile_point from, tw_profile_point to)
{
    tw_profile_segment s;
    s.along.rho = to.rho - from.rho;
    s.along.z = to.z - from.z;
    const double square = s.along.rho * s.along.rho + s.along.z * s.along.z, length = sqrt(square);
    s.normal.rho = -s.along.z / length;
    s.normal.z = s.along.rho / length;
    s.scale = 1.0 / square;
    return s;
}

/* A vector in the half-plane of x; on the axis that of the direction x. */
TW_INLINE tw_vec3 tw_profile_turn(tw_vec3 x, double rho, tw_profile_point v)
{
    const double c = rho > 0.0 ? x.x / rho : 1.0, s = rho > 0.0 ? x.y / rho : 0.0;
    return tw_vec3_make(c * v.rho, s * v.rho, v.z);
}

/* Of the circle through a point, as if it were the element: kind, feature, d, to. */
TW_INLINE void tw_profile_nearest_edge(const tw_profile *profile, uint32_t circle, tw_vec3 x,
                                       tw_near *out)
{
    const double rho = sqrt(x.x * x.x + x.y * x.y);
    tw_profile_point to;
    to.rho = profile->point[circle].rho - rho;
    to.z = profile->point[circle].z - x.z;
    out->kind = TW_NEAR_EDGE;
    out->feature = circle;
    out->to = tw_profile_turn(x, rho, to);
    out->d = sqrt(to.rho * to.rho + to.z * to.z);
}

TW_INLINE tw_near tw_profile_nearest(const tw_profile *profile, uint32_t segment, tw_vec3 x)
{
    const tw_profile_segment *s = &profile->segment[segment];
    const tw_profile_point from = profile->point[segment];
    const double rho = sqrt(x.x * x.x + x.y * x.y), across = rho - from.rho, up = x.z - from.z;
    const double at = (across * s->along.rho + up * s->along.z) * s->scale;
    const double height = across * s->normal.rho + up * s->normal.z;
    tw_near near;
    near.element = segment;
    near.edges = 2;
    near.basin = 0;
    near.edge[0] = segment;
    near.edge[1] = segment + 1 == profile->points ? 0 : segment + 1;
    near.edge[2] = near.edge[1];
    if (at > 0.0 && at < 1.0) {
        const tw_vec3 n = tw_profile_turn(x, rho, s->normal);
        near.kind = TW_NEAR_FACE;
        near.feature = segment;
        near.gates = 0;
        near.d = fabs(height);
        near.to = tw_vec3_scale(-height, n);
        near.n = tw_vec3_scale(height < 0.0 ? 1.0 : -1.0, n);
        return near;
    }
    near.gates = at > 0.0 ? 2 : 1;
    tw_profile_nearest_edge(profile, near.edge[at > 0.0], x, &near);
    near.n = tw_vec3_scale(1.0 / near.d, near.to);
    return near;
}

TW_BASIN_PASSES(tw_profile)

#endif
