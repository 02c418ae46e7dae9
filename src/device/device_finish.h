/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a step: tiles are joined where they are few; then the energy balance, and whether work
 * of the host is required now (dt check, stiffness). One
 * item, which many threads share. Threads of a warp that do different things wait for each other:
 * what is to be done at the same time is in different warps. */
#ifndef TW_DEVICE_FINISH_H
#define TW_DEVICE_FINISH_H

#include "device/device_sums.h"
#include "device/device_sums_few.h"
#include "device/device_world.h"
#include "step/move_begin.h"
#include "step/stable.h"

enum {
    TW_DEVICE_FINISH_LOAD, /* what is read more than once; some tiles of each sum */
    TW_DEVICE_FINISH_TOTAL,
    TW_DEVICE_FINISH_NOTE, /* whether to halt; balance */
    TW_DEVICE_FINISH_HALT,
    TW_DEVICE_FINISH_STAGES
};

/* Warps besides those of the start of the next step. */
enum {
    TW_DEVICE_FINISH_WARP = 32,
    TW_DEVICE_FINISH_SUMS = 4, /* this warp and those after it */
    TW_DEVICE_FINISH_WALLS =
        TW_DEVICE_FINISH_SUMS +
        (TW_DEVICE_SUMS_FEW_ITEMS + TW_DEVICE_FINISH_WARP - 1) / TW_DEVICE_FINISH_WARP,
    TW_DEVICE_FINISH_PARTED, /* two, a thread per tile */
    TW_DEVICE_FINISH_THREADS = TW_DEVICE_FINISH_PARTED * TW_DEVICE_FINISH_WARP + TW_DEVICE_FEW_TILES
};

typedef struct tw_device_finish_work {
    tw_device_sums_few sums;
    tw_mat3 moment;
    double kinetic[TW_COMPONENTS];
    uint32_t halted; /* before this phase, which then does nothing */
    uint32_t halt;   /* the step was the last for now */
} tw_device_finish_work;

/* Number of the thread in its warp, if that is `warp`, or in those after it; otherwise a large one.
 */
TW_INLINE uint32_t tw_device_finish_in(uint32_t warp, uint32_t thread)
{
    return thread - warp * TW_DEVICE_FINISH_WARP;
}

/* ---- Sums ---- */

/* Many tiles are joined already. */
TW_INLINE void tw_device_finish_load(tw_device_world *w, tw_device_finish_work *work,
                                     uint32_t thread)
{
    const uint32_t item = tw_device_finish_in(TW_DEVICE_FINISH_SUMS, thread),
                   wall = tw_device_finish_in(TW_DEVICE_FINISH_WALLS, thread),
                   tile = tw_device_finish_in(TW_DEVICE_FINISH_PARTED, thread);
    const int few = tw_device_sums_are_few(w);
    if (item < TW_DEVICE_SUMS_FEW_ITEMS) {
        tw_device_sums_few_branch(w, &work->sums, item, few);
        if (!few && item < TW_DEVICE_SUMS) work->sums.total[item] = w->total[item];
    } else if (wall < TW_DEVICE_FINISH_WARP) {
        if (wall == 0) work->halted = w->run.halt;
        if (few)
            for (uint32_t k = wall; k < 3 * (uint32_t)w->state.wall_count;
                 k += TW_DEVICE_FINISH_WARP)
                tw_device_sums_wall_force(w, k / 3, k % 3);
    } else if (tile < TW_DEVICE_FEW_TILES && few) {
        tw_device_sums_few_ended(w, &work->sums, tile);
    }
}

/* A thread for each sum. */
TW_INLINE void tw_device_finish_total(const tw_device_world *w, tw_device_finish_work *work,
                                      uint32_t sum)
{
    const uint32_t kinetic = sum - TW_DEVICE_SUM_KINETIC;
    if (sum >= TW_DEVICE_SUMS) return;
    if (tw_device_sums_are_few(w)) tw_device_sums_few_total(w, &work->sums, sum);
    const double total = work->sums.total[sum];
    if (sum < TW_DEVICE_SUM_LOST) work->moment.m[sum - TW_DEVICE_SUM_MOMENT] = total;
    if (kinetic < TW_COMPONENTS) work->kinetic[kinetic] = total;
}

/* Contacts that have parted, in two stages. */
TW_INLINE void tw_device_finish_remove(tw_device_world *w, tw_device_finish_work *work,
                                       uint32_t part, uint32_t thread)
{
    const uint32_t k = tw_device_finish_in(TW_DEVICE_FINISH_PARTED, thread);
    if (k >= TW_DEVICE_FEW_TILES || !tw_device_sums_are_few(w)) return;
    if (part == 0)
        tw_device_sums_few_list(w, &work->sums, k);
    else
        tw_device_sums_few_remove(w, &work->sums, k);
}

/* ---- Energy balance ---- */

/* Work of the body and contact phases, except for that of the cell; stored energies are computed
 * where they are asked for. */
TW_INLINE void tw_device_finish_balance(tw_device_world *w, const double *total, int moved)
{
    tw_energy_balance *balance = &w->state.balance;
    const double *lost = total + TW_DEVICE_SUM_LOST;
    const double *part = total + TW_DEVICE_SUM_PART;
    double sum[TW_MOVE_SUMS] = {0.0};
    sum[TW_MOVE_DAMPING] = part[TW_DEVICE_PART_DAMPING];
    sum[TW_MOVE_GRAVITY] = part[TW_DEVICE_PART_GRAVITY];
    sum[TW_MOVE_DRIVEN] = part[TW_DEVICE_PART_DRIVEN];
    if (moved) tw_move_begin_balance(&w->state, sum);
    balance->friction += lost[TW_DEVICE_FRICTION];
    balance->micro_slip += lost[TW_DEVICE_MICRO_SLIP];
    balance->rolling += lost[TW_DEVICE_ROLLING];
    balance->twisting += lost[TW_DEVICE_TWISTING];
    balance->contact_damping += lost[TW_DEVICE_VISCOUS];
}

/* Forces on walls, and their work: step/step.c. */
TW_INLINE void tw_device_finish_walls(tw_device_world *w, double gathered)
{
    tw_state *state = &w->state;
    const double *force = tw_device_sums_wall(w);
    state->balance.walls += gathered;
    for (size_t k = 0; k < state->wall_count; k++, force += 3) {
        tw_wall *wall = &state->walls[k];
        wall->force = tw_vec3_make(force[0], force[1], force[2]);
        state->balance.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
}

TW_INLINE void tw_device_finish_cell(tw_device_world *w, const tw_device_finish_work *work)
{
    const tw_mat3 back = w->schedule.cell_back;
    double *cell = &w->state.balance.cell;
    *cell += work->sums.total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_CELL];
    *cell = tw_move_begin_cell_work(&back, &work->moment, *cell);
}

/* ---- Work of the host that is now required ---- */

/* No time passes in a rigid rotation. */
TW_INLINE int tw_device_finish_moved(const tw_device_world *w)
{
    return !w->run.rigid;
}

/* Number of contacts, and why the device has to halt. All inputs are loaded up front to overlap
 * latency. */
TW_INLINE void tw_device_finish_due(tw_device_world *w, tw_device_finish_work *work,
                                    const tw_servo *servo)
{
    tw_state *state = &w->state;
    tw_device_run *run = &w->run;
    const int moved = tw_device_finish_moved(w), steered = servo->on,
              bad = (run->bad_pair != UINT64_MAX) | (run->bad_body != UINT64_MAX);
    const uint64_t left = run->steps;
    state->sums.contacts = (size_t)work->sums.total[TW_DEVICE_SUM_CONTACTS];
    state->sums.sliding = (size_t)work->sums.total[TW_DEVICE_SUM_SLIDING];
    const int dt = tw_stable_is_due(state, run->before),
              stale = tw_stiffness_is_stale(&servo->stiffness, state);
    uint32_t halt = 0;
    halt |= dt ? TW_DEVICE_CHECK_DT : 0u;
    halt |= steered && stale ? TW_DEVICE_STIFFNESS : 0u;
    halt |= left == 1 ? TW_DEVICE_DONE : 0u;
    if (moved && !bad) run->steps = left - 1;
    if (!moved) halt = 0;
    work->halt = bad ? TW_DEVICE_FAILED : halt;
}

/* Notes the step: a thread for each number. */
TW_INLINE void tw_device_finish_pass(tw_device_world *w, uint32_t k)
{
    tw_device_passed *passed = &w->passed[w->run.passed % TW_DEVICE_PASSED];
    if (k < 9)
        passed->gradient.m[k] = w->state.cell.gradient.m[k];
    else if (k == 9)
        passed->time = w->state.time;
}

/* ---- Stages ---- */

/* In warps of their own. `servo` is w->servo or a copy. */
TW_INLINE void tw_device_finish_note(tw_device_world *w, tw_device_finish_work *work,
                                     const tw_servo *servo, uint32_t thread)
{
    const uint32_t warp = thread / TW_DEVICE_FINISH_WARP - TW_DEVICE_FINISH_SUMS,
                   k = thread % TW_DEVICE_FINISH_WARP, kinetic = k - 9;
    const int moved = tw_device_finish_moved(w);
    if (warp == 0 && k == 0) {
        tw_device_finish_balance(w, work->sums.total, moved);
        if (w->run.bad_pair == UINT64_MAX)
            tw_device_finish_walls(w, work->sums.total[TW_DEVICE_SUM_DRIVEN_GATHER]);
    } else if (warp == 1 && k == 0) {
        if (moved) tw_device_finish_cell(w, work);
    } else if (warp == 2) {
        tw_device_finish_pass(w, k);
    } else if (warp == 4 && k == 0) {
        tw_device_finish_due(w, work, servo);
    } else if (warp == 3) {
        if (k < 9) w->state.sums.moment.m[k] = work->moment.m[k];
        if (kinetic < TW_COMPONENTS) w->kinetic[kinetic] = work->kinetic[kinetic];
    }
}

/* After that. */
TW_INLINE void tw_device_finish_halt(tw_device_world *w, const tw_device_finish_work *work,
                                     uint32_t thread)
{
    if (thread != TW_DEVICE_FINISH_SUMS * TW_DEVICE_FINISH_WARP) return;
    w->run.halt |= work->halt;
    if (tw_device_finish_moved(w) && !(work->halt & TW_DEVICE_FAILED)) w->run.passed++;
}

TW_INLINE void tw_device_finish(tw_device_world *w, tw_device_finish_work *work, uint32_t i,
                                uint32_t stage, uint32_t thread)
{
    (void)i;
    if (stage == TW_DEVICE_FINISH_LOAD) {
        tw_device_finish_load(w, work, thread);
        return;
    }
    if (work->halted) return;
    if (stage == TW_DEVICE_FINISH_TOTAL) {
        tw_device_finish_total(w, work, thread);
    } else if (stage == TW_DEVICE_FINISH_NOTE) {
        tw_device_finish_note(w, work, &w->servo, thread);
        tw_device_finish_remove(w, work, 0, thread);
    } else {
        tw_device_finish_halt(w, work, thread);
        tw_device_finish_remove(w, work, 1, thread);
    }
}

#endif
