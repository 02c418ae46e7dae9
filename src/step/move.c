/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/move.h"

#include "base/sum.h"
#include "step/move_lanes.h"

static const tw_sum_part energies_of_tile[] = {TW_SIMD_EACH(tw_move_lanes_energies)};
static const tw_sum_part move_tile[] = {TW_SIMD_EACH(tw_move_lanes_tile)};

static tw_move_kick kick_make(const tw_model *model, const tw_state *state)
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

tw_move_energy tw_move_energies(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    tw_move_context move = {
        .model = model, .state = state, .schedule = schedule, .kick = kick_make(model, state)};
    double sum[TW_MOVE_LANE_SUMS];
    tw_sum_parts(schedule->tiles.count, TW_MOVE_LANE_SUMS, energies_of_tile[tw_simd_level()], &move,
                 schedule->tiles.sum, sum);
    return (tw_move_energy){sum[TW_MOVE_TRANSLATION], sum[TW_MOVE_ROTATION],
                            0.5 * sum[TW_MOVE_DAMPING], 0.5 * sum[TW_MOVE_CELL]};
}

static tw_move_flow flow_make(const tw_state *state)
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
static double work_of(const tw_mat3 *e, const tw_mat3 *moment)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sum += e->m[3 * i + j] * moment->m[3 * j + i];
    }
    return sum;
}

static void move_walls(tw_state *state)
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
        state->balance.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
}

void tw_move_bodies(const tw_model *model, tw_state *state, tw_schedule *schedule)
{
    tw_cell *cell = &state->cell;
    tw_move_context move = {.model = model,
                            .state = state,
                            .out = state,
                            .schedule = schedule,
                            .kick = kick_make(model, state),
                            .flow = flow_make(state),
                            .masses = (tw_model_flags(model) & TW_CONTACT_BY_MASS) != 0};
    double sum[TW_MOVE_SUMS];
    /* The first half of the work of the cell, with the forces at the start of the step. */
    state->balance.cell += 0.5 * work_of(&move.flow.forward, &state->sums.moment);
    schedule->cell_back = move.flow.back;
    cell->h_before = cell->h;
    cell->h = tw_mat3_mul(move.flow.map, cell->h);
    cell->inverse = tw_mat3_inverse(cell->h);
    move.affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    tw_sum_parts(schedule->tiles.count, TW_MOVE_SUMS, move_tile[tw_simd_level()], &move,
                 schedule->tiles.sum, sum);
    state->balance.body_damping += sum[TW_MOVE_DAMPING];
    state->balance.cell += sum[TW_MOVE_CELL];
    state->balance.gravity += sum[TW_MOVE_GRAVITY];
    state->balance.walls += sum[TW_MOVE_DRIVEN];
    schedule->times.move += sum[TW_MOVE_SECONDS];
    move_walls(state);
    state->time += state->dt;
    state->steps++;
}
