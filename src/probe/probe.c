/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

#include "base/error.h"

/* Friction coefficient of the no-slip companion. */
static const double no_slip_friction = 1e6;

/* Tolerance of a stress before it is measured, relative to the probe. */
static const double stress_tolerance = 1e-3;

/* Equilibrium must hold in CHECKS successive checks, CHECK_STEPS apart: a vibration passes through
 * it again and again. */
enum { CHECKS = 5, CHECK_STEPS = 10 };

/* ---- Measures ---- */

/* Contact and kinetic stress together, symmetric [Pa]. */
static void probe_stress(const tw_measure *measure, double stress[TW_COMPONENTS])
{
    const double *a = measure->stress.m, *b = measure->stress_kinetic.m;
    stress[TW_XX] = a[0] + b[0];
    stress[TW_YY] = a[4] + b[4];
    stress[TW_ZZ] = a[8] + b[8];
    stress[TW_YZ] = 0.5 * (a[5] + a[7] + b[5] + b[7]);
    stress[TW_XZ] = 0.5 * (a[2] + a[6] + b[2] + b[6]);
    stress[TW_XY] = 0.5 * (a[1] + a[3] + b[1] + b[3]);
}

void tw_probe_kelvin_stress(const double stress[TW_COMPONENTS], double out[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        out[k] = (k < TW_YZ ? 1.0 : sqrt(2.0)) * stress[k];
}

void tw_probe_kelvin_strain(const double strain[TW_COMPONENTS], double out[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        out[k] = (k < TW_YZ ? 1.0 : sqrt(0.5)) * strain[k];
}

double tw_probe_norm(const double kelvin[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += kelvin[k] * kelvin[k];
    return sqrt(sum);
}

static uint32_t material_of(const tw_sim *sim, uint32_t body)
{
    tw_body_state state;
    tw_sim_body(sim, body, &state, NULL); /* it exists */
    return state.material;
}

static double friction_of(const tw_sim *sim, const tw_contact_state *contact)
{
    tw_contact_law law;
    tw_wall_state wall = {.material = 0};
    if (tw_sim_materials(sim) == 1) return tw_sim_definition(sim).law.mu;
    if (contact->body_q == TW_NO_BODY) tw_sim_wall(sim, contact->member_q, &wall, NULL);
    const uint32_t q =
        contact->body_q == TW_NO_BODY ? wall.material : material_of(sim, contact->body_q);
    tw_sim_pair_law(sim, material_of(sim, contact->body_p), q, &law, NULL); /* they exist */
    return law.mu;
}

tw_status tw_probe_at_limit(const tw_sim *sim, double *fraction, tw_error *error)
{
    size_t count;
    const tw_status status = tw_sim_contacts(sim, &count, error);
    if (status != TW_STATUS_OK) return status;
    tw_contact_state *contacts = malloc((count + 1) * sizeof *contacts);
    if (!contacts) return tw_error_set_memory(error);
    size_t at_limit = 0;
    tw_sim_get_contacts(sim, contacts, NULL); /* counted above: cannot fail */
    for (size_t i = 0; i < count; i++) {
        const tw_vec3 t = contacts[i].ft;
        const double force = sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
        const double limit = friction_of(sim, &contacts[i]) * contacts[i].fn;
        at_limit += contacts[i].sliding || force >= (1.0 - 1e-5) * limit;
    }
    *fraction = count > 0 ? (double)at_limit / (double)count : 0.0;
    free(contacts);
    return TW_STATUS_OK;
}

/* ---- One copy of the state ---- */

typedef struct trial {
    const tw_probe_def *def;
    const tw_probe_watch *watch;
    tw_sim *sim;
    double strain[TW_COMPONENTS]; /* since the start */
    double clock;                 /* simulation time at the last step [s] */
    uint64_t steps;               /* of the current phase */
    uint64_t left;                /* remaining steps of a strain-controlled loading */
    double start[TW_COMPONENTS];  /* stress [Pa] */
    double friction;              /* energy dissipated before the current phase [J] */
} trial;

/* Spreads the remaining strain over the remaining steps: the time step may change on the way. */
static void set_strain_rate(trial *t)
{
    const double *target = t->def->change;
    double rate[TW_COMPONENTS] = {0.0};
    for (int k = 0; k < TW_COMPONENTS && t->left > 0; k++)
        rate[k] = (t->strain[k] - target[k]) / ((double)t->left * tw_sim_dt(t->sim));
    const tw_mat3 gradient = {{rate[TW_XX], 0.5 * rate[TW_XY], 0.5 * rate[TW_XZ], /* */
                               0.5 * rate[TW_XY], rate[TW_YY], 0.5 * rate[TW_YZ], /* */
                               0.5 * rate[TW_XZ], 0.5 * rate[TW_YZ], rate[TW_ZZ]}};
    tw_sim_set_velocity_gradient(t->sim, &gradient);
}

static int after_step(tw_sim *sim, void *context)
{
    trial *t = context;
    const tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    const double now = tw_sim_time(sim), dt = now - t->clock, *m = gradient.m;
    const double rate[TW_COMPONENTS] = {m[0], m[4], m[8], m[5] + m[7], m[2] + m[6], m[1] + m[3]};
    for (int k = 0; k < TW_COMPONENTS; k++)
        t->strain[k] -= dt * rate[k];
    t->clock = now;
    t->steps++;
    if (t->left > 0) {
        t->left--;
        set_strain_rate(t);
    }
    return t->watch->step && t->watch->step(t->watch->context);
}

static tw_status advance(trial *t, uint64_t steps, tw_error *error)
{
    return tw_sim_run_hooked(t->sim, steps, after_step, t, error);
}

/* The laws of the state with kind and refinements of the probe; `slips` is false for the no-slip
 * companion, whose contacts do not roll or twist beyond their springs either. */
static tw_status set_laws(trial *t, bool slips, tw_error *error)
{
    const size_t count = tw_sim_materials(t->sim);
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    if (!laws) return tw_error_set_memory(error);
    for (size_t i = 0; i < count * count; i++) {
        tw_contact_law *law = &laws[i];
        tw_sim_pair_law(t->sim, (uint32_t)(i / count), (uint32_t)(i % count), law, NULL);
        law->kind = t->def->kind;
        law->refine &= ~t->def->without;
        if (slips) continue;
        law->mu = no_slip_friction;
        if (law->mu_r > 0.0) law->mu_r = no_slip_friction;
        if (law->mu_w > 0.0) law->mu_w = no_slip_friction;
    }
    const tw_status status = tw_sim_set_laws(t->sim, laws, error);
    free(laws);
    return status;
}

static tw_status open_copy(trial *t, bool slips, tw_error *error)
{
    const tw_mat3 still = {{0.0}};
    t->sim = t->watch->open(t->watch->context, error);
    if (!t->sim) return error->status;
    tw_sim_set_threads(t->sim, 1);
    tw_sim_set_velocity_gradient(t->sim, &still);
    tw_status status = set_laws(t, slips, error);
    if (status == TW_STATUS_OK) status = tw_sim_prepare(t->sim, error);
    tw_measure m;
    if (status == TW_STATUS_OK) status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    probe_stress(&m, t->start);
    t->clock = tw_sim_time(t->sim);
    t->friction = m.energy.friction;
    return TW_STATUS_OK;
}

/* ---- Loading ---- */

/* Ramps all six stresses to `target` in the steps of the probe and holds them. `size`: norm of the
 * stress increment. */
static tw_status ramp_stress(trial *t, const double target[TW_COMPONENTS], double size,
                             tw_error *error)
{
    tw_measure m;
    const tw_status status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    const double time = (double)t->def->steps * tw_sim_dt(t->sim);
    double now[TW_COMPONENTS], scale = fabs(m.p);
    tw_control control = tw_control_default();
    probe_stress(&m, now);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        control.row[k] = tw_control_stress(k, target[k]);
        control.row[k].ramp = fabs(target[k] - now[k]) / time;
        scale = tw_math_max(scale, fabs(target[k]));
    }
    control.tolerance = stress_tolerance * size / scale;
    return tw_sim_set_control(t->sim, &control, error);
}

static bool is_held(const tw_sim *sim)
{
    const tw_control_report servo = tw_sim_control(sim);
    return !servo.ramping && (servo.status == TW_CONTROL_OFF || servo.status == TW_CONTROL_HOLDING);
}

/* Waits for equilibrium, with the cell held in strain or stress. */
static tw_status wait_for_rest(trial *t, uint64_t *rested, tw_error *error)
{
    const tw_probe_def *def = t->def;
    int calm = 0;
    tw_status status = TW_STATUS_OK;
    for (uint64_t done = 0; done < def->rest_steps && calm < CHECKS;) {
        const uint64_t part =
            def->rest_steps - done < CHECK_STEPS ? def->rest_steps - done : CHECK_STEPS;
        tw_measure m;
        status = advance(t, part, error);
        if (status == TW_STATUS_OK) status = tw_sim_measure(t->sim, &m, error);
        if (status != TW_STATUS_OK) return status;
        done += part;
        calm = m.unbalanced < def->rest && is_held(t->sim) ? calm + 1 : 0;
    }
    *rested = calm >= CHECKS;
    return status;
}

static tw_status finish(trial *t, int phase, double stress[TW_COMPONENTS], tw_probe_result *result,
                        tw_error *error)
{
    tw_measure m;
    tw_status status = wait_for_rest(t, &result->rested[phase], error);
    if (status == TW_STATUS_OK) status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    probe_stress(&m, stress);
    for (int k = 0; k < TW_COMPONENTS; k++)
        stress[k] -= t->start[k];
    result->steps[phase] = t->steps;
    result->unbalanced[phase] = m.unbalanced;
    result->friction_work[phase] = (m.energy.friction - t->friction) / m.volume;
    t->friction = m.energy.friction;
    t->steps = 0;
    return tw_probe_at_limit(t->sim, &result->at_limit[phase], error);
}

static tw_status load(trial *t, tw_error *error)
{
    const tw_probe_def *def = t->def;
    tw_status status = TW_STATUS_OK;
    if (def->by_stress) {
        double target[TW_COMPONENTS];
        for (int k = 0; k < TW_COMPONENTS; k++)
            target[k] = t->start[k] + def->change[k];
        status = ramp_stress(t, target, def->magnitude, error);
    } else {
        t->left = def->steps;
        set_strain_rate(t);
    }
    return status == TW_STATUS_OK ? advance(t, def->steps, error) : status;
}

static tw_status unload(trial *t, tw_probe_result *result, tw_error *error)
{
    double kelvin[TW_COMPONENTS];
    tw_probe_kelvin_stress(result->stress, kelvin);
    tw_status status = ramp_stress(t, t->start, tw_probe_norm(kelvin), error);
    if (status == TW_STATUS_OK) status = advance(t, t->def->steps, error);
    if (status == TW_STATUS_OK) status = finish(t, TW_PROBE_UNLOAD, result->missed, result, error);
    memcpy(result->left, t->strain, sizeof result->left);
    return status;
}

static tw_status run_probe(trial *t, tw_probe_result *result, tw_error *error)
{
    tw_status status = open_copy(t, true, error);
    if (status == TW_STATUS_OK) status = load(t, error);
    if (status == TW_STATUS_OK) status = finish(t, TW_PROBE_LOAD, result->stress, result, error);
    memcpy(result->strain, t->strain, sizeof result->strain);
    if (status == TW_STATUS_OK && t->def->unload) status = unload(t, result, error);
    return status;
}

static tw_status run_no_slip(trial *t, tw_probe_result *result, tw_error *error)
{
    tw_status status = open_copy(t, false, error);
    if (status == TW_STATUS_OK) status = load(t, error);
    if (status == TW_STATUS_OK)
        status = finish(t, TW_PROBE_NO_SLIP, result->no_slip_stress, result, error);
    memcpy(result->no_slip_strain, t->strain, sizeof result->no_slip_strain);
    return status;
}

tw_status tw_probe_run(const tw_probe_def *def, const tw_probe_watch *watch,
                       tw_probe_result *result, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    memset(result, 0, sizeof *result);
#define UNKNOWN(name, length)                                                                      \
    for (int k = 0; k < (length); k++)                                                             \
        result->name[k] = nan("");
    TW_PROBE_NUMBERS(UNKNOWN)
#undef UNKNOWN
    if (def->load) {
        trial t = {.def = def, .watch = watch};
        status = run_probe(&t, result, error);
        tw_sim_free(t.sim);
    }
    if (def->no_slip && status == TW_STATUS_OK) {
        trial t = {.def = def, .watch = watch};
        status = run_no_slip(&t, result, error);
        tw_sim_free(t.sim);
    }
    return status;
}
