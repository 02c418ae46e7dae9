/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that come and go between steps, and walls. */
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "search/search.h"
#include "sim/sim_body.h"
#include "sim/sim_internal.h"
#include "step/move.h"
#include "step/step.h"
#include "step/touch.h"
#include "step/touch_force.h"

/* A state with other bodies, made beside the one there is: if that fails nothing has changed. */
typedef struct exchange {
    const tw_sim *sim;
    const tw_model *model;
    tw_state state;
    tw_schedule schedule;
    tw_contact_list contacts;
    uint32_t *now; /* index of a body by that of before; UINT32_MAX: it leaves */
    uint32_t *ids;
    size_t id_capacity;
    uint32_t first; /* id of the first body that comes */
    size_t wall;    /* a wall that comes or goes; SIZE_MAX: none */
    tw_events *events;
    size_t had; /* events before */
} exchange;

static tw_status begin(exchange *x, tw_sim *sim, size_t more, tw_error *error)
{
    const tw_state *from = &sim->state;
    const size_t n = from->bodies.count;
    *x = (exchange){.sim = sim,
                    .model = &sim->model,
                    .state = *from,
                    .first = tw_sim_next_id(sim),
                    .wall = SIZE_MAX,
                    .events = &sim->events,
                    .had = sim->events.count};
    tw_state *to = &x->state;
    tw_schedule_init(&x->schedule);
    to->bodies = (tw_bodies){.count = 0};
    to->contacts = (tw_contacts){.capacity = 0};
    to->walls = NULL;
    to->wall_count = to->wall_capacity = 0;
    tw_status status = tw_state_reserve_bodies(to, n + more, error);
    for (size_t k = 0; k < from->wall_count && status == TW_STATUS_OK; k++)
        status = tw_state_add_wall(to, &from->walls[k], error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_buffer_zeros(&x->now, n, sizeof *x->now) ||
        !tw_contact_list_gather(&sim->model, from, &sim->schedule, 0, 0, 0, &x->contacts))
        return tw_error_set_memory(error);
    status = tw_events_reserve(x->events, n + more + x->contacts.count, error);
    if (status != TW_STATUS_OK) return status;
#define TW_COLUMN(type, name)                                                                      \
    if (n > 0) memcpy(to->bodies.name, from->bodies.name, n * sizeof *to->bodies.name);
#include "world/body_columns.def"
    to->bodies.count = n;
    return TW_STATUS_OK;
}

static void end(exchange *x)
{
    tw_state_free(&x->state);
    tw_schedule_free(&x->schedule);
    tw_contact_list_free(&x->contacts);
    tw_buffer_drop(&x->now);
    tw_buffer_drop(&x->ids);
}

static double kinetic(const exchange *x, size_t i)
{
    const tw_move_energy energy = tw_kick_energy(x->model, &x->state, i);
    return energy.translation + energy.rotation;
}

/* Those who leave take their kinetic energy with them. */
static tw_status mark(exchange *x, const uint32_t *ids, size_t count, tw_error *error)
{
    const size_t from = x->events->count;
    for (size_t k = 0; k < count; k++) {
        const size_t i = tw_sim_internal_index_of(x->sim, ids[k]);
        if (i == SIZE_MAX) return tw_sim_internal_no_body(x->sim, ids[k], error);
        if (x->now[i] == UINT32_MAX)
            return tw_error_set(error, TW_STATUS_INPUT, "body %u is given twice", ids[k]);
        x->now[i] = UINT32_MAX;
        const int booked =
            x->state.balance.started && !(x->state.bodies.flags[i] & TW_BODY_PRESENT);
        tw_events_add_body(x->events, &x->state, i, TW_EVENT_BODY_LEFT,
                           booked ? kinetic(x, i) : 0.0);
        if (booked) tw_kick_account(x->model, &x->state, i, -1.0);
        x->state.bodies.flags[i] |= TW_BODY_PRESENT; /* it holds no velocity */
    }
    tw_events_sort(x->events, from);
    return TW_STATUS_OK;
}

/* A contact ends: forces of its bodies change, and their present velocities stay. */
static void end_contact(exchange *x, size_t pair)
{
    tw_events_add_contact(x->events, &x->sim->state, &x->sim->schedule, pair,
                          TW_EVENT_CONTACT_ENDED);
    if (x->state.balance.started)
        tw_touch_force_change(x->model, &x->sim->state, &x->sim->schedule, pair, -1.0, UINT32_MAX,
                              &x->state);
}

static int is_of_wall(const exchange *x, const tw_pair *pair)
{
    return tw_pair_is_wall(pair) && pair->q == x->wall;
}

/* Those of bodies and a wall that leave. The list is in the order of pairs. */
static void end_contacts(exchange *x)
{
    const tw_pairs *pairs = &x->sim->schedule.pairs;
    const uint32_t *body = x->sim->schedule.spheres.body;
    tw_contact_list *c = &x->contacts;
    const size_t numbers = c->extra ? tw_contact_parts_numbers(c->parts) : 0, count = c->count;
    const size_t from = x->events->count;
    c->count = 0;
    for (size_t k = 0, pair = 0; k < count; k++, pair++) {
        while (!tw_pairs_touch(pairs, pair))
            pair++;
        const uint32_t p = body[c->pair[k].p],
                       q = tw_pair_is_wall(&c->pair[k]) ? p : body[c->pair[k].q];
        if (x->now[p] == UINT32_MAX || x->now[q] == UINT32_MAX || is_of_wall(x, &c->pair[k])) {
            end_contact(x, pair);
            continue;
        }
        const size_t at = c->count++;
        c->pair[at] = c->pair[k];
        c->memory[at] = c->memory[k];
        c->sliding[at] = c->sliding[k];
        if (numbers > 0 && at != k)
            memcpy(c->extra + at * numbers, c->extra + k * numbers, numbers * sizeof *c->extra);
    }
    tw_events_sort(x->events, from);
}

/* Nothing is left of them, not even roundings. */
static void clear_wall(tw_wall *wall)
{
    wall->force = wall->torque = tw_vec3_make(0.0, 0.0, 0.0);
    wall->stiffness = wall->damping = 0.0;
}

static void leave(exchange *x)
{
    tw_bodies *b = &x->state.bodies;
    const size_t count = b->count;
    b->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (x->now[i] == UINT32_MAX) continue;
        const size_t at = b->count++;
        x->now[i] = (uint32_t)at;
#define TW_COLUMN(type, name) b->name[at] = b->name[i];
#include "world/body_columns.def"
    }
    x->state.departed += count - b->count;
}

static tw_status come(exchange *x, const tw_body_def *defs, size_t count, tw_error *error)
{
    for (size_t k = 0; k < count; k++) {
        const size_t i = x->state.bodies.count;
        const tw_status status = tw_state_add_body(&x->state, error);
        if (status != TW_STATUS_OK) return status;
        tw_sim_body_put(x->model, &x->state.bodies, i, x->first + (uint32_t)k, &defs[k]);
        tw_events_add_body(x->events, &x->state, i, TW_EVENT_BODY_CAME, 0.0);
    }
    return TW_STATUS_OK;
}

static uint32_t renumber(const exchange *x, uint32_t sphere)
{
    const tw_spheres *before = &x->sim->schedule.spheres;
    const uint32_t body = before->body[sphere];
    return x->schedule.spheres.first[x->now[body]] + (sphere - before->first[body]);
}

/* Bodies and contacts are those of the new state. */
static tw_status keep(exchange *x, tw_error *error)
{
    tw_contact_list *c = &x->contacts;
    tw_status status = tw_schedule_reserve_spheres(x->model, &x->state, &x->schedule, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(x->model, &x->state, &x->schedule);
    for (size_t k = 0; k < c->count; k++) {
        c->pair[k].p = renumber(x, c->pair[k].p);
        if (!tw_pair_is_wall(&c->pair[k])) c->pair[k].q = renumber(x, c->pair[k].q);
    }
    status = tw_state_need_extras(&x->state, tw_model_extras(x->model), error);
    return status == TW_STATUS_OK ? tw_search_keep(&x->state, &x->schedule, c, error) : status;
}

/* ---- A prepared simulation ---- */

/* Contacts that have begun are those of bodies that come, or of a wall. */
static void begin_contacts(exchange *x)
{
    const size_t from = x->events->count;
    const tw_pairs *pairs = &x->schedule.pairs;
    const uint32_t *id = x->state.bodies.id, *body = x->schedule.spheres.body;
    for (size_t k = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const tw_pair *pair = &pairs->pair[k];
        const uint32_t p = body[pair->p], q = tw_pair_is_wall(pair) ? p : body[pair->q];
        if (id[p] < x->first && id[q] < x->first && !is_of_wall(x, pair)) continue;
        tw_touch_force_change(x->model, &x->state, &x->schedule, k, 1.0, x->first, &x->state);
        tw_events_add_contact(x->events, &x->state, &x->schedule, k, TW_EVENT_CONTACT_BEGAN);
    }
    tw_events_sort(x->events, from);
}

/* Bodies that have come are in the cell, and move. */
static void complete_events(exchange *x)
{
    for (size_t k = x->had; k < x->events->count; k++) {
        tw_event *e = &x->events->event[k];
        if (e->kind != TW_EVENT_BODY_CAME) continue;
        const size_t i = x->schedule.spheres.index_of[e->body_p];
        e->energy = kinetic(x, i);
        e->x = x->state.bodies.x[i];
    }
}

/* List, contacts, forces, dt and velocities. */
static tw_status prepare(exchange *x, tw_error *error)
{
    tw_state *state = &x->state;
    tw_status status = tw_step_relist(x->model, state, &x->schedule, error);
    if (status == TW_STATUS_OK)
        status = tw_events_reserve(x->events, tw_schedule_contacts(&x->schedule), error);
    if (status != TW_STATUS_OK) return status;
    begin_contacts(x);
    status = tw_touch_explain(x->model, state, &x->schedule, error);
    for (size_t i = 0; i < state->bodies.count && status == TW_STATUS_OK; i++)
        if (state->bodies.id[i] >= x->first && !(state->bodies.flags[i] & TW_BODY_PRESENT))
            tw_kick_account(x->model, state, i, 1.0);
    if (status == TW_STATUS_OK) status = tw_step_renew_dt(x->model, state, &x->schedule, error);
    if (status == TW_STATUS_OK) tw_kick_convert(x->model, state);
    if (status == TW_STATUS_OK) complete_events(x);
    return status;
}

static void take(exchange *x, tw_sim *sim)
{
    const tw_state state = sim->state;
    const tw_schedule schedule = sim->schedule;
    uint32_t *ids = sim->ids;
    sim->state = x->state;
    sim->schedule = x->schedule;
    sim->schedule.events = schedule.events;
    sim->ids = x->ids;
    sim->id_capacity = x->id_capacity;
    x->state = state;
    x->schedule = schedule;
    x->ids = ids;
    tw_servo_forget(&sim->servo);
}

/* `wall` comes or goes; SIZE_MAX: none. */
static tw_status exchange_bodies(tw_sim *sim, const uint32_t *gone, size_t leaving,
                                 const tw_body_def *defs, size_t coming, size_t wall,
                                 tw_error *error)
{
    exchange x;
    tw_status status = begin(&x, sim, coming, error);
    x.wall = wall;
    if (status == TW_STATUS_OK && wall != SIZE_MAX) x.state.walls[wall].absent ^= 1;
    if (status == TW_STATUS_OK) status = mark(&x, gone, leaving, error);
    if (status == TW_STATUS_OK) {
        end_contacts(&x);
        if (wall != SIZE_MAX) clear_wall(&x.state.walls[wall]);
        leave(&x);
        status = come(&x, defs, coming, error);
    }
    if (status == TW_STATUS_OK) status = keep(&x, error);
    if (status == TW_STATUS_OK && tw_sim_is_prepared(sim) && x.state.bodies.count > 0)
        status = prepare(&x, error);
    if (status == TW_STATUS_OK)
        status =
            tw_sim_internal_order_ids(&x.state, &x.schedule.spheres, &x.ids, &x.id_capacity, error);
    if (status == TW_STATUS_OK)
        take(&x, sim);
    else
        sim->events.count = x.had;
    end(&x);
    return status;
}

/* ---- On a device ---- */

/* The ids that there will be; NULL: 0, 1, 2 ..., or some that are wrong, or no memory, and then
 * *sound is 0. */
static uint32_t *ids_after(const tw_sim *sim, const uint32_t *gone, size_t leaving, size_t coming,
                           int *sound)
{
    const size_t n = sim->state.bodies.count;
    uint32_t *ids = calloc(n + coming + 1, sizeof *ids), at = 0;
    *sound = ids != NULL;
    for (size_t k = 0; k < leaving && *sound; k++) {
        const size_t row = tw_sim_body_row(sim, gone[k]);
        *sound = row != SIZE_MAX && !ids[row];
        if (*sound) ids[row] = 1;
    }
    for (size_t k = 0; k < n && *sound; k++)
        if (!ids[k]) ids[at++] = tw_sim_body_id(sim, k);
    for (size_t k = 0; k < coming && *sound; k++)
        ids[at++] = tw_sim_next_id(sim) + (uint32_t)k;
    if (!*sound || sim->state.departed + leaving == 0) tw_buffer_drop(&ids);
    return ids;
}

/* *done: 0 if it is left to the host. */
static tw_status exchange_there(tw_sim *sim, const uint32_t *gone, size_t leaving,
                                const tw_body_def *defs, size_t coming, int *done, tw_error *error)
{
    const size_t n = sim->state.bodies.count + coming;
    tw_state more = {.bodies = {.count = 0}};
    tw_device_bodies by = {gone, leaving, &more.bodies, tw_sim_next_id(sim), &sim->events};
    tw_status status = TW_STATUS_OK;
    *done = 0;
    if (sim->failed || !tw_sim_is_prepared(sim) || sim->owner == TW_SIM_OWNER_HOST) return status;
    uint32_t *ids = ids_after(sim, gone, leaving, coming, done);
    if (*done) status = tw_state_reserve_bodies(&sim->state, n, error);
    for (size_t k = 0; k < coming && *done && status == TW_STATUS_OK; k++) {
        status = tw_state_add_body(&more, error);
        if (status == TW_STATUS_OK)
            tw_sim_body_put(&sim->model, &more.bodies, k, by.first + (uint32_t)k, &defs[k]);
    }
    if (*done && status == TW_STATUS_OK) status = tw_sim_device_exchange(sim, &by, done, error);
    if (*done && status == TW_STATUS_OK) {
        tw_buffer_drop(&sim->ids);
        sim->ids = ids;
        sim->id_capacity = ids ? n : 0;
        ids = NULL;
    }
    tw_buffer_drop(&ids);
    tw_state_free(&more);
    return status;
}

/* ---- Everywhere ---- */

/* Brings the state; `what` is to be done with it. */
static tw_status open_state(tw_sim *sim, const char *what, tw_error *error)
{
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    if (tw_sim_is_prepared(sim) && (sim->place->traits & TW_SIM_DEVICE_DIVIDED))
        return tw_error_set(error, TW_STATUS_DEVICE,
                            "the device '%s' cannot %s bodies between steps: choose another one",
                            sim->place->name, what);
    tw_status status = sim->schedule.pending ? tw_sim_prepare(sim, error) : TW_STATUS_OK;
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    return status == TW_STATUS_OK ? tw_sim_device_list(sim, error) : status;
}

static tw_status add_all(tw_sim *sim, const tw_body_def *defs, size_t count, tw_error *error)
{
    tw_status status = tw_state_reserve_bodies(&sim->state, sim->state.bodies.count + count, error);
    if (status == TW_STATUS_OK && sim->state.departed > 0 &&
        tw_buffer_reserve(&sim->ids, &sim->id_capacity, sim->state.bodies.count + count,
                          sizeof *sim->ids) != TW_STATUS_OK)
        status = tw_error_set_memory(error);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        status = tw_sim_add_body(sim, &defs[k], NULL, error);
    return status;
}

tw_status tw_sim_add_bodies(tw_sim *sim, const tw_body_def *defs, size_t count, uint32_t *first_id,
                            tw_error *error)
{
    TW_CALL_HERE(sim && (defs || count == 0));
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_OTHER); /* and those of a search */
    tw_error_clear(error);
    const uint32_t first = tw_sim_next_id(sim);
    for (size_t k = 0; k < count; k++) {
        const char *wrong = tw_sim_body_wrong(sim, &defs[k]);
        if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "body %zu: %s", first + k, wrong);
    }
    if (count > UINT32_MAX / 2 - first)
        return tw_error_set(error, TW_STATUS_INPUT, "too many bodies: the limit is %u",
                            UINT32_MAX / 2);
    int done = 0;
    tw_status status =
        count > 0 ? exchange_there(sim, NULL, 0, defs, count, &done, error) : TW_STATUS_OK;
    if (status == TW_STATUS_OK && !done) status = open_state(sim, "add", error);
    if (status == TW_STATUS_OK && count > 0 && !done)
        status = tw_sim_is_prepared(sim)
                     ? exchange_bodies(sim, NULL, 0, defs, count, SIZE_MAX, error)
                     : add_all(sim, defs, count, error);
    if (status == TW_STATUS_OK && first_id) *first_id = first;
    return status;
}

tw_status tw_sim_remove_bodies(tw_sim *sim, const uint32_t *ids, size_t count, tw_error *error)
{
    TW_CALL_HERE(sim && (ids || count == 0));
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_OTHER); /* and those of a search */
    tw_error_clear(error);
    int done = 0;
    tw_status status =
        count > 0 ? exchange_there(sim, ids, count, NULL, 0, &done, error) : TW_STATUS_OK;
    if (status == TW_STATUS_OK && !done) status = open_state(sim, "remove", error);
    if (status != TW_STATUS_OK || count == 0 || done) return status;
    return exchange_bodies(sim, ids, count, NULL, 0, SIZE_MAX, error);
}

tw_status tw_sim_set_wall_present(tw_sim *sim, size_t wall, int present, tw_error *error)
{
    tw_wall_state now;
    TW_CALL_HERE(sim);
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_OTHER);
    tw_status status = tw_sim_get_wall(sim, wall, &now, error);
    if (status != TW_STATUS_OK || now.absent == !present) return status;
    if (now.servo || now.platen)
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: %s", wall,
                            now.servo ? "its servo needs it" : "it is a platen, which stays");
    status = open_state(sim, "add", error);
    return status == TW_STATUS_OK ? exchange_bodies(sim, NULL, 0, NULL, 0, wall, error) : status;
}
