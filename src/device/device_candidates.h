/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the list still holds, and candidates that become contacts: tw_search_stale and
 * step/touch.c on a device. */
#ifndef TW_DEVICE_CANDIDATES_H
#define TW_DEVICE_CANDIDATES_H

#include "device/device_access.h"
#include "device/device_world.h"
#include "search/search.h"
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
    const int square = w->schedule.tiles.single && w->state.wall_count == 0;
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

/* At the start of a step: prepares the phases that advance contacts. */
TW_INLINE void tw_device_candidates_prepare(tw_device_world *w)
{
    w->run.slide_queue = w->run.general_queue = 0;
    w->run.slider_buffer = 1 - w->run.slider_buffer;
    tw_device_candidates_limits(w);
}

/* Once bodies have moved: whether the list is too old. */
TW_INLINE int tw_device_candidates_stale(const tw_device_world *w)
{
    return tw_travel_exceeds(&w->state, &w->schedule, tw_device_candidates_travel(w));
}

/* Nothing has travelled since a list that was made in this step. */
TW_INLINE void tw_device_candidates_check(tw_device_world *w)
{
    if (tw_device_candidates_stale(w)) tw_device_atomic_or(&w->run.halt, TW_DEVICE_SEARCH);
}

/* The highest rank of pairs whose gap may have closed since the list was made. With one bound for
 * all tiles, more pairs pass than on the CPU; that they do not touch is seen from positions. */
TW_INLINE uint32_t tw_device_candidates_limit(const tw_device_world *w)
{
    const tw_travel travel = tw_device_candidates_travel(w);
    const double skin = w->state.skin,
                 approach =
                     tw_travel_approach(&w->schedule, skin, travel.relative, travel.relative),
                 most = approach * (1.0 + 1e-9) * (double)TW_CANDIDATE_RANKS;
    uint32_t limit = 0;
    for (int rank = 1; rank < TW_CANDIDATE_RANKS; rank++)
        limit += !((double)rank * skin > most) ? 1 : 0;
    return limit;
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

TW_INLINE void tw_device_candidates_test(tw_device_world *w, uint32_t k)
{
    const tw_tiles *tiles = &w->schedule.tiles;
    if (!tw_device_candidates_overlap(w, w->ends[k])) return;
    const uint32_t t = tw_tiles_home(tiles, w->schedule.spheres.body[w->schedule.pairs.pair[k].p]);
    const tw_tile *tile = &tiles->tile[t];
    const uint32_t before = tw_device_atomic_add(&w->tile[t].hits, 1);
    w->hit[tile->pair + before] = k;
    if (w->tile[t].contacts + before >= tile->room)
        tw_device_atomic_or(&w->run.halt, TW_DEVICE_ROOM);
}

/* A team of threads takes some pairs. Ranks alone say which may touch; these are listed, so that
 * all threads have as much to do. */
enum {
    TW_DEVICE_CANDIDATES_THREADS = 128,
    TW_DEVICE_CANDIDATES_STAGES = 3,
    TW_DEVICE_CANDIDATES_PAIRS = 4 * TW_DEVICE_CANDIDATES_THREADS
};

typedef struct tw_device_candidates_team {
    uint32_t limit, count;
    uint32_t pair[TW_DEVICE_CANDIDATES_PAIRS];
} tw_device_candidates_team;

TW_INLINE uint32_t tw_device_candidates_teams(const tw_device_world *host)
{
    return host->pairs / TW_DEVICE_CANDIDATES_PAIRS + 1;
}

/* Lists those of four pairs that may touch. */
TW_INLINE void tw_device_candidates_list(const tw_device_world *w, tw_device_candidates_team *team,
                                         uint32_t first)
{
    if (first >= w->pairs) return;
    const tw_device_rows_four rank = tw_device_rows_bytes(w->rank + first);
    int may[4];
    uint32_t count = 0;
    for (uint32_t j = 0; j < 4; j++) {
        may[j] = rank.x[j] <= team->limit && first + j < w->pairs;
        count += may[j] ? 1 : 0;
    }
    if (count == 0) return;
    uint32_t at = tw_device_atomic_add(&team->count, count);
    for (uint32_t j = 0; j < 4; j++)
        if (may[j]) team->pair[at++] = first + j;
}

TW_INLINE void tw_device_candidates(tw_device_world *w, tw_device_candidates_team *team, uint32_t i,
                                    uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_CANDIDATES_THREADS };
    if (stage == 0) {
        if (thread == 0) {
            team->count = 0;
            team->limit = tw_device_candidates_limit(w);
        }
    } else if (stage == 1) {
        tw_device_candidates_list(w, team, i * TW_DEVICE_CANDIDATES_PAIRS + 4 * thread);
    } else {
        for (uint32_t j = thread; j < team->count; j += THREADS)
            tw_device_candidates_test(w, team->pair[j]);
        if (i == 0 && thread == 0) tw_device_candidates_check(w);
    }
}

/* By pair, as step/touch.c: slots depend on the state alone. */
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

/* As tw_touch_begin_find, by bytes: slots that were empty before this step. */
TW_INLINE uint32_t tw_device_candidates_find(const tw_device_world *w, const tw_tile *tile)
{
    enum { BATCH = 32 };
    const uint8_t *how = w->slot_state + tile->slot;
    const uint32_t slots = tile->slots;
    uint32_t low = tile->empty % TW_BUNDLE;
    for (uint32_t at = tile->empty - low; at < slots; at += BATCH * TW_BUNDLE, low = 0) {
        uint32_t found = slots;
        for (uint32_t j = BATCH; j-- > 0;) {
            const uint32_t first = at + j * TW_BUNDLE;
            const uint32_t zero =
                first < slots ? tw_device_rows_zero(how + first, j == 0 ? low : 0) : TW_BUNDLE;
            if (zero < TW_BUNDLE) found = first + zero;
        }
        if (found < slots) return found;
    }
    return slots;
}

TW_INLINE void tw_device_candidates_begin(tw_device_world *w, uint32_t t)
{
    tw_schedule *s = &w->schedule;
    tw_tile *tile = &s->tiles.tile[t];
    uint32_t *hits = w->hit + tile->pair;
    const uint32_t count = w->tile[t].hits;
    if (count == 0) return;
    w->tile[t].hits = 0;
    tw_device_candidates_sort(hits, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = hits[i], end = tw_tile_round_up(tile->slots);
        const tw_tiling_ends ends = w->ends[k];
        const tw_contact_memory fresh =
            tw_touch_begin_memory(&w->state, s, &s->pairs.pair[k], ends.p, ends.q);
        const uint32_t slot =
            tw_touch_begin_take(&w->state, s, tile, tw_device_candidates_find(w, tile));
        tw_touch_begin_seat(&w->model, &w->state, s, tile, slot, &fresh, k, ends.p, ends.q);
        for (uint32_t l = end; l < tw_tile_round_up(tile->slots); l++)
            w->slot_state[tile->slot + l] = TW_DEVICE_EMPTY;
        w->rank[k] = TW_DEVICE_RANK_NONE;
        w->changed[s->slots.body_p[slot]] = 1;
        w->changed[s->slots.body_q[slot]] = 1;
        if (tw_device_world_is_plain(w))
            w->general_queue[tw_device_atomic_next(&w->run.general_queue)] = slot;
    }
    w->tile[t].contacts += count;
}

#endif
