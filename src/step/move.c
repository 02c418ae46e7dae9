/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/move.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/sum.h"
#include "step/kick.h"
#include "step/move_begin.h"

tw_kick_velocity tw_kick_present(const tw_model *model, const tw_state *state, size_t i)
{
    return tw_kick_present_with(model, state, i, state->dt);
}

void tw_kick_set(const tw_model *model, tw_state *state, size_t i, tw_kick_velocity present)
{
    tw_kick_set_with(model, state, i, state->dt, present);
}

tw_vec3 tw_kick_omega(const tw_bodies *b, size_t i, tw_vec3 l)
{
    const tw_vec3 o = tw_quat_rotate_back(b->q[i], l), m = b->inertia[i];
    return tw_quat_rotate(b->q[i], tw_vec3_make(o.x / m.x, o.y / m.y, o.z / m.z));
}

tw_move_energy tw_kick_energy(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    if (b->flags[i] & TW_BODY_FIXED) return (tw_move_energy){0};
    const tw_kick_equations e = tw_kick_equations_of(model, state, i, state->dt);
    const tw_kick_body k = tw_kick_body_of(model, state, i, &e);
    const double mass = b->mass[i];
    const tw_vec3 v1 = tw_vec3_add_scaled(tw_vec3_scale(2.0, k.v), -1.0, k.v0);
    const tw_vec3 l1 = tw_vec3_add_scaled(tw_vec3_scale(2.0, k.l), -1.0, k.l0);
    const tw_vec3 omega = tw_kick_omega(b, i, k.l);
    const double by_mass = e.dt * model->damping_mass * tw_vec3_dot(k.v, k.v);
    const double by_cell = 2.0 * tw_vec3_dot(tw_vec3_sub(k.u, k.v), k.v) - by_mass;
    const double lost =
        mass * by_mass + e.dt * (model->damping_spin * tw_vec3_dot(k.l, omega) -
                                 tw_vec3_dot(k.drag, k.v) - tw_vec3_dot(k.brake, omega));
    return (tw_move_energy){.translation = 0.5 * mass * tw_vec3_dot(k.v0, v1),
                            .rotation = 0.5 * tw_vec3_dot(k.l0, tw_kick_omega(b, i, l1)),
                            .damping_work = 0.5 * lost,
                            .cell_work = -0.5 * mass * by_cell};
}

void tw_kick_account(const tw_model *model, tw_state *state, size_t i, double factor)
{
    const tw_move_energy energy = tw_kick_energy(model, state, i);
    state->balance.start += factor * (energy.translation + energy.rotation);
    state->balance.body_damping -= factor * energy.damping_work;
    state->balance.cell -= factor * energy.cell_work;
}

void tw_kick_hold_body(const tw_model *model, tw_state *state, size_t i)
{
    tw_bodies *b = &state->bodies;
    if (b->flags[i] & (TW_BODY_FIXED | TW_BODY_PRESENT)) return;
    const tw_kick_velocity present = tw_kick_present(model, state, i);
    tw_kick_account(model, state, i, -1.0);
    b->flags[i] |= TW_BODY_PRESENT;
    b->v[i] = present.v;
    b->l[i] = present.l;
}

void tw_kick_hold(const tw_model *model, tw_state *state)
{
    for (size_t i = 0; i < state->bodies.count; i++)
        tw_kick_hold_body(model, state, i);
}

void tw_kick_rebase(const tw_model *model, tw_state *state, double was)
{
    if (state->dt == was || !(was > 0.0) || !state->balance.started) return;
    for (size_t i = 0; i < state->bodies.count; i++)
        tw_kick_rebase_body(model, state, i, was);
}

void tw_kick_convert(const tw_model *model, tw_state *state)
{
    tw_bodies *b = &state->bodies;
    for (size_t i = 0; i < b->count; i++) {
        if (!(b->flags[i] & TW_BODY_PRESENT)) continue;
        b->flags[i] &= ~(uint32_t)TW_BODY_PRESENT;
        tw_kick_set(model, state, i, (tw_kick_velocity){b->v[i], b->l[i]});
        if (state->balance.started) tw_kick_account(model, state, i, 1.0);
    }
}

static const tw_sum_part energies_of_tile[] = {TW_SIMD_EACH(tw_move_lanes_energies)};
static const tw_sum_part move_tile[] = {TW_SIMD_EACH(tw_move_lanes_tile)};

tw_move_energy tw_move_energies(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    tw_move_context move = {.model = model,
                            .state = state,
                            .schedule = schedule,
                            .kick = tw_move_begin_kick(model, state)};
    double sum[TW_MOVE_LANE_SUMS];
    tw_sum_parts(schedule->tiles.count, TW_MOVE_LANE_SUMS, energies_of_tile[tw_simd_level()], &move,
                 schedule->tiles.sum, sum);
    return (tw_move_energy){sum[TW_MOVE_TRANSLATION], sum[TW_MOVE_ROTATION],
                            0.5 * sum[TW_MOVE_DAMPING], 0.5 * sum[TW_MOVE_CELL]};
}

tw_status tw_move_check_cell(const tw_mat3 *gradient, double dt, tw_error *error)
{
    const double rate = tw_mat3_max_abs(*gradient), most = TW_MOVE_BEGIN_STRAIN_MAX;
    if (tw_move_begin_is_small(gradient, dt)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "the velocity gradient of %g 1/s moves the cell by %g of itself in a step "
                        "of dt = %g s, at most %g is possible: use a gradient below %.3g 1/s, or a "
                        "dt below %.3g s",
                        rate, rate * dt, dt, most, most / dt, most / rate);
}

void tw_move_bodies(const tw_model *model, tw_state *state, tw_schedule *schedule)
{
    tw_move_context move = {.model = model,
                            .state = state,
                            .out = state,
                            .schedule = schedule,
                            .masses = (tw_model_flags(model) & TW_CONTACT_BY_MASS) != 0};
    double sum[TW_MOVE_SUMS];
    tw_clock_enter(TW_SIM_PHASE_MOVE);
    tw_move_begin_cell(model, state, schedule, &move);
    tw_sum_parts(schedule->tiles.count, TW_MOVE_SUMS, move_tile[tw_simd_level()], &move,
                 schedule->tiles.sum, sum);
    for (size_t k = 0; k < state->wall_count; k++)
        tw_move_begin_wall(&state->walls[k], state->dt);
    state->balance.cell += sum[TW_MOVE_CELL];
    tw_move_begin_balance(state, sum);
    state->time += state->dt;
    state->steps++;
}
