/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/step.h"

#include <twirl/math.h>

#include "base/environment.h"
#include "search/search.h"
#include "step/gather.h"
#include "step/kick.h"
#include "step/move.h"
#include "step/move_begin.h"
#include "step/rotate.h"
#include "step/stable.h"
#include "step/touch.h"
#include "world/schedule.h"

tw_status tw_step_check_dt(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_error *error)
{
    const tw_stable_limit limit = tw_stable_find(model, state, schedule);
    return tw_stable_choose(model, state, limit.dt) ? TW_STATUS_OK
                                                    : tw_stable_refuse(state, &limit, error);
}

/* Updates the neighbour list if it is stale, then contacts and forces. */
static tw_status contacts_and_forces(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                     const tw_vec3 *rigid_turn, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (tw_search_stale(state, schedule)) {
        const double start = tw_clock();
        status = tw_search_refresh(model, state, schedule, error);
        schedule->times.search += tw_clock() - start;
        if (status == TW_STATUS_OK) status = tw_step_check_dt(model, state, schedule, error);
    }
    if (status == TW_STATUS_OK)
        status = tw_touch_contacts(model, state, schedule, rigid_turn, rigid_turn != NULL, error);
    if (status == TW_STATUS_OK) status = tw_gather_forces(state, schedule, error);
    return status;
}

static tw_status check_new_contacts(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                    size_t before, tw_error *error)
{
    if (!tw_stable_is_due(state, before)) return TW_STATUS_OK;
    const tw_stable_limit limit = tw_stable_find(model, state, schedule);
    if (state->dt <= limit.dt || tw_stable_choose(model, state, limit.dt)) return TW_STATUS_OK;
    return tw_stable_refuse(state, &limit, error);
}

tw_status tw_step_advance(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error)
{
    const size_t before = state->sums.contacts;
    if (!schedule->pending) tw_move_bodies(model, state, schedule);
    tw_status status = contacts_and_forces(model, state, schedule, NULL, error);
    schedule->pending = status == TW_STATUS_MEMORY;
    if (schedule->pending) return status;
    state->balance.cell =
        tw_move_begin_cell_work(&schedule->cell_back, &state->sums.moment, state->balance.cell);
    if (status == TW_STATUS_OK) status = check_new_contacts(model, state, schedule, before, error);
    return status;
}

/* Rotates cell, bodies and walls. */
static void rotate_all(const tw_model *model, tw_state *state, tw_schedule *schedule, tw_vec3 turn)
{
    const tw_rotate by = tw_rotate_of(turn);
    tw_rotate_frame(&by, state);
    for (size_t i = 0; i < state->bodies.count; i++)
        tw_rotate_body(&by, &state->bodies, i);
    const tw_mat3 affine = tw_mat3_mul(state->cell.h, tw_mat3_inverse(state->cell.h_ref));
    for (size_t k = 0; k < schedule->tiles.count; k++) {
        tw_tile *tile = &schedule->tiles.tile[k];
        tw_tile_load_own(model, state, schedule, tile, 0);
        tw_travel_of_tile(model, state, &schedule->tiles, &affine, tile, 0);
    }
}

tw_status tw_step_rotate(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_vec3 turn, tw_error *error)
{
    if (!schedule->pending) rotate_all(model, state, schedule, turn);
    const tw_status status = contacts_and_forces(model, state, schedule, &turn, error);
    schedule->pending = status == TW_STATUS_MEMORY;
    return status;
}

static void begin_balance(const tw_model *model, tw_state *state, tw_schedule *schedule)
{
    const tw_move_energy now = tw_move_energies(model, state, schedule);
    state->balance = (tw_energy_balance){0};
    state->balance.start =
        now.translation + now.rotation + state->sums.normal + state->sums.tangential;
    state->balance.start += state->sums.rolling + state->sums.twisting;
    /* The first half of the first kick lies before the start. */
    state->balance.body_damping = -now.damping_work;
    state->balance.cell = -now.cell_work;
    state->balance.started = 1;
}

/* No motion in the step: contacts and forces as they are. */
static void clear_motion(tw_state *state)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    state->cell.h_before = state->cell.h;
    for (size_t i = 0; i < state->bodies.count; i++)
        state->bodies.dx[i] = state->bodies.gibbs[i] = zero;
    for (size_t k = 0; k < state->wall_count; k++)
        state->walls[k].dx = zero;
}

tw_status tw_step_prepare(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error)
{
    if (schedule->pending || (schedule->valid && state->balance.started)) return TW_STATUS_OK;
    clear_motion(state);
    tw_status status = tw_search_refresh(model, state, schedule, error);
    if (status == TW_STATUS_OK) status = tw_touch_contacts(model, state, schedule, NULL, 1, error);
    if (status == TW_STATUS_OK) status = tw_gather_forces(state, schedule, error);
    if (status == TW_STATUS_OK) status = tw_step_check_dt(model, state, schedule, error);
    if (status == TW_STATUS_OK)
        status = tw_move_check_cell(&state->cell.gradient, state->dt, error);
    if (status != TW_STATUS_OK) {
        schedule->valid = 0; /* forces are missing: the next call must not skip them */
        return status;
    }
    tw_kick_convert(model, state);
    if (!state->balance.started) begin_balance(model, state, schedule);
    return TW_STATUS_OK;
}

tw_status tw_step_explain(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error)
{
    tw_status status = tw_touch_explain(model, state, schedule, error);
    if (status == TW_STATUS_OK) status = tw_gather_explain(state, error);
    return status == TW_STATUS_OK ? tw_step_check_dt(model, state, schedule, error) : status;
}
