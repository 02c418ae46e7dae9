/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a step: servo, cell and walls; its end: energy balance, what is due; and the end of
 * one step with the start of the next. One item, which many threads share.
 *
 * These numbers are few, but follow from each other. By one thread they are about a hundred
 * quotients; in stages, with a thread per element of a matrix, no more than 16 quotients and two
 * square roots have to wait for each other. Threads of a warp that do different things also wait
 * for each other: what is to be done at the same time is in different warps. */
#ifndef TW_DEVICE_STEER_H
#define TW_DEVICE_STEER_H

#include <string.h>

#include "control/servo_steer.h"
#include "device/device_candidates.h"
#include "device/device_sums.h"
#include "device/device_world.h"
#include "search/travel.h"
#include "step/move_begin.h"
#include "step/stable.h"
#include "world/wall_tilt.h"

enum {
    TW_DEVICE_STEER_LOAD,    /* copies; the end of the step before */
    TW_DEVICE_STEER_READ,    /* stress, set points, response */
    TW_DEVICE_STEER_STIFFEN, /* least stiffness, drift, deviations */
    TW_DEVICE_STEER_FILL,    /* the equations */
    TW_DEVICE_STEER_COLUMN,  /* elimination, a column in each stage */
    TW_DEVICE_STEER_DIVIDE = TW_DEVICE_STEER_COLUMN + TW_COMPONENTS,
    TW_DEVICE_STEER_RATES,    /* strain rates, gradient */
    TW_DEVICE_STEER_FACTORS,  /* of the affine map of the step */
    TW_DEVICE_STEER_INVERSES, /* of these */
    TW_DEVICE_STEER_FLOW,     /* their products */
    TW_DEVICE_STEER_CELL,     /* moves */
    TW_DEVICE_STEER_AFFINE,   /* map since the list was made; inverse of the cell; walls */
    TW_DEVICE_STEER_STRAIN,   /* its strain */
    TW_DEVICE_STEER_END,
    TW_DEVICE_STEER_STAGES,
    TW_DEVICE_FINISH_STAGES = 2,
    TW_DEVICE_STEER_WARP = 32,
    TW_DEVICE_STEER_THREADS = 4 * TW_DEVICE_STEER_WARP
};

/* What the threads share: copies of what they read more than once, and numbers on the way. */
typedef struct tw_device_steer_work {
    tw_servo servo;
    tw_servo_steer_work by;
    tw_stiffness_respond_constants springs;
    tw_cell cell; /* at the start of the step */
    tw_mat3 moment;
    double kinetic[TW_COMPONENTS];
    double dt;
    double damping; /* of the mass */
    tw_mat3 factor[TW_MOVE_BEGIN_FACTORS];
    tw_mat3 inverse[TW_MOVE_BEGIN_FACTORS + 1]; /* of these, and of the cell of the list */
    tw_move_flow flow;
    tw_mat3 h, affine, strain;
    uint32_t walls; /* there are walls */
    uint32_t halt;  /* the step before was the last for now */
    uint32_t tilts; /* the velocity gradient tilts an edge out of a wall */
} tw_device_steer_work;

/* Number of the thread in its warp, if that is `warp`; otherwise a large one. */
TW_INLINE uint32_t tw_device_steer_in(uint32_t warp, uint32_t thread)
{
    return thread - warp * TW_DEVICE_STEER_WARP;
}

/* The words of a structure, by `threads` threads. */
TW_INLINE void tw_device_steer_copy(void *to, const void *from, size_t bytes, uint32_t thread,
                                    uint32_t threads)
{
    for (size_t k = thread; k < bytes / sizeof(double); k += threads)
        memcpy(__builtin_assume_aligned((char *)to + k * sizeof(double), sizeof(double)),
               __builtin_assume_aligned((const char *)from + k * sizeof(double), sizeof(double)),
               sizeof(double));
}

/* ---- The end of a step ---- */

/* Work of the body and contact phases, except for that of the cell; stored energies are computed
 * where they are asked for. */
TW_INLINE void tw_device_finish_balance(tw_device_world *w, int moved)
{
    tw_energy_balance *balance = &w->state.balance;
    const double *lost = w->total + TW_DEVICE_SUM_LOST;
    const double *part = w->total + TW_DEVICE_SUM_PART;
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

TW_INLINE void tw_device_finish_cell(tw_device_world *w)
{
    const tw_mat3 back = w->schedule.cell_back;
    tw_mat3 moment;
    for (int k = 0; k < 9; k++)
        moment.m[k] = w->total[TW_DEVICE_SUM_MOMENT + k];
    double *cell = &w->state.balance.cell;
    *cell += w->total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_CELL];
    *cell = tw_move_begin_cell_work(&back, &moment, *cell);
}

/* Number of contacts, and what is due. */
TW_INLINE uint32_t tw_device_finish_due(tw_device_world *w, int moved)
{
    tw_state *state = &w->state;
    tw_device_run *run = &w->run;
    uint32_t halt = 0;
    state->sums.contacts = (size_t)w->total[TW_DEVICE_SUM_CONTACTS];
    state->sums.sliding = (size_t)w->total[TW_DEVICE_SUM_SLIDING];
    if (run->bad_pair != UINT64_MAX || run->bad_body != UINT64_MAX) return TW_DEVICE_FAILED;
    if (!moved) return 0;
    if (tw_stable_is_due(state, run->before)) halt |= TW_DEVICE_CHECK_DT;
    if (w->servo.on && tw_stiffness_is_stale(&w->servo.stiffness, state))
        halt |= TW_DEVICE_STIFFNESS;
    if (--run->steps == 0) halt |= TW_DEVICE_DONE;
    return halt;
}

/* Notes the step: a thread for each number. */
TW_INLINE void tw_device_finish_pass(tw_device_world *w, uint32_t k)
{
    tw_device_passed *passed = &w->passed[w->run.passed % TW_DEVICE_PASSED];
    if (k < 9)
        passed->gradient.m[k] = w->state.cell.gradient.m[k];
    else
        passed->time = w->state.time;
}

TW_INLINE void tw_device_finish(tw_device_world *w, tw_device_steer_work *work, uint32_t i,
                                uint32_t stage, uint32_t thread)
{
    const int moved = !w->run.rigid && !w->run.still; /* otherwise no time has passed */
    const uint32_t kinetic = thread - 9, passed = tw_device_steer_in(3, thread) - 16;
    (void)i;
    if (stage == TW_DEVICE_STEER_LOAD) {
        if (passed < 10) tw_device_finish_pass(w, passed);
        if (thread < 9)
            work->moment.m[thread] = w->state.sums.moment.m[thread] =
                w->total[TW_DEVICE_SUM_MOMENT + thread];
        if (kinetic < TW_COMPONENTS)
            work->kinetic[kinetic] = w->kinetic[kinetic] =
                w->total[TW_DEVICE_SUM_KINETIC + kinetic];
        if (thread == 0) work->halt = tw_device_finish_due(w, moved);
        if (tw_device_steer_in(1, thread) == 0) {
            tw_device_finish_balance(w, moved);
            if (w->run.bad_pair == UINT64_MAX) tw_device_finish_walls(w);
        }
        if (tw_device_steer_in(3, thread) == 0 && moved) tw_device_finish_cell(w);
    } else if (stage == TW_DEVICE_FINISH_STAGES - 1 && thread == 0) {
        w->run.halt |= work->halt; /* not earlier: all threads read it at the start */
        if (moved && !(work->halt & TW_DEVICE_FAILED)) w->run.passed++;
    }
}

/* ---- The start of a step: servo ---- */

/* Of what is the same whether or not the step before ends here. */
TW_INLINE void tw_device_steer_load(const tw_device_world *w, tw_device_steer_work *work,
                                    uint32_t thread, double contacts, double sliding)
{
    const uint32_t last = TW_DEVICE_STEER_THREADS - 1;
    tw_device_steer_copy(&work->cell, &w->state.cell, sizeof work->cell, thread,
                         TW_DEVICE_STEER_THREADS);
    if (w->servo.on)
        tw_device_steer_copy(&work->servo, &w->servo, sizeof work->servo, thread,
                             TW_DEVICE_STEER_THREADS);
    else if (thread == 0)
        work->servo.on = 0;
    if (thread == last) {
        work->dt = w->state.dt;
        work->damping = w->model.damping_mass;
        work->walls = w->state.wall_count > 0;
        work->tilts = 0;
    }
    if (tw_device_steer_in(2, thread) == 0 && w->servo.on)
        work->springs =
            tw_stiffness_respond_with(&w->servo.stiffness, &w->model, contacts, sliding);
}

/* Before the equations. */
TW_INLINE void tw_device_steer_read(const tw_device_world *w, tw_device_steer_work *work,
                                    uint32_t thread)
{
    const uint32_t k = tw_device_steer_in(2, thread);
    if (thread < TW_COMPONENTS * TW_COMPONENTS)
        tw_stiffness_respond_at(&work->servo.stiffness, &work->springs,
                                (int)(thread / TW_COMPONENTS), (int)(thread % TW_COMPONENTS),
                                &work->by.response);
    if (k < TW_COMPONENTS)
        tw_servo_steer_read(&work->servo, &work->cell, work->dt, &work->moment, work->kinetic,
                            (int)k, &work->by);
    if (tw_device_steer_in(3, thread) == 0) {
        work->by.least =
            tw_servo_steer_least(&w->model, tw_cell_volume(&work->cell), w->state.bodies.count);
        work->by.dependent = 0;
    }
}

TW_INLINE void tw_device_steer_stiffen(tw_device_steer_work *work, uint32_t thread)
{
    const uint32_t drift = tw_device_steer_in(2, thread), off = tw_device_steer_in(3, thread);
    if (thread < TW_COMPONENTS) tw_servo_steer_stiffen(&work->by, (int)thread);
    if (tw_device_steer_in(1, thread) == 0)
        tw_servo_steer_volume(&work->servo, tw_cell_volume(&work->cell), work->dt, &work->by);
    if (drift < TW_COMPONENTS) tw_servo_steer_watch(&work->servo, work->dt, (int)drift, &work->by);
    if (off < TW_COMPONENTS) tw_servo_steer_compare(&work->servo, (int)off, &work->by);
}

/* Eliminates column c, from one copy of the equations to the other. */
TW_INLINE void tw_device_steer_column(tw_servo_steer_work *by, int c, uint32_t thread)
{
    enum { WIDTH = TW_COMPONENTS + TW_EQUATIONS_SIDES };
    const int row = (int)(thread / WIDTH), k = (int)(thread % WIDTH);
    const tw_equations *from = &by->rows[c % 2];
    if (row >= TW_COMPONENTS || by->dependent) return;
    const int pivot = tw_equations_pivot(from, c);
    if (pivot < 0) {
        by->dependent = 1; /* all threads find this */
        return;
    }
    const double factor = tw_equations_factor(from, c, pivot, row);
    tw_equations_put(&by->rows[(c + 1) % 2], row, k,
                     tw_equations_reduced(from, c, pivot, factor, row, k));
}

/* The equations, and what follows from them. */
TW_INLINE void tw_device_steer_solve(tw_device_world *w, tw_device_steer_work *work, uint32_t stage,
                                     uint32_t thread)
{
    enum { WIDTH = TW_COMPONENTS + TW_EQUATIONS_SIDES };
    tw_servo *servo = &work->servo;
    tw_servo_steer_work *by = &work->by;
    if (stage == TW_DEVICE_STEER_FILL) {
        if (thread < TW_COMPONENTS * WIDTH)
            tw_servo_steer_fill(servo, work->dt, (int)(thread / WIDTH), (int)(thread % WIDTH), by);
        if (tw_device_steer_in(3, thread) == 0) {
            tw_servo_steer_judge(servo, tw_servo_steer_most(by->off));
            tw_servo_steer_count(servo);
        }
    } else if (stage < TW_DEVICE_STEER_DIVIDE) {
        tw_device_steer_column(by, (int)(stage - TW_DEVICE_STEER_COLUMN), thread);
    } else if (stage == TW_DEVICE_STEER_DIVIDE) {
        if (by->dependent && thread == 0) tw_servo_steer_solve_plain(servo, work->dt, by);
        if (!by->dependent && thread < TW_COMPONENTS * TW_EQUATIONS_SIDES)
            tw_equations_divide(&by->rows[0], (int)(thread / TW_EQUATIONS_SIDES),
                                (int)(thread % TW_EQUATIONS_SIDES));
    } else if (stage == TW_DEVICE_STEER_RATES && thread == 0) {
        tw_servo_steer_limit(servo, work->dt, by);
        work->cell.gradient = tw_servo_steer_gradient(by->rate, servo->request.simple_shear);
        w->state.cell.gradient = work->cell.gradient;
    }
}

TW_INLINE void tw_device_steer_servo(tw_device_world *w, tw_device_steer_work *work, uint32_t stage,
                                     uint32_t thread)
{
    const uint32_t k = tw_device_steer_in(2, thread);
    if (!work->servo.on) return;
    if (stage == TW_DEVICE_STEER_READ)
        tw_device_steer_read(w, work, thread);
    else if (stage == TW_DEVICE_STEER_STIFFEN)
        tw_device_steer_stiffen(work, thread);
    else if (stage <= TW_DEVICE_STEER_RATES)
        tw_device_steer_solve(w, work, stage, thread);
    else if (stage == TW_DEVICE_STEER_FACTORS && k < TW_COMPONENTS)
        tw_servo_steer_expect(&work->servo, work->dt, (int)k, &work->by);
    else if (stage == TW_DEVICE_STEER_INVERSES && k < 2 * TW_DEVICE_STEER_WARP)
        tw_device_steer_copy(&w->servo, &work->servo, sizeof w->servo, k, 2 * TW_DEVICE_STEER_WARP);
}

/* ---- Cell and walls ---- */

/* One element of an inverse. */
TW_INLINE double tw_device_steer_inverse(const tw_mat3 *a, int k)
{
    return tw_mat3_inverse_at(a, 1.0 / tw_mat3_det(*a), k);
}

/* Constants of the step: tw_move_begin_kick and tw_move_begin_flow. */
TW_INLINE void tw_device_steer_flow(tw_device_world *w, tw_device_steer_work *work, uint32_t stage,
                                    uint32_t thread)
{
    const int matrix = (int)(thread / 9), k = (int)(thread % 9);
    tw_move_context *move = &w->move;
    if (stage == TW_DEVICE_STEER_FACTORS && matrix < TW_MOVE_BEGIN_FACTORS) {
        work->factor[matrix].m[k] =
            tw_move_begin_factor_at(&work->cell.gradient, work->damping, work->dt, matrix, k);
    } else if (stage == TW_DEVICE_STEER_INVERSES && matrix <= TW_MOVE_BEGIN_FACTORS) {
        const tw_mat3 *of =
            matrix < TW_MOVE_BEGIN_FACTORS ? &work->factor[matrix] : &work->cell.h_ref;
        const double value = tw_device_steer_inverse(of, k);
        work->inverse[matrix].m[k] = value;
        if (matrix == TW_MOVE_BEGIN_KICK) move->kick.inverse.m[k] = value;
        if (matrix == TW_MOVE_BEGIN_BEHIND) work->flow.own.m[k] = move->flow.own.m[k] = value;
    } else if (stage == TW_DEVICE_STEER_FLOW && matrix == 0) {
        tw_move_begin_flow_at(&work->factor[TW_MOVE_BEGIN_AHEAD],
                              &work->inverse[TW_MOVE_BEGIN_AHEAD], &work->cell.gradient, work->dt,
                              k, &work->flow);
        move->flow.map.m[k] = work->flow.map.m[k];
        move->flow.forward.m[k] = work->flow.forward.m[k];
        move->flow.back.m[k] = w->schedule.cell_back.m[k] = work->flow.back.m[k];
    } else if (stage == TW_DEVICE_STEER_FLOW && tw_device_steer_in(2, thread) == 0) {
        tw_move_begin_spin(&w->model, work->dt, &move->kick);
        move->masses = (w->run.flags & TW_CONTACT_BY_MASS) != 0;
    }
}

/* The cell moves to the end of the step: tw_move_begin_cell and tw_travel_stretch. */
TW_INLINE void tw_device_steer_cell(tw_device_world *w, tw_device_steer_work *work, uint32_t stage,
                                    uint32_t thread)
{
    tw_state *state = &w->state;
    const uint32_t other = tw_device_steer_in(1, thread);
    const int k = (int)thread;
    if (stage == TW_DEVICE_STEER_CELL) {
        if (thread < 9) {
            state->cell.h_before.m[k] = work->cell.h.m[k];
            state->cell.h.m[k] = work->h.m[k] = tw_mat3_mul_at(&work->flow.map, &work->cell.h, k);
        }
        if (other == 0)
            state->balance.cell += 0.5 * tw_move_begin_work(&work->flow.forward, &work->moment);
    } else if (stage == TW_DEVICE_STEER_AFFINE) {
        if (thread < 9) state->cell.inverse.m[k] = tw_device_steer_inverse(&work->h, k);
        if (other < 9)
            w->move.affine.m[other] = work->affine.m[other] =
                tw_mat3_mul_at(&work->h, &work->inverse[TW_MOVE_BEGIN_FACTORS], (int)other);
    } else if (stage == TW_DEVICE_STEER_STRAIN && thread < 9) {
        work->strain.m[k] = tw_travel_strain_at(&work->affine, k);
    } else if (stage == TW_DEVICE_STEER_END && thread == 0) {
        w->schedule.stretch = tw_travel_stretch_of(&work->strain);
    }
}

TW_INLINE void tw_device_steer_walls(tw_device_world *w, tw_device_steer_work *work, uint32_t stage,
                                     uint32_t thread)
{
    const uint32_t first = tw_device_steer_in(2, thread), end = 2 * TW_DEVICE_STEER_WARP;
    tw_state *state = &w->state;
    if (stage == TW_DEVICE_STEER_FACTORS && tw_device_steer_in(3, thread) == 0)
        work->tilts = (uint32_t)tw_wall_tilt_find(state, &w->run.wall, &w->run.edge);
    if (stage == TW_DEVICE_STEER_AFFINE && first < end)
        for (size_t k = first; k < state->wall_count; k += end)
            tw_move_begin_wall(&state->walls[k], work->dt);
}

TW_INLINE void tw_device_steer_count(tw_device_world *w)
{
    tw_state *state = &w->state;
    tw_device_run *run = &w->run;
    tw_device_candidates_prepare(w);
    run->before = state->sums.contacts;
    state->time += state->dt;
    state->steps++;
    run->own = run->absolute = 0;
    run->bad_pair = run->bad_body = UINT64_MAX;
}

/* ---- The stages ---- */

/* From the second stage on. */
TW_INLINE void tw_device_steer_on(tw_device_world *w, tw_device_steer_work *work, uint32_t stage,
                                  uint32_t thread)
{
    if (work->halt) return;
    tw_device_steer_servo(w, work, stage, thread);
    if (stage < TW_DEVICE_STEER_FACTORS) return;
    if (stage > TW_DEVICE_STEER_FACTORS && work->tilts) {
        if (stage == TW_DEVICE_STEER_END && thread == 0) w->run.halt |= TW_DEVICE_WALL;
        return;
    }
    if (work->walls) tw_device_steer_walls(w, work, stage, thread);
    tw_device_steer_flow(w, work, stage, thread);
    tw_device_steer_cell(w, work, stage, thread);
    if (stage == TW_DEVICE_STEER_END && tw_device_steer_in(1, thread) == 0)
        tw_device_steer_count(w);
}

TW_INLINE void tw_device_steer(tw_device_world *w, tw_device_steer_work *work, uint32_t i,
                               uint32_t stage, uint32_t thread)
{
    const uint32_t kinetic = thread - 9;
    (void)i;
    if (stage != TW_DEVICE_STEER_LOAD) {
        tw_device_steer_on(w, work, stage, thread);
        return;
    }
    if (thread < 9) work->moment.m[thread] = w->state.sums.moment.m[thread];
    if (kinetic < TW_COMPONENTS) work->kinetic[kinetic] = w->kinetic[kinetic];
    if (thread == 0) work->halt = 0;
    tw_device_steer_load(w, work, thread, (double)w->state.sums.contacts,
                         (double)w->state.sums.sliding);
}

/* The end of a step, and the start of the next unless the device halts. */
TW_INLINE void tw_device_turn(tw_device_world *w, tw_device_steer_work *work, uint32_t i,
                              uint32_t stage, uint32_t thread)
{
    if (stage == TW_DEVICE_STEER_LOAD)
        tw_device_steer_load(w, work, thread, w->total[TW_DEVICE_SUM_CONTACTS],
                             w->total[TW_DEVICE_SUM_SLIDING]);
    else
        tw_device_steer_on(w, work, stage, thread);
    if (stage < TW_DEVICE_FINISH_STAGES) tw_device_finish(w, work, i, stage, thread);
}

#endif
