/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies are near each other: bins in the cell's own coordinates, one set per class of size.
 */
#ifndef TW_SEARCH_GRID_H
#define TW_SEARCH_GRID_H

#include "base/memory.h"
#include "world/state.h"

/* Bodies p and q, and the image of q near p. p < q, or p = q with an image "above" itself. */
typedef struct tw_grid_near {
    uint32_t p, q;
    tw_shift shift;
} tw_grid_near;

typedef struct tw_grid_input {
    const tw_vec3 *x;     /* centres, inside the cell along periodic edges [m] */
    const double *radius; /* bounding radii [m] */
    size_t count;
    tw_mat3 h, inverse;
    const int *periodic;
    double margin; /* pairs with a gap below this are near [m] */
} tw_grid_input;

/* All near pairs, ordered by p, then q, then image. *first[i] is the first with p = i; there are
 * count + 1 entries. Everything is taken from the arena. */
tw_status tw_grid_find(const tw_grid_input *input, tw_arena *arena, tw_grid_near **near,
                       size_t *near_count, uint32_t **first, tw_error *error);

#endif
