/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of a run: phases and stages in order, and the work after each step. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <twirl/math.h>
#include <twirl/run.h>
#include <twirl/statics.h>

#include "base/environment.h"
#include "run/checkpoint.h"
#include "run/file_list.h"
#include "run/prepare.h"
#include "run/probes.h"
#include "run/progress.h"
#include "run/rates.h"
#include "run/report.h"
#include "run/resume.h"
#include "run/stage.h"
#include "run/timing.h"

/* ---- Checkpoints ---- */

static bool save_is_due(const tw_run *run)
{
    const tw_scenario_checkpoints *requested = &run->scenario->output.checkpoint;
    if (requested->steps != TW_SCENARIO_NONE) return run->state.steps % requested->steps == 0;
    return tw_clock() - run->saved.at >= requested->wall_time;
}

/* ---- Steps ---- */

static void count_step(tw_run *run, const tw_sim_step_record *step)
{
    tw_run_state *state = &run->state;
    const double dt = step->time - state->clock;
    double rate[TW_COMPONENTS];
    tw_run_loading_components(&step->velocity_gradient, rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        state->strain[k] -= dt * rate[k];
        state->total_strain[k] -= dt * rate[k];
    }
    state->clock = step->time;
    state->time += dt;
    state->stage_time += dt;
    state->steps++;
    state->stage_steps++;
    state->lammps_steps += state->lammps;
    run->travelled_before = state->travelled;
    const double strain = tw_run_path_strain(run, state->strain);
    state->travelled += fabs(strain - state->last_path_strain);
    state->last_path_strain = strain;
}

/* Steps in which there is nothing to do but to count them. */
static uint64_t free_steps(const tw_run *run)
{
    const tw_scenario_checkpoints *requested = &run->scenario->output.checkpoint;
    const uint64_t stage =
        tw_run_stage(run) ? tw_run_stage_end_idle_steps(run) : tw_run_prepare_idle_steps(run);
    const uint64_t saved = tw_run_steps_until_multiple(run->state.steps, requested->steps);
    return tw_run_min_steps(tw_run_min_steps(stage, tw_run_report_idle_steps(run)), saved);
}

/* 0 stops the steps: at the end of the stage, on request, or after an error. */
static uint64_t after_steps(tw_sim *sim, const tw_sim_step_record *steps, size_t count,
                            void *context)
{
    tw_run *run = context;
    (void)sim;
    TW_CLOCK_HERE(TW_SIM_PHASE_END);
    for (size_t k = 0; k < count; k++)
        count_step(run, &steps[k]);
    tw_run_timing_add_steps(&run->meter, count);
    tw_status status = tw_run_stage(run) ? tw_run_stage_check(run) : tw_run_prepare_check(run);
    if (status == TW_STATUS_OK && !run->ended) status = tw_run_limits_check(run);
    tw_clock_enter(TW_SIM_PHASE_OUTPUT);
    if (status == TW_STATUS_OK) status = tw_run_report_step(run);
    if (status == TW_STATUS_OK && !run->ended && save_is_due(run))
        status = tw_run_checkpoint_commit(run);
    run->stopped = tw_run_view_report(run, 0, 0, 0) != 0;
    return status != TW_STATUS_OK || run->ended || run->stopped ? 0 : free_steps(run);
}

static tw_status rotate(tw_run *run, const tw_scenario_rotation *rotation)
{
    const double *a = rotation->axis;
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double part = rotation->angle / (length * (double)rotation->increments);
    const tw_vec3 increment = {part * a[0], part * a[1], part * a[2]};
    for (;;) {
        if (tw_sim_rotate(run->sim, increment, 1, run->error) != TW_STATUS_OK)
            return run->error->status;
        const tw_sim_step_record step = {tw_sim_time(run->sim), tw_sim_velocity_gradient(run->sim)};
        if (after_steps(run->sim, &step, 1, run) == 0) return run->error->status;
    }
}

static tw_status take_steps(tw_run *run)
{
    tw_error engine; /* kept apart from an error of after_steps, which the engine reports as
                        INTERRUPTED */
    const tw_status status = tw_sim_run_batched(run->sim, after_steps, run, &engine);
    if (status == TW_STATUS_INTERRUPTED) return run->error->status;
    *run->error = engine;
    return status;
}

/* The state settles and is saved; the probes start from it. */
static tw_status settle_and_probe(tw_run *run, const tw_scenario_probes *requested)
{
    tw_status status = TW_STATUS_OK;
    if (!run->state.probing) {
        run->ended = requested->settle_steps == 0;
        if (!run->ended) status = take_steps(run);
        if (status != TW_STATUS_OK || !run->ended) return status;
        run->ended = false;
        status = tw_run_probe_stage_begin(run);
        if (status == TW_STATUS_OK) status = tw_run_checkpoint_commit(run);
    }
    return status == TW_STATUS_OK && !run->stopped ? tw_run_probe_stage_run(run) : status;
}

static tw_status advance(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    run->error->status = TW_STATUS_OK;
    if (stage && stage->path == TW_SCENARIO_ROTATE) return rotate(run, &stage->rotation);
    if (stage && stage->path == TW_SCENARIO_PROBES) return settle_and_probe(run, &stage->probes);
    if (stage && stage->path == TW_SCENARIO_RATES) return tw_run_rates(run);
    return take_steps(run);
}

/* ---- Phases and stages ---- */

static tw_status begin(tw_run *run)
{
    tw_status status = tw_run_stage(run) ? tw_run_stage_begin(run) : tw_run_prepare_begin(run);
    if (status != TW_STATUS_OK) return status;
    run->state.begun = 1;
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
    return tw_run_report_begin(run);
}

/* Without a fluid in the scenario only differences of the pore pressure of an undrained stage mean
 * something. */
static tw_status log_vacuum(tw_run *run)
{
    static const double vacuum = -1e5; /* the pressure of air is 0 [Pa] */
    const tw_scenario_fluid *fluid = &tw_run_stage(run)->fluid;
    const double least = run->state.least_pore_pressure;
    const bool given = fluid->bulk > 0.0 || !isnan(fluid->back_pressure);
    if (!given || !(least < vacuum)) return TW_STATUS_OK;
    return tw_run_warn(
        run,
        "the pore pressure falls to %.4g kPa; below -100 kPa, vacuum, a "
        "fluid cavitates, which is not modelled; raise back_pressure by at least %.4g kPa",
        least / 1e3, (vacuum - least) / 1e3);
}

static tw_status log_end(tw_run *run)
{
    const char *name = tw_run_stage_name(run);
    const uint64_t steps = run->state.stage_steps;
    tw_measure m;
    tw_status status = tw_run_measure(run, &m);
    if (status != TW_STATUS_OK) return status;
    if (tw_run_is_open(run->sim))
        return tw_run_log(run, "%s: %" PRIu64 " step%s, %g s, %zu contacts", name, steps,
                          steps == 1 ? "" : "s", run->state.stage_time, m.contacts);
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    const tw_control_report servo = tw_sim_get_control_report(run->sim);
    const double worst = 100.0 * tw_math_max(run->state.worst, servo.worst);
    status = tw_run_log(
        run, "%s: %" PRIu64 " step%s, strain %.5f, p %g Pa, q/p %.4f, porosity %.5f", name, steps,
        steps == 1 ? "" : "s", run->state.last_path_strain, now.p,
        now.p > 0.0 ? tw_run_loading_q(tw_run_stage(run), &now) / now.p : 0.0, m.porosity);
    if (status == TW_STATUS_OK) status = log_vacuum(run);
    if (status != TW_STATUS_OK || tw_run_stage(run)->path == TW_SCENARIO_ROTATE) return status;
    if (servo.status == TW_CONTROL_APPROACHING)
        return tw_run_warn(run, "the requested stresses were never reached");
    if (worst <= 0.1) return TW_STATUS_OK;
    /* For a step or two beyond the tolerance nobody has to do anything. */
    if (worst > 1.0) return tw_run_warn(run, "stresses were off by up to %.3g %% of p", worst);
    return tw_run_log(run, "%s: stresses were off by up to %.3g %% of p", name, worst);
}

static tw_status list_summary(tw_run *run, const tw_scenario_stage *stage)
{
    char name[300];
    snprintf(name, sizeof name, "stages/%s.json", stage->name);
    return tw_run_files_add(run, name, 0.0);
}

static tw_status finish_stage(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_run_stage_end_keep(run);
    tw_status status = tw_run_stage_end_log(run);
    if (status == TW_STATUS_OK) status = log_end(run);
    if (status == TW_STATUS_OK)
        status = tw_run_checkpoint_keep(run, tw_folder_path_join("stages", stage->name).text);
    if (status == TW_STATUS_OK && stage->save)
        status = tw_run_checkpoint_keep(run, tw_folder_path_join("states", stage->save).text);
    if (status == TW_STATUS_OK) status = tw_run_report_stage(run); /* with the hash of the saves */
    if (status == TW_STATUS_OK) status = list_summary(run, stage);
    run->state.stage++;
    return status;
}

/* Every trial of the search for friction rewrites the summary; only the last is a result. */
static tw_status finish_phase(tw_run *run)
{
    const tw_status status = tw_run_prepare_finish(run);
    if (status != TW_STATUS_OK || run->state.phase != TW_RUN_STATE_STAGES) return status;
    return tw_run_files_add(run, "stages/specimen.json", 0.0);
}

static tw_status finish(tw_run *run)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
    tw_run_state *state = &run->state;
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_status status = tw_run_report_end(run);
    if (status == TW_STATUS_OK && !stage && state->phase == TW_RUN_STATE_SETTLE)
        status = tw_run_report_stage(run);
    if (status == TW_STATUS_OK) status = stage ? finish_stage(run) : finish_phase(run);
    run->ended = false;
    state->begun = 0;
    if (state->phase == TW_RUN_STATE_STAGES && state->stage == run->scenario->stage_count)
        state->phase = TW_RUN_STATE_DONE;
    if (status == TW_STATUS_OK) status = tw_run_checkpoint_commit(run);
    if (status == TW_STATUS_OK && stage && stage->path == TW_SCENARIO_PROBES)
        tw_run_probes_part_remove(run, stage);
    return status;
}

static tw_status run_phases(tw_run *run)
{
    tw_status status = TW_STATUS_OK;
    while (status == TW_STATUS_OK && run->state.phase != TW_RUN_STATE_DONE) {
        tw_run_timing_count(run, 0);
        if (!run->state.begun) status = begin(run);
        /* A specimen from another run is at the end of its preparation. */
        if (status == TW_STATUS_OK && !run->ended) status = advance(run);
        if (status != TW_STATUS_OK) return status;
        if (run->ended) status = finish(run);
        if (status != TW_STATUS_OK || !run->stopped) continue;
        if (run->state.phase == TW_RUN_STATE_DONE) break;
        status = tw_run_checkpoint_commit(run);
        return status == TW_STATUS_OK
                   ? tw_error_set(run->error, TW_STATUS_INTERRUPTED, "interrupted at step %" PRIu64,
                                  run->state.steps)
                   : status;
    }
    return status == TW_STATUS_OK ? tw_run_report_summary(run) : status;
}

/* The last line of the log says why the run has failed, and so does failure.txt, for those who read
 * the folder later. They are not part of the run: a resumed one takes them away. */
static void log_failure(tw_run *run)
{
    tw_text_buffer line = {0}, reason = {0};
    tw_error unused;
    if (run->output.log.descriptor < 0) return;
    tw_text_buffer_add(&line, "failed: %s\n", run->error->text);
    tw_text_buffer_add(&reason, "%s\n", run->error->text);
    (void)tw_run_append_file_add_text(&run->output.log, &line, &unused);
    (void)tw_replace_file_text(tw_folder_path_join(run->plan->folder, "failure.txt").text, &reason,
                               &unused);
}

tw_status tw_run_check(const tw_scenario *scenario, tw_error *error)
{
    assert(scenario);
    if (scenario->stage_count == 0 && !tw_scenario_is_generated(scenario))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "stages: the list is empty and the specimen comes from a file: there "
                            "is nothing to run");
    tw_error reason;
    if (scenario->output.moduli == 1 && tw_statics_check_solver(&reason) != TW_STATUS_OK)
        return tw_error_set(error, reason.status, "output.moduli: %s", reason.text);
    for (size_t k = 0; k < scenario->stage_count; k++) {
        const tw_scenario_stage *stage = &scenario->stages[k];
        const bool solves =
            stage->path == TW_SCENARIO_RATES || (stage->path == TW_SCENARIO_PROBES &&
                                                 stage->probes.method == TW_SCENARIO_METHOD_STATIC);
        if (solves && tw_statics_check_solver(&reason) != TW_STATUS_OK)
            return tw_error_set(error, reason.status, "stage '%s': %s", stage->name, reason.text);
    }
    return TW_STATUS_OK;
}

tw_status tw_run_scenario(const tw_scenario *scenario, const tw_run_plan *plan, tw_error *error)
{
    TW_CALL_HERE(scenario && plan);
    tw_error unused;
    if (!error) error = &unused;
    tw_run run = {.scenario = scenario, .plan = plan, .error = error};
    for (size_t k = 0; k < TW_RUN_STATE_FILES; k++)
        run.output.file[k].descriptor = -1;
    run.lock.descriptor = -1;
    run.saved.at = tw_clock();
    tw_error_clear(error);
    if (tw_run_check(scenario, error) != TW_STATUS_OK) return error->status;
    tw_c_locale plain; /* files have decimal points, whatever the caller's locale */
    if (!tw_c_locale_push(&plain) || !tw_run_timing_start(&run)) {
        tw_c_locale_pop(&plain);
        return tw_error_set_memory(error);
    }
    tw_status status = tw_run_open(&run);
    if (status == TW_STATUS_OK) status = run_phases(&run);
    if (status == TW_STATUS_DEVICE) status = tw_run_checkpoint_tell(&run, error);
    if (status != TW_STATUS_OK && status != TW_STATUS_INTERRUPTED) log_failure(&run);
    tw_run_report_close(&run);
    tw_run_timing_end(&run);
    if (!tw_run_lock_release(&run.lock)) tw_run_remark_left(&run, run.lock.path.text);
    tw_run_laws_free(&run);
    tw_sim_free(run.sim);
    tw_c_locale_pop(&plain);
    return status;
}
