/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that may change between steps, and the quantities that a step changes. */
#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"
#include "sim/sim_device.h"
#include "step/step.h"

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
    TW_ARITHMETIC_HERE;
    tw_model *model = &sim->model;
    tw_state *state = &sim->state;
    if (!(dt >= 0.0 && dt < 1e300))
        return tw_error_set(error, TW_STATUS_INPUT, "dt must be 0 (automatic) or positive, not %g",
                            dt);
    tw_status status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_sim_device_renew(sim);
    const double old_dt = state->dt;
    const int32_t old_automatic = model->dt_automatic, old_forced = model->dt_forced;
    state->dt = dt;
    model->dt_automatic = !(dt > 0.0);
    model->dt_forced = forced;
    if (!sim->schedule.valid) return TW_STATUS_OK;
    status = tw_step_check_dt(model, state, &sim->schedule, error);
    if (status != TW_STATUS_OK) {
        state->dt = old_dt;
        model->dt_automatic = old_automatic;
        model->dt_forced = old_forced;
    }
    return status;
}

tw_sim_times tw_sim_time_spent(const tw_sim *sim)
{
    return sim->schedule.times;
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

tw_sim_def tw_sim_definition(const tw_sim *sim)
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
    def.device = sim->place;
    return def;
}
