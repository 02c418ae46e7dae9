/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/stage.h"

#include <math.h>
#include <twirl/math.h>

#include "probe/probe.h"
#include "run/run_checkpoint.h"
#include "run/run_laws.h"
#include "run/run_limits.h"
#include "run/stage_end.h"

static double value_or(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

/* Laws and damping of the stage. Unset values default to the specimen's, not to those of the
 * previous stage. */
static tw_status set_constants(tw_run *run, const tw_scenario_stage *stage)
{
    const tw_sim_def def = run->specimen;
    tw_status status = tw_run_laws_set(run, stage);
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
    return tw_run_checkpoint_return(run, tw_file_path_join("states", stage->from).text);
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
    const tw_mat3 still = {{0.0}};
    tw_control control;
    if (tw_loading_control(stage, state->rate, state->target, direction_of(state), now, &control))
        return tw_sim_set_control(run->sim, &control, run->error);
    tw_sim_set_velocity_gradient(run->sim, &still);
    return TW_STATUS_OK;
}

static void keep_start(tw_run_state *state, const tw_scenario_stage *stage,
                       const tw_loading_stress *now)
{
    state->start_stress = tw_loading_end_stress(stage, now);
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
    tw_sim_reset_displacements(run->sim);
    tw_measure m;
    if (status == TW_STATUS_OK) status = tw_sim_measure(run->sim, &m, run->error);
    if (status == TW_STATUS_OK) status = tw_run_limits_log_overlap(run);
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

/* Reverses when the amplitude is reached. */
static tw_status reverse(tw_run *run, const tw_scenario_stage *stage)
{
    tw_run_state *state = &run->state;
    const bool by_strain = !isnan(stage->cycle.strain);
    if (tw_stage_end_cycled(run) < (by_strain ? stage->cycle.strain : stage->cycle.stress))
        return TW_STATUS_OK;
    const tw_loading_stress now = tw_run_stress(run);
    state->worst = tw_math_max(state->worst, tw_sim_control(run->sim).worst);
    state->reversals++;
    return set_control(run, stage, &now);
}

tw_status tw_stage_check(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_status status = tw_stage_end_check(run);
    if (status != TW_STATUS_OK || run->ended || stage->path != TW_SCENARIO_CYCLIC) return status;
    return reverse(run, stage);
}
