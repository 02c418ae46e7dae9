/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of a step in their order. Includer: a runtime first. */
#ifndef TW_DEVICE_STEP_H
#define TW_DEVICE_STEP_H

#include "device/device_accumulate.h"
#include "device/device_candidates.h"
#include "device/device_finish.h"
#include "device/device_gather.h"
#include "device/device_general.h"
#include "device/device_launch.h"
#include "device/device_laws.h"
#include "device/device_move.h"
#include "device/device_plain.h"
#include "device/device_slides.h"
#include "device/device_steer.h"
#include "device/device_sums.h"
#include "device/device_sums_few.h"
#include "device/device_walls.h"

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

/* One item: servo, cell, walls; at the end of a step: balance, what is due; and both. */
TW_DEVICE_TEAM(tw_device_steer, TW_DEVICE_ALWAYS, tw_device_steer_work, TW_DEVICE_STEER_STAGES,
               TW_DEVICE_STEER_THREADS, 1)
TW_DEVICE_TEAM(tw_device_finish, TW_DEVICE_ALWAYS, tw_device_finish_work, TW_DEVICE_FINISH_STAGES,
               TW_DEVICE_FINISH_THREADS, 1)
TW_DEVICE_TEAM(tw_device_turn, TW_DEVICE_ALWAYS, tw_device_steer_work, TW_DEVICE_STEER_STAGES,
               TW_DEVICE_FINISH_THREADS, 1)
TW_DEVICE_ITEM(tw_device_step_body, TW_DEVICE_UNLESS_HALTED,
               5) /* a body: kick, move, own body slot, travel */
TW_DEVICE_ITEM(tw_device_step_sphere, TW_DEVICE_UNLESS_HALTED, 5) /* a sphere: the same */
TW_DEVICE_ITEM(tw_device_move_sphere, TW_DEVICE_UNLESS_HALTED,
               1) /* a sphere of a cluster: its own sphere slot */
TW_DEVICE_ITEM(tw_device_move_ghost, TW_DEVICE_UNLESS_HALTED, 1) /* a ghost: its body slot */
TW_DEVICE_ITEM(tw_device_move_ghost_sphere, TW_DEVICE_UNLESS_HALTED,
               1) /* a sphere of a ghost: its sphere slot */
/* Some pairs: do they overlap? Item 0: is the list stale? */
TW_DEVICE_TEAM(tw_device_candidates, TW_DEVICE_UNLESS_HALTED, tw_device_candidates_team,
               TW_DEVICE_CANDIDATES_STAGES, TW_DEVICE_CANDIDATES_THREADS, 1)
TW_DEVICE_ITEM(tw_device_step_begin, TW_DEVICE_UNLESS_HALTED, 1) /* a tile: new contacts */
TW_DEVICE_ITEM(tw_device_step_plain, TW_DEVICE_UNLESS_HALTED,
               1) /* a tile: new contacts; a contact slot: sticks? */
TW_DEVICE_ITEM(tw_device_step_exact, TW_DEVICE_UNLESS_HALTED, 7) /* the same for the exact law */
/* Some contacts that slid before. */
TW_DEVICE_TEAM(tw_device_slides, TW_DEVICE_UNLESS_HALTED, tw_device_slides_work,
               tw_device_slides_stages(world, block), TW_DEVICE_SLIDES_THREADS, 8)
TW_DEVICE_LIST(tw_device_plain_rest, general_queue) /* one that does not stick */
TW_DEVICE_TEAM(tw_device_general_stage, TW_DEVICE_UNLESS_HALTED, tw_device_general_team,
               tw_device_general_stages(world), TW_DEVICE_GENERAL_THREADS,
               16)                                         /* by the exact law */
TW_DEVICE_ITEM(tw_device_laws, TW_DEVICE_UNLESS_HALTED, 1) /* the same three for any law */
TW_DEVICE_LIST(tw_device_laws_slide, slide_queue)
TW_DEVICE_LIST(tw_device_laws_general, general_queue)
TW_DEVICE_ITEM(tw_device_laws_hertz, TW_DEVICE_UNLESS_HALTED,
               1) /* the first two for laws in common use */
TW_DEVICE_LIST(tw_device_laws_hertz_slide, slide_queue)
TW_DEVICE_ITEM(tw_device_laws_hertz_damped, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_LIST(tw_device_laws_hertz_damped_slide, slide_queue)
TW_DEVICE_ITEM(tw_device_laws_linear_damped, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_LIST(tw_device_laws_linear_damped_slide, slide_queue)
TW_DEVICE_ITEM(tw_device_walls, TW_DEVICE_UNLESS_HALTED, 1) /* a pair with a wall */
/* A tile: forces on its body slots, and their moments. */
TW_DEVICE_TEAM(tw_device_accumulate_narrow, TW_DEVICE_UNLESS_HALTED, tw_device_accumulate_work,
               tw_device_accumulate_narrow_stages(world, block), TW_DEVICE_ACCUMULATE_THREADS, 4)
TW_DEVICE_TEAM(tw_device_accumulate_wide, TW_DEVICE_UNLESS_HALTED, tw_device_accumulate_work,
               tw_device_accumulate_wide_stages(world, block), TW_DEVICE_ACCUMULATE_WIDE, 1)
TW_DEVICE_ITEM(tw_device_gather_fixed, TW_DEVICE_UNLESS_HALTED,
               1) /* a fixed body: force and torque */
TW_DEVICE_ITEM(tw_device_sums_bodies, TW_DEVICE_UNLESS_HALTED,
               1) /* tile and lane: sums of the move */
TW_DEVICE_TEAM(tw_device_sums_few_bodies, TW_DEVICE_UNLESS_HALTED, tw_device_sums_few_lanes,
               tw_device_sums_few_bodies_stages(world, block), TW_DEVICE_SUMS_FEW_THREADS,
               1) /* a tile, where there are few: the same */
TW_DEVICE_ITEM(tw_device_sums, TW_DEVICE_UNLESS_HALTED, 1) /* the same of contacts */
TW_DEVICE_TEAM(tw_device_sums_sparse, TW_DEVICE_UNLESS_HALTED, tw_device_sums_contacts_work,
               tw_device_sums_sparse_stages(world, block), TW_DEVICE_SUMS_CONTACTS_THREADS,
               8) /* a tile, where few have lost anything */
/* A sum: tiles are joined. Parted contacts are removed. */
TW_DEVICE_TEAM(tw_device_sums_total, TW_DEVICE_UNLESS_HALTED, tw_device_sums_work,
               TW_DEVICE_SUMS_LEVELS + 1, TW_DEVICE_SUMS_THREADS, 1)

/* Teams of 128 threads for contacts that do not stick: one for each multiprocessor of a large
 * device, and enough for one in sixteen. */
static inline uint32_t tw_device_step_teams(const tw_device_world *host)
{
    const uint32_t least = 132, some = host->slots / 2048;
    return some > least ? some : least;
}

/* Contacts of spheres that do not have the plain law. */
static inline void tw_device_launch_laws(tw_device_runtime *runtime, tw_device_world *world,
                                         const tw_device_world *host)
{
    const uint32_t teams = tw_device_step_teams(host);
    switch (host->run.law) {
    case TW_DEVICE_LAW_HERTZ:
        tw_device_laws_hertz_each(runtime, world, host->slots);
        tw_device_laws_hertz_slide_each(runtime, world, teams);
        break;
    case TW_DEVICE_LAW_HERTZ_DAMPED:
        tw_device_laws_hertz_damped_each(runtime, world, host->slots);
        tw_device_laws_hertz_damped_slide_each(runtime, world, teams);
        break;
    case TW_DEVICE_LAW_LINEAR_DAMPED:
        tw_device_laws_linear_damped_each(runtime, world, host->slots);
        tw_device_laws_linear_damped_slide_each(runtime, world, teams);
        break;
    default:
        tw_device_laws_each(runtime, world, host->slots);
        tw_device_laws_slide_each(runtime, world, teams);
        break;
    }
    tw_device_laws_general_each(runtime, world, teams);
}

static inline void tw_device_launch_accumulate(tw_device_runtime *runtime, tw_device_world *world,
                                               const tw_device_world *host)
{
    if (host->tiles < TW_DEVICE_STEP_TILES)
        tw_device_accumulate_wide_each(runtime, world, host->tiles);
    else
        tw_device_accumulate_narrow_each(runtime, world, host->tiles);
}

/* Contacts by one exact linear law, once candidates are found. */
static inline void tw_device_launch_exact_contacts(tw_device_runtime *runtime,
                                                   tw_device_world *world,
                                                   const tw_device_world *host)
{
    const uint32_t begin = TW_DEVICE_STEP_SPREAD * host->tiles;
    tw_device_runtime_fork(runtime, TW_DEVICE_SIDE_SLIDES);
    tw_device_slides_each(runtime, world, tw_device_slides_teams(host));
    tw_device_runtime_back(runtime);
    tw_device_step_exact_each(runtime, world, begin + host->slots);
    tw_device_runtime_join(runtime, TW_DEVICE_SIDE_SLIDES);
    tw_device_general_stage_each(runtime, world, tw_device_general_teams(host));
}

/* From the search on, except for the end. */
static inline void tw_device_launch_contacts(tw_device_runtime *runtime, tw_device_world *world,
                                             const tw_device_world *host)
{
    const uint32_t begin = TW_DEVICE_STEP_SPREAD * host->tiles;
    /* No other phase waits for the sums of bodies. */
    tw_device_runtime_fork(runtime, TW_DEVICE_SIDE_SUMS);
    if (tw_device_sums_are_few(host))
        tw_device_sums_few_bodies_each(runtime, world, host->tiles);
    else
        tw_device_sums_bodies_each(runtime, world, 2 * TW_SUM_LANES * host->tiles);
    tw_device_runtime_back(runtime);
    if (!host->schedule.tiles.single)
        tw_device_move_ghost_sphere_each(runtime, world, host->ghost_spheres);
    tw_device_candidates_each(runtime, world, tw_device_candidates_teams(host));
    if (host->run.law == TW_DEVICE_LAW_EXACT_LINEAR) {
        tw_device_launch_exact_contacts(runtime, world, host);
    } else if (host->run.law == TW_DEVICE_LAW_LINEAR) {
        tw_device_step_plain_each(runtime, world, begin + host->slots);
        tw_device_plain_rest_each(runtime, world, tw_device_step_teams(host));
    } else {
        tw_device_step_begin_each(runtime, world, begin);
        tw_device_launch_laws(runtime, world, host);
    }
    if (host->state.wall_count > 0) tw_device_walls_each(runtime, world, host->wall_pairs);
    /* No other sum needs the forces, unless some bodies are fixed. */
    if (!host->run.fixed) tw_device_runtime_fork(runtime, TW_DEVICE_SIDE_SUMS);
    tw_device_launch_accumulate(runtime, world, host);
    if (host->run.fixed) tw_device_gather_fixed_each(runtime, world, host->bodies);
    if (!host->run.fixed) tw_device_runtime_back(runtime);
    if (host->run.law == TW_DEVICE_LAW_EXACT_LINEAR)
        tw_device_sums_sparse_each(runtime, world, host->tiles);
    tw_device_sums_each(runtime, world, tw_device_sums_items(host));
    tw_device_runtime_join(runtime, TW_DEVICE_SIDE_SUMS);
    if (!tw_device_sums_are_few(host))
        tw_device_sums_total_each(runtime, world, tw_device_sums_total_items(host));
}

/* The rest of a step whose bodies have moved, then the host has acted. */
static inline void tw_device_launch_forces(tw_device_runtime *runtime, tw_device_world *world,
                                           const tw_device_world *host)
{
    tw_device_move_ghost_each(runtime, world, host->ghosts);
    tw_device_launch_contacts(runtime, world, host);
    tw_device_finish_each(runtime, world, 1);
}

static inline void tw_device_launch_move(tw_device_runtime *runtime, tw_device_world *world,
                                         const tw_device_world *host)
{
    if (host->run.uniform_spheres)
        tw_device_step_sphere_each(runtime, world, host->bodies);
    else
        tw_device_step_body_each(runtime, world, host->bodies);
    if (!host->schedule.tiles.single) tw_device_move_sphere_each(runtime, world, host->spheres);
}

/* A step that has been steered. `host`: the host's copy, of which only numbers of items and
 * choices are used. */
static inline void tw_device_launch_step(tw_device_runtime *runtime, tw_device_world *world,
                                         const tw_device_world *host)
{
    tw_device_launch_move(runtime, world, host);
    tw_device_launch_contacts(runtime, world, host);
    tw_device_finish_each(runtime, world, 1);
}

/* A step that has been steered, and the start of the next. */
static inline void tw_device_launch_step_then_steer(tw_device_runtime *runtime,
                                                    tw_device_world *world,
                                                    const tw_device_world *host)
{
    tw_device_launch_move(runtime, world, host);
    tw_device_launch_contacts(runtime, world, host);
    tw_device_turn_each(runtime, world, 1);
}

/* Of `steps` steps that have been steered, those that are replayed from a graph: fewer than all, or
 * none. The graph is captured here, if it is not that of the present list. */
static inline uint32_t tw_device_launch_replay(tw_device_runtime *runtime, tw_device_world *world,
                                               const tw_device_world *host, uint32_t steps)
{
    if (steps < TW_DEVICE_STEP_CAPTURED) return 0;
    if (tw_device_runtime_capture(runtime)) {
        for (uint32_t k = 0; k < TW_DEVICE_STEP_CAPTURED; k++)
            tw_device_launch_step_then_steer(runtime, world, host);
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
        tw_device_launch_step_then_steer(runtime, world, host);
    tw_device_launch_step(runtime, world, host);
}

#endif
