/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the list still holds, and candidates that become contacts: tw_search_stale and
 * step/touch.c on a device. */
#ifndef TW_DEVICE_CANDIDATES_H
#define TW_DEVICE_CANDIDATES_H

#include "device/device_access.h"
#include "device/device_world.h"
#include "search/search.h"
#include "step/touch_begin.h"

TW_INLINE tw_travel tw_device_candidates_travel(const tw_tiles *tiles, const tw_device_run *run,
                                                const tw_device_list *list)
{
    const double own = tw_math_of_bits(run->own);
    const int square = tiles->single && list->walls == 0;
    const tw_travel travel = {square ? sqrt(own) : own, tw_math_of_bits(run->absolute)};
    return travel;
}

/* At the start of a step: prepares the phases that advance contacts. Simply, these advance overlaps
 * for which the square of the friction limit neither under- nor overflows, as in
 * step/touch_lanes.c; none in a rigid rotation. */
TW_INLINE void tw_device_candidates_prepare(const tw_model *model, const tw_schedule *schedule,
                                            tw_device_run *run)
{
    const tw_contact_law *law = model->laws;
    run->slide_queue = run->general_queue = 0;
    run->slider_buffer = 1 - run->slider_buffer;
    run->shallow = tw_contact_law_grip(law);
    run->deepest = 0.5 * schedule->radius_min;
    if (law->mu > 0.0) {
        const double least = tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_TINY)),
                     most = tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_HUGE));
        run->shallow = tw_math_max(run->shallow, least);
        run->deepest = tw_math_min(run->deepest, most);
    }
    if (run->rigid) run->deepest = -1.0;
}

/* The highest rank of pairs whose gap may have closed since the list was made. With one bound for
 * all tiles, more pairs pass than on the CPU; that they do not touch is seen from positions. */
TW_INLINE uint32_t tw_device_candidates_limit(const tw_state *state, const tw_schedule *schedule,
                                              const tw_device_run *run, const tw_device_list *list)
{
    const tw_travel travel = tw_device_candidates_travel(&schedule->tiles, run, list);
    const double skin = state->skin,
                 approach = tw_travel_approach(schedule, skin, travel.relative, travel.relative),
                 most = approach * (1.0 + 1e-9) * (double)TW_CANDIDATE_RANKS;
    uint32_t limit = 0;
    for (int rank = 1; rank < TW_CANDIDATE_RANKS; rank++)
        limit += !((double)rank * skin > most) ? 1 : 0;
    return limit;
}

/* As tw_touch_near. */
TW_INLINE int tw_device_candidates_overlap(double edge, const tw_tiles *tiles, tw_tiling_ends ends)
{
    const tw_tile_sphere_slot *sphere = tiles->sphere_slot;
    const tw_tile_sphere_slot p = tw_device_rows_sphere(&sphere[ends.p]),
                              q = tw_device_rows_sphere(&sphere[ends.q]);
    const double x = q.x[0] - p.x[0], y = q.x[1] - p.x[1], z = q.x[2] - p.x[2];
    const double reach = p.radius + q.radius - edge;
    return x * x + y * y + z * z < reach * reach;
}

TW_INLINE void tw_device_candidates_test(double edge, const tw_tiles *tiles, const tw_pairs *pairs,
                                         const tw_spheres *spheres, const tw_device_list *list,
                                         tw_device_run *run, tw_device_touch *touch, uint32_t k)
{
    if (!tw_device_candidates_overlap(edge, tiles, list->ends[k])) return;
    const uint32_t t = tw_tiles_home(tiles, spheres->body[pairs->pair[k].p]);
    const tw_tile *tile = &tiles->tile[t];
    const uint32_t before = tw_device_atomic_add(&touch->tile[t].hits, 1);
    touch->hit[tile->pair + before] = k;
    if (touch->tile[t].contacts + before >= tile->room)
        tw_device_atomic_or(&run->halt, TW_DEVICE_ROOM);
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

TW_INLINE uint32_t tw_device_candidates_teams(const tw_device_list *list)
{
    return list->pairs / TW_DEVICE_CANDIDATES_PAIRS + 1;
}

/* Lists those of four pairs that may touch; beyond the last pair ranks are none. */
TW_INLINE void tw_device_candidates_list(const tw_device_list *list, const tw_device_touch *touch,
                                         tw_device_candidates_team *team, uint32_t first)
{
    if (first >= list->pairs) return;
    const tw_device_rows_four rank = tw_device_rows_bytes(touch->rank + first);
    int may[4];
    uint32_t count = 0;
    for (uint32_t j = 0; j < 4; j++) {
        may[j] = rank.x[j] <= team->limit;
        count += may[j] ? 1 : 0;
    }
    if (count == 0) return;
    uint32_t at = tw_device_atomic_add(&team->count, count);
    for (uint32_t j = 0; j < 4; j++)
        if (may[j]) team->pair[at++] = first + j;
}

TW_INLINE void tw_device_candidates(const tw_model *model, const tw_state *state,
                                    const tw_schedule *schedule, const tw_device_list *list,
                                    tw_device_run *run, tw_device_touch *touch,
                                    tw_device_candidates_team *team, uint32_t i, uint32_t stage,
                                    uint32_t thread)
{
    enum { THREADS = TW_DEVICE_CANDIDATES_THREADS };
    if (stage == 0) {
        if (thread == 0) {
            team->count = 0;
            team->limit = tw_device_candidates_limit(state, schedule, run, list);
        }
    } else if (stage == 1) {
        tw_device_candidates_list(list, touch, team, i * TW_DEVICE_CANDIDATES_PAIRS + 4 * thread);
    } else {
        for (uint32_t j = thread; j < team->count; j += THREADS)
            tw_device_candidates_test(tw_model_begin(model), &schedule->tiles, &schedule->pairs,
                                      &schedule->spheres, list, run, touch, team->pair[j]);
        /* Nothing has travelled since a list that was made in this step. */
        if (i == 0 && thread == 0 &&
            tw_travel_exceeds(state, schedule,
                              tw_device_candidates_travel(&schedule->tiles, run, list)))
            tw_device_atomic_or(&run->halt, TW_DEVICE_SEARCH);
    }
}

/* New contacts of a tile, as tw_touch_begin_contact for one pair after the other in ascending
 * order, so that slots depend on the state alone: the pair of rank r takes empty slot number r. A
 * team of threads finds ranks and slots, then fills these. */
enum { TW_DEVICE_BEGIN_THREADS = 64, TW_DEVICE_BEGIN_STAGES = 3, TW_DEVICE_BEGIN_PARTS = 128 };

typedef struct tw_device_begin_work {
    uint32_t count, last;                    /* pairs; the highest slot that is taken */
    uint32_t empties[TW_DEVICE_BEGIN_PARTS]; /* in the parts of the tile's slots */
} tw_device_begin_work;

TW_INLINE uint32_t tw_device_begin_stages(const tw_device_touch *touch, uint32_t t)
{
    return touch->tile[t].hits > 0 ? TW_DEVICE_BEGIN_STAGES : 0;
}

/* Bundles of slots in a part. */
TW_INLINE uint32_t tw_device_begin_bundles(const tw_tile *tile)
{
    return tile->slots / (TW_BUNDLE * TW_DEVICE_BEGIN_PARTS) + 1;
}

/* The empty slots of a bundle from the tile's slot number `first` on, as tw_device_rows_zeros:
 * those that were empty before this step. */
TW_INLINE uint64_t tw_device_begin_empties(const tw_device_touch *touch, const tw_tile *tile,
                                           uint32_t first)
{
    uint64_t zeros;
    if (first + TW_BUNDLE <= tile->empty || first >= tile->slots) return 0;
    zeros = tw_device_rows_zeros(touch->slot_state + tile->slot + first);
    if (first < tile->empty) zeros &= UINT64_MAX << 8 * (tile->empty - first);
    if (first + TW_BUNDLE > tile->slots)
        zeros &= UINT64_MAX >> 8 * (first + TW_BUNDLE - tile->slots);
    return zeros;
}

TW_INLINE uint32_t tw_device_begin_count(const tw_device_touch *touch, const tw_tile *tile,
                                         uint32_t part)
{
    const uint32_t bundles = tw_device_begin_bundles(tile);
    uint32_t count = 0;
    for (uint32_t k = 0; k < bundles; k++)
        count += tw_device_bits_count(
            tw_device_begin_empties(touch, tile, TW_BUNDLE * (part * bundles + k)));
    return count;
}

/* The tile's empty slot number r; then those that follow the last one. */
TW_INLINE uint32_t tw_device_begin_slot(const tw_device_touch *touch, const tw_tile *tile,
                                        const tw_device_begin_work *work, uint32_t r)
{
    uint32_t part = 0, first;
    while (part < TW_DEVICE_BEGIN_PARTS && r >= work->empties[part])
        r -= work->empties[part++];
    if (part == TW_DEVICE_BEGIN_PARTS) return tile->slots + r;
    first = TW_BUNDLE * tw_device_begin_bundles(tile) * part;
    for (;; first += TW_BUNDLE) {
        uint64_t zeros = tw_device_begin_empties(touch, tile, first);
        const uint32_t count = tw_device_bits_count(zeros);
        if (r >= count) {
            r -= count;
            continue;
        }
        for (; r > 0; r--)
            zeros &= zeros - 1;
        return first + tw_device_bits_lowest(zeros) / 8;
    }
}

/* Pair number i of the list gets its slot. */
TW_INLINE void tw_device_begin_take(tw_state *state, tw_schedule *schedule, tw_device_touch *touch,
                                    const tw_tile *tile, tw_device_begin_work *work, uint32_t i)
{
    const uint32_t *hits = touch->hit + tile->pair;
    uint32_t rank = 0;
    for (uint32_t j = 0; j < work->count; j++)
        rank += hits[j] < hits[i] ? 1 : 0;
    const uint32_t at = tw_device_begin_slot(touch, tile, work, rank), slot = tile->slot + at;
    schedule->pairs.slot[hits[i]] = slot;
    if (rank == work->count - 1) work->last = at;
    if (at >= tile->slots && at % TW_BUNDLE == 0)
        for (uint32_t l = slot; l < slot + TW_BUNDLE; l++) {
            tw_tile_load_empty(state, schedule, tile, l);
            touch->slot_state[l] = TW_DEVICE_EMPTY;
        }
}

TW_INLINE void tw_device_begin_fill(const tw_model *model, const tw_device_list *list,
                                    tw_state *state, tw_schedule *schedule, tw_device_run *run,
                                    tw_device_touch *touch, tw_device_forces *forces,
                                    const tw_tile *tile, uint32_t k)
{
    const tw_tiling_ends ends = list->ends[k];
    const uint32_t slot = schedule->pairs.slot[k];
    const tw_contact_memory fresh =
        tw_touch_begin_memory(state, schedule, &schedule->pairs.pair[k], ends.p, ends.q);
    tw_touch_begin_seat(model, state, schedule, tile, slot, &fresh, k, ends.p, ends.q);
    touch->rank[k] = TW_DEVICE_RANK_NONE;
    forces->changed[schedule->slots.body_p[slot]] = 1;
    forces->changed[schedule->slots.body_q[slot]] = 1;
    if (tw_device_world_is_plain(run))
        touch->general_queue[tw_device_atomic_next(&run->general_queue)] = slot;
}

TW_INLINE void tw_device_begin(const tw_model *model, const tw_device_list *list, tw_state *state,
                               tw_schedule *schedule, tw_device_run *run, tw_device_touch *touch,
                               tw_device_forces *forces, tw_device_begin_work *work, uint32_t t,
                               uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_BEGIN_THREADS };
    tw_tile *tile = &schedule->tiles.tile[t];
    if (stage == 0) {
        if (thread == 0) work->count = touch->tile[t].hits;
        for (uint32_t k = thread; k < TW_DEVICE_BEGIN_PARTS; k += THREADS)
            work->empties[k] = tw_device_begin_count(touch, tile, k);
    } else if (stage == 1) {
        for (uint32_t i = thread; i < work->count; i += THREADS)
            tw_device_begin_take(state, schedule, touch, tile, work, i);
    } else {
        for (uint32_t i = thread; i < work->count; i += THREADS)
            tw_device_begin_fill(model, list, state, schedule, run, touch, forces, tile,
                                 touch->hit[tile->pair + i]);
        if (thread > 0) return;
        touch->tile[t].hits = 0;
        touch->tile[t].contacts += work->count;
        tile->empty = work->last + 1;
        if (tile->slots < tile->empty) tile->slots = tile->empty;
    }
}

#endif
