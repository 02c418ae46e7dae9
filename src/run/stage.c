/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/stage.h"

#include <math.h>
#include <twirl/math.h>

#include "probe/probe.h"

static double value_or(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

/* Law and damping of the stage. Unset values default to the specimen's, not to those of the
 * previous stage. */
static tw_status set_constants(tw_run *run, const tw_scenario_stage *stage)
{
    const tw_sim_def def = run->specimen;
    tw_contact_law law = def.law;
    tw_scenario_put_law(run->scenario, stage, &law);
    tw_status status = tw_sim_set_law(run->sim, &law, run->error);
    if (status == TW_STATUS_OK)
        status = tw_sim_set_damping(run->sim, value_or(stage->damping.mass, def.damping_mass),
                                    value_or(stage->damping.spin, def.damping_spin),
                                    value_or(stage->damping.local, def.damping_local), run->error);
    return status;
}

/* A stage starts from the end of the previous one unless `from` names another state. */
static tw_status load_start(tw_run *run, const tw_scenario_stage *stage)
{
    if (!stage->from) return TW_STATUS_OK;
    return tw_run_load(run, tw_file_path_in(run->plan->folder, "states", stage->from, ".h5").text);
}

static tw_status set_rate(tw_run *run, const tw_scenario_stage *stage, double p)
{
    if (isnan(stage->rate) && isnan(stage->inertial_number)) return TW_STATUS_OK;
    /* Isotropic compression may start without pressure. */
    if (stage->path == TW_SCENARIO_ISOTROPIC && !(p > 1e-3 * stage->pressure)) p = stage->pressure;
    run->state.rate =
        isnan(stage->rate) ? tw_run_rate(run, stage->inertial_number, p) : stage->rate;
    if (run->state.rate > 0.0) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "stage '%s': there is no pressure at its start, so inertial_number does "
                        "not define a strain rate; give 'rate' instead",
                        stage->name);
}

/* Direction relative to the first one: 1 or -1. */
static double direction_of(const tw_run_state *state)
{
    return state->reversals % 2 == 0 ? 1.0 : -1.0;
}

static tw_status set_control(tw_run *run, const tw_scenario_stage *stage,
                             const tw_loading_stress *now)
{
    const tw_run_state *state = &run->state;
    if (stage->path == TW_SCENARIO_FREE_FLIGHT || stage->path == TW_SCENARIO_PROBES ||
        stage->path == TW_SCENARIO_ROTATE) {
        const tw_mat3 still = {{0.0}};
        tw_sim_set_velocity_gradient(run->sim, &still);
        return TW_STATUS_OK;
    }
    const tw_control control =
        tw_loading_control(stage, state->rate, state->target, direction_of(state), now);
    return tw_sim_set_control(run->sim, &control, run->error);
}

/* Shear stress counts in the direction of the stage; the sign of an axial stress does not depend on
 * it. */
static double end_stress(const tw_scenario_stage *stage, const tw_loading_stress *now)
{
    const double stress = tw_loading_path_stress(stage, now);
    return stage->path == TW_SCENARIO_SIMPLE_SHEAR ? tw_loading_sign(stage) * stress : stress;
}

static void keep_start(tw_run_state *state, const tw_scenario_stage *stage,
                       const tw_loading_stress *now)
{
    state->start_stress = end_stress(stage, now);
    state->start_q = now->q;
    state->start_p = now->p;
    state->start_ratio = tw_loading_ratio(stage, now);
    state->start_cycled = tw_loading_cycled(stage, now);
    state->start_confining = tw_loading_confining(stage, now);
}

tw_status tw_stage_begin(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_status status = load_start(run, stage);
    if (status == TW_STATUS_OK) status = set_constants(run, stage);
    if (status == TW_STATUS_OK) status = tw_sim_prepare(run->sim, run->error);
    tw_measure m;
    if (status == TW_STATUS_OK) status = tw_sim_measure(run->sim, &m, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_run_reset_stage(run);
    const tw_loading_stress now = tw_run_stress(run);
    keep_start(&run->state, stage, &now);
    run->state.target = tw_loading_target(stage, &now);
    status = set_rate(run, stage, now.p);
    if (status == TW_STATUS_OK && stage->path == TW_SCENARIO_PROBES) {
        run->state.start_unbalanced = m.unbalanced;
        status = tw_probe_at_limit(run->sim, &run->state.start_at_limit, run->error);
    }
    if (status == TW_STATUS_OK) status = set_control(run, stage, &now);
    if (status != TW_STATUS_OK) return status;
    return tw_run_log(run, "stage %d of %d, %s: %s, p %g Pa, porosity %.5f",
                      (int)run->state.stage + 1, (int)run->scenario->stage_count, stage->name,
                      tw_scenario_path_name(stage->path), now.p, m.porosity);
}

/* ---- Ends ---- */

/* Passed from above or from below, depending on where it started. */
static bool passes(double limit, double start, double now)
{
    if (isnan(limit)) return false;
    return start < limit ? now >= limit : now <= limit;
}

static bool has_stress_end(const tw_scenario_end *end)
{
    return !isnan(end->stress) || !isnan(end->q) || !isnan(end->pressure) ||
           !isnan(end->stress_ratio);
}

static bool reaches_stress(const tw_run *run, const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    const tw_run_state *state = &run->state;
    const tw_loading_stress now = tw_run_stress(run);
    return passes(end->stress, state->start_stress, end_stress(stage, &now)) ||
           passes(end->q, state->start_q, now.q) || passes(end->pressure, state->start_p, now.p) ||
           passes(end->stress_ratio, state->start_ratio, tw_loading_ratio(stage, &now));
}

/* Ends the stage if it is in equilibrium. */
static tw_status check_equilibrium(tw_run *run, const tw_scenario_end *end)
{
    if (isnan(end->unbalanced) || run->state.stage_steps % TW_RUN_CHECK_STEPS != 0)
        return TW_STATUS_OK;
    tw_measure m;
    const tw_status status = tw_sim_measure(run->sim, &m, run->error);
    if (status != TW_STATUS_OK || !(m.unbalanced < end->unbalanced)) return status;
    const tw_control_report servo = tw_sim_control(run->sim);
    run->ended =
        !servo.ramping && (servo.status == TW_CONTROL_OFF || servo.status == TW_CONTROL_HOLDING);
    return TW_STATUS_OK;
}

/* How far a cyclic stage is from its start, in its present direction. */
static double cycle_value(const tw_run_state *state, const tw_scenario_stage *stage,
                          const tw_loading_stress *now)
{
    return tw_loading_sign(stage) * direction_of(state) *
           (isnan(stage->cycle.strain) ? tw_loading_cycled(stage, now) - state->start_cycled
                                       : tw_loading_path_strain(stage, state->strain));
}

/* Reverses when the amplitude is reached. A cycle is complete on returning to its start in the
 * first direction. */
static tw_status check_cycle(tw_run *run, const tw_scenario_stage *stage)
{
    tw_run_state *state = &run->state;
    const bool by_strain = !isnan(stage->cycle.strain);
    tw_loading_stress now = {{0.0}, 0.0, 0.0, {0.0}};
    if (!by_strain) now = tw_run_stress(run);
    const double value = cycle_value(state, stage, &now);
    if (stage->end.cycles != TW_SCENARIO_NONE && state->reversals >= 2 * stage->end.cycles &&
        value >= 0.0)
        run->ended = true;
    if (value < (by_strain ? stage->cycle.strain : stage->cycle.stress)) return TW_STATUS_OK;
    state->worst = tw_math_max(state->worst, tw_sim_control(run->sim).worst);
    state->reversals++;
    return set_control(run, stage, &now);
}

/* The state before probes must pass several checks in a row: a vibration passes through equilibrium
 * again and again. */
static tw_status check_settling(tw_run *run, const tw_scenario_probes *probes)
{
    enum { CHECKS = 5 };
    tw_run_state *state = &run->state;
    if (state->stage_steps % TW_RUN_CHECK_STEPS == 0) {
        tw_measure m;
        const tw_status status = tw_sim_measure(run->sim, &m, run->error);
        if (status != TW_STATUS_OK) return status;
        state->calm = m.unbalanced < probes->settle ? state->calm + 1 : 0;
    }
    run->ended = state->calm >= CHECKS || state->stage_steps >= probes->settle_steps;
    return TW_STATUS_OK;
}

tw_status tw_stage_check(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_scenario_end *end = &stage->end;
    const tw_run_state *state = &run->state;
    if (stage->path == TW_SCENARIO_ROTATE) {
        run->ended = state->stage_steps >= stage->rotation.increments;
        return TW_STATUS_OK;
    }
    if (stage->path == TW_SCENARIO_PROBES) return check_settling(run, &stage->probes);
    run->ended = fabs(tw_loading_path_strain(stage, state->strain)) >= end->strain ||
                 state->stage_time >= end->time || state->stage_steps >= end->steps;
    if (!run->ended && has_stress_end(end)) run->ended = reaches_stress(run, stage);
    if (!run->ended) {
        const tw_status status = check_equilibrium(run, end);
        if (status != TW_STATUS_OK) return status;
    }
    if (stage->path == TW_SCENARIO_CYCLIC && !run->ended) return check_cycle(run, stage);
    return TW_STATUS_OK;
}

/* ---- Progress ---- */

double tw_stage_cycles(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage || stage->path != TW_SCENARIO_CYCLIC) return (double)NAN;
    const tw_loading_stress now = tw_run_stress(run);
    const double way = cycle_value(&run->state, stage, &now) /
                       (isnan(stage->cycle.strain) ? stage->cycle.stress : stage->cycle.strain);
    /* A step goes a little past the amplitude. */
    return 0.5 * (double)run->state.reversals + 0.25 * tw_math_max(-1.0, tw_math_min(way, 1.0));
}

static double cycles_done(const tw_run *run, const tw_scenario_stage *stage)
{
    return stage->end.cycles == TW_SCENARIO_NONE
               ? 0.0
               : 0.5 * (double)run->state.reversals / (double)stage->end.cycles;
}

double tw_stage_progress(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage || stage->path == TW_SCENARIO_PROBES) return nan("");
    const tw_scenario_end *end = &stage->end;
    const tw_run_state *state = &run->state;
    const double steps = (double)state->stage_steps;
    if (stage->path == TW_SCENARIO_ROTATE) return steps / (double)stage->rotation.increments;
    const bool cyclic = stage->path == TW_SCENARIO_CYCLIC;
    double done = cyclic ? cycles_done(run, stage) : 0.0;
    /* tw_math_max ignores NaN, which marks an end that is not set. */
    if (!cyclic)
        done = tw_math_max(done, fabs(tw_loading_path_strain(stage, state->strain)) / end->strain);
    done = tw_math_max(done, state->stage_time / end->time);
    if (end->steps != TW_SCENARIO_NONE) done = tw_math_max(done, steps / (double)end->steps);
    return done > 0.0 ? tw_math_min(done, 1.0) : nan("");
}
