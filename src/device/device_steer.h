/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a step: servo, cell and walls; and its end: sums, energy balance, what is due. */
#ifndef TW_DEVICE_STEER_H
#define TW_DEVICE_STEER_H

#include "control/servo_steer.h"
#include "device/device_candidates.h"
#include "device/device_sums.h"
#include "device/device_world.h"
#include "step/move_begin.h"
#include "step/stable.h"
#include "world/wall_tilt.h"

TW_INLINE void tw_device_steer(tw_device_world *w, uint32_t i)
{
    tw_state *state = &w->state;
    tw_device_run *run = &w->run;
    (void)i;
    if (w->servo.on) tw_servo_steer_by(&w->servo, &w->model, state, w->kinetic);
    if (state->wall_count > 0 && tw_wall_tilt_find(state, &run->wall, &run->edge)) {
        run->halt |= TW_DEVICE_WALL;
        return;
    }
    run->before = state->sums.contacts;
    tw_move_begin_cell(&w->model, state, &w->schedule, &w->move);
    w->move.masses = (run->flags & TW_CONTACT_BY_MASS) != 0;
    tw_device_candidates_stretch(w);
    tw_move_begin_walls(state);
    state->time += state->dt;
    state->steps++;
    run->own = run->absolute = 0;
    run->bad_pair = run->bad_body = UINT64_MAX;
}

/* The sums of the move phase. */
TW_INLINE void tw_device_finish_move(tw_device_world *w)
{
    double sum[TW_MOVE_SUMS] = {0.0};
    sum[TW_MOVE_DAMPING] = w->total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_DAMPING];
    sum[TW_MOVE_CELL] = w->total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_CELL];
    sum[TW_MOVE_GRAVITY] = w->total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_GRAVITY];
    sum[TW_MOVE_DRIVEN] = w->total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_DRIVEN];
    tw_move_begin_balance(&w->state, sum);
}

/* Those of the contact phase. Stored energies are computed where they are asked for. */
TW_INLINE void tw_device_finish_touch(tw_device_world *w)
{
    tw_state *state = &w->state;
    const double *lost = w->total + TW_DEVICE_SUM_LOST;
    for (int j = 0; j < 9; j++)
        state->sums.moment.m[j] = w->total[TW_DEVICE_SUM_MOMENT + j];
    for (int k = 0; k < TW_COMPONENTS; k++)
        w->kinetic[k] = w->total[TW_DEVICE_SUM_KINETIC + k];
    state->sums.contacts = (size_t)w->total[TW_DEVICE_SUM_CONTACTS];
    state->sums.sliding = (size_t)w->total[TW_DEVICE_SUM_SLIDING];
    state->balance.friction += lost[TW_DEVICE_FRICTION];
    state->balance.micro_slip += lost[TW_DEVICE_MICRO_SLIP];
    state->balance.rolling += lost[TW_DEVICE_ROLLING];
    state->balance.twisting += lost[TW_DEVICE_TWISTING];
    state->balance.contact_damping += lost[TW_DEVICE_VISCOUS];
}

/* Forces on walls, and their work: step/gather.c. */
TW_INLINE void tw_device_finish_walls(tw_device_world *w)
{
    tw_state *state = &w->state;
    const double *force = tw_device_sums_wall(w);
    state->balance.walls += w->total[TW_DEVICE_SUM_DRIVEN_GATHER];
    for (size_t k = 0; k < state->wall_count; k++, force += 3) {
        tw_wall *wall = &state->walls[k];
        wall->force = tw_vec3_make(force[0], force[1], force[2]);
        state->balance.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
}

TW_INLINE void tw_device_finish(tw_device_world *w, uint32_t i)
{
    tw_state *state = &w->state;
    tw_device_run *run = &w->run;
    const int moved = !run->rigid && !run->still; /* otherwise no time has passed */
    uint32_t halt = 0;
    (void)i;
    if (moved) tw_device_finish_move(w);
    tw_device_finish_touch(w);
    if (run->bad_pair == UINT64_MAX) tw_device_finish_walls(w);
    if (run->bad_pair != UINT64_MAX || run->bad_body != UINT64_MAX) halt = TW_DEVICE_FAILED;
    if (moved) tw_move_begin_cell_work(state, &w->schedule.cell_back);
    if (moved && !halt) {
        if (tw_stable_is_due(state, run->before)) halt |= TW_DEVICE_CHECK_DT;
        if (w->servo.on && tw_stiffness_is_stale(&w->servo.stiffness, state))
            halt |= TW_DEVICE_STIFFNESS;
        if (--run->steps == 0) halt |= TW_DEVICE_DONE;
    }
    run->halt |= halt;
}

#endif
