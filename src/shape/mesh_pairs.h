/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of facets of a mesh that are near each other. */
#ifndef TW_SHAPE_MESH_PAIRS_H
#define TW_SHAPE_MESH_PAIRS_H

#include <stdbool.h>

#include <twirl/mesh.h>

/* Normal of a facet; its length is twice the area [m^2]. */
tw_vec3 tw_mesh_pairs_normal(const tw_mesh *mesh, size_t facet);

/* Calls `visit` once for each pair of facets whose boxes, grown by `margin`, meet, in an order that
 * depends on the mesh alone, until it returns false. False: that, or no memory. */
typedef bool tw_mesh_pairs_visitor(void *context, uint32_t a, uint32_t b);
bool tw_mesh_pairs_visit(const tw_mesh *mesh, double margin, tw_mesh_pairs_visitor *visit,
                         void *context);

/* Finds the edges of facets whose vertices are known, and measures them. False: no memory. */
bool tw_mesh_pairs_link(tw_mesh *mesh);

/* Whether two facets are in one plane, and have an area in common. */
bool tw_mesh_pairs_overlap(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance);

/* Whether an edge of one goes through the inside of the other; false if they share a vertex. */
bool tw_mesh_pairs_cross(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance);

#endif
