/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a simulation, and what may change on the way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/status.h"
#include "control/equations.h"
#include "search/search.h"
#include "sim/checkpoint.h"
#include "sim/checkpoint_check.h"
#include "sim/sim_inside.h"
#include "step/step.h"

void tw_sim_use_threads(const tw_sim *sim)
{
    tw_parallel_set_threads(tw_sim_threads(sim));
}

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
    sim->world.cell.gradient = *gradient;
    sim->servo.on = 0;
}

tw_mat3 tw_sim_velocity_gradient(const tw_sim *sim)
{
    return sim->world.cell.gradient;
}

tw_status tw_sim_set_control(tw_sim *sim, const tw_control *control, tw_error *error)
{
    tw_world *w = &sim->world;
    tw_error_clear(error);
    tw_status status = tw_equations_check(control, error);
    if (status != TW_STATUS_OK) return status;
    if (w->bodies.count == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "control: there is no body to steer");
    for (int k = 0; k < TW_COMPONENTS; k++) {
        if (control->row[k].mode == TW_CONTROL_STRESS &&
            !(w->cell.periodic[0] && w->cell.periodic[1] && w->cell.periodic[2]))
            return tw_error_set(error, TW_STATUS_INPUT,
                                "control: row %d: stress needs a cell that is periodic along all "
                                "three edges; walls have servos of their own",
                                k);
    }
    tw_sim_use_threads(sim);
    status = tw_step_prepare(w, error);
    if (status == TW_STATUS_OK) tw_servo_set(&sim->servo, control, w);
    return status;
}

tw_control_report tw_sim_control(const tw_sim *sim)
{
    tw_sim_use_threads(sim);
    return tw_servo_report(&sim->servo, &sim->world);
}

void tw_sim_set_gravity(tw_sim *sim, tw_vec3 gravity)
{
    sim->world.gravity = gravity;
}

tw_status tw_sim_set_law(tw_sim *sim, const tw_contact_law *law, tw_error *error)
{
    tw_world *w = &sim->world;
    const char *wrong = tw_contact_law_check(law);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
    const tw_contact_law old = w->law;
    w->law = *law;
    if (law->kn != old.kn || law->kt != old.kt || law->nu != old.nu) {
        if (w->dt_automatic) w->dt = 0.0;
        const tw_status status = w->placed ? tw_step_check_dt(w, error) : TW_STATUS_OK;
        if (status != TW_STATUS_OK) {
            w->law = old;
            return status;
        }
    }
    /* The springs keep their lengths and forces; what their energy changes by comes from outside.
     */
    const double normal = w->sums.normal * (law->kn / old.kn);
    const double tangential = law->kt > 0.0 ? w->sums.tangential * (old.kt / law->kt) : 0.0;
    w->balance.start += normal - w->sums.normal + tangential - w->sums.tangential;
    w->sums.normal = normal;
    w->sums.tangential = tangential;
    return TW_STATUS_OK;
}

tw_status tw_sim_set_dt(tw_sim *sim, double dt, int forced, tw_error *error)
{
    tw_world *w = &sim->world;
    if (!(dt >= 0.0 && dt < 1e300)) {
        return tw_error_set(error, TW_STATUS_INPUT, "dt must be 0 (chosen) or above, not %g", dt);
    }
    w->dt = dt;
    w->dt_automatic = !(dt > 0.0);
    w->dt_forced = forced;
    return w->placed ? tw_step_check_dt(w, error) : TW_STATUS_OK;
}

/* A servo of unknown gain: it may close a hundredth of the gap in force per step, were it held by
 * the contacts that press on it, or by one. */
static void choose_gains(tw_world *w)
{
    for (size_t k = 0; k < w->wall_count; k++) {
        if (w->walls[k].servo && !(w->walls[k].gain > 0.0))
            w->walls[k].gain = 0.01 / (w->law.kn * w->dt);
    }
}

/* A state in which the physics went wrong is neither continued nor put in place of a good
 * checkpoint. */
static tw_status refuse_failed(const tw_sim *sim, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "the simulation went wrong at step %llu: go back to an earlier checkpoint",
                        (unsigned long long)sim->world.steps);
}

/* Walls do not turn with the cell: a gradient that tilts a periodic edge would make it cut them. */
static tw_status check_walls(const tw_world *w, tw_error *error)
{
    const tw_mat3 tilt = tw_mat3_mul(w->cell.gradient, w->cell.h);
    for (size_t k = 0; k < w->wall_count; k++)
        for (int edge = 0; edge < 3; edge++) {
            const double along = tw_vec3_dot(w->walls[k].normal, tw_mat3_column(tilt, edge));
            if (w->cell.periodic[edge] && fabs(along) > 1e-9 * tw_mat3_max_abs(tilt))
                return tw_error_set(error, TW_STATUS_INPUT,
                                    "wall %zu: the velocity gradient tilts edge %d of the cell, "
                                    "which is periodic, out of the plane of the wall",
                                    k, edge);
        }
    return TW_STATUS_OK;
}

tw_status tw_sim_run_hooked(tw_sim *sim, uint64_t steps, tw_sim_hook hook, void *context,
                            tw_error *error)
{
    tw_world *w = &sim->world;
    tw_error_clear(error);
    tw_sim_use_threads(sim);
    if (w->bodies.count == 0) {
        return tw_error_set(error, TW_STATUS_INPUT, "there is no body to simulate");
    }
    if (sim->failed) return refuse_failed(sim, error);
    tw_status status = tw_step_prepare(w, error);
    choose_gains(w);
    for (uint64_t k = 0; k < steps && status == TW_STATUS_OK; k++) {
        tw_servo_steer(&sim->servo, w);
        if (w->wall_count > 0) status = check_walls(w, error);
        if (status != TW_STATUS_OK) break;
        status = tw_step_advance(w, error);
        if (status == TW_STATUS_OK && hook && hook(sim, context)) {
            status = tw_error_set(error, TW_STATUS_INTERRUPTED, "ended by the caller at step %llu",
                                  (unsigned long long)w->steps);
        }
    }
    sim->failed = status == TW_STATUS_PHYSICS;
    return status;
}

tw_status tw_sim_run(tw_sim *sim, uint64_t steps, tw_error *error)
{
    return tw_sim_run_hooked(sim, steps, NULL, NULL, error);
}

tw_status tw_sim_rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps, tw_error *error)
{
    tw_error_clear(error);
    tw_sim_use_threads(sim);
    if (sim->failed) return refuse_failed(sim, error);
    tw_status status = tw_step_prepare(&sim->world, error);
    const tw_vec3 part = tw_vec3_scale(1.0 / (double)steps, turn);
    for (uint64_t k = 0; k < steps && status == TW_STATUS_OK; k++)
        status = tw_step_rotate(&sim->world, part, error);
    tw_servo_forget(&sim->servo);
    sim->failed = status == TW_STATUS_PHYSICS;
    return status;
}

tw_stable_step tw_sim_stable_step(const tw_sim *sim)
{
    const tw_world *w = &sim->world;
    if (!w->placed) return (tw_stable_step){0};
    const tw_stable_limit b = tw_stable_find(w);
    return (tw_stable_step){b.dt, w->bodies.id[b.body], b.stiffness, w->bodies.mass[b.body],
                            b.contacts};
}

tw_sim_times tw_sim_time_spent(const tw_sim *sim)
{
    return sim->world.times;
}

double tw_sim_time(const tw_sim *sim)
{
    return sim->world.time;
}

uint64_t tw_sim_steps(const tw_sim *sim)
{
    return sim->world.steps;
}

double tw_sim_dt(const tw_sim *sim)
{
    return sim->world.dt;
}

tw_mat3 tw_sim_cell(const tw_sim *sim)
{
    return sim->world.cell.h;
}

tw_sim_def tw_sim_definition(const tw_sim *sim)
{
    const tw_world *w = &sim->world;
    tw_sim_def def = tw_sim_def_default();
    def.cell = w->cell.h;
    for (int k = 0; k < 3; k++)
        def.periodic[k] = w->cell.periodic[k];
    def.law = w->law;
    def.density = w->density;
    def.gravity = w->gravity;
    def.dt = w->dt_automatic ? 0.0 : w->dt;
    def.dt_fraction = w->dt_fraction;
    def.dt_forced = w->dt_forced;
    def.mass_scale = w->mass_scale;
    def.damping_mass = w->damping_mass;
    def.damping_spin = w->damping_spin;
    def.damping_local = w->damping_local;
    def.skin = w->skin_requested;
    def.threads = sim->threads;
    return def;
}

static void hash_settings(tw_hash *hash, const tw_world *w)
{
    const tw_contact_law *law = &w->law;
    const double numbers[] = {w->time,         w->dt,           w->dt_fraction,  w->skin,
                              w->skin_requested,    law->kn,         law->kt,         law->mu,
                              law->nu,         w->gravity.x,    w->gravity.y,    w->gravity.z,
                              w->damping_mass, w->damping_spin, w->damping_local};
    const int32_t choices[] = {law->kind,          (int32_t)law->refine, w->dt_automatic,
                               w->dt_forced,       w->cell.periodic[0],  w->cell.periodic[1],
                               w->cell.periodic[2]};
    tw_hash_add(hash, numbers, sizeof numbers);
    tw_hash_add(hash, choices, sizeof choices);
    tw_hash_add(hash, &w->cell.gradient, sizeof w->cell.gradient);
    tw_hash_add(hash, &w->cell.h, sizeof w->cell.h);
    tw_hash_add(hash, &w->cell.h_ref, sizeof w->cell.h_ref);
    tw_hash_add(hash, &w->balance, sizeof w->balance);
    tw_hash_add(hash, w->walls, w->wall_count * sizeof *w->walls);
}

uint64_t tw_sim_hash(const tw_sim *sim)
{
    const tw_world *w = &sim->world;
    tw_hash hash = tw_hash_start(1);
    hash_settings(&hash, w);
    tw_servo_hash(&sim->servo, &hash);
#define TW_COLUMN(type, name)                                                                      \
    tw_hash_add(&hash, w->bodies.name, w->bodies.count * sizeof *w->bodies.name);
#include "world/body_columns.def"
#undef TW_COLUMN
    for (size_t k = 0; k < w->pairs.count; k++) {
        if (!tw_pairs_touch(&w->pairs, k)) continue;
        tw_hash_add(&hash, &w->pairs.pair[k], sizeof w->pairs.pair[k]);
        const uint32_t slot = w->pairs.slot[k];
        const tw_contact_memory memory = tw_bundle_get(w->contacts.bundle, slot);
        const tw_vec3 force = tw_world_contact_force(w, slot);
        tw_hash_add(&hash, &memory, sizeof memory);
        tw_hash_add(&hash, &force, sizeof force);
    }
    return tw_hash_value(&hash);
}

tw_status tw_sim_save(const tw_sim *sim, const char *path, tw_error *error)
{
    tw_error_clear(error);
    if (sim->failed) return refuse_failed(sim, error);
    return tw_checkpoint_write(&sim->world, &sim->servo, path, error);
}

/* Bodies or walls came after the last search: the contacts wait for the next one, as they did. */
static tw_status keep_contacts(tw_world *w, const tw_contact_list *contacts, tw_error *error)
{
    if (contacts->count == 0) return TW_STATUS_OK;
    tw_status status = tw_world_place(w, error);
    if (status == TW_STATUS_OK) status = tw_world_reserve_pairs(w, contacts->count, error);
    if (status == TW_STATUS_OK) status = tw_world_reserve_slots(w, contacts->count, error);
    if (status != TW_STATUS_OK) return status;
    memcpy(w->pairs.pair, contacts->pair, contacts->count * sizeof *contacts->pair);
    for (size_t k = 0; k < contacts->count; k++) {
        const uint32_t slot = (uint32_t)k;
        w->pairs.slot[k] = slot;
        w->contacts.pair[slot] = slot;
        w->contacts.sliding[slot] = contacts->sliding[k];
        tw_bundle_put(w->contacts.bundle, slot, &contacts->memory[k]);
        tw_bundle_force_put(w->contacts.drag, slot, contacts->drag[k]);
    }
    w->contacts.viscous = 1;
    w->pairs.count = contacts->count;
    return TW_STATUS_OK;
}

tw_sim *tw_sim_load(const char *path, tw_error *error)
{
    tw_error_clear(error);
    if (tw_sim_check_simd(error) != TW_STATUS_OK) return NULL;
    tw_sim *sim = malloc(sizeof *sim);
    if (!sim) {
        tw_error_set(error, TW_STATUS_MEMORY, "no memory for a simulation");
        return NULL;
    }
    tw_world_init(&sim->world);
    memset(&sim->servo, 0, sizeof sim->servo);
    sim->threads = 0;
    sim->failed = 0;
    tw_contact_list contacts;
    int listed;
    tw_status status =
        tw_checkpoint_read(&sim->world, &sim->servo, &contacts, &listed, path, error);
    if (status == TW_STATUS_OK)
        status = tw_checkpoint_check_numbers(&sim->world, &contacts, listed, path, error);
    if (status == TW_STATUS_OK && listed)
        status = tw_search_restore(&sim->world, &contacts, error);
    else if (status == TW_STATUS_OK)
        status = keep_contacts(&sim->world, &contacts, error);
    tw_checkpoint_contacts_free(&contacts);
    if (status != TW_STATUS_OK) {
        tw_sim_free(sim);
        return NULL;
    }
    return sim;
}
