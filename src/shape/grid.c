/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/grid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { CELLS_PER_FACET = 4, CELLS_MORE = 64, ENTRIES_PER_FACET = 32, ENTRIES_IN_CELL = 64 };

/* The box around a facet. */
typedef struct grid_box {
    double low[3], high[3]; /* [m] */
} grid_box;

static grid_box box_of(const tw_mesh *mesh, size_t facet)
{
    grid_box box;
    for (int i = 0; i < 3; i++) {
        const tw_vec3 v = mesh->vertex[mesh->facet[facet].vertex[i]];
        const double at[] = {v.x, v.y, v.z};
        for (int k = 0; k < 3; k++) {
            box.low[k] = i == 0 ? at[k] : tw_math_min(box.low[k], at[k]);
            box.high[k] = i == 0 ? at[k] : tw_math_max(box.high[k], at[k]);
        }
    }
    return box;
}

/* The cells that the box meets. */
typedef struct cell_range {
    uint32_t low[3], high[3];
} cell_range;

static cell_range range_of(const tw_facets_grid *grid, const tw_mesh *mesh, size_t facet)
{
    const grid_box box = box_of(mesh, facet);
    cell_range range;
    for (int k = 0; k < 3; k++) {
        range.low[k] = (uint32_t)((box.low[k] - grid->low[k]) * grid->inverse);
        range.high[k] = (uint32_t)((box.high[k] - grid->low[k]) * grid->inverse);
    }
    return range;
}

static size_t entries_of(const tw_facets_grid *grid, const tw_mesh *mesh)
{
    size_t all = 0;
    for (size_t i = 0; i < mesh->facet_count; i++) {
        const cell_range r = range_of(grid, mesh, i);
        all += (size_t)(r.high[0] - r.low[0] + 1) * (r.high[1] - r.low[1] + 1) *
               (r.high[2] - r.low[2] + 1);
    }
    return all;
}

static size_t cells_at_most(const tw_mesh *mesh)
{
    return CELLS_PER_FACET * mesh->facet_count + CELLS_MORE;
}

/* Returns the number of cells, 0: there would be too many. */
static size_t cut(tw_facets_grid *grid, const tw_mesh *mesh, double edge)
{
    const tw_vec3 size = tw_vec3_sub(mesh->high, mesh->low);
    grid->inverse = 1.0 / edge;
    const double n[] = {size.x * grid->inverse + 1.0, size.y * grid->inverse + 1.0,
                        size.z * grid->inverse + 1.0};
    if (n[0] * n[1] * n[2] > (double)cells_at_most(mesh)) return 0;
    for (int k = 0; k < 3; k++)
        grid->cells[k] = (uint32_t)n[k];
    return (size_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
}

/* Mean area of the facets at a point of the surface [m^2]. */
static double area_at_point(const tw_mesh *mesh)
{
    double sum = 0.0;
    for (size_t i = 0; i < mesh->facet_count; i++) {
        const uint32_t *v = mesh->facet[i].vertex;
        const tw_vec3 a = tw_vec3_sub(mesh->vertex[v[1]], mesh->vertex[v[0]]),
                      b = tw_vec3_sub(mesh->vertex[v[2]], mesh->vertex[v[0]]),
                      c = tw_vec3_cross(a, b);
        sum += 0.25 * tw_vec3_dot(c, c);
    }
    return sum / mesh->area;
}

/* Calls for each entry: adds to the places of its cell, or writes there. */
static void visit_cells(const tw_facets_grid *grid, const tw_mesh *mesh, uint32_t *place,
                        uint32_t *entry)
{
    const uint32_t *n = grid->cells;
    for (uint32_t f = 0; f < grid->count; f++) {
        const cell_range r = range_of(grid, mesh, f);
        for (uint32_t z = r.low[2]; z <= r.high[2]; z++)
            for (uint32_t y = r.low[1]; y <= r.high[1]; y++)
                for (uint32_t x = r.low[0]; x <= r.high[0]; x++) {
                    const uint32_t at = place[(z * n[1] + y) * n[0] + x]++;
                    if (entry)
                        entry[at] = (grid->base + f) << 3 | (uint32_t)(z == r.low[2]) << 2 |
                                    (uint32_t)(y == r.low[1]) << 1 | (uint32_t)(x == r.low[0]);
                }
    }
}

/* Mean number of entries in the cell of an entry; `count` has room for each cell. */
static double crowd(const tw_facets_grid *grid, const tw_mesh *mesh, uint32_t *count, size_t cells)
{
    double all = 0.0, squares = 0.0;
    memset(count, 0, cells * sizeof *count);
    visit_cells(grid, mesh, count, NULL);
    for (size_t c = 0; c < cells; c++) {
        all += count[c];
        squares += (double)count[c] * count[c];
    }
    return squares / all;
}

/* As wide as the facets are where most of the surface is, so that finer ones elsewhere do not
 * matter, or less where cells are crowded; then wider until cells and entries are few. Returns the
 * number of entries. */
static size_t choose_cells(tw_facets_grid *grid, const tw_mesh *mesh, uint32_t *count)
{
    const double least = sqrt(2.0 * mesh->area / (double)mesh->facet_count);
    double edge = sqrt(2.0 * area_at_point(mesh));
    for (; edge > least; edge *= 0.8) {
        const size_t cells = cut(grid, mesh, edge);
        if (cells == 0 || crowd(grid, mesh, count, cells) <= ENTRIES_IN_CELL) break;
    }
    for (edge = tw_math_max(edge, least);; edge *= 1.25) {
        if (cut(grid, mesh, edge) == 0) continue;
        const size_t entries = entries_of(grid, mesh);
        if (entries <= ENTRIES_PER_FACET * mesh->facet_count) return entries;
    }
}

tw_status tw_facets_grid_make(tw_facets_grid *grid, const tw_mesh *mesh, uint32_t base,
                              tw_error *error)
{
    assert(mesh->facet_count > 0);
    *grid = (tw_facets_grid){0};
    if (mesh->facet_count > TW_FACETS_GRID_MAX || base > TW_FACETS_GRID_MAX - mesh->facet_count)
        return tw_error_set(error, TW_STATUS_INPUT, "meshes have more than %u facets",
                            TW_FACETS_GRID_MAX);
    uint32_t *first = NULL, *entry = NULL, *count = NULL;
    *grid = (tw_facets_grid){
        .low = {mesh->low.x, mesh->low.y, mesh->low.z},
        .scale = tw_math_max(tw_vec3_max_abs(mesh->low), tw_vec3_max_abs(mesh->high)),
        .base = base,
        .count = (uint32_t)mesh->facet_count,
    };
    if (!tw_buffer_zeros(&count, cells_at_most(mesh), sizeof *count)) {
        *grid = (tw_facets_grid){0};
        return tw_error_set_memory(error);
    }
    const size_t entries = choose_cells(grid, mesh, count);
    tw_buffer_drop(&count);
    const size_t cells = (size_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
    if (!tw_buffer_zeros(&first, cells + 2, sizeof *first) ||
        !tw_buffer_zeros(&entry, entries, sizeof *entry)) {
        tw_buffer_drop(&first);
        *grid = (tw_facets_grid){0};
        return tw_error_set_memory(error);
    }
    /* first[c + 2] counts cell c; first[c + 1] is then its next place, at last its end. */
    visit_cells(grid, mesh, first + 2, NULL);
    for (size_t c = 2; c <= cells; c++)
        first[c] += first[c - 1];
    visit_cells(grid, mesh, first + 1, entry);
    grid->first = first;
    grid->entry = entry;
    return TW_STATUS_OK;
}

void tw_facets_grid_free(tw_facets_grid *grid)
{
    tw_buffer_drop(&grid->first);
    tw_buffer_drop(&grid->entry);
    *grid = (tw_facets_grid){0};
}
