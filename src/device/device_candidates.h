/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the list still holds, and candidates that become contacts: tw_search_stale and
 * step/touch_candidates.c on a device. */
#ifndef TW_DEVICE_CANDIDATES_H
#define TW_DEVICE_CANDIDATES_H

#include "device/device_atomic.h"
#include "device/device_rows.h"
#include "device/device_sums_contacts.h"
#include "device/device_world.h"
#include "search/travel.h"
#include "step/touch_begin.h"

/* To be called once the cell has moved. Every candidate needs the result, so it cannot wait for
 * item 0 of tw_device_candidates. */
TW_INLINE void tw_device_candidates_stretch(tw_device_world *w)
{
    w->schedule.stretch = tw_travel_stretch(&w->state.cell);
}

TW_INLINE tw_travel tw_device_candidates_travel(const tw_device_world *w)
{
    const double own = tw_math_of_bits(w->run.own);
    const int square = w->run.single && w->state.wall_count == 0;
    const tw_travel travel = {square ? sqrt(own) : own, tw_math_of_bits(w->run.absolute)};
    return travel;
}

/* Overlaps for which the square of the friction limit neither under- nor overflows, as in
 * step/touch_spheres.c; none in a rigid rotation. */
TW_INLINE void tw_device_candidates_limits(tw_device_world *w)
{
    const tw_contact_law *law = w->model.laws;
    const int slippery = !(law->mu > 0.0);
    w->run.shallow = slippery ? 0.0 : tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_TINY));
    w->run.deepest = 0.5 * w->schedule.radius_min;
    if (!slippery)
        w->run.deepest =
            tw_math_min(w->run.deepest, tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_HUGE)));
    if (w->run.rigid) w->run.deepest = -1.0;
}

/* Prepares the phases that follow. A list that was made in this step is not checked again. */
TW_INLINE void tw_device_candidates_check(tw_device_world *w)
{
    const tw_travel travel = tw_device_candidates_travel(w);
    w->run.open = w->run.hard = 0;
    tw_device_candidates_limits(w);
    if (!w->run.listed && tw_travel_exceeds(&w->state, &w->schedule, travel))
        tw_device_atomic_or(&w->run.halt, TW_DEVICE_SEARCH);
    w->run.listed = 0;
}

/* Whether the gap of a pair may have closed since the list was made, by its rank. With one bound
 * for all tiles, more pairs pass than on the CPU; that they do not touch is seen from positions. */
TW_INLINE int tw_device_candidates_may_touch(const tw_device_world *w, uint32_t k)
{
    const tw_travel travel = tw_device_candidates_travel(w);
    const double approach = tw_travel_approach(&w->schedule, w->state.skin, travel.own, travel.own);
    return !((double)w->rank[k] * w->state.skin >
             approach * (1.0 + 1e-9) * (double)TW_CANDIDATE_RANKS);
}

/* As tw_touch_near. */
TW_INLINE int tw_device_candidates_overlap(const tw_device_world *w, tw_tiling_ends ends)
{
    const tw_tile_sphere_slot *spheres = w->schedule.tiles.sphere_slot;
    const tw_tile_sphere_slot p = tw_device_rows_sphere(&spheres[ends.p]),
                              q = tw_device_rows_sphere(&spheres[ends.q]);
    const double x = q.x[0] - p.x[0], y = q.x[1] - p.x[1], z = q.x[2] - p.x[2];
    const double reach = p.radius + q.radius;
    return x * x + y * y + z * z < reach * reach;
}

TW_INLINE void tw_device_candidates(tw_device_world *w, uint32_t k)
{
    const tw_pairs *pairs = &w->schedule.pairs;
    const tw_tiles *tiles = &w->schedule.tiles;
    if (k == 0) tw_device_candidates_check(w);
    tw_device_sums_contacts_reset(w, k, w->pairs > 0 ? w->pairs : 1);
    if (k >= w->pairs || pairs->slot[k] != TW_NO_SLOT) return;
    if (!tw_device_candidates_may_touch(w, k)) return;
    if (w->wall_pairs > 0 && tw_pair_is_plane(&pairs->pair[k])) return;
    if (!tw_device_candidates_overlap(w, w->ends[k])) return;
    const uint32_t t = tw_tiles_home(tiles, w->schedule.spheres.body[pairs->pair[k].p]);
    const tw_tile *tile = &tiles->tile[t];
    const uint32_t before = tw_device_atomic_add(&w->tile[t].hits, 1);
    w->hit[tile->pair + before] = k;
    if (w->tile[t].contacts + before >= tile->room)
        tw_device_atomic_or(&w->run.halt, TW_DEVICE_ROOM);
}

/* By pair, as step/touch_candidates.c: slots depend on the state alone. */
TW_INLINE void tw_device_candidates_sort(uint32_t *hits, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t one = hits[i];
            uint32_t at = i;
            for (; at >= gap && hits[at - gap] > one; at -= gap)
                hits[at] = hits[at - gap];
            hits[at] = one;
        }
    }
}

TW_INLINE void tw_device_candidates_begin(tw_device_world *w, uint32_t t)
{
    tw_tile *tile = &w->schedule.tiles.tile[t];
    uint32_t *hits = w->hit + tile->pair;
    const uint32_t count = w->tile[t].hits;
    if (count == 0) return;
    w->tile[t].hits = 0;
    tw_device_candidates_sort(hits, count);
    for (uint32_t i = 0; i < count; i++) {
        const tw_tiling_ends ends = w->ends[hits[i]];
        const uint32_t end = tw_tile_round_up(tile->slots);
        const uint32_t slot = tw_touch_begin_contact(&w->model, &w->state, &w->schedule, tile,
                                                     hits[i], ends.p, ends.q);
        for (uint32_t l = end; l < tw_tile_round_up(tile->slots); l++)
            w->how[tile->slot + l] = TW_DEVICE_EMPTY;
        w->changed[w->schedule.slots.body_p[slot]] = 1;
        w->changed[w->schedule.slots.body_q[slot]] = 1;
        w->tile[t].contacts++;
        if (w->run.plain) w->hard[tw_device_atomic_next(&w->run.hard)] = slot;
    }
}

#endif
