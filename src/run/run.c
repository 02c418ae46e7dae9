/* SPDX-License-Identifier: BSD-3-Clause */
/* The run under way: accessors, contact laws, limits. */
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/mat3.h"

bool tw_run_is_prepared(const tw_scenario *scenario)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    if (!tw_scenario_is_generated(scenario)) return false;
    return !tw_scenario_is_lattice(s) || !isnan(s->preparation.pressure);
}

bool tw_run_is_steady(const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    return !tw_scenario_ends_at_stress(stage) && isnan(end->unbalanced) && isnan(end->rest) &&
           !end->force.surface && !end->torque.surface && !end->moved.surface;
}

const tw_scenario_stage *tw_run_stage(const tw_run *run)
{
    if (run->state.phase != TW_RUN_STATE_STAGES) return NULL;
    return &run->scenario->stages[run->state.stage];
}

const char *tw_run_stage_name(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    return stage ? stage->name : "specimen";
}

tw_status tw_run_log(tw_run *run, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text - 1, format, list);
    va_end(list);
    if (run->plan->log) run->plan->log(text, run->plan->context);
    strcat(text, "\n");
    return tw_run_append_file_add(&run->output.log, text, strlen(text), run->error);
}

tw_status tw_run_warn(tw_run *run, const char *format, ...)
{
    char text[500];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tw_text_buffer line = {0};
    tw_text_buffer_add(&line, "%s: %s\n", tw_run_stage_name(run), text);
    const tw_status status = tw_run_log(run, "warning: %s: %s", tw_run_stage_name(run), text);
    return status == TW_STATUS_OK
               ? tw_run_append_file_add_text(&run->output.warnings, &line, run->error)
               : status;
}

void tw_run_remark(const tw_run *run, const char *format, ...)
{
    char text[800];
    va_list list;
    if (!run->plan->remark) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    run->plan->remark(text, run->plan->context);
}

void tw_run_remark_left(const tw_run *run, const char *path)
{
    tw_run_remark(run, "warning: cannot remove %s: %s; it is not needed any more",
                  tw_error_shorten_path(path).text, tw_error_reason_of(errno).text);
}

void tw_run_reset_stage(tw_run *run)
{
    tw_run_state *state = &run->state;
    state->stage_steps = state->row_at = state->reversals = 0;
    state->settled_checks = state->probing = 0;
    memset(state->frame_at, 0, sizeof state->frame_at);
    memset(state->frames, 0, sizeof state->frames);
    state->cycle_rows = 0;
    state->stage_time = state->travelled = state->last_path_strain = state->worst = 0.0;
    memset(state->strain, 0, sizeof state->strain);
    state->clock = tw_sim_time(run->sim);
    state->volume = tw_run_volume(run->sim);
    state->rate = 0.0;
    state->target = nan("");
    state->least_pore_pressure = 0.0;
    run->travelled_before = run->unbalanced = run->unbalanced_first = 0.0;
}

tw_run_loading_stress tw_run_stress(const tw_sim *sim)
{
    const tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    tw_control_report servo = tw_sim_get_control_report(sim);
    for (int k = 0; k < TW_COMPONENTS && tw_run_is_open(sim); k++)
        servo.stress[k] = (double)NAN;
    return tw_run_loading_stress_from(servo.stress, &gradient);
}

bool tw_run_is_open(const tw_sim *sim)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    bool closed = true;
    for (int k = 0; k < 3; k++)
        closed = closed && (def.periodic[k] || tw_sim_has_platens(sim, k));
    return !closed;
}

/* What refers to the volume of the cell, or the stress in it. */
static void drop_volume(tw_measure *m)
{
    double *const numbers[] = {&m->volume,
                               &m->porosity,
                               &m->void_ratio,
                               &m->p,
                               &m->q,
                               &m->strong_p,
                               &m->strong_q,
                               &m->anisotropy.a_c,
                               &m->anisotropy.a_d,
                               &m->anisotropy.a_n,
                               &m->anisotropy.a_t,
                               &m->anisotropy.sum,
                               &m->inertial_number};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        *numbers[k] = (double)NAN;
    if (m->contacts == 0) m->unbalanced = (double)NAN;
}

tw_status tw_run_measure(tw_run *run, tw_measure *m)
{
    const tw_status status = tw_sim_measure(run->sim, m, run->error);
    if (status == TW_STATUS_OK && tw_run_is_open(run->sim)) drop_volume(m);
    return status;
}

tw_status tw_run_set_control(tw_run *run, tw_control *control)
{
    static const int axes[TW_COMPONENTS][2] = {
        [TW_YZ] = {1, 2}, [TW_XZ] = {0, 2}, [TW_XY] = {0, 1}};
    for (int k = TW_YZ; k < TW_COMPONENTS; k++)
        if (control->row[k].mode == TW_CONTROL_STRESS &&
            (tw_sim_has_platens(run->sim, axes[k][0]) || tw_sim_has_platens(run->sim, axes[k][1])))
            control->row[k] = tw_control_rate(k, 0.0);
    return tw_sim_set_control(run->sim, control, run->error);
}

double tw_run_path_strain(const tw_run *run, const double e[TW_COMPONENTS])
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    return stage ? tw_run_loading_path_strain(stage, e) : e[TW_XX] + e[TW_YY] + e[TW_ZZ];
}

tw_status tw_run_measure_balance(tw_run *run, tw_measure *m)
{
    const tw_status status = tw_sim_measure_balance(run->sim, m, run->error);
    if (status != TW_STATUS_OK) return status;
    if (tw_run_is_open(run->sim)) drop_volume(m);
    run->unbalanced = isinf(m->unbalanced) ? 0.0 : m->unbalanced; /* nothing would settle */
    if (!(run->unbalanced_first > 0.0)) run->unbalanced_first = run->unbalanced;
    return TW_STATUS_OK;
}

double tw_run_settled(const tw_run *run, double limit)
{
    const double first = run->unbalanced_first, now = run->unbalanced;
    if (!(first > 0.0 && now > 0.0)) return nan("");
    if (first <= limit) return now <= limit ? 1.0 : 0.0;
    const double share = tw_math_log(first / now) / tw_math_log(first / limit);
    return tw_math_min(tw_math_max(share, 0.0), 1.0);
}

bool tw_run_passes_multiple(const tw_run *run, double strain)
{
    return floor(run->travelled_before / strain) != floor(run->state.travelled / strain);
}

uint64_t tw_run_steps_until_multiple(uint64_t step, uint64_t every)
{
    return every == TW_SCENARIO_NONE || every == 0 ? UINT64_MAX : every - step % every;
}

uint64_t tw_run_steps_until(double left, double each)
{
    const double steps = 0.5 * left / each;
    if (!(steps >= 2.0)) return 1; /* not a number, too */
    return steps < 1e9 ? (uint64_t)steps : 1000000000;
}

uint64_t tw_run_min_steps(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

double tw_run_step_strain(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const double rate = fabs(run->state.rate) * tw_sim_dt(run->sim);
    /* By a stress the next step may be of any size. */
    if (stage && stage->path == TW_SCENARIO_GENERAL && !(rate > 0.0)) return HUGE_VAL;
    return tw_math_max(rate, run->state.travelled - run->travelled_before);
}

uint64_t tw_run_steps_until_strain(const tw_run *run, double strain)
{
    const double next = strain * (floor(run->state.travelled / strain) + 1.0);
    return tw_run_steps_until(next - run->state.travelled, tw_run_step_strain(run));
}

double tw_run_rate(const tw_run_grains *grains, double inertial_number, double p)
{
    return p > 0.0 ? inertial_number * sqrt(p / grains->density) / grains->diameter : 0.0;
}

double tw_run_volume(const tw_sim *sim)
{
    return tw_run_is_open(sim) ? (double)NAN : fabs(tw_mat3_det(tw_sim_cell(sim)));
}

double tw_run_pore_pressure(const tw_run *run, const tw_run_loading_stress *now)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_run_state *s = &run->state;
    if (!stage) return (double)NAN;
    if (tw_run_loading_has_fluid(stage))
        return s->start_pore_pressure +
               stage->fluid.bulk * tw_math_log((s->volume - run->grains.solid) /
                                               (tw_run_volume(run->sim) - run->grains.solid));
    /* An incompressible one carries what the grains lose. */
    return s->start_pore_pressure + s->start_confining - tw_run_loading_confining(stage, now);
}

tw_run_grains tw_run_measure_grains(const tw_sim *sim)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    tw_sim_sizes sizes;
    (void)tw_sim_get_sizes(sim, &sizes, NULL); /* no steps have been taken */
    const double density =
        tw_sim_material_count(sim) == 1 ? def.density * def.mass_scale : sizes.mass / sizes.volume;
    return (tw_run_grains){sizes.diameter, density, sizes.volume};
}

/* ---- Contact laws ---- */

static tw_contact_law *laws_of(const tw_sim *sim)
{
    const size_t count = tw_sim_material_count(sim);
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    for (size_t i = 0; laws && i < count * count; i++)
        tw_sim_get_pair_law(sim, (uint32_t)(i / count), (uint32_t)(i % count), &laws[i], NULL);
    return laws;
}

tw_status tw_run_laws_keep(tw_run *run, const tw_sim *sim)
{
    tw_run_laws_free(run);
    if (!run->scenario->specimen.checkpoint) return TW_STATUS_OK;
    run->laws = laws_of(sim);
    return run->laws ? TW_STATUS_OK : tw_error_set_memory(run->error);
}

void tw_run_laws_free(tw_run *run)
{
    free(run->laws);
    run->laws = NULL;
}

/* Where the list of the scenario has the k-th material of the simulation. */
static size_t place_of(const tw_run *run, size_t k)
{
    return tw_scenario_find_material(run->scenario, tw_sim_material_name(run->sim, (uint32_t)k));
}

/* Whether the forces of two laws differ at the same overlap and tangential force: without
 * tangential springs that is dropped. */
static bool forces_differ(const tw_contact_law *a, const tw_contact_law *b)
{
    return (a->kt > 0.0) != (b->kt > 0.0) || a->kn != b->kn || a->normal != b->normal ||
           ((a->flags ^ b->flags) & TW_CONTACT_BY_RADIUS) != 0;
}

/* Gives the contacts what they have: forces on the grains and the stress follow from it, by the
 * present laws. In the next step they would follow, too, but the work of that step would be the
 * mean of both. */
static tw_status renew_forces(tw_run *run)
{
    size_t count, wrong;
    tw_contact_state *contacts = NULL;
    tw_status status = tw_sim_prepare(run->sim, run->error);
    if (status == TW_STATUS_OK)
        status = tw_sim_list_contacts(run->sim, &contacts, &count, run->error);
    if (status == TW_STATUS_OK && count > 0)
        status = tw_sim_set_contacts(run->sim, contacts, count, &wrong, run->error);
    free(contacts);
    return status;
}

tw_status tw_run_laws_set(tw_run *run, const tw_scenario_stage *stage)
{
    const size_t count = tw_sim_material_count(run->sim);
    tw_contact_law *laws = malloc(count * count * sizeof *laws), old;
    if (!laws) return tw_error_set_memory(run->error);
    bool renew = false;
    for (size_t i = 0; i < count * count; i++) {
        laws[i] = run->laws ? run->laws[i] : tw_contact_law_default();
        tw_scenario_put_law(run->scenario, stage, place_of(run, i / count),
                            place_of(run, i % count), &laws[i]);
        tw_sim_get_pair_law(run->sim, (uint32_t)(i / count), (uint32_t)(i % count), &old, NULL);
        renew = renew || forces_differ(&laws[i], &old);
    }
    tw_status status = tw_sim_set_laws(run->sim, laws, count * count, run->error);
    if (status == TW_STATUS_OK && renew) status = renew_forces(run);
    free(laws);
    return status;
}

tw_status tw_run_laws_set_friction(tw_sim *sim, double friction, tw_error *error)
{
    const size_t count = tw_sim_material_count(sim);
    tw_contact_law *laws = isnan(friction) ? NULL : laws_of(sim);
    if (isnan(friction)) return TW_STATUS_OK;
    if (!laws) return tw_error_set_memory(error);
    for (size_t i = 0; i < count * count; i++)
        laws[i].mu = friction;
    const tw_status status = tw_sim_set_laws(sim, laws, count * count, error);
    free(laws);
    return status;
}

/* ---- Limits ---- */

/* Below two diameters between opposite faces a grain touches another one and its image. A cell that
 * was thinner at the start of the stage is meant to be: a monolayer, the unit cell of a lattice. */
static tw_status check_cell(const tw_run *run)
{
    const tw_mat3 inverse = tw_mat3_inverse(tw_sim_cell(run->sim));
    const double least = 2.0 * run->grains.diameter;
    for (int k = 0; k < 3; k++) {
        const double height = 1.0 / tw_vec3_norm(tw_mat3_row(inverse, k));
        const double start = height * tw_math_exp(run->state.strain[k]);
        if (height >= least || start < least) continue;
        return tw_error_set(run->error, TW_STATUS_PHYSICS,
                            "stage '%s': at a strain of %.3g the cell is thinner than two mean "
                            "diameters along %c (%.3g m): grains touch their own images; end the "
                            "stage at a smaller strain, or use more grains",
                            tw_run_stage_name(run), tw_run_path_strain(run, run->state.strain),
                            "xyz"[k], height);
    }
    return TW_STATUS_OK;
}

/* Granular materials reach their peak at a few per cent of strain and the critical state below 50
 * %; simple shear may continue much longer. */
static tw_status check_strain(const tw_run *run, const tw_scenario_stage *stage)
{
    const double most = tw_scenario_stage_traits(stage).strain_most;
    if (!tw_scenario_needs_stress(stage) || fabs(tw_run_path_strain(run, run->state.strain)) < most)
        return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "stage '%s': its stress has not been reached at a strain of %g; it is "
                        "beyond the strength of the specimen. Lower it, or add end.strain",
                        stage->name, most);
}

tw_status tw_run_limits_check(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage || stage->path == TW_SCENARIO_ROTATE ||
        run->state.stage_steps % TW_RUN_CHECK_STEPS != 0)
        return TW_STATUS_OK;
    const tw_status status = check_cell(run);
    return status == TW_STATUS_OK ? check_strain(run, stage) : status;
}

/* ---- Overlaps at the start ---- */

enum { OVERLAP_PERCENT = 5 }; /* of the mean radius: ten times that of stiff grains under load */

static tw_status log_overlap(tw_run *run, const tw_contact_state *contacts, size_t count)
{
    const double radius = 0.5 * run->grains.diameter, limit = 0.01 * OVERLAP_PERCENT * radius;
    size_t deep = 0, deepest = 0;
    for (size_t i = 0; i < count; i++) {
        deep += contacts[i].zeta > limit;
        if (contacts[i].zeta > contacts[deepest].zeta) deepest = i;
    }
    if (deep == 0) return TW_STATUS_OK;
    const tw_contact_state *c = &contacts[deepest];
    if (c->body_q == TW_NO_BODY)
        return tw_run_warn(run,
                           "grains overlap surfaces at the start: grain %u by %.3g m, %.0f %% of "
                           "the mean radius; it is pushed out with force",
                           c->body_p, c->zeta, 100.0 * c->zeta / radius);
    return tw_run_warn(
        run,
        "the grains of specimen.file overlap at the start: grains %u and %u "
        "by %.3g m, %.0f %% of the mean radius; %zu of %zu contacts by more than %d "
        "%%. They are pushed apart with force: make the radii smaller, or begin with "
        "'path: relax' and 'damping: {mass: ...}'",
        c->body_p, c->body_q, c->zeta, 100.0 * c->zeta / radius, deep, count, (int)OVERLAP_PERCENT);
}

tw_status tw_run_limits_log_overlap(tw_run *run)
{
    size_t count;
    const tw_scenario *s = run->scenario;
    const bool given = s->specimen.file || s->surface_count > 0;
    if (!given || run->state.steps > 0) return TW_STATUS_OK;
    tw_contact_state *contacts;
    tw_status status = tw_sim_list_contacts(run->sim, &contacts, &count, run->error);
    if (status == TW_STATUS_OK && count > 0) status = log_overlap(run, contacts, count);
    free(contacts);
    return status;
}
