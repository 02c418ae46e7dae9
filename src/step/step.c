/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/step.h"

#include <twirl/math.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "search/search.h"
#include "step/motion.h"
#include "step/move.h"
#include "step/move_begin.h"
#include "step/stable.h"
#include "step/touch.h"
#include "step/touch_wall.h"
#include "world/schedule.h"

typedef struct gather_context {
    tw_state *state;
    const tw_schedule *schedule;
} gather_context;

static inline void add(double *sum, const tw_tile_accumulator *accumulator)
{
    for (int k = 0; k < 3; k++) {
        sum[k] += accumulator->force[k];
        sum[3 + k] += accumulator->torque[k];
    }
}

static int is_bad(const tw_bodies *b, size_t i)
{
    const double probe = tw_vec3_dot(b->force[i], b->force[i]) +
                         tw_vec3_dot(b->torque[i], b->torque[i]) + tw_vec3_dot(b->x[i], b->x[i]);
    return !(probe <= DBL_MAX);
}

/* The error of the first body with a value that is not finite. */
static tw_status explain_forces(const tw_state *state, tw_error *error)
{
    for (size_t i = 0; i < state->bodies.count; i++)
        if (is_bad(&state->bodies, i))
            return tw_search_error_body(state, state->bodies.id[i], error);
    return TW_STATUS_OK;
}

enum {
    DRIVEN,
    POISON, /* NaN as soon as one value is not finite */
    GATHER_SUMS
};
enum { AHEAD = 8 }; /* ghosts whose forces are fetched before they are used */

static void gather_tile(void *context, size_t number, double *sums)
{
    const gather_context *c = context;
    const tw_tiles *t = &c->schedule->tiles;
    tw_bodies *b = &c->state->bodies;
    const tw_tile *tile = &t->tile[number];
    const uint32_t end = t->ghost_first[tile->body + tile->bodies];
    double poison = 0.0;
    for (uint32_t k = 0; k < tile->bodies; k++) {
        const size_t i = tile->body + k;
        const uint32_t soon = t->ghost_first[i] + AHEAD; /* may be in the cache of another thread */
        if (soon < end) __builtin_prefetch(&t->accumulator[t->ghost_slot[soon]]);
        double sum[6] = {0.0};
        add(sum, &t->accumulator[tile->body_slot + k]);
        for (uint32_t v = t->ghost_first[i]; v < t->ghost_first[i + 1]; v++)
            add(sum, &t->accumulator[t->ghost_slot[v]]);
        b->force[i] = tw_vec3_make(sum[0], sum[1], sum[2]);
        b->torque[i] = tw_vec3_make(sum[3], sum[4], sum[5]);
        const double position = b->x[i].x + b->x[i].y + b->x[i].z;
        poison += 0.0 * ((sum[0] + sum[1]) + (sum[2] + sum[3]) + (sum[4] + sum[5]) + position);
        if (b->flags[i] & TW_BODY_FIXED) sums[DRIVEN] -= 0.5 * tw_motion_work(b, i);
    }
    sums[POISON] = poison;
}

static void gather_wall(tw_state *state, const tw_tiles *t, size_t number, int still)
{
    tw_wall *wall = &state->walls[number];
    double sum[TW_TILE_ACCUMULATOR] = {0.0};
    for (size_t k = 0; k < t->count; k++)
        for (size_t j = 0; j < TW_TILE_ACCUMULATOR; j++)
            sum[j] += tw_touch_wall_part(&t->wall_accumulator[k * state->wall_count + number], j);
    tw_touch_wall_set(wall, sum);
    if (!still) tw_wall_book(wall, &state->balance.walls);
}

/* Forces on bodies and walls: the sum over the force accumulators of each, in the order of tiles.
 * `still`: a movement in which no time passes is no work. */
static tw_status gather_forces(tw_state *state, tw_schedule *schedule, int still, tw_error *error)
{
    gather_context context = {state, schedule};
    double sums[GATHER_SUMS];
    tw_clock_enter(TW_SIM_PHASE_GATHER);
    tw_sum_parts(schedule->tiles.count, GATHER_SUMS, gather_tile, &context, schedule->tiles.sum,
                 sums);
    if (!still) state->balance.walls += sums[DRIVEN];
    for (size_t k = 0; k < state->wall_count; k++)
        gather_wall(state, &schedule->tiles, k, still);
    return sums[POISON] == 0.0 ? TW_STATUS_OK : explain_forces(state, error);
}

tw_status tw_step_check_dt(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_error *error)
{
    const double was = state->dt;
    const tw_stable_limit limit = tw_stable_find(model, state, schedule);
    if (!tw_stable_choose(model, state, limit.dt)) return tw_stable_refuse(state, &limit, error);
    tw_kick_rebase(model, state, was);
    return TW_STATUS_OK;
}

tw_status tw_step_set_dt(const tw_model *model, tw_state *state, tw_schedule *schedule, double dt,
                         tw_error *error)
{
    const double was = state->dt;
    tw_status status = TW_STATUS_OK;
    /* Bodies have been added: the rest is done when forces are known again. */
    if (!schedule->valid && state->balance.started && dt != was) tw_kick_hold(model, state);
    state->dt = dt;
    if (schedule->valid) status = tw_step_check_dt(model, state, schedule, error);
    if (status != TW_STATUS_OK)
        state->dt = was;
    else if (schedule->valid)
        tw_kick_rebase(model, state, was);
    return status;
}

/* Updates the neighbour list if it is stale, then contacts and forces. */
static tw_status contacts_and_forces(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                     const tw_vec3 *rigid_turn, int still, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (tw_search_stale(state, schedule)) status = tw_search_refresh(model, state, schedule, error);
    if (status == TW_STATUS_OK)
        status = tw_touch_contacts(model, state, schedule, rigid_turn, still, error);
    if (status == TW_STATUS_OK) status = gather_forces(state, schedule, still, error);
    return status;
}

tw_status tw_step_advance(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error)
{
    const size_t before = state->sums.contacts;
    if (!schedule->pending) tw_move_bodies(model, state, schedule);
    tw_status status = contacts_and_forces(model, state, schedule, NULL, 0, error);
    schedule->pending = status == TW_STATUS_MEMORY;
    if (schedule->pending) return status;
    state->balance.cell =
        tw_move_begin_cell_work(&schedule->cell_back, &state->sums.moment, state->balance.cell);
    if (status == TW_STATUS_OK && tw_stable_is_due(state, before))
        status = tw_step_check_dt(model, state, schedule, error);
    return status;
}

/* Bodies have been moved. */
static void load_tiles(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    const tw_mat3 affine = tw_cell_affine(&state->cell);
    for (size_t k = 0; k < schedule->tiles.count; k++) {
        tw_tile *tile = &schedule->tiles.tile[k];
        tw_tile_load_own(model, state, schedule, tile, 0);
        tw_travel_of_tile(model, state, &schedule->tiles, &affine, tile, 0);
    }
}

/* Rotates cell, bodies and walls. */
static void rotate_all(const tw_model *model, tw_state *state, tw_schedule *schedule, tw_vec3 turn)
{
    const tw_rotate by = tw_rotate_of(turn);
    tw_rotate_frame(&by, state);
    for (size_t i = 0; i < state->bodies.count; i++)
        tw_rotate_body(&by, &state->bodies, i);
    load_tiles(model, state, schedule);
}

static void displace_all(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         const tw_mat3 *gradient, const uint32_t *ids, const double *moves)
{
    tw_cell *cell = &state->cell;
    tw_bodies *b = &state->bodies;
    cell->h_before = cell->h;
    cell->h = tw_mat3_add_scaled(cell->h, 1.0, tw_mat3_mul(*gradient, cell->h));
    cell->inverse = tw_mat3_inverse(cell->h);
    for (size_t k = 0; k < b->count; k++) {
        const double *by = moves + 6 * k;
        const size_t i = schedule->spheres.index_of[ids ? ids[k] : k];
        const tw_quat turn = tw_quat_from_rotation(tw_vec3_make(by[3], by[4], by[5]));
        b->dx[i] =
            tw_vec3_add(tw_mat3_mul_vec(*gradient, b->x[i]), tw_vec3_make(by[0], by[1], by[2]));
        b->x[i] = tw_vec3_add(b->x[i], b->dx[i]);
        b->q[i] = tw_quat_normalise(tw_quat_mul(turn, b->q[i]));
        b->gibbs[i] = tw_motion_gibbs(turn);
    }
    for (size_t k = 0; k < state->wall_count; k++) {
        state->walls[k].dx = state->walls[k].turn = tw_vec3_make(0.0, 0.0, 0.0);
        state->walls[k].predicted = 0;
    }
    load_tiles(model, state, schedule);
}

tw_status tw_step_displace(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           const tw_mat3 *gradient, const uint32_t *ids, const double *moves,
                           tw_error *error)
{
    displace_all(model, state, schedule, gradient, ids, moves);
    return contacts_and_forces(model, state, schedule, NULL, 1, error);
}

tw_status tw_step_rotate(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_vec3 turn, tw_error *error)
{
    if (!schedule->pending) rotate_all(model, state, schedule, turn);
    const tw_status status = contacts_and_forces(model, state, schedule, &turn, 1, error);
    schedule->pending = status == TW_STATUS_MEMORY;
    return status;
}

static void begin_balance(const tw_model *model, tw_state *state, tw_schedule *schedule)
{
    const tw_move_energy now = tw_move_energies(model, state, schedule);
    memset(&state->balance, 0, sizeof state->balance);
    for (size_t k = 0; k < state->wall_count; k++)
        state->walls[k].work = 0.0;
    state->balance.start = now.translation + now.rotation;
    for (int k = 0; k < TW_CONTACT_STORED_EARLY; k++)
        state->balance.start += state->sums.stored.of[k];
    double more = 0.0;
    for (int k = TW_CONTACT_STORED_EARLY; k < TW_CONTACT_STORED_KINDS; k++)
        more += state->sums.stored.of[k];
    state->balance.start += more;
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
        state->walls[k].dx = state->walls[k].turn = zero;
}

tw_status tw_step_prepare(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error)
{
    if (schedule->pending || (schedule->valid && state->balance.started)) return TW_STATUS_OK;
    const uint64_t searches = state->searches;
    clear_motion(state);
    tw_status status = tw_search_refresh(model, state, schedule, error);
    if (status == TW_STATUS_OK) status = tw_touch_contacts(model, state, schedule, NULL, 1, error);
    if (status == TW_STATUS_OK) status = gather_forces(state, schedule, 1, error);
    if (status == TW_STATUS_OK) status = tw_step_check_dt(model, state, schedule, error);
    if (status == TW_STATUS_OK)
        status = tw_move_check_cell(&state->cell.gradient, state->dt, error);
    if (status != TW_STATUS_OK) {
        schedule->valid = 0; /* forces are missing: the next call must not skip them */
        state->searches = searches;
        return status;
    }
    tw_kick_convert(model, state);
    if (!state->balance.started) begin_balance(model, state, schedule);
    return TW_STATUS_OK;
}

tw_status tw_step_relist(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_error *error)
{
    clear_motion(state);
    const tw_status status = tw_search_refresh(model, state, schedule, error);
    if (status == TW_STATUS_OK) tw_touch_begin_still(model, state, schedule);
    return status;
}

tw_status tw_step_renew_dt(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_error *error)
{
    const double was = state->dt;
    const tw_stable_limit limit = tw_stable_find(model, state, schedule);
    if (!tw_stable_choose(model, state, limit.dt)) return tw_stable_refuse(state, &limit, error);
    const double chosen = state->dt;
    state->dt = was;
    if (chosen != was) tw_kick_hold(model, state);
    state->dt = chosen;
    return TW_STATUS_OK;
}

tw_status tw_step_explain(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error)
{
    tw_status status = tw_touch_explain(model, state, schedule, error);
    if (status == TW_STATUS_OK) status = explain_forces(state, error);
    return status == TW_STATUS_OK ? tw_step_check_dt(model, state, schedule, error) : status;
}
