/* SPDX-License-Identifier: BSD-3-Clause */
/* Facets of a mesh, with what is asked of them in every step. In the common subset of C11, C++17
 * and CUDA. */
#ifndef TW_SHAPE_FACETS_H
#define TW_SHAPE_FACETS_H

#include <stddef.h>

#include <twirl/mesh.h>

#include "shape/basins.h"

/* Two facets compute the nearest point of a common edge with the same operations, so that it has
 * the same bits for both. */
typedef struct tw_facets_edge {
    tw_vec3 from, to; /* [m] */
    tw_vec3 along;    /* to - from [m] */
    double scale;     /* 1/along^2 [1/m^2] */
    uint32_t vertex[2];
} tw_facets_edge;

typedef struct tw_facets_facet {
    tw_vec3 point, normal;
    tw_vec3 inwards[3]; /* in the plane, from edge k */
    double across;      /* distance of edge 1 from `point`, where edges 0 and 2 meet [m] */
    uint32_t vertex[3], edge[3];
} tw_facets_facet;

typedef struct tw_facets {
    const tw_facets_edge *edge;
    const tw_facets_facet *facet;
} tw_facets;

/* What follows from a mesh: arrays of its numbers of edges and facets. */
void tw_facets_derive(const tw_mesh *mesh, tw_facets_edge *edge, tw_facets_facet *facet);

/* Of an edge, as if it were the element: kind, feature, d, to. */
TW_INLINE void tw_facets_nearest_edge(const tw_facets *facets, uint32_t edge, tw_vec3 x,
                                      tw_near *out)
{
    const tw_facets_edge *e = &facets->edge[edge];
    const double at = tw_vec3_dot(tw_vec3_sub(x, e->from), e->along) * e->scale;
    const int low = at <= 0.0, high = at >= 1.0;
    const tw_vec3 c = low ? e->from : high ? e->to : tw_vec3_add_scaled(e->from, at, e->along);
    out->kind = low || high ? TW_NEAR_VERTEX : TW_NEAR_EDGE;
    out->feature = low ? e->vertex[0] : high ? e->vertex[1] : edge;
    out->to = tw_vec3_sub(c, x);
    out->d = tw_vec3_norm(out->to);
}

/* Of equal distances a vertex counts before an edge, then the lower number: the same choice in
 * every facet. */
TW_INLINE int tw_facets_is_before(const tw_near *p, const tw_near *q)
{
    if (p->d != q->d) return p->d < q->d;
    return p->kind != q->kind ? p->kind > q->kind : p->feature < q->feature;
}

TW_INLINE tw_near tw_facets_nearest(const tw_facets *facets, uint32_t facet, tw_vec3 x)
{
    const tw_facets_facet *f = &facets->facet[facet];
    const double height = tw_vec3_dot(tw_vec3_sub(x, f->point), f->normal);
    tw_near near;
    int inside = 1;
    near.element = facet;
    near.edges = 3;
    near.basin = 0;
    near.gates = 0;
    for (int k = 0; k < 3; k++) {
        near.edge[k] = f->edge[k];
        inside &= tw_vec3_dot(tw_vec3_sub(x, facets->edge[f->edge[k]].from), f->inwards[k]) > 0.0;
    }
    if (inside) {
        near.kind = TW_NEAR_FACE;
        near.feature = facet;
        near.d = fabs(height);
        near.to = tw_vec3_scale(-height, f->normal);
        near.n = tw_vec3_scale(height < 0.0 ? 1.0 : -1.0, f->normal);
        return near;
    }
    tw_facets_nearest_edge(facets, f->edge[0], x, &near);
    for (int k = 1; k < 3; k++) {
        tw_near other = near;
        tw_facets_nearest_edge(facets, f->edge[k], x, &other);
        if (tw_facets_is_before(&other, &near)) near = other;
    }
    for (int k = 0; k < 3; k++) {
        const int next = k == 2 ? 0 : k + 1;
        const int ends = f->vertex[k] == near.feature || f->vertex[next] == near.feature;
        if (near.kind == TW_NEAR_EDGE ? f->edge[k] == near.feature : ends) near.gates |= 1 << k;
    }
    near.n = tw_vec3_scale(1.0 / near.d, near.to);
    return near;
}

/* Bound of the rounding of distances, relative to the largest length: normals of facets that are
 * 1e-6 of the size thin are off by 1e-9. */
#define TW_FACETS_ROUNDING 1e-8

/* Whether it is farther than `far`, as far as planes through its edges tell. */
TW_INLINE int tw_facets_is_far(const tw_facets *facets, uint32_t facet, tw_vec3 x, double far)
{
    const tw_facets_facet *f = &facets->facet[facet];
    const tw_vec3 from = tw_vec3_sub(x, f->point);
    const double height = tw_vec3_dot(from, f->normal), aside = far * far - height * height;
    if (!(aside > 0.0)) return 1;
    for (int k = 0; k < 3; k++) {
        const double in = tw_vec3_dot(from, f->inwards[k]) + (k == 1 ? f->across : 0.0);
        if (in < 0.0 && in * in > aside) return 1;
    }
    return 0;
}

/* Whether the distance of tw_facets_nearest is below `reach`, in every bit; `far` is more than that
 * by the rounding. */
TW_INLINE int tw_facets_is_near(const tw_facets *facets, uint32_t facet, tw_vec3 x, double reach,
                                double far)
{
    return !tw_facets_is_far(facets, facet, x, far) &&
           tw_facets_nearest(facets, facet, x).d < reach;
}

TW_BASIN_PASSES(tw_facets)

#endif
