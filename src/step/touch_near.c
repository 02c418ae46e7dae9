/* SPDX-License-Identifier: BSD-3-Clause */
/* Which candidates have come into touch, TW_LANES at once. Compiled once per level of base/simd.h.
 */
#include "step/touch_near.h"

#include "step/rows.h"

/* Overlap of the spheres of candidates s[0], s[1] ... */
static inline __attribute__((always_inline)) tw_lanes_mask
overlap(const tw_tile_sphere_slot *sphere_slot, const tw_tile_candidate *s)
{
    const double *p[TW_LANES], *q[TW_LANES];
    tw_lanes from[4], to[4];
    for (size_t l = 0; l < TW_LANES; l++) {
        p[l] = sphere_slot[s[l].p].x;
        q[l] = sphere_slot[s[l].q].x;
    }
    tw_rows_columns(p, from);
    tw_rows_columns(q, to);
    const tw_lanes x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    const tw_lanes reach = from[3] + to[3];
    return x * x + y * y + z * z < reach * reach;
}

uint32_t TW_SIMD_NAME(tw_touch_near)(const tw_tiles *tiles, uint32_t begin, uint32_t end,
                                     uint32_t *hits)
{
    const tw_tile_candidate *candidate = tiles->candidate;
    uint32_t count = 0, k = begin;
    for (; k + TW_LANES <= end; k += TW_LANES) {
        const tw_lanes_mask near = overlap(tiles->sphere_slot, candidate + k);
        if (!tw_lanes_any_set(near)) continue;
        for (uint32_t l = 0; l < TW_LANES; l++) {
            hits[count] = k + l;
            count += near[l] != 0;
        }
    }
    for (; k < end; k++) {
        const tw_tile_sphere_slot *p = &tiles->sphere_slot[candidate[k].p],
                                  *q = &tiles->sphere_slot[candidate[k].q];
        const double x = q->x[0] - p->x[0], y = q->x[1] - p->x[1], z = q->x[2] - p->x[2];
        const double reach = p->radius + q->radius;
        hits[count] = k;
        count += x * x + y * y + z * z < reach * reach;
    }
    return count;
}
