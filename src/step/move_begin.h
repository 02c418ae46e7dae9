/* SPDX-License-Identifier: BSD-3-Clause */
/* What the move phase does besides the bodies: cell, walls, energy balance. Inline code in C11,
 * C++17 and CUDA. */
#ifndef TW_STEP_MOVE_BEGIN_H
#define TW_STEP_MOVE_BEGIN_H

#include "step/move_context.h"

TW_INLINE tw_move_kick tw_move_begin_kick(const tw_model *model, const tw_state *state)
{
    tw_move_kick k;
    const tw_mat3 one = tw_mat3_identity();
    const tw_mat3 rate = tw_mat3_add_scaled(state->cell.gradient, model->damping_mass, one);
    k.inverse = tw_mat3_inverse(tw_mat3_add_scaled(one, 0.5 * state->dt, rate));
    k.spin_gain = 1.0 / (1.0 + 0.5 * state->dt * model->damping_spin);
    k.spin_keep = (1.0 - 0.5 * state->dt * model->damping_spin) * k.spin_gain;
    k.dt = state->dt;
    k.damped = model->damping_mass > 0.0 || model->damping_spin > 0.0 || model->damping_local > 0.0;
    k.heavy = tw_vec3_max_abs(model->gravity) > 0.0;
    return k;
}

TW_INLINE tw_move_flow tw_move_begin_flow(const tw_state *state)
{
    tw_move_flow f;
    const tw_mat3 one = tw_mat3_identity();
    const tw_mat3 *gradient = &state->cell.gradient;
    const tw_mat3 ahead = tw_mat3_add_scaled(one, 0.5 * state->dt, *gradient);
    const tw_mat3 behind = tw_mat3_add_scaled(one, -0.5 * state->dt, *gradient);
    f.own = tw_mat3_inverse(behind);
    f.map = tw_mat3_mul(f.own, ahead);
    f.forward = tw_mat3_scale(state->dt, tw_mat3_mul(f.own, *gradient));
    f.back = tw_mat3_scale(state->dt, tw_mat3_mul(tw_mat3_inverse(ahead), *gradient));
    return f;
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
    cell->inverse = tw_mat3_inverse(cell->h);
    move->affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
}

TW_INLINE void tw_move_begin_walls(tw_state *state)
{
    for (size_t k = 0; k < state->wall_count; k++) {
        tw_wall *wall = &state->walls[k];
        if (wall->servo) {
            const double pressed = -tw_vec3_dot(wall->force, wall->normal);
            double v = wall->gain * (wall->target - pressed);
            if (wall->v_max > 0.0) v = tw_math_min(tw_math_max(v, -wall->v_max), wall->v_max);
            wall->v = tw_vec3_scale(v, wall->normal);
        }
        wall->dx = tw_vec3_scale(state->dt, wall->v);
        wall->point = tw_vec3_add(wall->point, wall->dx);
        wall->travel = tw_vec3_add(wall->travel, wall->dx);
    }
}

/* Adds the sums over bodies, and the first half of the work of the walls, with the forces at the
 * start of the step. */
TW_INLINE void tw_move_begin_balance(tw_state *state, const double sum[TW_MOVE_SUMS])
{
    state->balance.body_damping += sum[TW_MOVE_DAMPING];
    state->balance.cell += sum[TW_MOVE_CELL];
    state->balance.gravity += sum[TW_MOVE_GRAVITY];
    state->balance.walls += sum[TW_MOVE_DRIVEN];
    for (size_t k = 0; k < state->wall_count; k++)
        state->balance.walls -= 0.5 * tw_vec3_dot(state->walls[k].force, state->walls[k].dx);
}

/* Adds the second half of the work of the cell, with the forces at the end of the step. */
TW_INLINE void tw_move_begin_cell_work(tw_state *state, const tw_mat3 *back)
{
    const tw_mat3 *m = &state->sums.moment;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            state->balance.cell += 0.5 * back->m[3 * i + j] * m->m[3 * j + i];
    }
}

#endif
