/* SPDX-License-Identifier: BSD-3-Clause */
/* The public handle: making a simulation and filling it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/sim_inside.h"

tw_sim_def tw_sim_def_default(void)
{
    tw_sim_def def = {0};
    def.cell = tw_mat3_identity();
    def.periodic[0] = def.periodic[1] = def.periodic[2] = 1;
    def.law = tw_contact_law_default();
    def.density = 2650.0;
    def.dt_fraction = 0.5;
    def.mass_scale = 1.0;
    return def;
}

tw_body_def tw_body_def_default(void)
{
    tw_body_def def = {0};
    def.q = tw_quat_identity();
    return def;
}

tw_wall_def tw_wall_def_default(void)
{
    tw_wall_def def = {0};
    def.normal = tw_vec3_make(0.0, 0.0, 1.0);
    return def;
}

static int finite3(tw_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static const char *damping_wrong(double mass, double spin, double local)
{
    if (!(mass >= 0.0 && isfinite(mass))) return "damping_mass must be a finite number, 0 or above";
    if (!(spin >= 0.0 && isfinite(spin))) return "damping_spin must be a finite number, 0 or above";
    if (!(local >= 0.0 && local < 1.0)) return "damping_local must be 0 or above and below 1";
    return NULL;
}

static const char *def_wrong(const tw_sim_def *def)
{
    const double volume = tw_mat3_det(def->cell);
    const double edges = tw_vec3_norm(tw_mat3_column(def->cell, 0)) *
                         tw_vec3_norm(tw_mat3_column(def->cell, 1)) *
                         tw_vec3_norm(tw_mat3_column(def->cell, 2));
    if (!(fabs(volume) > 1e-6 * edges) || !isfinite(volume)) {
        return "cell must have three edges that span a volume";
    }
    const char *law = tw_contact_law_check(&def->law);
    if (law) return law;
    if (!(def->density > 0.0 && isfinite(def->density))) return "density must be above 0";
    if (!(def->mass_scale > 0.0 && isfinite(def->mass_scale))) return "mass_scale must be above 0";
    if (!(def->dt >= 0.0 && isfinite(def->dt))) return "dt must be 0 (chosen) or above";
    if (!(def->dt_fraction > 0.0 && def->dt_fraction <= 1.0)) {
        return "dt_fraction must be above 0 and at most 1";
    }
    if (!(def->skin >= 0.0 && isfinite(def->skin))) return "skin must be 0 (chosen) or above";
    if (!finite3(def->gravity)) return "gravity must be finite";
    return damping_wrong(def->damping_mass, def->damping_spin, def->damping_local);
}

static void apply_definition(tw_model *model, tw_state *state, const tw_sim_def *def)
{
    state->cell.h = state->cell.h_before = state->cell.h_ref = def->cell;
    state->cell.inverse = tw_mat3_inverse(def->cell);
    memcpy(state->cell.periodic, def->periodic, sizeof state->cell.periodic);
    model->law = def->law;
    model->density = def->density;
    model->mass_scale = def->mass_scale;
    model->gravity = def->gravity;
    state->dt = def->dt;
    model->dt_fraction = def->dt_fraction;
    model->dt_automatic = !(def->dt > 0.0);
    model->dt_forced = def->dt_forced;
    model->damping_mass = def->damping_mass;
    model->damping_spin = def->damping_spin;
    model->damping_local = def->damping_local;
    model->skin_requested = def->skin;
}

tw_sim *tw_sim_create(const tw_sim_def *def, tw_error *error)
{
    tw_error_clear(error);
    const char *wrong = def_wrong(def);
    if (wrong) {
        tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
        return NULL;
    }
    tw_sim *sim = tw_sim_inside_make(error);
    if (!sim) return NULL;
    sim->threads = def->threads;
    apply_definition(&sim->model, &sim->state, def);
    tw_shape sphere = {0};
    if (tw_shape_make_sphere(&sphere, error) != TW_STATUS_OK ||
        tw_model_add_shape(&sim->model, &sphere, error) != TW_STATUS_OK) {
        tw_shape_free(&sphere);
        tw_sim_free(sim);
        return NULL;
    }
    return sim;
}

void tw_sim_free(tw_sim *sim)
{
    if (!sim) return;
    tw_model_free(&sim->model);
    tw_state_free(&sim->state);
    tw_schedule_free(&sim->schedule);
    free(sim);
}

static int32_t add_shape(tw_sim *sim, tw_shape *shape, tw_error *error)
{
    if (tw_model_add_shape(&sim->model, shape, error) == TW_STATUS_OK)
        return (int32_t)sim->model.shape_count - 1;
    tw_shape_free(shape);
    return -1;
}

int32_t tw_sim_add_shape(tw_sim *sim, const tw_sphere *spheres, size_t count, tw_error *error)
{
    tw_shape shape;
    if (tw_shape_make(&shape, spheres, count, error) != TW_STATUS_OK) return -1;
    return add_shape(sim, &shape, error);
}

int32_t tw_sim_add_shape_bumpy(tw_sim *sim, int satellites, double satellite_radius,
                               double central_radius, double distance, tw_error *error)
{
    tw_shape shape;
    const tw_shape_bumpy bumpy = {satellites, satellite_radius, central_radius, distance};
    if (tw_shape_make_bumpy(&shape, &bumpy, error) != TW_STATUS_OK) return -1;
    return add_shape(sim, &shape, error);
}

/* The principal frame of a shape against the frame it was given in. */
static tw_quat frame_of(const tw_shape *shape)
{
    return tw_quat_from_matrix(tw_mat3_transpose(shape->axes));
}

static const char *body_wrong(const tw_sim *sim, const tw_body_def *def)
{
    const double norm =
        def->q.w * def->q.w + def->q.x * def->q.x + def->q.y * def->q.y + def->q.z * def->q.z;
    if (def->shape >= sim->model.shape_count) return "shape is not the number of a shape";
    if (!(def->size > 0.0 && isfinite(def->size))) return "size must be above 0";
    if (!finite3(def->x)) return "x must be finite";
    if (!finite3(def->v)) return "v must be finite";
    if (!finite3(def->w)) return "w must be finite";
    if (!(norm > 1e-12 && isfinite(norm))) return "q must be a rotation: a quaternion of length 1";
    return NULL;
}

/* Column `l` holds the angular velocity of a fixed body, the angular momentum of others. */
static void set_spin(tw_state *state, size_t i, tw_vec3 omega)
{
    tw_bodies *b = &state->bodies;
    if (b->flags[i] & TW_BODY_FIXED) {
        b->l[i] = omega;
        return;
    }
    const tw_vec3 o = tw_quat_rotate_back(b->q[i], omega), m = b->inertia[i];
    b->l[i] = tw_quat_rotate(b->q[i], tw_vec3_make(m.x * o.x, m.y * o.y, m.z * o.z));
}

tw_status tw_sim_add_body(tw_sim *sim, const tw_body_def *def, tw_error *error)
{
    const tw_model *model = &sim->model;
    tw_state *state = &sim->state;
    tw_bodies *b = &state->bodies;
    const size_t i = b->count;
    const char *wrong = body_wrong(sim, def);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "body %zu: %s", i, wrong);
    const tw_status status = tw_state_add_body(state, error);
    if (status != TW_STATUS_OK) return status;
    const tw_shape *shape = &model->shapes[def->shape];
    const double rho = model->density * model->mass_scale;
    b->id[i] = (uint32_t)i;
    b->shape[i] = def->shape;
    b->flags[i] = def->fixed ? TW_BODY_FIXED : 0;
    b->size[i] = def->size;
    b->mass[i] = rho * tw_shape_volume(shape, def->size);
    b->inertia[i] = tw_vec3_scale(rho, tw_shape_moments(shape, def->size));
    b->x[i] = def->x;
    b->q[i] = tw_quat_mul(tw_quat_normalise(def->q), frame_of(shape));
    b->v[i] = def->v;
    set_spin(state, i, def->w);
    sim->schedule.valid = 0;
    return TW_STATUS_OK;
}

size_t tw_sim_bodies(const tw_sim *sim)
{
    return sim->state.bodies.count;
}

tw_body_state tw_sim_body(const tw_sim *sim, uint32_t id)
{
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_bodies *b = &state->bodies;
    const size_t i = tw_sim_inside_index_of(sim, id);
    const tw_shape *shape = &model->shapes[b->shape[i]];
    tw_body_state s = {0};
    s.id = id;
    s.shape = b->shape[i];
    s.size = b->size[i];
    s.mass = b->mass[i];
    s.inertia = b->inertia[i];
    s.x = b->x[i];
    s.q = tw_quat_mul(b->q[i], tw_quat_conj(frame_of(shape)));
    s.axes = b->q[i];
    s.v = b->v[i];
    s.fixed = (b->flags[i] & TW_BODY_FIXED) != 0;
    const tw_vec3 l = tw_quat_rotate_back(b->q[i], b->l[i]), m = b->inertia[i];
    s.w =
        s.fixed ? b->l[i] : tw_quat_rotate(b->q[i], tw_vec3_make(l.x / m.x, l.y / m.y, l.z / m.z));
    s.force = tw_vec3_add_scaled(b->force[i], b->mass[i], model->gravity);
    s.torque = b->torque[i];
    return s;
}

void tw_sim_set_body_velocity(tw_sim *sim, uint32_t id, tw_vec3 v, tw_vec3 omega)
{
    const size_t i = tw_sim_inside_index_of(sim, id);
    sim->state.bodies.v[i] = v;
    set_spin(&sim->state, i, omega);
}

int32_t tw_sim_add_wall(tw_sim *sim, const tw_wall_def *def, tw_error *error)
{
    tw_state *state = &sim->state;
    const double length = tw_vec3_norm(def->normal);
    if (!(length > 0.0) || !finite3(def->normal) || !finite3(def->point) || !finite3(def->v)) {
        tw_error_set(error, TW_STATUS_INPUT,
                     "wall %zu: point, normal and v must be finite, normal not zero",
                     state->wall_count);
        return -1;
    }
    if (def->servo && !(def->force >= 0.0 && isfinite(def->force) && def->gain >= 0.0)) {
        tw_error_set(error, TW_STATUS_INPUT, "wall %zu: force and gain must be 0 or above",
                     state->wall_count);
        return -1;
    }
    tw_wall wall = {0};
    wall.point = def->point;
    wall.normal = tw_vec3_scale(1.0 / length, def->normal);
    wall.v = def->v;
    wall.servo = def->servo != 0;
    wall.target = def->force;
    wall.gain = def->gain; /* 0: chosen when the step is known */
    wall.v_max = def->v_max;
    const int edge = tw_sim_inside_edge_across(state, &wall);
    if (edge >= 0) {
        tw_error_set(error, TW_STATUS_INPUT,
                     "wall %zu: normal (%g %g %g) has a part along edge %d of the cell, which is "
                     "periodic: choose a normal perpendicular to that edge, or a cell that is not "
                     "periodic along it",
                     state->wall_count, def->normal.x, def->normal.y, def->normal.z, edge);
        return -1;
    }
    if (tw_state_add_wall(state, &wall, error) != TW_STATUS_OK) return -1;
    sim->schedule.valid = 0;
    return (int32_t)state->wall_count - 1;
}

size_t tw_sim_walls(const tw_sim *sim)
{
    return sim->state.wall_count;
}

tw_wall_state tw_sim_wall(const tw_sim *sim, size_t wall)
{
    const tw_wall *w = &sim->state.walls[wall];
    return (tw_wall_state){w->point, w->normal, w->v, w->force, w->servo};
}

void tw_sim_set_wall_velocity(tw_sim *sim, size_t wall, tw_vec3 v)
{
    sim->state.walls[wall].v = v;
}

tw_status tw_sim_set_damping(tw_sim *sim, double mass, double spin, double local, tw_error *error)
{
    const char *wrong = damping_wrong(mass, spin, local);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
    sim->model.damping_mass = mass;
    sim->model.damping_spin = spin;
    sim->model.damping_local = local;
    return TW_STATUS_OK;
}
