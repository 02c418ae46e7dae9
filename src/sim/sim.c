/* SPDX-License-Identifier: BSD-3-Clause */
/* Creating a simulation; its shapes and settings. */
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "sim/sim_device.h"
#include "sim/sim_place.h"

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

static const char *damping_wrong(double mass, double spin, double local)
{
    if (!(mass >= 0.0 && isfinite(mass))) return "damping_mass must be finite and not negative";
    if (!(spin >= 0.0 && isfinite(spin))) return "damping_spin must be finite and not negative";
    if (!(local >= 0.0 && local < 1.0)) return "damping_local must be at least 0 and below 1";
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
    if (!(def->density > 0.0 && isfinite(def->density))) return "density must be positive";
    if (!(def->mass_scale > 0.0 && isfinite(def->mass_scale))) return "mass_scale must be positive";
    if (!(def->dt >= 0.0 && isfinite(def->dt))) return "dt must be 0 (automatic) or positive";
    if (!(def->dt_fraction > 0.0 && def->dt_fraction <= 1.0)) {
        return "dt_fraction must be positive and at most 1";
    }
    if (!(def->skin >= 0.0 && isfinite(def->skin))) return "skin must be 0 (automatic) or positive";
    if (!tw_sim_inside_is_finite(def->gravity)) return "gravity must be finite";
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

tw_sim *tw_sim_create(const tw_sim_def *def, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_error_clear(error);
    const char *wrong = def_wrong(def);
    if (wrong) {
        tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
        return NULL;
    }
    const char *place;
    if (tw_sim_place_find(def->device, &place, error) != TW_STATUS_OK) return NULL;
    tw_sim *sim = tw_sim_inside_make(error);
    if (!sim) return NULL;
    sim->place = place;
    sim->threads = def->threads;
    apply_definition(&sim->model, &sim->state, def);
    if (tw_model_add_material(&sim->model, "grains", def->density, error) != TW_STATUS_OK) {
        tw_sim_free(sim);
        return NULL;
    }
    sim->model.laws[0] = def->law;
    if (tw_state_need_extras(&sim->state, tw_model_extras(&sim->model), error) != TW_STATUS_OK) {
        tw_sim_free(sim);
        return NULL;
    }
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
    if (sim->device) tw_device_close(sim->device);
    tw_model_free(&sim->model);
    tw_state_free(&sim->state);
    tw_schedule_free(&sim->schedule);
    free(sim);
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

tw_status tw_sim_add_shape(tw_sim *sim, const tw_sphere *spheres, size_t count, uint32_t *number,
                           tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_error_clear(error);
    tw_shape shape;
    const tw_status status = tw_shape_make(&shape, spheres, count, error);
    return status == TW_STATUS_OK ? add_shape(sim, &shape, number, error) : status;
}

tw_status tw_sim_add_shape_bumpy(tw_sim *sim, int satellites, double satellite_radius,
                                 double central_radius, double distance, uint32_t *number,
                                 tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_error_clear(error);
    tw_shape shape;
    const tw_shape_bumpy bumpy = {satellites, satellite_radius, central_radius, distance};
    const tw_status status = tw_shape_make_bumpy(&shape, &bumpy, error);
    return status == TW_STATUS_OK ? add_shape(sim, &shape, number, error) : status;
}

tw_status tw_sim_set_damping(tw_sim *sim, double mass, double spin, double local, tw_error *error)
{
    const char *wrong = damping_wrong(mass, spin, local);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
    sim->model.damping_mass = mass;
    sim->model.damping_spin = spin;
    sim->model.damping_local = local;
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}
