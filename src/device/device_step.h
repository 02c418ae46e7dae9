/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of a step, and their launches in the order of device_phases.def. Includer: a runtime
 * first. */
#ifndef TW_DEVICE_STEP_H
#define TW_DEVICE_STEP_H

#include "device/device_accumulate.h"
#include "device/device_candidates.h"
#include "device/device_events.h"
#include "device/device_launch.h"
#include "device/device_laws.h"
#include "device/device_move.h"
#include "device/device_plain.h"
#include "device/device_small.h"
#include "device/device_sums.h"
#include "device/device_turn.h"

/* Steps in the long graph, of which a whole batch of device_drive.h is made. */
enum { TW_DEVICE_STEP_CAPTURED = 7, TW_DEVICE_BATCH = 49 };

/* A contact by a plain law; `exact` is known to the compiler. */
TW_INLINE void tw_device_step_contact(const tw_model *model, const tw_schedule *schedule,
                                      const tw_device_list *list, tw_state *state,
                                      tw_device_run *run, tw_device_touch *touch, uint32_t s,
                                      int exact)
{
    const tw_device_contact at = {model, schedule, list, state, run, touch, s};
    if (exact)
        tw_device_plain_exact(&at);
    else
        tw_device_plain(&at);
}

TW_DEVICE_TEAM(tw_device_steer, TW_DEVICE_ALWAYS, tw_device_steer_work, TW_DEVICE_STEER_STAGES,
               TW_DEVICE_STEER_THREADS, 1, (model, list, sums), (state, schedule, servo, move, run))
#define TW_ITEM(phase, stream, count, item, ...) TW_DEVICE_ITEM(phase, __VA_ARGS__)
#define TW_ITEM_WITH(phase, stream, count, item, ...) TW_DEVICE_ITEM_WITH(phase, __VA_ARGS__)
#define TW_QUEUE(phase, stream, count, item, ...) TW_DEVICE_QUEUE(phase, __VA_ARGS__)
#define TW_QUEUE_WITH(phase, stream, count, item, ...) TW_DEVICE_QUEUE_WITH(phase, __VA_ARGS__)
#define TW_TEAM(phase, stream, count, item, ...) TW_DEVICE_TEAM(phase, __VA_ARGS__)
#define TW_JOIN(side)
#define TW_TIMED(PHASE)
#include "device/device_phases.def"

/* Blocks of threads for contacts that do not stick: two for each multiprocessor of a large device,
 * and enough for one in sixteen. */
static inline uint32_t tw_device_step_teams(const tw_device_world *host)
{
    const uint32_t few = 264, some = host->list.slots / 2048, each = host->list.slots / 64 + 1;
    if (some > few) return some;
    return each < few ? each : few;
}

/* A step that has been steered, and unless it is a rigid rotation (`last`) the start of the next.
 * `resumed`: its
 * rest, after the bodies have moved and the host has acted. `host`: the host's mirror, of which
 * only sizes and modes are used. */
static inline void tw_device_launch_step(tw_device_runtime *runtime, tw_device_world *world,
                                         const tw_device_world *host, int resumed, int last)
{
    enum { SUMS = TW_DEVICE_SIDE_SUMS, SLIDES = TW_DEVICE_SIDE_SLIDES, MAIN = TW_DEVICE_SIDES };
    const int32_t law = host->run.law, fixed = host->run.fixed;
    const int single = host->schedule.tiles.single, walls = host->list.walls > 0,
              few = tw_device_is_small(&host->list), events = host->run.event_kinds != 0;
    const uint32_t teams = tw_device_step_teams(host),
                   slide_teams = host->list.slots / (2 * TW_DEVICE_BLOCK) + 1;
    uint32_t forked = 0;
#define TW_PHASE(phase, stream, items, ...)                                                        \
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
#define TW_ITEM TW_PHASE
#define TW_ITEM_WITH TW_PHASE
#define TW_QUEUE TW_PHASE
#define TW_QUEUE_WITH TW_PHASE
#define TW_TEAM TW_PHASE
#define TW_JOIN(side)                                                                              \
    if (forked & 1u << (side)) tw_device_runtime_join(runtime, side);
#define TW_TIMED(PHASE) tw_device_runtime_mark(runtime, TW_SIM_PHASE_##PHASE);
#include "device/device_phases.def"
#undef TW_PHASE
}

/* Replays graphs for up to `steps` steps that have been steered, and returns how many. A graph is
 * captured here if it is not that of the present list. */
static inline uint32_t tw_device_launch_replay(tw_device_runtime *runtime, tw_device_world *world,
                                               const tw_device_world *host, int which,
                                               uint32_t steps)
{
    const uint32_t captured = which == TW_DEVICE_GRAPH_ONE ? 1 : TW_DEVICE_STEP_CAPTURED;
    if (steps < captured) return 0;
    if (tw_device_runtime_capture(runtime, which)) {
        for (uint32_t k = 0; k < captured; k++)
            tw_device_launch_step(runtime, world, host, 0, 0);
        tw_device_runtime_captured(runtime, which);
    }
    return captured * tw_device_runtime_replay(runtime, which, steps / captured);
}

/* Each begins the next one, unless the device halts: what follows then does nothing. `steered`: the
 * first one has begun. The last one may be a sample of how long its phases take. Where batches are
 * short lists are new, and a long graph would not be used often enough. */
static inline void tw_device_launch_steps(tw_device_runtime *runtime, tw_device_world *world,
                                          const tw_device_world *host, uint32_t steps, int steered)
{
    if (steps == 0) return;
    const uint32_t sample = tw_device_runtime_sample(runtime);
    uint32_t left = steps - sample;
    tw_device_runtime_mark(runtime, TW_SIM_PHASE_SERVO);
    if (!steered) tw_device_steer_each(runtime, world, 1);
    if (steps == TW_DEVICE_BATCH)
        left -= tw_device_launch_replay(runtime, world, host, TW_DEVICE_GRAPH_SEVEN, left);
    left -= tw_device_launch_replay(runtime, world, host, TW_DEVICE_GRAPH_ONE, left);
    for (; left > 0; left--)
        tw_device_launch_step(runtime, world, host, 0, 0);
    if (sample == 0) return;
    tw_device_runtime_sample_begin(runtime);
    tw_device_launch_step(runtime, world, host, 0, 0);
    tw_device_runtime_sample_end(runtime);
}

#endif
