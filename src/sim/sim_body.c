/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/sim.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "search/rearrange.h"
#include "sim/sim_body.h"
#include "sim/sim_internal.h"
#include "step/move.h"
#include "step/stable.h"

tw_body_def tw_body_def_default(void)
{
    tw_body_def def = {.struct_size = sizeof def};
    def.q = tw_quat_identity();
    def.type = 1;
    return def;
}

/* Bodies as a caller sees them: by id, with velocities at the present time. */

/* The principal frame of a shape in the frame in which it was given. */
static tw_quat frame_of(const tw_shape *shape)
{
    return tw_quat_from_matrix(tw_mat3_transpose(shape->axes));
}

const char *tw_sim_body_wrong(const tw_sim *sim, const tw_body_def *def)
{
    if (def->struct_size != sizeof *def) return "tw_body_def was not made by tw_body_def_default";
    const double norm =
        def->q.w * def->q.w + def->q.x * def->q.x + def->q.y * def->q.y + def->q.z * def->q.z;
    if (def->shape >= sim->model.shape_count) return "there is no such shape";
    if (!(def->size > 0.0 && isfinite(def->size))) return "size must be positive";
    if (!tw_sim_internal_is_finite(def->x)) return "x must be finite";
    if (!tw_sim_internal_is_finite(def->v)) return "v must be finite";
    if (!tw_sim_internal_is_finite(def->w)) return "w must be finite";
    if (!(norm > 1e-12 && isfinite(norm))) return "q must be a unit quaternion";
    if (def->type == 0) return "type must be at least 1";
    if (def->material >= sim->model.material_count) return "there is no such material";
    return NULL;
}

/* Column `l` holds the angular velocity of a fixed body, the angular momentum of others. */
static tw_vec3 momentum_of(const tw_bodies *b, size_t i, tw_vec3 omega)
{
    if (b->flags[i] & TW_BODY_FIXED) return omega;
    const tw_vec3 o = tw_quat_rotate_back(b->q[i], omega), m = b->inertia[i];
    return tw_quat_rotate(b->q[i], tw_vec3_make(m.x * o.x, m.y * o.y, m.z * o.z));
}

static tw_vec3 omega_of(const tw_bodies *b, size_t i, tw_vec3 momentum)
{
    return b->flags[i] & TW_BODY_FIXED ? momentum : tw_kick_omega(b, i, momentum);
}

void tw_sim_body_put(const tw_model *model, tw_bodies *b, size_t i, uint32_t id,
                     const tw_body_def *def)
{
    const tw_shape *shape = &model->shapes[def->shape];
    const double rho = model->materials[def->material].density * model->mass_scale;
    b->id[i] = id;
    b->shape[i] = def->shape;
    b->flags[i] = def->fixed ? TW_BODY_FIXED : def->half_step ? 0 : TW_BODY_PRESENT;
    b->size[i] = def->size;
    b->mass[i] = rho * tw_shape_volume(shape, def->size);
    b->inertia[i] = tw_vec3_scale(rho, tw_shape_moments(shape, def->size));
    b->type[i] = def->type;
    b->material[i] = def->material;
    b->x[i] = b->x_start[i] = def->x;
    b->q[i] = tw_quat_mul(tw_quat_normalise(def->q), frame_of(shape));
    b->v[i] = def->v;
    b->l[i] = momentum_of(b, i, def->w);
}

static void sizes_add(tw_sim_sizes *sizes, const tw_model *model, const tw_bodies *b, size_t i)
{
    const double density = model->materials[b->material[i]].density * model->mass_scale;
    const double volume = b->mass[i] / density;
    sizes->mass += b->mass[i];
    sizes->volume += volume;
    const double diameter = tw_math_cbrt(6.0 / TW_MATH_PI * volume);
    sizes->diameter += diameter;
    sizes->largest = tw_math_max(sizes->largest, diameter);
}

tw_status tw_sim_add_body(tw_sim *sim, const tw_body_def *def, uint32_t *id, tw_error *error)
{
    TW_CALL_HERE(sim && def);
    const tw_model *model = &sim->model;
    tw_state *state = &sim->state;
    tw_bodies *b = &state->bodies;
    const size_t i = b->count;
    const uint32_t new = tw_sim_next_id(sim);
    tw_error_clear(error);
    const char *wrong = tw_sim_body_wrong(sim, def);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "body %u: %s", new, wrong);
    tw_status status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK && state->departed > 0)
        status = tw_buffer_reserve(&sim->ids, &sim->id_capacity, i + 1, sizeof *sim->ids);
    if (status == TW_STATUS_OK) status = tw_events_reserve(&sim->events, 1, error);
    if (status == TW_STATUS_OK) status = tw_state_add_body(state, error);
    if (status != TW_STATUS_OK) return status;
    tw_sim_body_put(model, b, i, new, def);
    tw_events_add_body(&sim->events, state, i, TW_EVENT_BODY_CAME, 0.0);
    if (state->departed > 0) sim->ids[i] = new;
    sim->schedule.valid = 0;
    if (id) *id = new;
    return TW_STATUS_OK;
}

/* ---- Bodies that the device makes ---- */

/* What their numbers follow from, one after the other: no more than one is here. */
typedef struct outline {
    const tw_model *model;
    tw_state one;
    double radii, bound;
    size_t spheres;
    tw_stable_limit limit;
    tw_sim_sizes sizes;
} outline;

static void outline_add(outline *o, uint32_t id, const tw_body_def *def)
{
    const tw_model *model = o->model;
    const tw_bodies *b = &o->one.bodies;
    tw_sim_body_put(model, &o->one.bodies, 0, id, def);
    o->radii += tw_rearrange_radius(model, b, 0);
    o->spheres += model->shapes[def->shape].count;
    o->bound = tw_math_max(o->bound, tw_list_bound(model, &o->one, 0));
    tw_stable_limit limit = tw_stable_is_uniform(model, tw_model_extras(model))
                                ? tw_stable_of_uniform(model, &o->one, 0, 0)
                                : tw_stable_of_body(model, &o->one, NULL, 0, 0);
    limit.body = id;
    if (limit.dt < o->limit.dt) o->limit = limit;
    sizes_add(&o->sizes, model, b, 0);
}

/* The numbers of a prepared state: without contacts, at rest. */
static tw_status prepare_outline(tw_sim *sim, uint64_t count, tw_sim_body_fn body, void *context,
                                 outline *o, tw_error *error)
{
    tw_state *state = &sim->state;
    const double skin = sim->model.skin_requested;
    state->skin = skin > 0.0 ? skin : tw_rearrange_skin(o->radii, count);
    sim->schedule.bound = o->bound;
    state->cell.h_ref = state->cell.h_before = state->cell.h;
    state->balance = (tw_energy_balance){.started = 1};
    o->sizes.diameter /= (double)count;
    sim->sizes = o->sizes;
    sim->bodies = (tw_servo_bodies){.diameter = o->sizes.diameter,
                                    .density = o->sizes.mass / o->sizes.volume};
    sim->schedule.spheres.count = o->spheres;
    if (tw_stable_choose(&sim->model, state, o->limit.dt)) return TW_STATUS_OK;
    tw_body_def def;
    body(o->limit.body, &def, context);
    tw_sim_body_put(&sim->model, &o->one.bodies, 0, (uint32_t)o->limit.body, &def);
    o->one.dt = state->dt;
    o->limit.body = 0;
    return tw_stable_refuse(&o->one, &o->limit, error);
}

tw_status tw_sim_make_bodies(tw_sim *sim, uint64_t count, tw_sim_body_fn body, void *context,
                             const char *recipe, tw_sim_make_result *made, tw_error *error)
{
    int there, room = 0;
    TW_CALL_HERE(sim && recipe && made);
    tw_error_clear(error);
    *made = TW_SIM_MAKE_UNSUPPORTED;
    tw_status status = tw_sim_device_generates(sim, &there, error);
    if (status != TW_STATUS_OK || !there) return status;
    outline o = {.model = &sim->model, .limit.dt = DBL_MAX};
    tw_state_init(&o.one);
    o.one.cell = sim->state.cell;
    status = tw_state_add_body(&o.one, error);
    for (uint64_t id = 0; id < count && status == TW_STATUS_OK; id++) {
        tw_body_def def;
        body(id, &def, context);
        const char *wrong = tw_sim_body_wrong(sim, &def);
        if (wrong)
            status = tw_error_set(error, TW_STATUS_INPUT, "body %llu: %s", (unsigned long long)id,
                                  wrong);
        else
            outline_add(&o, (uint32_t)id, &def);
    }
    if (status == TW_STATUS_OK) status = prepare_outline(sim, count, body, context, &o, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_generate(sim, count, recipe, &room, error);
    if (status == TW_STATUS_OK) *made = room ? TW_SIM_MAKE_DONE : TW_SIM_MAKE_NO_ROOM;
    tw_state_free(&o.one);
    return status;
}

tw_status tw_sim_get_sizes(const tw_sim *sim, tw_sim_sizes *out, tw_error *error)
{
    TW_CALL_HERE(sim && out);
    const tw_bodies *b = &sim->state.bodies;
    tw_error_clear(error);
    *out = sim->sizes;
    if (sim->valid & TW_SIM_VALID_SIZES) return TW_STATUS_OK;
    const tw_status status = tw_sim_device_fetch(sim, error);
    *out = (tw_sim_sizes){0.0, 0.0, 0.0, 0.0};
    for (size_t k = 0; k < b->count && status == TW_STATUS_OK; k++)
        sizes_add(out, &sim->model, b, tw_sim_internal_index_of(sim, tw_sim_body_id(sim, k)));
    out->diameter /= (double)b->count;
    return status;
}

size_t tw_sim_body_count(const tw_sim *sim)
{
    return sim->state.bodies.count;
}

static tw_status find_body(const tw_sim *sim, uint32_t id, size_t *index, tw_error *error)
{
    tw_error_clear(error);
    const tw_status status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    *index = tw_sim_internal_index_of(sim, id);
    return *index != SIZE_MAX ? TW_STATUS_OK : tw_sim_internal_no_body(sim, id, error);
}

/* Where the body would be if it had never been wrapped. */
static tw_vec3 unwrapped(const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    return tw_vec3_add(b->x[i], tw_mat3_mul_vec(state->cell.h, b->image[i]));
}

void tw_sim_reset_displacements(tw_sim *sim)
{
    tw_bodies *b = &sim->state.bodies;
    const int there = tw_sim_device_streams(sim);
    if (!there && tw_sim_device_fetch(sim, NULL) != TW_STATUS_OK)
        return; /* the next call that can return an error reports it */
    for (size_t i = 0; i < b->count && !there; i++) {
        b->x_start[i] = b->x[i];
        b->image[i] = tw_vec3_make(0.0, 0.0, 0.0);
    }
    if (sim->owner != TW_SIM_OWNER_HOST)
        sim->device->kind->reset_displacements(sim->device->own, &sim->state);
}

tw_status tw_sim_set_body_type(tw_sim *sim, uint32_t id, uint32_t type, tw_error *error)
{
    assert(sim);
    size_t i;
    const tw_status status = find_body(sim, id, &i, error);
    if (status != TW_STATUS_OK) return status;
    if (type == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "body %u: type must be at least 1", id);
    sim->state.bodies.type[i] = type;
    return tw_sim_device_take(sim, error); /* find_body has brought the arrays */
}

tw_status tw_sim_get_body(const tw_sim *sim, uint32_t id, tw_body_state *out, tw_error *error)
{
    TW_CALL_HERE(sim && out);
    const tw_model *model = &sim->model;
    const tw_bodies *b = &sim->state.bodies;
    const tw_vec3 unknown = tw_sim_internal_unknown();
    size_t i;
    const tw_status status = find_body(sim, id, &i, error);
    if (status != TW_STATUS_OK) return status;
    const tw_shape *shape = &model->shapes[b->shape[i]];
    const tw_kick_velocity present = tw_kick_present(model, &sim->state, i);
    tw_body_state s = {0};
    s.id = id;
    s.shape = b->shape[i];
    s.size = b->size[i];
    s.mass = b->mass[i];
    s.inertia = b->inertia[i];
    s.x = b->x[i];
    s.q = tw_quat_mul(b->q[i], tw_quat_conj(frame_of(shape)));
    s.axes = b->q[i];
    s.v = present.v;
    s.w = omega_of(b, i, present.l);
    s.v_half = b->v[i];
    s.w_half = omega_of(b, i, b->l[i]);
    s.fixed = (b->flags[i] & TW_BODY_FIXED) != 0;
    s.type = b->type[i];
    s.material = b->material[i];
    s.displacement = tw_vec3_sub(unwrapped(&sim->state, i), b->x_start[i]);
    s.force = s.torque = unknown;
    if (tw_sim_is_prepared(sim)) {
        s.force = tw_vec3_add_scaled(b->force[i], b->mass[i], model->gravity);
        s.torque = b->torque[i];
    }
    *out = s;
    return TW_STATUS_OK;
}

double tw_sim_body_volume(const tw_sim *sim, const tw_body_state *body)
{
    assert(sim && body);
    return body->mass / (tw_sim_material_density(sim, body->material) * sim->model.mass_scale);
}

tw_status tw_sim_get_bodies(const tw_sim *sim, tw_body_state *out, size_t capacity, tw_error *error)
{
    TW_CALL_HERE(sim && (out || capacity == 0));
    const size_t count = sim->state.bodies.count;
    tw_status status = TW_STATUS_OK;
    tw_error_clear(error);
    if (capacity < count) return tw_error_set_count(error, "bodies", count, capacity);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        status = tw_sim_get_body(sim, tw_sim_body_id(sim, k), &out[k], error);
    return status;
}

tw_status tw_sim_get_body_columns(const tw_sim *sim, tw_body_columns *out, tw_error *error)
{
    TW_CALL_HERE(sim && out);
    const tw_bodies *b = &sim->state.bodies;
    tw_error_clear(error);
    const tw_status status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    *out = (tw_body_columns){.count = b->count,
                             .id = b->id,
                             .shape = b->shape,
                             .type = b->type,
                             .material = b->material,
                             .size = b->size,
                             .mass = b->mass,
                             .inertia = b->inertia,
                             .x = b->x,
                             .axes = b->q,
                             .v_half = b->v,
                             .force = b->force,
                             .torque = b->torque};
    return TW_STATUS_OK;
}

/* Before the simulation is prepared the velocity is kept as it is, with a flag, and its energy is
 * in no balance. */
tw_status tw_sim_set_body_velocity(tw_sim *sim, uint32_t id, tw_vec3 v, tw_vec3 w, tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_state *state = &sim->state;
    tw_bodies *b = &state->bodies;
    size_t i;
    const tw_status status = find_body(sim, id, &i, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_sim_internal_is_finite(v) || !tw_sim_internal_is_finite(w))
        return tw_error_set(error, TW_STATUS_INPUT, "body %u: v and w must be finite", id);
    const tw_kick_velocity given = {v, momentum_of(b, i, w)};
    (void)tw_sim_device_take(sim, NULL); /* find_body has brought the arrays */
    const int counted = state->balance.started && !(b->flags[i] & TW_BODY_PRESENT);
    if (counted) tw_kick_account(&sim->model, state, i, -1.0);
    if (tw_sim_is_prepared(sim)) {
        tw_kick_set(&sim->model, state, i, given);
        tw_kick_account(&sim->model, state, i, 1.0);
        return TW_STATUS_OK;
    }
    b->v[i] = given.v;
    b->l[i] = given.l;
    if (!(b->flags[i] & TW_BODY_FIXED)) b->flags[i] |= TW_BODY_PRESENT;
    return TW_STATUS_OK;
}

size_t tw_sim_sphere_count(const tw_sim *sim)
{
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_schedule *schedule = &sim->schedule;
    size_t count = 0;
    if (schedule->valid) return schedule->spheres.count;
    for (size_t i = 0; i < state->bodies.count; i++)
        count += model->shapes[state->bodies.shape[i]].count;
    return count;
}

tw_status tw_sim_get_spheres(const tw_sim *sim, tw_sphere_state *out, size_t capacity,
                             tw_error *error)
{
    TW_CALL_HERE(sim && (out || capacity == 0));
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_bodies *b = &state->bodies;
    size_t at = 0;
    tw_error_clear(error);
    const tw_status status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    const size_t count = tw_sim_sphere_count(sim);
    if (capacity < count) return tw_error_set_count(error, "spheres", count, capacity);
    for (size_t row = 0; row < b->count; row++) {
        const uint32_t id = tw_sim_body_id(sim, row);
        const size_t i = tw_sim_internal_index_of(sim, id);
        const tw_shape *shape = &model->shapes[b->shape[i]];
        for (uint32_t k = 0; k < shape->count; k++) {
            const tw_vec3 offset = tw_vec3_scale(b->size[i], shape->spheres[k].centre);
            out[at++] = (tw_sphere_state){tw_vec3_add(b->x[i], tw_quat_rotate(b->q[i], offset)),
                                          b->size[i] * shape->spheres[k].radius, id, k};
        }
    }
    return TW_STATUS_OK;
}
