/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

/* Friction of the twin: no contact that bears a millionth of its force slides. */
static const double no_slip = 1e6;

/* How near to its target a stress must be before it is measured, relative to the probe. */
static const double nearness = 1e-3;

/* A vibration passes through balance again and again: so many looks in a row, with so many steps
 * between them. */
enum { LOOKS = 5, LOOK = 10 };

/* ---- Measures ---- */

void tw_probe_stress(const tw_measure *measure, double stress[TW_COMPONENTS])
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

double tw_probe_size(const double kelvin[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += kelvin[k] * kelvin[k];
    return sqrt(sum);
}

tw_status tw_probe_at_limit(const tw_sim *sim, double *share, tw_error *error)
{
    const tw_contact_law law = tw_sim_definition(sim).law;
    const size_t count = tw_sim_contacts(sim);
    tw_contact_state *contacts = malloc((count + 1) * sizeof *contacts);
    if (!contacts) {
        error->status = TW_STATUS_MEMORY;
        snprintf(error->text, sizeof error->text, "no memory for %zu contacts", count);
        return TW_STATUS_MEMORY;
    }
    size_t many = 0;
    tw_sim_get_contacts(sim, contacts);
    for (size_t i = 0; i < count; i++) {
        const tw_vec3 t = contacts[i].ft;
        const double force = sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
        many += contacts[i].sliding || force >= (1.0 - 1e-5) * law.mu * contacts[i].fn;
    }
    *share = count > 0 ? (double)many / (double)count : 0.0;
    free(contacts);
    return TW_STATUS_OK;
}

/* ---- The way of one copy ---- */

typedef struct journey {
    const tw_probe_def *def;
    const tw_probe_watch *watch;
    tw_sim *sim;
    double strain[TW_COMPONENTS]; /* since the start */
    double clock;                 /* time of the last look [s] */
    uint64_t steps;
    uint64_t left;               /* steps of a loading by strain that are still to come */
    double start[TW_COMPONENTS]; /* stress [Pa] */
    double friction;             /* lost before the present phase [J] */
} journey;

/* What is left of the strain, over the steps that are left: the time-step may change on the way. */
static void aim(journey *j)
{
    const double *target = j->def->change;
    double rate[TW_COMPONENTS] = {0.0};
    for (int k = 0; k < TW_COMPONENTS && j->left > 0; k++)
        rate[k] = (j->strain[k] - target[k]) / ((double)j->left * tw_sim_dt(j->sim));
    const tw_mat3 gradient = {{rate[TW_XX], 0.5 * rate[TW_XY], 0.5 * rate[TW_XZ], /* */
                               0.5 * rate[TW_XY], rate[TW_YY], 0.5 * rate[TW_YZ], /* */
                               0.5 * rate[TW_XZ], 0.5 * rate[TW_YZ], rate[TW_ZZ]}};
    tw_sim_set_velocity_gradient(j->sim, &gradient);
}

static int after_step(tw_sim *sim, void *context)
{
    journey *j = context;
    const tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    const double now = tw_sim_time(sim), dt = now - j->clock, *m = gradient.m;
    const double rate[TW_COMPONENTS] = {m[0], m[4], m[8], m[5] + m[7], m[2] + m[6], m[1] + m[3]};
    for (int k = 0; k < TW_COMPONENTS; k++)
        j->strain[k] -= dt * rate[k];
    j->clock = now;
    j->steps++;
    if (j->left > 0) {
        j->left--;
        aim(j);
    }
    return j->watch->step && j->watch->step(j->watch->context);
}

static tw_status advance(journey *j, uint64_t steps, tw_error *error)
{
    return tw_sim_run_hooked(j->sim, steps, after_step, j, error);
}

static tw_status open_copy(journey *j, double friction, tw_error *error)
{
    const tw_mat3 still = {{0.0}};
    j->sim = j->watch->open(j->watch->context, error);
    if (!j->sim) return error->status;
    tw_contact_law law = j->def->law;
    law.mu = friction;
    tw_sim_set_threads(j->sim, 1);
    tw_sim_set_velocity_gradient(j->sim, &still);
    tw_status status = tw_sim_set_law(j->sim, &law, error);
    if (status == TW_STATUS_OK) status = tw_sim_run(j->sim, 0, error); /* forces are known then */
    if (status != TW_STATUS_OK) return status;
    const tw_measure m = tw_sim_measure(j->sim);
    tw_probe_stress(&m, j->start);
    j->clock = tw_sim_time(j->sim);
    j->friction = m.energy.friction;
    return TW_STATUS_OK;
}

/* ---- Loading ---- */

/* All six stresses go to `target` in the steps of the probe, and are held there. `size`: of the
 * stress increment. */
static tw_status steer(journey *j, const double target[TW_COMPONENTS], double size, tw_error *error)
{
    const tw_measure m = tw_sim_measure(j->sim);
    const double time = (double)j->def->steps * tw_sim_dt(j->sim);
    double now[TW_COMPONENTS], scale = fabs(m.p);
    tw_control control = tw_control_default();
    tw_probe_stress(&m, now);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        control.row[k] = tw_control_stress(k, target[k]);
        control.row[k].ramp = fabs(target[k] - now[k]) / time;
        scale = tw_math_max(scale, fabs(target[k]));
    }
    control.tolerance = nearness * size / scale;
    return tw_sim_set_control(j->sim, &control, error);
}

static bool is_held(const tw_sim *sim)
{
    const tw_control_report servo = tw_sim_control(sim);
    return !servo.ramping && (servo.status == TW_CONTROL_OFF || servo.status == TW_CONTROL_HOLDING);
}

/* Waits until all is at rest, the cell held in strain or stress. */
static tw_status rest(journey *j, uint64_t *rested, tw_error *error)
{
    const tw_probe_def *def = j->def;
    int calm = 0;
    tw_status status = TW_STATUS_OK;
    for (uint64_t done = 0; done < def->rest_steps && calm < LOOKS;) {
        const uint64_t part = def->rest_steps - done < LOOK ? def->rest_steps - done : LOOK;
        status = advance(j, part, error);
        if (status != TW_STATUS_OK) return status;
        done += part;
        calm = tw_sim_measure(j->sim).unbalanced < def->rest && is_held(j->sim) ? calm + 1 : 0;
    }
    *rested = calm >= LOOKS;
    return status;
}

static tw_status finish(journey *j, int phase, double stress[TW_COMPONENTS],
                        tw_probe_result *result, tw_error *error)
{
    tw_status status = rest(j, &result->rested[phase], error);
    if (status != TW_STATUS_OK) return status;
    const tw_measure m = tw_sim_measure(j->sim);
    tw_probe_stress(&m, stress);
    for (int k = 0; k < TW_COMPONENTS; k++)
        stress[k] -= j->start[k];
    result->steps[phase] = j->steps;
    result->unbalanced[phase] = m.unbalanced;
    result->friction_work[phase] = (m.energy.friction - j->friction) / m.volume;
    j->friction = m.energy.friction;
    j->steps = 0;
    return tw_probe_at_limit(j->sim, &result->at_limit[phase], error);
}

static tw_status load(journey *j, tw_error *error)
{
    const tw_probe_def *def = j->def;
    tw_status status = TW_STATUS_OK;
    if (def->by_stress) {
        double target[TW_COMPONENTS];
        for (int k = 0; k < TW_COMPONENTS; k++)
            target[k] = j->start[k] + def->change[k];
        status = steer(j, target, def->magnitude, error);
    } else {
        j->left = def->steps;
        aim(j);
    }
    return status == TW_STATUS_OK ? advance(j, def->steps, error) : status;
}

static tw_status unload(journey *j, tw_probe_result *result, tw_error *error)
{
    double kelvin[TW_COMPONENTS];
    tw_probe_kelvin_stress(result->stress, kelvin);
    tw_status status = steer(j, j->start, tw_probe_size(kelvin), error);
    if (status == TW_STATUS_OK) status = advance(j, j->def->steps, error);
    if (status == TW_STATUS_OK) status = finish(j, TW_PROBE_UNLOAD, result->missed, result, error);
    memcpy(result->left, j->strain, sizeof result->left);
    return status;
}

static tw_status run_probe(journey *j, tw_probe_result *result, tw_error *error)
{
    tw_status status = open_copy(j, j->def->law.mu, error);
    if (status == TW_STATUS_OK) status = load(j, error);
    if (status == TW_STATUS_OK) status = finish(j, TW_PROBE_LOAD, result->stress, result, error);
    memcpy(result->strain, j->strain, sizeof result->strain);
    if (status == TW_STATUS_OK && j->def->unload) status = unload(j, result, error);
    return status;
}

static tw_status run_twin(journey *j, tw_probe_result *result, tw_error *error)
{
    tw_status status = open_copy(j, no_slip, error);
    if (status == TW_STATUS_OK) status = load(j, error);
    if (status == TW_STATUS_OK)
        status = finish(j, TW_PROBE_TWIN, result->twin_stress, result, error);
    memcpy(result->twin_strain, j->strain, sizeof result->twin_strain);
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
        journey j = {.def = def, .watch = watch};
        status = run_probe(&j, result, error);
        tw_sim_free(j.sim);
    }
    if (def->twin && status == TW_STATUS_OK) {
        journey j = {.def = def, .watch = watch};
        status = run_twin(&j, result, error);
        tw_sim_free(j.sim);
    }
    return status;
}
