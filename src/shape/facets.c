/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/facets.h"

#include <string.h>

/* Exact where only one component is not zero. */
static tw_vec3 unit(tw_vec3 v)
{
    const double length = tw_vec3_norm(v);
    return tw_vec3_make(v.x / length, v.y / length, v.z / length);
}

void tw_facets_derive(const tw_mesh *mesh, tw_facets_edge *edge, tw_facets_facet *facet)
{
    for (size_t i = 0; i < mesh->edge_count; i++) {
        const uint32_t *v = mesh->edge[i].vertex;
        const tw_vec3 along = tw_vec3_sub(mesh->vertex[v[1]], mesh->vertex[v[0]]);
        edge[i] = (tw_facets_edge){mesh->vertex[v[0]],
                                   mesh->vertex[v[1]],
                                   along,
                                   1.0 / tw_vec3_dot(along, along),
                                   {v[0], v[1]}};
    }
    for (size_t i = 0; i < mesh->facet_count; i++) {
        const tw_mesh_facet *f = &mesh->facet[i];
        const tw_vec3 a = mesh->vertex[f->vertex[0]], b = mesh->vertex[f->vertex[1]];
        const tw_vec3 c = mesh->vertex[f->vertex[2]];
        const tw_vec3 side[] = {tw_vec3_sub(b, a), tw_vec3_sub(c, b), tw_vec3_sub(a, c)};
        facet[i].point = a;
        facet[i].normal = unit(tw_vec3_cross(side[0], side[1]));
        for (int k = 0; k < 3; k++)
            facet[i].inwards[k] = unit(tw_vec3_cross(facet[i].normal, side[k]));
        facet[i].across = -tw_vec3_dot(side[0], facet[i].inwards[1]);
        memcpy(facet[i].vertex, f->vertex, sizeof f->vertex);
        memcpy(facet[i].edge, f->edge, sizeof f->edge);
    }
}
