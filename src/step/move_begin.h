/* SPDX-License-Identifier: BSD-3-Clause */
/* What the move phase does besides the bodies: cell, walls, energy balance. Inline code in C11,
 * C++17 and CUDA. */
#ifndef TW_STEP_MOVE_BEGIN_H
#define TW_STEP_MOVE_BEGIN_H

#include "step/motion.h"
#include "step/move_servo.h"

/* Matrices whose inverses a step needs: of the kick, 1 + dt/2 (grad v + damping); of the midpoint
 * rule, 1 - dt/2 grad v and 1 + dt/2 grad v. */
enum { TW_MOVE_BEGIN_KICK, TW_MOVE_BEGIN_MINUS, TW_MOVE_BEGIN_PLUS, TW_MOVE_BEGIN_FACTORS };

/* Largest displacement of the cell in a step, of its size. The midpoint rule has a pole at 2,
 * beyond which it mirrors the cell, and is accurate far below. */
#define TW_MOVE_BEGIN_STRAIN_MAX 0.1

TW_INLINE int tw_move_begin_is_small(const tw_mat3 *gradient, double dt)
{
    return tw_mat3_max_abs(*gradient) * dt <= TW_MOVE_BEGIN_STRAIN_MAX;
}

/* Element k of one of them, from that of the gradient. */
TW_INLINE double tw_move_begin_factor_at(double gradient, double damping, double dt, int which,
                                         int k)
{
    const double one = k % 4 == 0 ? 1.0 : 0.0, half = which == TW_MOVE_BEGIN_MINUS ? -0.5 : 0.5;
    const double rate = which == TW_MOVE_BEGIN_KICK ? gradient + damping * one : gradient;
    return one + half * dt * rate;
}

TW_INLINE tw_mat3 tw_move_begin_factor(const tw_mat3 *gradient, double damping, double dt,
                                       int which)
{
    tw_mat3 factor;
    for (int k = 0; k < 9; k++)
        factor.m[k] = tw_move_begin_factor_at(gradient->m[k], damping, dt, which, k);
    return factor;
}

/* All but the inverse. */
TW_INLINE void tw_move_begin_spin(const tw_model *model, double dt, tw_move_kick *k)
{
    k->spin_gain = 1.0 / (1.0 + 0.5 * dt * model->damping_spin);
    k->spin_keep = (1.0 - 0.5 * dt * model->damping_spin) * k->spin_gain;
    k->dt = dt;
    k->has_damping =
        model->damping_mass > 0.0 || model->damping_spin > 0.0 || model->damping_local > 0.0;
    k->has_gravity = tw_vec3_max_abs(model->gravity) > 0.0;
}

TW_INLINE tw_move_kick tw_move_begin_kick(const tw_model *model, const tw_state *state)
{
    tw_move_kick k;
    const tw_mat3 gradient = tw_cell_carried(&state->cell);
    k.inverse = tw_mat3_inverse(
        tw_move_begin_factor(&gradient, model->damping_mass, state->dt, TW_MOVE_BEGIN_KICK));
    tw_move_begin_spin(model, state->dt, &k);
    return k;
}

/* Element k of matrices of the flow, whose `own` is set. `undo`: the inverse of `plus`. */
TW_INLINE void tw_move_begin_flow_at(const tw_mat3 *plus, const tw_mat3 *undo,
                                     const tw_mat3 *gradient, double dt, int k, tw_move_flow *f)
{
    f->map.m[k] = tw_mat3_mul_at(&f->own, plus, k);
    f->forward.m[k] = dt * tw_mat3_mul_at(&f->own, gradient, k);
    f->back.m[k] = dt * tw_mat3_mul_at(undo, gradient, k);
}

TW_INLINE tw_move_flow tw_move_begin_flow(const tw_state *state)
{
    tw_move_flow f;
    const tw_mat3 gradient = tw_cell_carried(&state->cell);
    const tw_mat3 plus = tw_move_begin_factor(&gradient, 0.0, state->dt, TW_MOVE_BEGIN_PLUS);
    const tw_mat3 undo = tw_mat3_inverse(plus);
    f.own = tw_mat3_inverse(tw_move_begin_factor(&gradient, 0.0, state->dt, TW_MOVE_BEGIN_MINUS));
    for (int k = 0; k < 9; k++)
        tw_move_begin_flow_at(&plus, &undo, &gradient, state->dt, k, &f);
    return f;
}

/* By how much an edge becomes longer in the step that its bodies do not follow: as by the midpoint
 * rule. */
TW_INLINE double tw_move_begin_stretch(const tw_cell *cell, double dt, int edge)
{
    const double half = cell->walled[edge] ? 0.5 * dt * cell->gradient.m[4 * edge] : 0.0;
    return (1.0 + half) / (1.0 - half);
}

/* Sum of f.(E b) over contacts, from the moment sum of b (x) f. */
TW_INLINE double tw_move_begin_work(const tw_mat3 *e, const tw_mat3 *moment)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sum += e->m[3 * i + j] * moment->m[3 * j + i];
    }
    return sum;
}

/* Moves the cell to the end of the step, and makes the constants of the step, except for
 * move->masses. */
TW_INLINE void tw_move_begin_cell(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                  tw_move_context *move)
{
    tw_cell *cell = &state->cell;
    move->kick = tw_move_begin_kick(model, state);
    move->flow = tw_move_begin_flow(state);
    /* The first half of the work of the cell, with the forces at the start of the step. */
    state->balance.cell += 0.5 * tw_move_begin_work(&move->flow.forward, &state->sums.moment);
    schedule->cell_back = move->flow.back;
    cell->h_before = cell->h;
    cell->h = tw_mat3_mul(move->flow.map, cell->h);
    for (int k = 0; k < 9; k++)
        if (cell->walled[k / 3]) cell->h.m[k] *= tw_move_begin_stretch(cell, state->dt, k / 3);
    cell->inverse = tw_mat3_inverse(cell->h);
    move->affine = tw_cell_affine(cell);
}

/* To time `end`, by its prescribed motion. */
TW_INLINE void tw_move_begin_drive(const tw_model *model, tw_wall *wall, double end)
{
    const tw_drive_pose before = {wall->point, wall->q};
    tw_drive_pose pose = {wall->drive_point, wall->drive_q};
    tw_drive_rates rates = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    tw_drive_follow(model->drive + wall->drive_first, wall->drive_count, model->drive_row,
                    end - wall->drive_start, &pose, &rates);
    const tw_drive_step step = tw_drive_between(before, pose);
    wall->v = rates.v;
    wall->spin = rates.omega;
    wall->dx = step.dx;
    wall->turn = tw_motion_rotation(step.gibbs);
    wall->point = pose.centre;
    wall->q = pose.q;
    wall->travel = tw_vec3_add(wall->travel, wall->dx);
}

/* To the face of the cell, which is at the end of the step: the lower one stays. */
TW_INLINE void tw_move_begin_platen(const tw_mat3 *h, tw_wall *wall, double dt)
{
    const int across = tw_wall_across(wall);
    const tw_vec3 towards = wall->normal, zero = {0.0, 0.0, 0.0};
    const int upper = towards.x + towards.y + towards.z < 0.0;
    const double moved =
        upper ? tw_vec3_dot(wall->point, towards) + h->m[4 * across] : 0.0; /* outwards */
    wall->dx = upper ? tw_vec3_scale(-moved, towards) : zero;
    wall->v = tw_vec3_scale(1.0 / dt, wall->dx);
    if (upper) wall->point = tw_vec3_scale(-h->m[4 * across], towards);
    wall->travel = tw_vec3_add(wall->travel, wall->dx);
}

/* `bound`: of the schedule; `time`: at the start of the step. `cell`: at its end. */
TW_INLINE void tw_move_begin_wall(const tw_model *model, const tw_cell *cell, tw_wall *wall,
                                  double bound, double time, double dt)
{
    if (wall->drive_count > 0) {
        tw_move_begin_drive(model, wall, time + dt);
        return;
    }
    if (wall->servo == TW_WALL_PLATEN) {
        tw_move_begin_platen(&cell->h, wall, dt);
        return;
    }
    if (wall->servo) {
        const tw_vec3 rate = tw_vec3_scale(tw_move_servo_speed(wall, bound, dt), wall->along);
        if (wall->servo == TW_WALL_TURNS)
            wall->spin = rate;
        else
            wall->v = rate;
    }
    wall->dx = tw_vec3_scale(dt, wall->v);
    wall->point = tw_vec3_add(wall->point, wall->dx);
    wall->travel = tw_vec3_add(wall->travel, wall->dx);
    wall->turn = tw_vec3_scale(dt, wall->spin);
    if (tw_vec3_max_abs(wall->spin) > 0.0)
        wall->q = tw_quat_normalise(tw_quat_mul(tw_quat_from_rotation(wall->turn), wall->q));
}

/* Adds the sums over bodies, except for the work of the cell, and the first half of the work of the
 * walls, with the forces at the start of the step. */
TW_INLINE void tw_move_begin_balance(tw_state *state, const double sum[TW_MOVE_SUMS])
{
    state->balance.body_damping += sum[TW_MOVE_DAMPING];
    state->balance.gravity += sum[TW_MOVE_GRAVITY];
    state->balance.walls += sum[TW_MOVE_DRIVEN];
    for (size_t k = 0; k < state->wall_count; k++)
        tw_wall_book(&state->walls[k], &state->balance.walls);
}

/* Adds the second half of the work of the cell to `sum`, with the forces at the end of the step. */
TW_INLINE double tw_move_begin_cell_work(const tw_mat3 *back, const tw_mat3 *moment, double sum)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sum += 0.5 * back->m[3 * i + j] * moment->m[3 * j + i];
    }
    return sum;
}

#endif
