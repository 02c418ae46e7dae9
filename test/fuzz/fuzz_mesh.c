/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces: STL and OBJ. What is accepted has each edge of each facet once, and is the same when
 * its own facets are made a surface again. */
#include "fuzz.h"

#include <string.h>

#include <twirl/exchange.h>

enum { FACETS_MAX = 200 };

static void check_edges(const tw_mesh *mesh)
{
    size_t sides = 0;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        sides += mesh->edge[e].count;
        for (uint32_t i = 0; i < mesh->edge[e].count; i++) {
            const tw_mesh_facet *f = &mesh->facet[mesh->sides[mesh->edge[e].first + i]];
            if (f->edge[0] != e && f->edge[1] != e && f->edge[2] != e)
                fuzz_fail("an edge of a facet that does not have it");
        }
    }
    if (sides != 3 * mesh->facet_count) fuzz_fail("edges are missing");
    if (!(mesh->area > 0.0)) fuzz_fail("no area");
}

/* Facets that needed no mending. */
static void check_again(const tw_mesh *mesh)
{
    tw_mesh_soup soup = {0};
    tw_mesh again;
    for (int k = TW_MESH_WELDED; k <= TW_MESH_SPLIT; k++)
        if (mesh->found[k].count > 0) return;
    for (size_t i = 0; i < mesh->facet_count; i++) {
        const uint32_t *v = mesh->facet[i].vertex;
        if (tw_mesh_soup_add(&soup, mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]],
                             mesh->facet[i].number, NULL) != TW_STATUS_OK)
            fuzz_fail("a facet is refused");
    }
    if (tw_mesh_make(&again, &soup, 1.0, NULL) != TW_STATUS_OK) fuzz_fail("refused again");
    if (again.facet_count != mesh->facet_count || again.edge_count != mesh->edge_count ||
        memcmp(&again.area, &mesh->area, sizeof again.area) != 0)
        fuzz_fail("another surface");
    tw_mesh_free(&again);
    tw_mesh_soup_free(&soup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_mesh mesh;
    const tw_status status = tw_mesh_read(&mesh, fuzz_file(data, size), 1.0, &error);
    if ((status == TW_STATUS_OK) != (error.text[0] == '\0')) fuzz_fail("a mesh with an error");
    if (status == TW_STATUS_OK && mesh.facet_count <= FACETS_MAX) {
        check_edges(&mesh);
        check_again(&mesh);
    }
    tw_mesh_free(&mesh);
    return 0;
}
