/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/move.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/sum.h"
#include "step/kick.h"
#include "step/move_begin.h"

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
    for (size_t i = 0; i < state->bodies.count; i++) {
        if (!(state->bodies.flags[i] & TW_BODY_PRESENT)) continue;
        tw_kick_convert_body(model, state, i);
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
        tw_move_begin_wall(model, &state->cell, &state->walls[k], schedule->bound, state->time,
                           state->dt);
    state->balance.cell += sum[TW_MOVE_CELL];
    tw_move_begin_balance(state, sum);
    state->time += state->dt;
    state->steps++;
}
