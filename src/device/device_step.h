/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of a step, and their launches in the order of device_phases.def. Includer: a runtime
 * first. */
#ifndef TW_DEVICE_STEP_H
#define TW_DEVICE_STEP_H

#include "device/device_accumulate.h"
#include "device/device_candidates.h"
#include "device/device_launch.h"
#include "device/device_laws.h"
#include "device/device_move.h"
#include "device/device_plain.h"
#include "device/device_sums.h"
#include "device/device_turn.h"

/* Steps in a graph: seven times seven, and the last one, are a batch of device_drive.h. */
enum { TW_DEVICE_STEP_CAPTURED = 7 };

/* So many tiles give two to each multiprocessor of a large device. */
enum { TW_DEVICE_STEP_TILES = 264 };

/* Making new contacts takes few items a long time; old ones can be advanced meanwhile. Threads of a
 * warp would wait for each other: a tile is one of TW_DEVICE_STEP_SPREAD items, and the others do
 * nothing. */
enum { TW_DEVICE_STEP_SPREAD = 32 };

TW_INLINE void tw_device_step_begin(tw_device_world *w, uint32_t i)
{
    if (i % TW_DEVICE_STEP_SPREAD == 0) tw_device_candidates_begin(w, i / TW_DEVICE_STEP_SPREAD);
}

TW_INLINE void tw_device_step_exact(tw_device_world *w, uint32_t i)
{
    const uint32_t begin = TW_DEVICE_STEP_SPREAD * w->tiles;
    if (i < begin)
        tw_device_step_begin(w, i);
    else
        tw_device_plain_exact(w, i - begin);
}

TW_INLINE void tw_device_step_body(tw_device_world *w, uint32_t i)
{
    tw_device_sums_contacts_reset(w, i);
    tw_device_move(w, i);
}

TW_INLINE void tw_device_step_sphere(tw_device_world *w, uint32_t i)
{
    tw_device_sums_contacts_reset(w, i);
    tw_device_move_uniform(w, i);
}

TW_INLINE void tw_device_step_plain(tw_device_world *w, uint32_t i)
{
    const uint32_t begin = TW_DEVICE_STEP_SPREAD * w->tiles;
    if (i < begin)
        tw_device_step_begin(w, i);
    else
        tw_device_plain(w, i - begin);
}

TW_DEVICE_TEAM(tw_device_steer, TW_DEVICE_ALWAYS, tw_device_steer_work, TW_DEVICE_STEER_STAGES,
               TW_DEVICE_STEER_THREADS, 1)
TW_DEVICE_TEAM(tw_device_finish, TW_DEVICE_ALWAYS, tw_device_finish_work, TW_DEVICE_FINISH_STAGES,
               TW_DEVICE_FINISH_THREADS, 1)
TW_DEVICE_TEAM(tw_device_turn, TW_DEVICE_ALWAYS, tw_device_steer_work, TW_DEVICE_STEER_STAGES,
               TW_DEVICE_FINISH_THREADS, 1)
TW_DEVICE_ITEM(tw_device_step_body, TW_DEVICE_UNLESS_HALTED, 5)
TW_DEVICE_ITEM(tw_device_step_sphere, TW_DEVICE_UNLESS_HALTED, 5)
TW_DEVICE_ITEM(tw_device_move_sphere, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_ITEM(tw_device_move_ghost, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_ITEM(tw_device_move_ghost_sphere, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_TEAM(tw_device_candidates, TW_DEVICE_UNLESS_HALTED, tw_device_candidates_team,
               TW_DEVICE_CANDIDATES_STAGES, TW_DEVICE_CANDIDATES_THREADS, 1)
TW_DEVICE_ITEM(tw_device_step_begin, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_ITEM(tw_device_step_plain, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_ITEM(tw_device_step_exact, TW_DEVICE_UNLESS_HALTED, 7)
TW_DEVICE_TEAM(tw_device_slides, TW_DEVICE_UNLESS_HALTED, tw_device_slides_work,
               tw_device_slides_stages(world, block), TW_DEVICE_SLIDES_THREADS, 8)
TW_DEVICE_LIST(tw_device_plain_rest, general_queue)
TW_DEVICE_TEAM(tw_device_general_stage, TW_DEVICE_UNLESS_HALTED, tw_device_general_team,
               tw_device_general_stages(world), TW_DEVICE_GENERAL_THREADS, 16)
TW_DEVICE_ITEM(tw_device_laws, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_LIST(tw_device_laws_slide, slide_queue)
TW_DEVICE_LIST(tw_device_laws_general, general_queue)
TW_DEVICE_ITEM(tw_device_laws_hertz, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_LIST(tw_device_laws_hertz_slide, slide_queue)
TW_DEVICE_ITEM(tw_device_laws_hertz_damped, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_LIST(tw_device_laws_hertz_damped_slide, slide_queue)
TW_DEVICE_ITEM(tw_device_laws_linear_damped, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_LIST(tw_device_laws_linear_damped_slide, slide_queue)
TW_DEVICE_ITEM(tw_device_walls, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_TEAM(tw_device_accumulate_narrow, TW_DEVICE_UNLESS_HALTED, tw_device_accumulate_work,
               tw_device_accumulate_narrow_stages(world, block), TW_DEVICE_ACCUMULATE_THREADS, 4)
TW_DEVICE_TEAM(tw_device_accumulate_wide, TW_DEVICE_UNLESS_HALTED, tw_device_accumulate_work,
               tw_device_accumulate_wide_stages(world, block), TW_DEVICE_ACCUMULATE_WIDE, 1)
TW_DEVICE_ITEM(tw_device_gather_fixed, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_ITEM(tw_device_sums_bodies, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_TEAM(tw_device_sums_few_bodies, TW_DEVICE_UNLESS_HALTED, tw_device_turn_lanes,
               tw_device_sums_few_bodies_stages(world, block), TW_DEVICE_SUMS_FEW_THREADS, 1)
TW_DEVICE_ITEM(tw_device_sums, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_TEAM(tw_device_sums_sparse, TW_DEVICE_UNLESS_HALTED, tw_device_sums_contacts_work,
               tw_device_sums_sparse_stages(world, block), TW_DEVICE_SUMS_CONTACTS_THREADS, 8)
TW_DEVICE_TEAM(tw_device_sums_total, TW_DEVICE_UNLESS_HALTED, tw_device_sums_work,
               TW_DEVICE_SUMS_LEVELS + 1, TW_DEVICE_SUMS_THREADS, 1)

/* Blocks of threads for contacts that do not stick: one for each multiprocessor of a large device,
 * and enough for one in sixteen. */
static inline uint32_t tw_device_step_teams(const tw_device_world *host)
{
    const uint32_t least = 132, some = host->slots / 2048;
    return some > least ? some : least;
}

/* A step that has been steered, and unless it is the last one the start of the next. `resumed`: its
 * rest, after the bodies have moved and the host has acted. `host`: the host's mirror, of which
 * only sizes and modes are used. */
static inline void tw_device_launch_step(tw_device_runtime *runtime, tw_device_world *world,
                                         const tw_device_world *host, int resumed, int last)
{
    enum { SUMS = TW_DEVICE_SIDE_SUMS, SLIDES = TW_DEVICE_SIDE_SLIDES, MAIN = TW_DEVICE_SIDES };
    const int32_t law = host->run.law, fixed = host->run.fixed, uniform = host->run.uniform_spheres;
    const int single = host->schedule.tiles.single, walls = host->state.wall_count > 0,
              few = tw_device_sums_are_few(host);
    const uint32_t begin = TW_DEVICE_STEP_SPREAD * host->tiles, teams = tw_device_step_teams(host);
    uint32_t forked = 0;
#define TW_PHASE(phase, stream, items, item, reads, writes)                                        \
    {                                                                                              \
        const int side = (stream);                                                                 \
        const uint32_t n = (items);                                                                \
        if (n > 0 && side != MAIN) {                                                               \
            tw_device_runtime_fork(runtime, side);                                                 \
            forked |= 1u << side;                                                                  \
        }                                                                                          \
        if (n > 0) phase##_each(runtime, world, n);                                                \
        tw_device_runtime_back(runtime);                                                           \
    }
#define TW_JOIN(side)                                                                              \
    if (forked & 1u << (side)) tw_device_runtime_join(runtime, side);
#include "device/device_phases.def"
#undef TW_PHASE
#undef TW_JOIN
}

/* Of `steps` steps that have been steered, those that are replayed from a graph: fewer than all, or
 * none. The graph is captured here, if it is not that of the present list. */
static inline uint32_t tw_device_launch_replay(tw_device_runtime *runtime, tw_device_world *world,
                                               const tw_device_world *host, uint32_t steps)
{
    if (steps < TW_DEVICE_STEP_CAPTURED) return 0;
    if (tw_device_runtime_capture(runtime)) {
        for (uint32_t k = 0; k < TW_DEVICE_STEP_CAPTURED; k++)
            tw_device_launch_step(runtime, world, host, 0, 0);
        tw_device_runtime_captured(runtime);
    }
    return TW_DEVICE_STEP_CAPTURED *
           tw_device_runtime_replay(runtime, steps / TW_DEVICE_STEP_CAPTURED);
}

/* The device may halt on the way: what follows then does nothing. */
static inline void tw_device_launch_steps(tw_device_runtime *runtime, tw_device_world *world,
                                          const tw_device_world *host, uint32_t steps)
{
    if (steps == 0) return;
    tw_device_steer_each(runtime, world, 1);
    uint32_t left = steps - 1; /* the last one does not begin another */
    left -= tw_device_launch_replay(runtime, world, host, left);
    for (; left > 0; left--)
        tw_device_launch_step(runtime, world, host, 0, 0);
    tw_device_launch_step(runtime, world, host, 0, 1);
}

#endif
