/* SPDX-License-Identifier: BSD-3-Clause */
/* Creating a simulation; its shapes and settings. */
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "sim/sim_internal.h"
#include "step/step.h"

tw_sim_def tw_sim_def_default(void)
{
    tw_sim_def def = {.struct_size = sizeof def};
    def.cell = tw_mat3_identity();
    def.periodic[0] = def.periodic[1] = def.periodic[2] = 1;
    def.law = tw_contact_law_default();
    def.density = 2650.0;
    def.dt_fraction = 0.5;
    def.mass_scale = 1.0;
    return def;
}

static const char *damping_wrong(double mass, double spin, double local)
{
    if (!(mass >= 0.0 && isfinite(mass))) return "damping_mass must be finite and not negative";
    if (!(spin >= 0.0 && isfinite(spin))) return "damping_spin must be finite and not negative";
    if (!(local >= 0.0 && local < 1.0)) return "damping_local must be at least 0 and below 1";
    return NULL;
}

static const char *def_wrong(const tw_sim_def *def)
{
    if (def->struct_size != sizeof *def) return "tw_sim_def was not made by tw_sim_def_default";
    const double volume = tw_mat3_det(def->cell);
    const double edges = tw_vec3_norm(tw_mat3_column(def->cell, 0)) *
                         tw_vec3_norm(tw_mat3_column(def->cell, 1)) *
                         tw_vec3_norm(tw_mat3_column(def->cell, 2));
    if (!(fabs(volume) > 1e-6 * edges) || !isfinite(volume)) {
        return "cell must have three edges that span a volume";
    }
    const char *law = tw_contact_law_check(&def->law);
    if (law) return law;
    if (!(def->density > 0.0 && isfinite(def->density))) return "density must be positive";
    if (!(def->mass_scale > 0.0 && isfinite(def->mass_scale))) return "mass_scale must be positive";
    if (!(def->dt >= 0.0 && isfinite(def->dt))) return "dt must be 0 (automatic) or positive";
    if (!(def->dt_fraction > 0.0 && def->dt_fraction <= 1.0)) {
        return "dt_fraction must be positive and at most 1";
    }
    if (!(def->skin >= 0.0 && isfinite(def->skin))) return "skin must be 0 (automatic) or positive";
    if (!tw_sim_internal_is_finite(def->gravity)) return "gravity must be finite";
    return damping_wrong(def->damping_mass, def->damping_spin, def->damping_local);
}

static void apply_definition(tw_model *model, tw_state *state, const tw_sim_def *def)
{
    state->cell.h = state->cell.h_before = state->cell.h_ref = def->cell;
    state->cell.inverse = tw_mat3_inverse(def->cell);
    memcpy(state->cell.periodic, def->periodic, sizeof state->cell.periodic);
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

static tw_status add_shape(tw_sim *sim, tw_shape *shape, uint32_t *number, tw_error *error)
{
    tw_status status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_model_add_shape(&sim->model, shape, error);
    if (status != TW_STATUS_OK)
        tw_shape_free(shape);
    else if (number)
        *number = (uint32_t)sim->model.shape_count - 1;
    return status;
}

/* The first material with its law, and shape 0: a sphere. */
static tw_status add_first(tw_sim *sim, const tw_sim_def *def, tw_error *error)
{
    tw_shape sphere = {0};
    tw_status status = tw_model_add_material(&sim->model, "grains", def->density, error);
    if (status != TW_STATUS_OK) return status;
    sim->model.laws[0] = def->law;
    status = tw_state_need_extras(&sim->state, tw_model_extras(&sim->model), error);
    if (status == TW_STATUS_OK) status = tw_shape_make_sphere(&sphere, error);
    return status == TW_STATUS_OK ? add_shape(sim, &sphere, NULL, error) : status;
}

tw_sim *tw_sim_create(const tw_sim_def *def, tw_error *error)
{
    TW_CALL_HERE(def);
    tw_error_clear(error);
    const char *wrong = def_wrong(def);
    if (wrong) {
        tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
        return NULL;
    }
    const tw_device_place *place = tw_device_find(def->device, error);
    if (!place) return NULL;
    tw_sim *sim = tw_sim_internal_make(error);
    if (!sim) return NULL;
    sim->place = place;
    sim->threads = def->threads;
    apply_definition(&sim->model, &sim->state, def);
    if (add_first(sim, def, error) == TW_STATUS_OK) return sim;
    tw_sim_free(sim);
    return NULL;
}

void tw_sim_free(tw_sim *sim)
{
    if (!sim) return;
    tw_device_close(sim->device);
    tw_model_free(&sim->model);
    tw_state_free(&sim->state);
    tw_schedule_free(&sim->schedule);
    tw_buffer_drop(&sim->ids);
    tw_events_free(&sim->events);
    free(sim);
}

tw_status tw_sim_add_shape(tw_sim *sim, const tw_sphere *spheres, size_t count, uint32_t *number,
                           tw_error *error)
{
    TW_CALL_HERE(sim && (spheres || count == 0));
    tw_error_clear(error);
    tw_shape shape;
    const tw_status status = tw_shape_make(&shape, spheres, count, error);
    return status == TW_STATUS_OK ? add_shape(sim, &shape, number, error) : status;
}

tw_status tw_sim_add_shape_bumpy(tw_sim *sim, int satellites, double satellite_radius,
                                 double central_radius, double distance, uint32_t *number,
                                 tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_error_clear(error);
    tw_shape shape;
    const tw_shape_bumpy bumpy = {satellites, satellite_radius, central_radius, distance};
    const tw_status status = tw_shape_make_bumpy(&shape, &bumpy, error);
    return status == TW_STATUS_OK ? add_shape(sim, &shape, number, error) : status;
}

tw_status tw_sim_set_damping(tw_sim *sim, double mass, double spin, double local, tw_error *error)
{
    assert(sim);
    const char *wrong = damping_wrong(mass, spin, local);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
    sim->model.damping_mass = mass;
    sim->model.damping_spin = spin;
    sim->model.damping_local = local;
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}

/* Settings that may change between steps, and the quantities that a step changes. */

void tw_sim_set_threads(tw_sim *sim, int threads)
{
    sim->threads = threads;
}

int tw_sim_threads(const tw_sim *sim)
{
    return sim->threads > 0 ? sim->threads : tw_parallel_default();
}

void tw_sim_set_velocity_gradient(tw_sim *sim, const tw_mat3 *gradient)
{
    assert(sim && gradient);
    sim->state.cell.gradient = *gradient;
    sim->servo.on = 0;
    tw_sim_device_renew(sim);
}

tw_mat3 tw_sim_velocity_gradient(const tw_sim *sim)
{
    return sim->state.cell.gradient;
}

void tw_sim_set_gravity(tw_sim *sim, tw_vec3 gravity)
{
    sim->model.gravity = gravity;
    tw_sim_device_renew(sim);
}

tw_status tw_sim_set_dt(tw_sim *sim, double dt, int forced, tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_model *model = &sim->model;
    if (!(dt >= 0.0 && dt < 1e300))
        return tw_error_set(error, TW_STATUS_INPUT, "dt must be 0 (automatic) or positive, not %g",
                            dt);
    tw_status status = tw_sim_device_take(sim, error); /* velocities change, too */
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    const int32_t old_automatic = model->dt_automatic, old_forced = model->dt_forced;
    model->dt_automatic = !(dt > 0.0);
    model->dt_forced = forced;
    status = tw_step_set_dt(model, &sim->state, &sim->schedule, dt, error);
    if (status != TW_STATUS_OK) {
        model->dt_automatic = old_automatic;
        model->dt_forced = old_forced;
    }
    return status;
}

double tw_sim_time(const tw_sim *sim)
{
    return sim->state.time;
}

uint64_t tw_sim_steps(const tw_sim *sim)
{
    return sim->state.steps;
}

double tw_sim_dt(const tw_sim *sim)
{
    return sim->state.dt;
}

tw_mat3 tw_sim_cell(const tw_sim *sim)
{
    return sim->state.cell.h;
}

tw_sim_def tw_sim_get_definition(const tw_sim *sim)
{
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    tw_sim_def def = tw_sim_def_default();
    def.cell = state->cell.h;
    for (int k = 0; k < 3; k++)
        def.periodic[k] = state->cell.periodic[k];
    def.law = model->laws[0];
    def.density = model->materials[0].density;
    def.gravity = model->gravity;
    def.dt = model->dt_automatic ? 0.0 : state->dt;
    def.dt_fraction = model->dt_fraction;
    def.dt_forced = model->dt_forced;
    def.mass_scale = model->mass_scale;
    def.damping_mass = model->damping_mass;
    def.damping_spin = model->damping_spin;
    def.damping_local = model->damping_local;
    def.skin = model->skin_requested;
    def.threads = sim->threads;
    def.device = sim->place->name;
    return def;
}

_Static_assert(TW_WALL_NAME_MAX + 1 == TW_WALL_NAME, "names fit");
_Static_assert((int)TW_WALL_SERVO_TORQUE == (int)TW_WALL_TURNS, "as in world/state.h");

tw_wall_def tw_wall_def_default(void)
{
    tw_wall_def def = {.struct_size = sizeof def};
    def.normal = tw_vec3_make(0.0, 0.0, 1.0);
    def.q = tw_quat_identity();
    return def;
}

/* Walls as a caller sees them. */

static tw_status check_size(const tw_wall_def *def, tw_error *error)
{
    if (def->struct_size == sizeof *def) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "tw_wall_def was not made by tw_wall_def_default");
}

static tw_status check_wall(const tw_model *model, const tw_state *state, const tw_wall_def *def,
                            tw_error *error)
{
    const size_t number = state->wall_count;
    const tw_status status = check_size(def, error);
    if (status != TW_STATUS_OK) return status;
    if (!(tw_vec3_norm(def->normal) > 0.0) || !tw_sim_internal_is_finite(def->normal) ||
        !tw_sim_internal_is_finite(def->point) || !tw_sim_internal_is_finite(def->v))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: point, normal and v must be finite, normal not zero",
                            number);
    if (def->material >= model->material_count)
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: there is no material %u", number,
                            def->material);
    return TW_STATUS_OK;
}

/* What is wrong with the form of a wall; NULL: nothing. */
static const char *form_wrong(const tw_cell *cell, const tw_wall_def *def)
{
    const int plane = def->form == TW_WALL_PLANE;
    if (def->form < TW_WALL_PLANE || def->form > TW_WALL_MESH) return "there is no such form";
    if (!tw_sim_internal_is_finite(def->spin)) return "spin must be finite";
    if (plane && tw_vec3_norm(tw_vec3_cross(def->spin, def->normal)) >
                     1e-9 * tw_vec3_norm(def->spin) * tw_vec3_norm(def->normal))
        return "a plane can turn about its normal only";
    if (plane) return NULL;
    for (int k = 0; k < 3; k++)
        if (cell->periodic[k]) return "walls other than planes need a cell without periodic edges";
    if (tw_mat3_max_abs(cell->gradient) > 0.0)
        return "walls other than planes need a cell that does not deform";
    if (def->form == TW_WALL_SPHERE)
        return isfinite(def->radius) && fabs(def->radius) > 0.0 ? NULL
                                                                : "radius must be finite, not zero";
    const tw_quat q = def->q;
    if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-6))
        return "q must be a unit quaternion";
    if (def->form == TW_WALL_MESH) {
        if (!def->mesh || def->mesh->facet_count == 0) return "a mesh needs facets";
        return def->mesh->facet_count < TW_PAIR_ELEMENTS_MAX ? NULL : "a mesh has too many facets";
    }
    if (!def->corner || def->corners < 2) return "a profile needs two corners";
    for (size_t k = 0; k < def->corners; k++) {
        const tw_profile_point a = def->corner[k], b = def->corner[(k + 1) % def->corners];
        if (!(a.rho >= 0.0 && isfinite(a.rho) && isfinite(a.z)))
            return "corners of a profile must be finite, with rho not negative";
        if ((k + 1 < def->corners || def->closed) && a.rho == b.rho && a.z == b.z)
            return "two successive corners of a profile are the same";
        if ((k + 1 < def->corners || def->closed) && a.rho == 0.0 && b.rho == 0.0)
            return "a segment of a profile is on its axis";
    }
    return NULL;
}

static const char *name_wrong(const tw_state *state, const char *name)
{
    if (strlen(name) > TW_WALL_NAME_MAX) return "its name is longer than 63 bytes";
    if (!tw_text_is_plain(name)) return "its name has control characters";
    for (size_t k = 0; *name && k < state->wall_count; k++)
        if (strcmp(state->walls[k].name, name) == 0) return "there is a wall of this name";
    return NULL;
}

/* Gives a wall the servo of a definition; what is wrong, or NULL. */
static const char *set_servo(const tw_cell *cell, const tw_wall_def *def, tw_wall *wall)
{
    const double length = tw_vec3_norm(def->along);
    if (def->servo < 0 || def->servo > TW_WALL_SERVO_TORQUE) return "there is no such servo";
    if (!tw_sim_internal_is_finite(def->along)) return "along must be finite";
    wall->servo = def->servo;
    wall->along = wall->normal;
    if (def->servo && length > 0.0) wall->along = tw_vec3_scale(1.0 / length, def->along);
    wall->target = def->servo == TW_WALL_SERVO_TORQUE ? def->torque : def->force;
    wall->v_max = def->v_max;
    wall->stiffness = wall->damping = wall->drift = 0.0; /* what resists is not known */
    wall->predicted = 0;
    return tw_sim_internal_servo_wrong(cell, wall);
}

/* The surface of a wall of elements. */
static tw_status add_surface(tw_model *model, const tw_wall_def *def, tw_wall *wall,
                             tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (def->form == TW_WALL_MESH)
        status = tw_model_add_mesh(model, def->mesh, error);
    else if (def->form == TW_WALL_PROFILE)
        status = tw_model_add_profile(model, def->corner, def->corners, def->closed, error);
    if (status != TW_STATUS_OK || !tw_surface_has_elements(wall->surface)) return status;
    wall->model = (uint32_t)(model->surface_count - 1);
    wall->middle = model->surfaces[wall->model].middle;
    wall->half = model->surfaces[wall->model].half;
    return status;
}

tw_status tw_sim_add_wall(tw_sim *sim, const tw_wall_def *def, size_t *number, tw_error *error)
{
    TW_CALL_HERE(sim && def);
    tw_state *state = &sim->state;
    tw_error_clear(error);
    tw_status status = check_wall(&sim->model, state, def, error);
    if (status != TW_STATUS_OK) return status;
    tw_wall wall = {0};
    wall.point = def->point;
    wall.normal = tw_vec3_scale(1.0 / tw_vec3_norm(def->normal), def->normal);
    if (def->servo != TW_WALL_SERVO_FORCE) wall.v = def->v;
    wall.material = def->material;
    wall.surface = TW_SURFACE_PLANE + (uint32_t)def->form;
    wall.q = wall.q_ref =
        tw_surface_has_elements(wall.surface) ? tw_quat_normalise(def->q) : tw_quat_identity();
    if (def->servo != TW_WALL_SERVO_TORQUE) wall.spin = def->spin;
    wall.radius = def->radius;
    wall.front = def->front != 0;
    const char *wrong = form_wrong(&state->cell, def);
    if (!wrong) wrong = set_servo(&state->cell, def, &wall);
    if (!wrong && def->name) wrong = name_wrong(state, def->name);
    if (wrong)
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: %s", state->wall_count, wrong);
    if (def->name) memcpy(wall.name, def->name, strlen(def->name));
    const int edge = def->form == TW_WALL_PLANE ? tw_sim_internal_edge_across(state, &wall) : -1;
    if (edge >= 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: normal (%g %g %g) is not perpendicular to edge %c of the "
                            "cell, which is periodic: choose another normal, or a cell that is not "
                            "periodic along that edge",
                            state->wall_count, def->normal.x, def->normal.y, def->normal.z,
                            "abc"[edge]);
    status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = add_surface(&sim->model, def, &wall, error);
    if (status == TW_STATUS_OK)
        status = tw_state_need_extras(state, tw_model_extras(&sim->model), error);
    if (status == TW_STATUS_OK) status = tw_state_add_wall(state, &wall, error);
    if (status != TW_STATUS_OK) return status;
    sim->schedule.valid = 0;
    if (number) *number = state->wall_count - 1;
    return TW_STATUS_OK;
}

/* ---- Platens ---- */

static tw_status check_platens(const tw_sim *sim, int edge, uint32_t material, tw_error *error)
{
    const tw_cell *cell = &sim->state.cell;
    if (edge < 0 || edge > 2)
        return tw_error_set(error, TW_STATUS_INPUT, "platens: edge must be 0, 1 or 2, not %d",
                            edge);
    if (material >= sim->model.material_count)
        return tw_error_set(error, TW_STATUS_INPUT, "platens: there is no material %u", material);
    if (cell->periodic[edge] || cell->walled[edge])
        return tw_error_set(error, TW_STATUS_INPUT, "platens: edge %c of the cell %s", "abc"[edge],
                            cell -> walled[edge] ? "has platens already" : "is periodic");
    for (int k = 0; k < 3; k++)
        if (k != edge && (cell->h.m[3 * edge + k] != 0.0 || cell->h.m[3 * k + edge] != 0.0))
            return tw_error_set(error, TW_STATUS_INPUT,
                                "platens: edge %c of the cell must be along %c, and the others "
                                "perpendicular to it",
                                "abc"[edge], "xyz"[edge]);
    if (!(cell->h.m[4 * edge] > 0.0))
        return tw_error_set(error, TW_STATUS_INPUT, "platens: edge %c of the cell points to -%c",
                            "abc"[edge], "xyz"[edge]);
    for (int upper = 0; upper < 2; upper++) {
        const char name[3] = {"xyz"[edge], "-+"[upper], 0};
        const char *wrong = name_wrong(&sim->state, name);
        if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "platens: %s: %s", name, wrong);
    }
    return TW_STATUS_OK;
}

tw_status tw_sim_add_platens(tw_sim *sim, int edge, uint32_t material, size_t *number,
                             tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_state *state = &sim->state;
    const size_t first = state->wall_count;
    tw_error_clear(error);
    tw_status status = check_platens(sim, edge, material, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK)
        status = tw_state_need_extras(state, tw_model_extras(&sim->model), error);
    for (int upper = 0; upper < 2 && status == TW_STATUS_OK; upper++) {
        tw_wall wall = {.servo = TW_WALL_PLATEN,
                        .material = material,
                        .surface = TW_SURFACE_PLANE,
                        .q = tw_quat_identity(),
                        .q_ref = tw_quat_identity(),
                        .name = {"xyz"[edge], "-+"[upper]}};
        const double to = upper ? -1.0 : 1.0;
        wall.normal =
            tw_vec3_make(edge == 0 ? to : 0.0, edge == 1 ? to : 0.0, edge == 2 ? to : 0.0);
        wall.along = wall.normal;
        if (upper) wall.point = tw_vec3_scale(-state->cell.h.m[4 * edge], wall.normal);
        status = tw_state_add_wall(state, &wall, error);
    }
    if (status != TW_STATUS_OK) {
        state->wall_count = first;
        return status;
    }
    state->cell.walled[edge] = (int)first + 1;
    sim->schedule.valid = 0;
    if (number) *number = first;
    return TW_STATUS_OK;
}

int tw_sim_has_platens(const tw_sim *sim, int edge)
{
    assert(sim && edge >= 0 && edge < 3);
    return sim->state.cell.walled[edge] != 0;
}

size_t tw_sim_wall_count(const tw_sim *sim)
{
    return sim->state.wall_count;
}

static tw_status refuse_driven(size_t wall, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "wall %zu: its motion is prescribed; end it first (tw_sim_set_wall_motion "
                        "with count = 0)",
                        wall);
}

static tw_status refuse_platen(size_t wall, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "wall %zu: it is a platen, which moves with the cell alone", wall);
}

static tw_status check_number(const tw_sim *sim, size_t wall, tw_error *error)
{
    tw_error_clear(error);
    if (wall < sim->state.wall_count) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "there is no wall %zu: the simulation has %zu",
                        wall, sim->state.wall_count);
}

tw_status tw_sim_get_wall(const tw_sim *sim, size_t wall, tw_wall_state *out, tw_error *error)
{
    assert(sim && out);
    const tw_status status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    const tw_wall *w = &sim->state.walls[wall];
    const tw_vec3 unknown = tw_sim_internal_unknown();
    const int known = tw_sim_is_prepared(sim);
    *out = (tw_wall_state){.point = w->point,
                           .normal = w->normal,
                           .v = w->v,
                           .force = known ? w->force : unknown,
                           .torque = known ? w->torque : unknown,
                           .servo = w->servo == TW_WALL_PLATEN ? 0 : w->servo,
                           .platen = w->servo == TW_WALL_PLATEN,
                           .along = w->along,
                           .target = w->target,
                           .material = w->material,
                           .form = (int)(w->surface - TW_SURFACE_PLANE),
                           .q = w->q,
                           .spin = w->spin,
                           .driven = w->drive_count > 0,
                           .absent = w->absent != 0,
                           .work = w->work};
    memcpy(out->name, w->name, sizeof out->name);
    return TW_STATUS_OK;
}

tw_status tw_sim_set_wall_servo(tw_sim *sim, size_t wall, const tw_wall_def *def, tw_error *error)
{
    assert(sim && def);
    tw_status status = check_size(def, error);
    if (status == TW_STATUS_OK) status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    tw_wall *w = &sim->state.walls[wall];
    tw_wall changed = *w;
    if (w->servo == TW_WALL_PLATEN) return refuse_platen(wall, error);
    if (w->drive_count > 0) return refuse_driven(wall, error);
    const char *wrong = set_servo(&sim->state.cell, def, &changed);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: %s", wall, wrong);
    if (w->servo == TW_WALL_MOVES || changed.servo == TW_WALL_MOVES)
        changed.v = tw_vec3_make(0.0, 0.0, 0.0);
    if (w->servo == TW_WALL_TURNS || changed.servo == TW_WALL_TURNS)
        changed.spin = tw_vec3_make(0.0, 0.0, 0.0);
    *w = changed;
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}

tw_status tw_sim_set_wall_velocity(tw_sim *sim, size_t wall, tw_vec3 v, tw_error *error)
{
    assert(sim);
    const tw_status status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_sim_internal_is_finite(v))
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: v must be finite", wall);
    if (sim->state.walls[wall].servo == TW_WALL_MOVES)
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: its servo chooses v", wall);
    if (sim->state.walls[wall].servo == TW_WALL_PLATEN) return refuse_platen(wall, error);
    if (sim->state.walls[wall].drive_count > 0) return refuse_driven(wall, error);
    sim->state.walls[wall].v = v;
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}

tw_status tw_sim_set_wall_spin(tw_sim *sim, size_t wall, tw_vec3 spin, tw_error *error)
{
    assert(sim);
    const tw_status status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    tw_wall *w = &sim->state.walls[wall];
    if (!tw_sim_internal_is_finite(spin))
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: spin must be finite", wall);
    if (w->surface == TW_SURFACE_PLANE &&
        tw_vec3_norm(tw_vec3_cross(spin, w->normal)) > 1e-9 * tw_vec3_norm(spin))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: a plane can turn about its normal only", wall);
    if (w->servo == TW_WALL_TURNS)
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: its servo chooses spin", wall);
    if (w->servo == TW_WALL_PLATEN) return refuse_platen(wall, error);
    if (w->drive_count > 0) return refuse_driven(wall, error);
    w->spin = spin;
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}

/* ---- Prescribed motions of walls ---- */

_Static_assert((int)TW_WALL_MOTION_TABLE_ANGLE == (int)TW_DRIVE_TABLE_ANGLE &&
                   sizeof(tw_wall_motion_row) == sizeof(tw_drive_row),
               "as in world/drive.h");

/* The part without what its kind does not have. */
static tw_drive_part part_of(const tw_wall_motion *motion)
{
    tw_drive_part part = {.kind = motion->kind, .along = motion->along};
    const int moves = motion->kind == TW_WALL_MOTION_VELOCITY,
              wave =
                  motion->kind == TW_WALL_MOTION_OSCILLATE || motion->kind == TW_WALL_MOTION_SWING;
    if (!moves) part.along = tw_vec3_scale(1.0 / tw_vec3_norm(motion->along), motion->along);
    if (tw_drive_turns(&part)) part.through = motion->through;
    if (motion->kind == TW_WALL_MOTION_ROTATE) part.rate = motion->rate;
    if (wave) {
        part.amplitude = motion->amplitude;
        part.frequency = motion->frequency;
        part.phase = motion->phase;
    } else if (tw_drive_tabled(&part)) {
        part.cubic = motion->cubic != 0;
        part.rows = (uint32_t)motion->rows;
    }
    return part;
}

/* Values count from that at t = 0. */
static void copy_rows(const tw_wall_motion *motion, tw_drive_part *part, uint32_t first,
                      tw_drive_row *row)
{
    part->first = first;
    memcpy(row + first, motion->row, motion->rows * sizeof *row);
    const double zero = tw_drive_part_at(part, row, 0.0).s;
    for (size_t k = 0; k < motion->rows; k++)
        row[first + k].value -= zero;
}

static const char *motion_wrong(const tw_wall *wall, const tw_wall_motion *motion,
                                const tw_drive_row *row, const tw_drive_part *part)
{
    if (motion->kind < 0 || motion->kind > TW_WALL_MOTION_TABLE_ANGLE) return "no such kind";
    if (tw_drive_tabled(part) && (motion->rows == 0 || !motion->row))
        return "the table has no rows";
    return tw_sim_internal_drive_wrong(wall, part, row);
}

static tw_status set_motion(tw_sim *sim, size_t wall, const tw_wall_motion *motion, size_t count,
                            tw_drive_row *row, tw_error *error)
{
    tw_drive_part part[TW_WALL_MOTION_PARTS_MAX];
    uint32_t first = 0;
    for (size_t k = 0; k < count; k++) {
        part[k] = part_of(&motion[k]);
        if (part[k].rows > 0 && motion[k].row) copy_rows(&motion[k], &part[k], first, row);
        const char *wrong = motion_wrong(&sim->state.walls[wall], &motion[k], row, &part[k]);
        if (wrong)
            return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: part %zu of its motion: %s",
                                wall, k, wrong);
        first += part[k].rows;
    }
    tw_status status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK)
        status = tw_model_set_drive(&sim->model, &sim->state, wall, part, count, row, error);
    if (status != TW_STATUS_OK) return status;
    tw_wall *w = &sim->state.walls[wall];
    const tw_drive_rates rates = tw_drive_velocity(part, (uint32_t)count, row, w->point, 0.0);
    w->drive_start = sim->state.time;
    w->drive_point = w->point;
    w->drive_q = w->q;
    w->v = rates.v;
    w->spin = rates.omega;
    return TW_STATUS_OK;
}

tw_status tw_sim_set_wall_motion(tw_sim *sim, size_t wall, const tw_wall_motion *parts,
                                 size_t count, tw_error *error)
{
    TW_CALL_HERE(sim && (parts || count == 0));
    tw_status status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    if (sim->state.walls[wall].servo == TW_WALL_PLATEN) return refuse_platen(wall, error);
    if (sim->state.walls[wall].servo)
        return tw_error_set(
            error, TW_STATUS_INPUT,
            "wall %zu: its servo moves it, and leaves only v or spin to others: end "
            "it first (tw_sim_set_wall_servo with servo = 0)",
            wall);
    if (count > TW_WALL_MOTION_PARTS_MAX)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: a motion has at most %d parts, not %zu", wall,
                            TW_WALL_MOTION_PARTS_MAX, count);
    const size_t most = UINT32_MAX / 2;
    size_t rows = 0;
    tw_drive_row *row = NULL;
    for (size_t k = 0; k < count && rows <= most; k++)
        rows = !parts[k].row ? rows : parts[k].rows > most ? most + 1 : rows + parts[k].rows;
    if (rows > most || !tw_buffer_zeros(&row, rows, sizeof *row))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu rows", rows);
    status = set_motion(sim, wall, parts, count, row, error);
    tw_buffer_drop(&row);
    return status;
}
