/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shown of a run under way. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/run_progress.h>

#include "base/environment.h"
#include "base/mat3.h"
#include "run/prepare.h"
#include "run/progress.h"
#include "run/stage.h"
#include "run/timing.h"

/* ---- The view of the caller ---- */

static const char *phase_name(const tw_run *run, size_t probe_count)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage) return run->state.phase == TW_RUN_STATE_COMPRESS ? "compression" : "settling";
    if (stage->path == TW_SCENARIO_RATES) return "rates";
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

/* Starts over when the phase, trial or stage has changed. */
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
               : stages  ? tw_run_stage_end_progress(run)
                         : tw_run_prepare_progress(run));
    const size_t trials = stages ? 0 : tw_run_prepare_trials_expected(run);
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
                              .solid = run->grains.solid,
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

/* ---- In words ---- */

/* The progress of a run in words, for callers that show it. */

/* Steps between counts of contacts, whose number changes slowly. */
enum { SAMPLE = 16 };

tw_run_progress tw_run_progress_start(void)
{
    tw_run_progress progress = {0};
    progress.started = tw_clock();
    return progress;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void tw_run_progress_plan(const tw_scenario *scenario, char *text, size_t size)
{
    const size_t stages = scenario->stage_count;
    double steps = 0.0;
    int known = 1;
    char grains[64] = "a specimen from a file", length[64] = "";
    if (tw_scenario_is_generated(scenario))
        snprintf(grains, sizeof grains, "%" PRIu64 " grain%s", scenario->specimen.count,
                 plural(scenario->specimen.count));
    for (size_t k = 0; k < stages; k++) {
        const uint64_t more = tw_scenario_stage_steps(scenario, k); /* 0: unknown */
        known = known && more > 0 && tw_run_is_steady(&scenario->stages[k]);
        steps += (double)more;
    }
    if (known && steps > 0.0)
        snprintf(length, sizeof length, ", about %.2g steps after the preparation", steps);
    snprintf(text, size, "%s, %zu stage%s%s", grains, stages, plural(stages), length);
}

void tw_run_progress_duration(char *text, size_t size, double seconds)
{
    const double most = 359999.0; /* 99:59:59 */
    const unsigned s = (unsigned)tw_math_min(tw_math_max(seconds, 0.0), most);
    if (s >= 3600)
        snprintf(text, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%u:%02u", s / 60, s % 60);
}

/* ---- Time left ---- */

/* Seconds to the end of the part, at its rate so far; NaN if unknown. */
static double seconds_left(const tw_run_progress_part *part, const tw_run_view *view, double now)
{
    const double gained = view->progress - part->share;
    return gained > 0.0 ? (1.0 - view->progress) / gained * (now - part->started) : nan("");
}

/* Seconds to the end of the run, if every later step takes as long as one of this part. */
static double seconds_in_all(const tw_run_progress_part *part, const tw_run_view *view, double now)
{
    const double steps = (double)(view->steps - part->steps);
    return seconds_left(part, view, now) + view->later_steps * (now - part->started) / steps;
}

static void write_left(char *text, size_t size, const tw_run_progress *progress,
                       const tw_run_view *view, double now)
{
    const double left = seconds_left(&progress->part, view, now);
    const double all = seconds_in_all(&progress->part, view, now);
    char part[16], whole[16];
    text[0] = '\0';
    if (isnan(left)) return;
    tw_run_progress_duration(part, sizeof part, left);
    snprintf(text, size, "  %s left", part);
    if (isnan(all) || view->trial > 0 || !(view->later_steps > 0.0)) return;
    tw_run_progress_duration(whole, sizeof whole, all);
    snprintf(text, size, "  %s left, about %s in all", part, whole);
}

/* ---- The line ---- */

/* "[2/4] shear 43.0 %", "[0/4] specimen, trial 3 of about 7: settling 20.0 %" */
static void write_part(char *text, size_t size, const tw_run_view *view)
{
    char trial[64] = "", phase[32] = "", share[16] = "";
    if (view->trial > 0)
        snprintf(trial, sizeof trial, ", trial %zu of about %zu", view->trial, view->trial_count);
    if (strcmp(view->phase, "loading") != 0 && view->probe_count == 0)
        snprintf(phase, sizeof phase, ": %s", view->phase);
    if (!isnan(view->progress)) snprintf(share, sizeof share, " %.1f %%", 100.0 * view->progress);
    snprintf(text, size, "[%zu/%zu] %s%s%s%s", view->stage_number, view->stage_count, view->stage,
             trial, phase, share);
}

/* The state of the specimen; for probes, which all start from one state, how many are done. A line
 * does not measure: the state may be on a device. */
static void write_state(char *text, size_t size, const tw_run_view *view)
{
    if (view->probe_count > 0) {
        snprintf(text, size, "%s %zu/%zu",
                 strcmp(view->phase, "rates") == 0 ? "directions" : "probes", view->probes_done,
                 view->probe_count);
        return;
    }
    const tw_mat3 still = {{0.0}};
    const tw_run_loading_stress now =
        tw_run_loading_stress_from(tw_sim_get_control_report(view->sim).stress, &still);
    snprintf(text, size, "strain %.4f  p %.4g Pa  q/p %.3f  porosity %.4f", view->strain, now.p,
             now.p > 0.0 ? now.q / now.p : 0.0,
             1.0 - view->solid / fabs(tw_mat3_det(tw_sim_cell(view->sim))));
}

void tw_run_progress_line(const tw_run_progress *progress, const tw_run_view *view, char *text,
                          size_t size)
{
    const double now = tw_clock(), elapsed = now - progress->started;
    char part[200], left[80], state[120];
    write_part(part, sizeof part, view);
    write_left(left, sizeof left, progress, view, now);
    if (!view->sim) { /* no steps yet */
        snprintf(text, size, "%s%s", part, left);
        return;
    }
    write_state(state, sizeof state, view);
    snprintf(text, size, "%s%s  %s  %.3g steps/s  %.3g grain-steps/s  %.3g contact-steps/s", part,
             left, state, (double)progress->steps / elapsed, progress->body_steps / elapsed,
             progress->contact_steps / elapsed);
}

static void count_steps(tw_run_progress *progress, const tw_run_view *view)
{
    if (progress->steps == 0) progress->before = progress->counted = view->steps - 1;
    progress->steps = view->steps - progress->before;
    if (view->steps - progress->counted < SAMPLE) return;
    const double steps = (double)(view->steps - progress->counted);
    progress->body_steps += steps * (double)tw_sim_body_count(view->sim);
    size_t contacts = 0;
    tw_sim_contact_count(view->sim, &contacts, NULL);
    progress->contact_steps += steps * (double)contacts;
    progress->counted = view->steps;
}

static int is_part(const tw_run_progress_part *part, const tw_run_view *view)
{
    return part->phase == view->phase && part->stage == view->stage_number &&
           part->trial == view->trial && !isnan(part->share);
}

void tw_run_progress_step(tw_run_progress *progress, const tw_run_view *view)
{
    if (view->sim) count_steps(progress, view);
    if (!is_part(&progress->part, view))
        progress->part = (tw_run_progress_part){view->phase, view->stage_number, view->trial,
                                                tw_clock(),  view->progress,     view->steps};
}

void tw_run_progress_total(const tw_run_progress *progress, char *text, size_t size)
{
    const double elapsed = tw_math_max(tw_clock() - progress->started, 1e-9);
    snprintf(text, size,
             "%" PRIu64 " step%s in %.3g s: %.3g steps/s, %.3g grain-steps/s, %.3g contact-steps/s",
             progress->steps, plural(progress->steps), elapsed, (double)progress->steps / elapsed,
             progress->body_steps / elapsed, progress->contact_steps / elapsed);
}
