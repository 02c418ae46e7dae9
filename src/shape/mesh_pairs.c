/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/mesh_pairs.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>
#include <twirl/vec3.h>

static tw_vec3 corner_of(const tw_mesh *mesh, size_t facet, int k)
{
    return mesh->vertex[mesh->facet[facet].vertex[k % 3]];
}

tw_vec3 tw_mesh_pairs_normal(const tw_mesh *mesh, size_t facet)
{
    const tw_vec3 a = corner_of(mesh, facet, 0);
    return tw_vec3_cross(tw_vec3_sub(corner_of(mesh, facet, 1), a),
                         tw_vec3_sub(corner_of(mesh, facet, 2), a));
}

/* ---- Near pairs: a grid, in whose cells each facet has an entry where its box meets the cell ----
 */

enum { ENTRIES_PER_FACET = 16, CELLS_MAX = 1 << 20 /* along an axis */ };

typedef struct facet_box {
    double low[3], high[3];
} facet_box;

typedef struct grid_entry {
    uint64_t cell;
    uint32_t facet;
} grid_entry;

typedef struct facet_grid {
    const tw_mesh *mesh;
    facet_box *box;
    double edge; /* of a cell */
} facet_grid;

static double component(tw_vec3 x, int k)
{
    return k == 0 ? x.x : k == 1 ? x.y : x.z;
}

static void find_boxes(facet_grid *g, double margin)
{
    double sum = 0.0;
    for (size_t i = 0; i < g->mesh->facet_count; i++) {
        double widest = 0.0;
        for (int k = 0; k < 3; k++) {
            const double a = component(corner_of(g->mesh, i, 0), k);
            const double b = component(corner_of(g->mesh, i, 1), k);
            const double c = component(corner_of(g->mesh, i, 2), k);
            g->box[i].low[k] = tw_math_min(a, tw_math_min(b, c)) - margin;
            g->box[i].high[k] = tw_math_max(a, tw_math_max(b, c)) + margin;
            widest = tw_math_max(widest, g->box[i].high[k] - g->box[i].low[k]);
        }
        sum += widest;
    }
    g->edge = sum / (double)g->mesh->facet_count;
}

static uint64_t cell_at(const facet_grid *g, double x, int k)
{
    const double at = (x - component(g->mesh->low, k)) / g->edge + 1.0; /* boxes are grown */
    return at > 0.0 ? (uint64_t)at : 0;
}

static uint64_t cell_key(const uint64_t at[3])
{
    return (at[0] << 42) + (at[1] << 21) + at[2];
}

static double entries_of(const facet_grid *g, size_t facet)
{
    double all = 1.0;
    for (int k = 0; k < 3; k++)
        all *= (double)(cell_at(g, g->box[facet].high[k], k) - cell_at(g, g->box[facet].low[k], k) +
                        1);
    return all;
}

/* Cells grow until there are few entries, and few cells along the box. */
static size_t choose_cells(facet_grid *g)
{
    const tw_mesh *mesh = g->mesh;
    const double size = tw_vec3_max_abs(tw_vec3_sub(mesh->high, mesh->low));
    g->edge = tw_math_max(g->edge, size / (CELLS_MAX - 8));
    for (;;) {
        double all = 0.0;
        for (size_t i = 0; i < mesh->facet_count; i++)
            all += entries_of(g, i);
        if (all <= ENTRIES_PER_FACET * (double)mesh->facet_count || !(g->edge < 2.0 * size))
            return (size_t)all;
        g->edge *= 2.0;
    }
}

static int by_cell(const void *a, const void *b)
{
    const grid_entry *p = a, *q = b;
    if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
    return (p->facet > q->facet) - (p->facet < q->facet);
}

static size_t fill_cells(const facet_grid *g, grid_entry *entry)
{
    size_t n = 0;
    for (uint32_t i = 0; i < g->mesh->facet_count; i++) {
        uint64_t low[3], high[3], at[3];
        for (int k = 0; k < 3; k++) {
            low[k] = cell_at(g, g->box[i].low[k], k);
            high[k] = cell_at(g, g->box[i].high[k], k);
        }
        for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
            for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
                for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
                    entry[n++] = (grid_entry){cell_key(at), i};
    }
    qsort(entry, n, sizeof *entry, by_cell);
    return n;
}

/* Whether the boxes meet, and this is the first cell in which they do. */
static bool meets_here(const facet_grid *g, uint32_t a, uint32_t b, uint64_t cell)
{
    uint64_t at[3];
    for (int k = 0; k < 3; k++) {
        const double low = tw_math_max(g->box[a].low[k], g->box[b].low[k]);
        if (low > tw_math_min(g->box[a].high[k], g->box[b].high[k])) return false;
        at[k] = cell_at(g, low, k);
    }
    return cell_key(at) == cell;
}

bool tw_mesh_pairs_visit(const tw_mesh *mesh, double margin, tw_mesh_pairs_visitor *visit,
                         void *context)
{
    if (mesh->facet_count == 0) return true;
    facet_grid g = {mesh, malloc(mesh->facet_count * sizeof *g.box), 0.0};
    if (!g.box) return false;
    find_boxes(&g, margin);
    grid_entry *entry = malloc(choose_cells(&g) * sizeof *entry);
    const size_t n = entry ? fill_cells(&g, entry) : 0;
    bool going = entry != NULL;
    for (size_t i = 0; i < n && going; i++)
        for (size_t j = i + 1; j < n && entry[j].cell == entry[i].cell && going; j++)
            if (meets_here(&g, entry[i].facet, entry[j].facet, entry[i].cell))
                going = visit(context, entry[i].facet, entry[j].facet);
    free(g.box);
    free(entry);
    return going;
}

/* ---- Two facets ---- */

/* Distance of a point inwards from edge k of a facet, in the plane of its unit normal n. */
static double inside_of(const tw_mesh *mesh, uint32_t facet, int k, tw_vec3 n, tw_vec3 x)
{
    const tw_vec3 a = corner_of(mesh, facet, k);
    const tw_vec3 d = tw_vec3_sub(corner_of(mesh, facet, k + 1), a);
    return tw_vec3_dot(tw_vec3_cross(n, d), tw_vec3_sub(x, a)) / tw_vec3_norm(d);
}

static tw_vec3 unit_normal(const tw_mesh *mesh, uint32_t facet)
{
    const tw_vec3 n = tw_mesh_pairs_normal(mesh, facet);
    return tw_vec3_scale(1.0 / tw_vec3_norm(n), n);
}

/* Whether facet b is beyond an edge of facet a. */
static bool is_beyond(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance)
{
    const tw_vec3 n = unit_normal(mesh, a);
    for (int k = 0; k < 3; k++) {
        double most = -HUGE_VAL;
        for (int i = 0; i < 3; i++)
            most = tw_math_max(most, inside_of(mesh, a, k, n, corner_of(mesh, b, i)));
        if (most <= tolerance) return true;
    }
    return false;
}

static bool is_in_plane(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance)
{
    const tw_vec3 n = unit_normal(mesh, a);
    for (int i = 0; i < 3; i++) {
        const tw_vec3 r = tw_vec3_sub(corner_of(mesh, b, i), corner_of(mesh, a, 0));
        if (fabs(tw_vec3_dot(n, r)) > tolerance) return false;
    }
    return true;
}

bool tw_mesh_pairs_overlap(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance)
{
    return is_in_plane(mesh, a, b, tolerance) && is_in_plane(mesh, b, a, tolerance) &&
           !is_beyond(mesh, a, b, tolerance) && !is_beyond(mesh, b, a, tolerance);
}

/* Whether an edge of facet a goes through the inside of facet b. */
static bool pierces(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance)
{
    const tw_vec3 n = unit_normal(mesh, b), origin = corner_of(mesh, b, 0);
    for (int i = 0; i < 3; i++) {
        const tw_vec3 p = corner_of(mesh, a, i), q = corner_of(mesh, a, i + 1);
        const double hp = tw_vec3_dot(n, tw_vec3_sub(p, origin));
        const double hq = tw_vec3_dot(n, tw_vec3_sub(q, origin));
        if (tw_math_min(hp, hq) >= -tolerance || tw_math_max(hp, hq) <= tolerance) continue;
        const tw_vec3 x = tw_vec3_add_scaled(p, hp / (hp - hq), tw_vec3_sub(q, p));
        double least = HUGE_VAL;
        for (int k = 0; k < 3; k++)
            least = tw_math_min(least, inside_of(mesh, b, k, n, x));
        if (least > tolerance) return true;
    }
    return false;
}

bool tw_mesh_pairs_cross(const tw_mesh *mesh, uint32_t a, uint32_t b, double tolerance)
{
    const uint32_t *v = mesh->facet[a].vertex, *w = mesh->facet[b].vertex;
    for (int i = 0; i < 9; i++)
        if (v[i / 3] == w[i % 3]) return false;
    return pierces(mesh, a, b, tolerance) || pierces(mesh, b, a, tolerance);
}
