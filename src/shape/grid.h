/* SPDX-License-Identifier: BSD-3-Clause */
/* The facets of a mesh near a point, by a uniform grid of cells. A facet is in all cells that the
 * box around it meets. In the common subset of C11, C++17 and CUDA. */
#ifndef TW_SHAPE_GRID_H
#define TW_SHAPE_GRID_H

#include "shape/facets.h"

#ifdef __cplusplus
extern "C" {
#endif

/* {0} is empty. */
typedef struct tw_facets_grid {
    double low[3];         /* corner [m] */
    double inverse;        /* of the edge of a cell [1/m] */
    double scale;          /* largest coordinate of the mesh [m] */
    uint32_t cells[3];     /* along x, y, z */
    uint32_t base, count;  /* number of the first facet, and of facets */
    const uint32_t *first; /* entry of each cell, x fastest, and the number of entries */
    const uint32_t *entry; /* a facet, times 8; bit k: no lower cell along axis k has it */
} tw_facets_grid;

/* base + facets must be less. */
#define TW_FACETS_GRID_MAX (UINT32_MAX / 8)

/* The facets of the mesh have the numbers base, base + 1, ... TW_STATUS_INPUT: too large a number;
 * TW_STATUS_MEMORY. On failure the grid is empty. */
tw_status tw_facets_grid_make(tw_facets_grid *grid, const tw_mesh *mesh, uint32_t base,
                              tw_error *error);
void tw_facets_grid_free(tw_facets_grid *grid);

#ifdef __cplusplus
}
#endif

/* A distance that is above `reach` by the rounding. */
TW_INLINE double tw_facets_far(const tw_facets_grid *grid, double reach)
{
    return reach + TW_FACETS_ROUNDING * (reach + grid->scale);
}

/* Puts a facet at place `at` of a heap of `count`, whose largest is the first, or below. */
TW_INLINE void tw_facets_sift(uint32_t *heap, uint32_t count, uint32_t at, uint32_t facet)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= facet) break;
        heap[at] = heap[child];
    }
    heap[at] = facet;
}

/* Takes one more after `count`; if the heap is full the largest goes. */
TW_INLINE void tw_facets_take(uint32_t *heap, uint32_t capacity, uint32_t count, uint32_t facet)
{
    if (count >= capacity) {
        if (capacity > 0 && facet < heap[0]) tw_facets_sift(heap, capacity, 0, facet);
        return;
    }
    for (; count > 0 && heap[(count - 1) / 2] < facet; count = (count - 1) / 2)
        heap[count] = heap[(count - 1) / 2];
    heap[count] = facet;
}

/* The facets closer to x than `reach`, in ascending order. Returns their number; if that is more
 * than the capacity, the lowest are written. `out` may be NULL without capacity. */
TW_INLINE uint32_t tw_facets_near(const tw_facets *facets, const tw_facets_grid *grid, tw_vec3 x,
                                  double reach, uint32_t *out, uint32_t capacity)
{
    const double at[3] = {x.x, x.y, x.z};
    const double far = tw_facets_far(grid, reach);
    const uint32_t *n = grid->cells;
    uint32_t low[3], high[3], i[2], found = 0;
    double cells = 1.0;
    for (int k = 0; k < 3; k++) {
        const double a = (at[k] - far - grid->low[k]) * grid->inverse;
        const double b = (at[k] + far - grid->low[k]) * grid->inverse;
        if (!(a < n[k] && b >= 0.0)) return 0;
        low[k] = a > 0.0 ? (uint32_t)a : 0;
        high[k] = b < n[k] ? (uint32_t)b : n[k] - 1;
        cells *= high[k] - low[k] + 1;
    }
    for (uint32_t f = 0; cells > grid->count && f < grid->count; f++)
        if (tw_facets_is_near(facets, grid->base + f, x, reach, far))
            tw_facets_take(out, capacity, found++, grid->base + f);
    for (i[1] = low[2]; cells <= grid->count && i[1] <= high[2]; i[1]++)
        for (i[0] = low[1]; i[0] <= high[1]; i[0]++) {
            const uint32_t *cell = grid->first + (i[1] * n[1] + i[0]) * n[0];
            const uint32_t end = cell[high[0] + 1];
            /* A facet counts in the lowest of the cells that it is in. */
            uint32_t lowest = 1 | (uint32_t)(i[0] == low[1]) << 1 | (uint32_t)(i[1] == low[2]) << 2;
            for (uint32_t e = cell[low[0]]; e < end; e++) {
                if (e == cell[low[0] + 1]) lowest &= 6;
                if (((grid->entry[e] | lowest) & 7) == 7 &&
                    tw_facets_is_near(facets, grid->entry[e] >> 3, x, reach, far))
                    tw_facets_take(out, capacity, found++, grid->entry[e] >> 3);
            }
        }
    for (uint32_t left = found < capacity ? found : capacity; left > 1; left--) {
        const uint32_t last = out[left - 1];
        out[left - 1] = out[0];
        tw_facets_sift(out, left - 1, 0, last);
    }
    return found;
}

#endif
