/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_view.h"

#include <math.h>

#include <twirl/math.h>

#include "run/prepare.h"
#include "run/stage_end.h"

static const char *phase_name(const tw_run *run, size_t probe_count)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage) return run->state.phase == TW_RUN_STATE_COMPRESS ? "compression" : "settling";
    if (stage->path != TW_SCENARIO_PROBES) return "loading";
    return probe_count > 0 ? "probes" : "settling";
}

/* Estimated steps of the stages after the present one, with the present time step; NaN if one of
 * them cannot be estimated. */
static double later_steps(const tw_run *run)
{
    const tw_scenario *s = run->scenario;
    const double dt = tw_sim_dt(run->sim), expected = tw_scenario_dt(s);
    const double scale = dt > 0.0 && tw_run_stage(run) ? expected / dt : 1.0;
    double sum = 0.0;
    for (size_t k = tw_run_stage(run) ? run->state.stage + 1 : 0; k < s->stage_count; k++) {
        const uint64_t steps = tw_scenario_stage_steps(s, k);
        sum += steps > 0 ? scale * (double)steps : nan("");
    }
    return sum;
}

/* Starts anew when the phase, trial or stage has changed. */
static void keep_shown(tw_run *run, size_t probe_count, double progress)
{
    const tw_run_state *s = &run->state;
    tw_run_shown *shown = &run->shown;
    const uint64_t part = 1 + s->phase + (probe_count > 0) + 4 * (s->stage + s->trial);
    if (part != shown->part)
        *shown = (tw_run_shown){.part = part, .progress = nan(""), .later = later_steps(run)};
    shown->progress = tw_math_max(shown->progress, progress); /* ignores NaN */
}

int tw_run_view_report(tw_run *run, uint64_t probe_steps, size_t done, size_t count)
{
    const tw_run_plan *plan = run->plan;
    if (!plan->step) return 0;
    const bool stages = run->state.phase == TW_RUN_STATE_STAGES;
    keep_shown(run, count,
               count > 0 ? (double)done / (double)count
               : stages  ? tw_stage_end_progress(run)
                         : tw_prepare_progress(run));
    const size_t trials = stages ? 0 : tw_prepare_trials_expected(run);
    const tw_run_view view = {.stage = tw_run_stage_name(run),
                              .phase = phase_name(run, count),
                              .stage_number = stages ? run->state.stage + 1 : 0,
                              .stage_count = run->scenario->stage_count,
                              .trial = trials > 0 ? run->state.trial + 1 : 0,
                              .trial_count = trials,
                              .progress = run->shown.progress,
                              .strain = run->state.last_path_strain,
                              .steps = run->state.steps + probe_steps,
                              .later_steps = run->shown.later,
                              .sim = run->sim,
                              .solid = run->solid,
                              .probes_done = done,
                              .probe_count = count};
    return plan->step(&view, plan->context);
}

int tw_run_view_report_placed(double share, void *context)
{
    tw_run *run = context;
    const tw_run_plan *plan = run->plan;
    if (!plan->step) return 0;
    /* With more room for the grains, their placement starts again. */
    run->shown.progress = tw_math_max(run->shown.progress, share);
    const tw_run_view view = {.stage = "specimen",
                              .phase = "placement",
                              .stage_count = run->scenario->stage_count,
                              .progress = run->shown.progress,
                              .later_steps = nan("")};
    return plan->step(&view, plan->context);
}
