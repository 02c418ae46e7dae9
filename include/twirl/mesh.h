/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces of triangles, as they come from files: welded, mended, checked, and in one order, so
 * that what is computed with them depends on the surface alone and not on the order in a file.
 *
 * Mending is for flaws of files. Vertices on boundary edges that lie within the tolerance are one;
 * facets thinner than it, and duplicates, go; where a vertex lies on a boundary edge of
 * another facet, that facet is divided there.
 *
 * tw_mesh_read of twirl/exchange.h reads files. Calls for different objects may overlap in several
 * threads; those for one may not. Source compatible only, before 1.0. */
#ifndef TWIRL_MESH_H
#define TWIRL_MESH_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Relative to the diagonal of the box around the surface. */
#define TW_MESH_TOLERANCE 1e-6

enum { TW_MESH_FACETS_MAX = 100000000 };

/* Triangles by their corners. {0} is empty. */
typedef struct tw_mesh_soup {
    tw_vec3 *corner;  /* three for each */
    uint32_t *number; /* of the facet in the file, from 1; polygons become several triangles */
    size_t count, capacity;
} tw_mesh_soup;

/* TW_STATUS_INPUT: a corner is not finite. */
TW_API tw_status tw_mesh_soup_add(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c,
                                  uint32_t number, tw_error *error);
TW_API void tw_mesh_soup_free(tw_mesh_soup *soup);

/* The normal is to the side from which the vertices go round counter-clockwise. Edge k is that from
 * vertex k to the next. */
typedef struct tw_mesh_facet {
    uint32_t vertex[3]; /* the lowest first */
    uint32_t edge[3];
    uint32_t number; /* in the file */
} tw_mesh_facet;

typedef struct tw_mesh_edge {
    uint32_t vertex[2]; /* the lower first */
    uint32_t first;     /* of its facets, in `sides` */
    uint32_t count;     /* 1: a boundary; 3 or more: not manifold */
} tw_mesh_edge;

/* What is found in a file, with the number of the first facet of which it is true. */
typedef enum tw_mesh_finding {
    TW_MESH_WELDED,       /* corners that have been put on a vertex close by */
    TW_MESH_DEGENERATE,   /* facets without area, dropped */
    TW_MESH_DUPLICATE,    /* facets that are there twice, dropped */
    TW_MESH_SPLIT,        /* facets that have been divided */
    TW_MESH_BOUNDARY,     /* edges of one facet */
    TW_MESH_NON_MANIFOLD, /* edges of three or more */
    TW_MESH_FLIPPED,      /* edges at which the two facets look to different sides */
    TW_MESH_CROSSING,     /* pairs of facets without a common vertex that cross */
    TW_MESH_FINDINGS
} tw_mesh_finding;

typedef struct tw_mesh_count {
    size_t count;
    uint32_t first; /* number of the facet */
} tw_mesh_count;

/* Vertices are in the order of their places, edges and facets in that of their vertices. */
typedef struct tw_mesh {
    tw_vec3 *vertex; /* [m] */
    tw_mesh_facet *facet;
    tw_mesh_edge *edge;
    uint32_t *sides; /* facets at edges */
    size_t vertex_count, facet_count, edge_count;
    size_t read; /* triangles of the file */
    tw_mesh_count found[TW_MESH_FINDINGS];
    tw_vec3 low, high; /* box around it [m] */
    double area;       /* [m^2] */
    double volume;     /* NaN unless it is closed; negative if the normals are inwards [m^3] */
    double shortest;   /* length of an edge [m] */
    double gentlest, sharpest; /* bends at edges of two facets that are not in one plane [rad]; the
                                  sharpest is 0 if there is none */
} tw_mesh;

/* A corner of a surface of revolution. */
typedef struct tw_profile_point {
    double rho, z; /* distance from the axis, and along it [m] */
} tw_profile_point;

/* For messages: what is counted, and what follows from it. */
TW_API const char *tw_mesh_finding_text(tw_mesh_finding finding);

/* All lengths are multiplied by `scale`. TW_STATUS_INPUT: not finite, no facet is left, or facets
 * overlap in one plane, which would press twice. On failure the mesh is empty. */
TW_API tw_status tw_mesh_make(tw_mesh *mesh, const tw_mesh_soup *soup, double scale,
                              tw_error *error);
TW_API void tw_mesh_free(tw_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
