/* SPDX-License-Identifier: BSD-3-Clause */
/* The stable step and the stiffness for the servo. Includer: a runtime first. */
#ifndef TW_DEVICE_STABLE_H
#define TW_DEVICE_STABLE_H

#include <assert.h>
#include <float.h>

#include "control/stiffness.h"
#include "device/device_access.h"
#include "device/device_launch.h"
#include "device/device_memory.h"
#include "device/device_move.h"
#include "device/device_sums.h"
#include "device/device_tiles.h"
#include "step/kick.h"
#include "step/stable.h"

/* ---- Contacts of a body ---- */

/* Pair of entry k of `near`; TW_NO_PAIR: not in contact. */
TW_INLINE uint32_t tw_device_stable_touching(const tw_pairs *pairs, const tw_device_list *list,
                                             uint32_t k)
{
    const uint32_t pair = list->near[k] & ~TW_DEVICE_AS_Q;
    return tw_pairs_touch(pairs, pair) ? pair : TW_NO_PAIR;
}

/* Contacts of spheres of a body slot. */
TW_INLINE uint32_t tw_device_stable_incident(const tw_pairs *pairs, const tw_device_list *list,
                                             const tw_device_forces *forces, uint32_t slot)
{
    uint32_t count = 0;
    if (!forces->changed[slot]) return forces->incident_count[slot];
    for (uint32_t k = list->near_first[slot]; k < list->near_first[slot + 1]; k++)
        count += tw_device_stable_touching(pairs, list, k) != TW_NO_PAIR;
    return count;
}

/* The first pair of body i with a wall: they are the last ones with it as p. */
TW_INLINE uint32_t tw_device_stable_walls(const tw_pairs *pairs, uint32_t i)
{
    uint32_t k = pairs->first[i + 1];
    while (k > pairs->first[i] && tw_pair_is_wall(&pairs->pair[k - 1]))
        k--;
    return k;
}

TW_INLINE uint32_t tw_device_stable_own(const tw_tiles *tiles, uint32_t i)
{
    const tw_tile *tile = &tiles->tile[tw_tiles_home(tiles, i)];
    return tile->body_slot + (i - tile->body);
}

TW_INLINE uint32_t tw_device_stable_contacts(const tw_tiles *tiles, const tw_pairs *pairs,
                                             const tw_device_list *list,
                                             const tw_device_forces *forces, uint32_t i)
{
    uint32_t count = tw_device_stable_incident(pairs, list, forces, tw_device_stable_own(tiles, i));
    for (uint32_t g = tiles->ghost_first[i]; g < tiles->ghost_first[i + 1]; g++)
        count += tw_device_stable_incident(pairs, list, forces, tiles->ghost_slot[g]);
    if (list->walls == 0) return count;
    for (uint32_t k = tw_device_stable_walls(pairs, i); k < pairs->first[i + 1]; k++)
        count += tw_pairs_touch(pairs, k) ? 1 : 0;
    return count;
}

/* ---- Their springs, in the order of pairs ---- */

/* The next pair after `last` among the contacts of body slot `slot`, unless *next comes before it;
 * *times: how often it was found. */
TW_INLINE void tw_device_stable_next(const tw_pairs *pairs, const tw_device_list *list,
                                     uint32_t slot, uint64_t last, uint32_t *next, int *times)
{
    for (uint32_t k = list->near_first[slot]; k < list->near_first[slot + 1]; k++) {
        const uint32_t pair = tw_device_stable_touching(pairs, list, k);
        if (pair == TW_NO_PAIR || pair < last) continue;
        if (pair > *next) return;
        *times = pair == *next ? *times + 1 : 1;
        *next = pair;
        return;
    }
}

/* Adds the springs of the contacts of several body slots in one tile: ghosts first .. end - 1 of a
 * body, and its own one. A body in contact with its own image has that contact twice. */
TW_INLINE void tw_device_stable_add(const tw_model *model, const tw_state *state,
                                    const tw_schedule *schedule, const tw_device_list *list,
                                    uint32_t first, uint32_t end, uint32_t own,
                                    tw_tile_springs *sum)
{
    const uint32_t *ghost = schedule->tiles.ghost_slot;
    uint64_t last = 0; /* pairs below are done */
    for (;;) {
        uint32_t next = TW_NO_PAIR;
        int times = 0;
        for (uint32_t g = first; g < end; g++)
            tw_device_stable_next(&schedule->pairs, list, ghost[g], last, &next, &times);
        if (own != UINT32_MAX)
            tw_device_stable_next(&schedule->pairs, list, own, last, &next, &times);
        if (next == TW_NO_PAIR) return;
        const tw_tile_springs one = tw_stable_contact(model, state, schedule, next);
        for (; times > 0; times--)
            tw_stable_add(sum, &one);
        last = (uint64_t)next + 1;
    }
}

/* Adds the springs of the contacts of one body slot. */
TW_INLINE void tw_device_stable_add_one(const tw_model *model, const tw_state *state,
                                        const tw_schedule *schedule, const tw_device_list *list,
                                        uint32_t slot, tw_tile_springs *sum)
{
    for (uint32_t k = list->near_first[slot]; k < list->near_first[slot + 1]; k++) {
        const uint32_t pair = tw_device_stable_touching(&schedule->pairs, list, k);
        if (pair == TW_NO_PAIR) continue;
        const tw_tile_springs one = tw_stable_contact(model, state, schedule, pair);
        tw_stable_add(sum, &one);
    }
}

/* A body is q of bodies before it: its ghosts are in tiles before its own one, or there. */
TW_INLINE tw_tile_springs tw_device_stable_springs(const tw_model *model, const tw_state *state,
                                                   const tw_schedule *schedule,
                                                   const tw_device_list *list, uint32_t i)
{
    const tw_tiles *t = &schedule->tiles;
    const uint32_t home = t->tile[tw_tiles_home(t, i)].body_slot, end = t->ghost_first[i + 1],
                   own = tw_device_stable_own(t, i);
    tw_tile_springs sum = {0.0, 0.0, 0.0, 0.0};
    uint32_t g = t->ghost_first[i];
    while (g < end && t->ghost_slot[g] < home) {
        const tw_tile *tile = &t->tile[tw_device_tiling_tile_with(t, list, t->ghost_slot[g])];
        uint32_t after = g + 1;
        while (after < end && t->ghost_slot[after] < tile->body_slot + tile->body_slots)
            after++;
        if (after == g + 1)
            tw_device_stable_add_one(model, state, schedule, list, t->ghost_slot[g], &sum);
        else
            tw_device_stable_add(model, state, schedule, list, g, after, UINT32_MAX, &sum);
        g = after;
    }
    if (g == end)
        tw_device_stable_add_one(model, state, schedule, list, own, &sum);
    else
        tw_device_stable_add(model, state, schedule, list, g, end, own, &sum);
    if (list->walls == 0) return sum;
    const tw_pairs *pairs = &schedule->pairs;
    for (uint32_t k = tw_device_stable_walls(pairs, i); k < pairs->first[i + 1]; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const tw_tile_springs one = tw_stable_contact(model, state, schedule, k);
        tw_stable_add(&sum, &one);
    }
    return sum;
}

/* ---- All bodies ---- */

TW_INLINE void tw_device_stable_begin(const tw_state *state, tw_device_run *run, uint32_t i)
{
    (void)i;
    run->dt_before = state->dt;
    run->least_dt = tw_math_bits(DBL_MAX);
}

TW_INLINE void tw_device_stable_body(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, const tw_device_list *list,
                                     const tw_device_forces *forces, tw_device_run *run, uint32_t i)
{
    if (state->bodies.flags[i] & TW_BODY_FIXED) return;
    const uint32_t count =
        tw_device_stable_contacts(&schedule->tiles, &schedule->pairs, list, forces, i);
    tw_stable_limit limit;
    if (tw_stable_is_uniform(model, run->extras)) {
        limit = tw_stable_of_uniform(model, state, count, i);
    } else {
        const tw_tile_springs sum = tw_device_stable_springs(model, state, schedule, list, i);
        limit = tw_stable_of_body(model, state, &sum, count, i);
    }
    /* Not a number: no limit, as on the CPU. */
    if (limit.dt < DBL_MAX) tw_device_atomic_least(&run->least_dt, limit.dt);
}

TW_INLINE void tw_device_stable_choose(const tw_model *model, tw_state *state, tw_device_run *run,
                                       uint32_t i)
{
    (void)i;
    if (!tw_stable_choose(model, state, tw_math_of_bits(run->least_dt)))
        run->halt |= TW_DEVICE_FAILED;
}

/* Velocities of half a step ago, as in tw_kick_rebase. */
TW_INLINE void tw_device_stable_rebase(const tw_model *model, const tw_schedule *schedule,
                                       const tw_device_run *run, const tw_device_forces *forces,
                                       tw_state *state, uint32_t i)
{
    if (state->dt == run->dt_before) return;
    tw_device_gather_forces(&schedule->tiles, forces, &state->bodies, i);
    tw_kick_rebase_body(model, state, i, run->dt_before);
}

typedef struct tw_device_stable_kinetic_work {
    double kinetic[TW_COMPONENTS][TW_SUM_LANES];
} tw_device_stable_kinetic_work;

/* Their stress. */
TW_INLINE void tw_device_stable_kinetic(const tw_bodies *bodies, const tw_tiles *tiles,
                                        const tw_device_run *run, const tw_device_list *list,
                                        tw_device_sums *sums, tw_device_stable_kinetic_work *work,
                                        uint32_t number, uint32_t stage, uint32_t thread)
{
    double sum[TW_COMPONENTS];
    if (stage == 0 && thread < TW_SUM_LANES) {
        tw_device_sums_kinetic(bodies, tiles, run, number, thread, sum);
        for (uint32_t k = 0; k < TW_COMPONENTS; k++)
            work->kinetic[k][thread] = sum[k];
    } else if (stage == 1 && thread < TW_COMPONENTS) {
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_KINETIC + thread, number) =
            tw_sum_lanes_join(work->kinetic[thread]);
    }
}

TW_INLINE void tw_device_stable_kinetic_total(const tw_device_list *list, tw_device_sums *sums,
                                              tw_device_sums_work *work, uint32_t sum,
                                              uint32_t stage, uint32_t thread)
{
    tw_device_sums_array(tw_device_sums_tile(list, sums, TW_DEVICE_SUM_KINETIC + sum, 0),
                         list->tiles, work, stage, thread, &sums->kinetic[sum]);
}

TW_DEVICE_TASK(tw_device_stable_begin, (state), (run))
TW_DEVICE_TASK(tw_device_stable_body, (model, state, schedule, list, forces), (run))
TW_DEVICE_TASK(tw_device_stable_choose, (model), (state, run))
TW_DEVICE_TASK(tw_device_stable_rebase, (model, schedule, run, forces), (state))
TW_DEVICE_TEAM(tw_device_stable_kinetic, TW_DEVICE_ALWAYS, tw_device_stable_kinetic_work, 2,
               TW_DEVICE_SUMS_BODIES_THREADS, 1, (bodies, tiles, run, list), (sums))
TW_DEVICE_TEAM(tw_device_stable_kinetic_total, TW_DEVICE_ALWAYS, tw_device_sums_work,
               TW_DEVICE_SUMS_LEVELS + 1, TW_DEVICE_SUMS_THREADS, 2, (list), (sums))

/* tw_step_check_dt, after a step that halted with TW_DEVICE_CHECK_DT. */
static inline void tw_device_stable_check(tw_device_instance *d)
{
    tw_device_stable_begin_each(&d->runtime, d->world, 1);
    tw_device_stable_body_each(&d->runtime, d->world, d->host.list.bodies);
    tw_device_stable_choose_each(&d->runtime, d->world, 1);
    tw_device_stable_rebase_each(&d->runtime, d->world, d->host.list.bodies);
    tw_device_stable_kinetic_each(&d->runtime, d->world, d->host.list.tiles);
    tw_device_stable_kinetic_total_each(&d->runtime, d->world, TW_COMPONENTS);
}

/* ---- The stiffness for the servo: control/stiffness.h ---- */

/* A tile is an item that many threads share. They compute the terms of as many contacts at a time;
 * then each adds those of one sum in a lane. */
enum { TW_DEVICE_STIFFNESS_THREADS = 256 };
static_assert(TW_STIFFNESS_SUMS * TW_SUM_LANES <= TW_DEVICE_STIFFNESS_THREADS, "too few threads");

typedef struct tw_device_stiffness_work {
    /* Odd rows: threads that read different terms of a contact read different banks of memory. */
    double a[TW_COMPONENTS][TW_DEVICE_STIFFNESS_THREADS + 1]; /* as in tw_stiffness_sum_terms */
    double b[TW_COMPONENTS][TW_DEVICE_STIFFNESS_THREADS + 1];
    double constants[4][TW_DEVICE_STIFFNESS_THREADS + 1]; /* kn, kt, nu_n, nu_t */
    double lane[TW_STIFFNESS_SUMS][TW_SUM_LANES];         /* so far */
} tw_device_stiffness_work;

/* Terms of contact slot k of the tile. Terms of 0 change no bit of a sum that starts at +0. */
TW_INLINE void tw_device_stiffness_terms(const tw_model *model, const tw_state *state,
                                         const tw_schedule *schedule,
                                         tw_device_stiffness_work *work, const tw_tile *tile,
                                         uint32_t k, uint32_t thread)
{
    const uint32_t slot = tile->slot + k;
    double a[TW_COMPONENTS] = {0.0}, b[TW_COMPONENTS] = {0.0}, constants[4] = {0.0};
    if (k < tile->slots && schedule->slots.pair[slot] != TW_NO_PAIR) {
        const int uniform = tw_model_is_uniform(model);
        const tw_stiffness_sum_contact c =
            tw_stiffness_sum_find(model, state, schedule, uniform, slot);
        tw_stiffness_sum_terms(&c, uniform, a, b);
        constants[0] = c.kn;
        constants[1] = c.kt;
        constants[2] = c.nu_n;
        constants[3] = c.nu_t;
    }
    for (int j = 0; j < TW_COMPONENTS; j++) {
        work->a[j][thread] = a[j];
        work->b[j][thread] = b[j];
    }
    for (int j = 0; j < 4; j++)
        work->constants[j][thread] = constants[j];
}

/* One of the sums in a lane, continued by the contacts of a chunk. */
TW_INLINE double tw_device_stiffness_add(const tw_device_stiffness_work *work, uint32_t number,
                                         uint32_t lane, double sum)
{
    enum { THREADS = TW_DEVICE_STIFFNESS_THREADS };
    if (number >= TW_STIFFNESS_PAIRS)
        return tw_device_sums_add_lane(number < TW_STIFFNESS_SUM_KN
                                           ? work->b[number - TW_STIFFNESS_SUM_BRANCH]
                                           : work->constants[number - TW_STIFFNESS_SUM_KN],
                                       THREADS, lane, sum);
    uint32_t row = 0;
    while ((row + 1) * (row + 2) / 2 <= number)
        row++;
    const double *x = work->a[row], *y = work->a[number - row * (row + 1) / 2];
    for (uint32_t k = lane; k < THREADS; k += TW_SUM_LANES)
        sum += x[k] * y[k];
    return sum;
}

TW_INLINE void tw_device_stiffness_tile(const tw_model *model, const tw_state *state,
                                        const tw_schedule *schedule, const tw_device_list *list,
                                        tw_device_sums *sums, tw_device_stiffness_work *work,
                                        uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &schedule->tiles.tile[number];
    const uint32_t sum = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
    if (stage + 1 == tw_device_sums_tile_stages(tile->slots, TW_DEVICE_STIFFNESS_THREADS)) {
        if (thread < TW_STIFFNESS_SUMS)
            *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_STIFFNESS + thread, number) =
                tw_sum_lanes_join(work->lane[thread]);
    } else if (stage % 2 == 0) {
        tw_device_stiffness_terms(model, state, schedule, work, tile,
                                  stage / 2 * TW_DEVICE_STIFFNESS_THREADS + thread, thread);
    } else if (sum < TW_STIFFNESS_SUMS) {
        work->lane[sum][lane] =
            tw_device_stiffness_add(work, sum, lane, stage == 1 ? 0.0 : work->lane[sum][lane]);
    }
}

/* A sum: tiles are joined. */
TW_INLINE void tw_device_stiffness_total(const tw_device_list *list, tw_device_sums *sums,
                                         tw_device_sums_work *work, uint32_t sum, uint32_t stage,
                                         uint32_t thread)
{
    tw_device_sums_array(tw_device_sums_tile(list, sums, TW_DEVICE_SUM_STIFFNESS + sum, 0),
                         list->tiles, work, stage, thread, &sums->stiffness[sum]);
}

TW_INLINE void tw_device_stiffness_set(const tw_state *state, const tw_device_sums *sums,
                                       tw_servo *servo, uint32_t i)
{
    (void)i;
    tw_stiffness_sum_set(&servo->stiffness, state, sums->stiffness);
}

TW_DEVICE_TEAM(tw_device_stiffness_tile, TW_DEVICE_UNLESS_HALTED, tw_device_stiffness_work,
               tw_device_sums_tile_stages(world->schedule.tiles.tile[block].slots,
                                          TW_DEVICE_STIFFNESS_THREADS),
               TW_DEVICE_STIFFNESS_THREADS, 2, (model, state, schedule, list), (sums))
TW_DEVICE_TEAM(tw_device_stiffness_total, TW_DEVICE_ALWAYS, tw_device_sums_work,
               TW_DEVICE_SUMS_LEVELS + 1, TW_DEVICE_SUMS_THREADS, 2, (list), (sums))
TW_DEVICE_TASK(tw_device_stiffness_set, (state, sums), (servo))

/* As in tw_stiffness_refresh, whether it is stale or not. The device is not halted. */
static inline tw_status tw_device_stiffness_refresh(tw_device_instance *d)
{
    tw_device_stiffness_tile_each(&d->runtime, d->world, d->host.list.tiles);
    tw_device_stiffness_total_each(&d->runtime, d->world, TW_STIFFNESS_SUMS);
    tw_device_stiffness_set_each(&d->runtime, d->world, 1);
    return TW_STATUS_OK;
}

#endif
