/* SPDX-License-Identifier: BSD-3-Clause */
/* The stable step: step/stable.c. Includer: a runtime first. */
#ifndef TW_DEVICE_STABLE_H
#define TW_DEVICE_STABLE_H

#include <float.h>

#include "device/device_atomic.h"
#include "device/device_launch.h"
#include "device/device_memory.h"
#include "device/device_tiling_ghosts.h"
#include "step/stable.h"

/* ---- Contacts of a body ---- */

/* Pair of entry k of `near`; TW_NO_PAIR: not in contact. */
TW_INLINE uint32_t tw_device_stable_touching(const tw_device_world *w, uint32_t k)
{
    const uint32_t pair = w->near[k] & ~TW_DEVICE_AS_Q;
    return tw_pairs_touch(&w->schedule.pairs, pair) ? pair : TW_NO_PAIR;
}

/* Contacts of spheres of a body slot. */
TW_INLINE uint32_t tw_device_stable_incident(const tw_device_world *w, uint32_t slot)
{
    uint32_t count = 0;
    if (!w->changed[slot]) return w->incident_count[slot];
    for (uint32_t k = w->near_first[slot]; k < w->near_first[slot + 1]; k++)
        count += tw_device_stable_touching(w, k) != TW_NO_PAIR;
    return count;
}

/* The first pair of body i with a wall: they are the last ones with it as p. */
TW_INLINE uint32_t tw_device_stable_walls(const tw_device_world *w, uint32_t i)
{
    const tw_pairs *pairs = &w->schedule.pairs;
    uint32_t k = pairs->first[i + 1];
    while (k > pairs->first[i] && tw_pair_is_plane(&pairs->pair[k - 1]))
        k--;
    return k;
}

TW_INLINE uint32_t tw_device_stable_own(const tw_device_world *w, uint32_t i)
{
    const tw_tile *tile = &w->schedule.tiles.tile[tw_tiles_home(&w->schedule.tiles, i)];
    return tile->body_slot + (i - tile->body);
}

TW_INLINE uint32_t tw_device_stable_contacts(const tw_device_world *w, uint32_t i)
{
    const tw_tiles *t = &w->schedule.tiles;
    uint32_t count = tw_device_stable_incident(w, tw_device_stable_own(w, i));
    for (uint32_t g = t->ghost_first[i]; g < t->ghost_first[i + 1]; g++)
        count += tw_device_stable_incident(w, t->ghost_slot[g]);
    if (w->state.wall_count == 0) return count;
    for (uint32_t k = tw_device_stable_walls(w, i); k < w->schedule.pairs.first[i + 1]; k++)
        count += tw_pairs_touch(&w->schedule.pairs, k) ? 1 : 0;
    return count;
}

/* ---- Their springs, in the order of pairs ---- */

/* The next pair after `last` among the contacts of body slot `slot`, unless *next comes before it;
 * *times: how often it was found. */
TW_INLINE void tw_device_stable_next(const tw_device_world *w, uint32_t slot, uint64_t last,
                                     uint32_t *next, int *times)
{
    for (uint32_t k = w->near_first[slot]; k < w->near_first[slot + 1]; k++) {
        const uint32_t pair = tw_device_stable_touching(w, k);
        if (pair == TW_NO_PAIR || pair < last) continue;
        if (pair > *next) return;
        *times = pair == *next ? *times + 1 : 1;
        *next = pair;
        return;
    }
}

/* Adds the springs of the contacts of several body slots in one tile: ghosts first .. end - 1 of a
 * body, and its own one. A body in contact with its own image has that contact twice. */
TW_INLINE void tw_device_stable_add(const tw_device_world *w, uint32_t first, uint32_t end,
                                    uint32_t own, tw_tile_springs *sum)
{
    const uint32_t *ghost = w->schedule.tiles.ghost_slot;
    uint64_t last = 0; /* pairs below are done */
    for (;;) {
        uint32_t next = TW_NO_PAIR;
        int times = 0;
        for (uint32_t g = first; g < end; g++)
            tw_device_stable_next(w, ghost[g], last, &next, &times);
        if (own != UINT32_MAX) tw_device_stable_next(w, own, last, &next, &times);
        if (next == TW_NO_PAIR) return;
        const tw_tile_springs one = tw_stable_contact(&w->model, &w->state, &w->schedule, next);
        for (; times > 0; times--)
            tw_stable_add(sum, &one);
        last = (uint64_t)next + 1;
    }
}

/* The same of one body slot. */
TW_INLINE void tw_device_stable_add_one(const tw_device_world *w, uint32_t slot,
                                        tw_tile_springs *sum)
{
    for (uint32_t k = w->near_first[slot]; k < w->near_first[slot + 1]; k++) {
        const uint32_t pair = tw_device_stable_touching(w, k);
        if (pair == TW_NO_PAIR) continue;
        const tw_tile_springs one = tw_stable_contact(&w->model, &w->state, &w->schedule, pair);
        tw_stable_add(sum, &one);
    }
}

/* A body is q of bodies before it: its ghosts are in tiles before its own one, or there. */
TW_INLINE tw_tile_springs tw_device_stable_springs(const tw_device_world *w, uint32_t i)
{
    const tw_tiles *t = &w->schedule.tiles;
    const uint32_t home = t->tile[tw_tiles_home(t, i)].body_slot, end = t->ghost_first[i + 1];
    tw_tile_springs sum = {0.0, 0.0, 0.0, 0.0};
    uint32_t g = t->ghost_first[i];
    while (g < end && t->ghost_slot[g] < home) {
        const tw_tile *tile = &t->tile[tw_device_tiling_tile_with(w, t->ghost_slot[g])];
        uint32_t after = g + 1;
        while (after < end && t->ghost_slot[after] < tile->body_slot + tile->body_slots)
            after++;
        if (after == g + 1)
            tw_device_stable_add_one(w, t->ghost_slot[g], &sum);
        else
            tw_device_stable_add(w, g, after, UINT32_MAX, &sum);
        g = after;
    }
    if (g == end)
        tw_device_stable_add_one(w, tw_device_stable_own(w, i), &sum);
    else
        tw_device_stable_add(w, g, end, tw_device_stable_own(w, i), &sum);
    if (w->state.wall_count == 0) return sum;
    for (uint32_t k = tw_device_stable_walls(w, i); k < w->schedule.pairs.first[i + 1]; k++) {
        if (!tw_pairs_touch(&w->schedule.pairs, k)) continue;
        const tw_tile_springs one = tw_stable_contact(&w->model, &w->state, &w->schedule, k);
        tw_stable_add(&sum, &one);
    }
    return sum;
}

/* ---- All bodies ---- */

TW_INLINE void tw_device_stable_begin(tw_device_world *w, uint32_t i)
{
    (void)i;
    w->run.least_dt = tw_math_bits(DBL_MAX);
}

TW_INLINE void tw_device_stable_body(tw_device_world *w, uint32_t i)
{
    if (w->state.bodies.flags[i] & TW_BODY_FIXED) return;
    const uint32_t contacts = tw_device_stable_contacts(w, i);
    tw_stable_limit limit;
    if (tw_stable_is_uniform(&w->model, w->run.extras)) {
        limit = tw_stable_of_uniform(&w->model, &w->state, contacts, i);
    } else {
        const tw_tile_springs sum = tw_device_stable_springs(w, i);
        limit = tw_stable_of_body(&w->model, &w->state, &sum, contacts, i);
    }
    /* Not a number: no limit, as on the CPU. */
    if (limit.dt < DBL_MAX) tw_device_atomic_least(&w->run.least_dt, limit.dt);
}

/* After a search. */
TW_INLINE void tw_device_stable_choose(tw_device_world *w, uint32_t i)
{
    (void)i;
    if (!tw_stable_choose(&w->model, &w->state, tw_math_of_bits(w->run.least_dt)))
        w->run.halt |= TW_DEVICE_FAILED;
}

/* When contacts have formed: a dt that is stable stays as it is. */
TW_INLINE void tw_device_stable_keep(tw_device_world *w, uint32_t i)
{
    if (!(w->state.dt <= tw_math_of_bits(w->run.least_dt))) tw_device_stable_choose(w, i);
}

TW_DEVICE_ITEM(tw_device_stable_begin, TW_DEVICE_ALWAYS, 1)
TW_DEVICE_ITEM(tw_device_stable_body, TW_DEVICE_ALWAYS, 1)
TW_DEVICE_ITEM(tw_device_stable_choose, TW_DEVICE_ALWAYS, 1)
TW_DEVICE_ITEM(tw_device_stable_keep, TW_DEVICE_ALWAYS, 1)

/* After a search: tw_step_check_dt. */
static inline tw_status tw_device_stable_check(tw_device_instance *d)
{
    tw_device_stable_begin_each(&d->runtime, d->world, 1);
    tw_device_stable_body_each(&d->runtime, d->world, d->host.bodies);
    tw_device_stable_choose_each(&d->runtime, d->world, 1);
    return TW_STATUS_OK;
}

/* After a step that halted with TW_DEVICE_CHECK_DT. */
static inline tw_status tw_device_stable_check_contacts(tw_device_instance *d)
{
    tw_device_stable_begin_each(&d->runtime, d->world, 1);
    tw_device_stable_body_each(&d->runtime, d->world, d->host.bodies);
    tw_device_stable_keep_each(&d->runtime, d->world, 1);
    return TW_STATUS_OK;
}

#endif
