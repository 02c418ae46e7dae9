/* SPDX-License-Identifier: BSD-3-Clause */
/* The run: phases and stages one after the other, and what happens after every step. */
#include "run/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <twirl/math.h>
#include <twirl/text.h>

#include "base/error.h"

#define PI 3.14159265358979323846

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- What the parts share ---- */

const tw_scenario_stage *tw_runner_stage(const tw_runner *run)
{
    if (run->place.phase[0] != TW_PLACE_STAGES) return NULL;
    return &run->scenario->stages[run->place.stage[0]];
}

const char *tw_runner_stage_name(const tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    return stage ? stage->name : "specimen";
}

tw_status tw_runner_note(tw_runner *run, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text - 1, format, list);
    va_end(list);
    if (run->plan->note) run->plan->note(text, run->plan->context);
    strcat(text, "\n");
    return tw_growth_add(&run->log, text, strlen(text), run->error);
}

double tw_runner_volume(const tw_runner *run)
{
    const tw_mat3 cell = tw_sim_cell(run->sim);
    const double *m = cell.m;
    return fabs(m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                m[2] * (m[3] * m[7] - m[4] * m[6]));
}

void tw_runner_begin(tw_runner *run)
{
    tw_place *place = &run->place;
    place->stage_steps[0] = place->row_at[0] = place->reversals[0] = 0;
    place->calm[0] = place->probing[0] = 0;
    place->frames[0] = place->frames[1] = 0;
    place->stage_time[0] = place->travelled[0] = place->before[0] = place->worst[0] = 0.0;
    memset(place->strain, 0, sizeof place->strain);
    place->clock[0] = tw_sim_time(run->sim);
    place->volume[0] = tw_runner_volume(run);
    place->rate[0] = 0.0;
    place->target[0] = nan("");
    run->travelled_before = 0.0;
}

tw_path_stress tw_runner_stress(tw_runner *run)
{
    const tw_mat3 gradient = tw_sim_velocity_gradient(run->sim);
    const tw_control_report servo = tw_sim_control(run->sim);
    return tw_path_stress_of(servo.stress, &gradient);
}

double tw_runner_rate(const tw_runner *run, double inertial_number, double p)
{
    return p > 0.0 ? inertial_number * sqrt(p / run->density) / run->diameter : 0.0;
}

void tw_runner_measure_grains(tw_runner *run)
{
    const tw_sim_def def = tw_sim_definition(run->sim);
    const size_t count = tw_sim_bodies(run->sim);
    double diameters = 0.0;
    run->density = def.density * def.mass_scale;
    run->solid = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double volume = tw_sim_body(run->sim, (uint32_t)i).mass / run->density;
        run->solid += volume;
        diameters += tw_math_cbrt(6.0 / PI * volume);
    }
    run->diameter = diameters / (double)count;
}

/* ---- Checkpoints ---- */

tw_path tw_runner_checkpoint(const tw_runner *run)
{
    return tw_path_of(run->plan->folder,
                      run->place.slot[0] == 0 ? "checkpoint_a.h5" : "checkpoint_b.h5");
}

/* The place names the checkpoint it goes with, and the other file keeps the one before until the
 * place has been replaced: at any moment there is a pair that fits. */
static tw_status save(tw_runner *run)
{
    tw_place *place = &run->place;
    tw_status status = tw_growth_sync(&run->history, run->error);
    if (status == TW_STATUS_OK) status = tw_growth_sync(&run->log, run->error);
    if (status != TW_STATUS_OK) return status;
    place->history[0] = run->history.length;
    place->log[0] = run->log.length;
    place->slot[0] = 1 - place->slot[0];
    status = tw_sim_save(run->sim, tw_runner_checkpoint(run).text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_place_write(place, tw_path_of(run->plan->folder, "place.txt").text, run->error);
    run->saved_at = wall_clock();
    return status;
}

static bool save_is_due(const tw_runner *run)
{
    const tw_scenario_checkpoints *wish = &run->scenario->output.checkpoint;
    if (wish->steps != TW_SCENARIO_NONE) return run->place.steps[0] % wish->steps == 0;
    return wall_clock() - run->saved_at >= wish->wall_time;
}

/* ---- Steps ---- */

static void count_step(tw_runner *run)
{
    tw_place *place = &run->place;
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const tw_mat3 gradient = tw_sim_velocity_gradient(run->sim);
    const double now = tw_sim_time(run->sim), dt = now - place->clock[0];
    double rate[TW_COMPONENTS];
    tw_path_components(&gradient, rate);
    for (int k = 0; k < TW_COMPONENTS; k++)
        place->strain[k] -= dt * rate[k];
    place->clock[0] = now;
    place->time[0] += dt;
    place->stage_time[0] += dt;
    place->steps[0]++;
    place->stage_steps[0]++;
    run->travelled_before = place->travelled[0];
    const double *e = place->strain;
    const double strain = stage ? tw_path_strain(stage, e) : e[TW_XX] + e[TW_YY] + e[TW_ZZ];
    place->travelled[0] += fabs(strain - place->before[0]);
    place->before[0] = strain;
}

int tw_runner_tell(tw_runner *run, uint64_t more, size_t done, size_t total)
{
    const tw_run_plan *plan = run->plan;
    if (!plan->step) return 0;
    const bool stages = run->place.phase[0] == TW_PLACE_STAGES;
    const tw_run_view view = {.stage = tw_runner_stage_name(run),
                              .number = stages ? run->place.stage[0] + 1 : 0,
                              .many = run->scenario->stage_count,
                              .share =
                                  total > 0 ? (double)done / (double)total : tw_stage_share(run),
                              .strain = run->place.before[0],
                              .steps = run->place.steps[0] + more,
                              .sim = run->sim,
                              .probes_done = done,
                              .probes = total};
    return plan->step(&view, plan->context);
}

/* Non-zero ends the steps: at the end of the stage, on request, or with an error. */
static int after_step(tw_sim *sim, void *context)
{
    tw_runner *run = context;
    (void)sim;
    count_step(run);
    tw_status status = tw_runner_stage(run) ? tw_stage_look(run) : tw_prepare_look(run);
    if (status == TW_STATUS_OK) status = tw_report_step(run);
    if (status == TW_STATUS_OK && !run->ended && save_is_due(run)) status = save(run);
    run->stopped = tw_runner_tell(run, 0, 0, 0) != 0;
    return status != TW_STATUS_OK || run->ended || run->stopped;
}

static tw_status turn(tw_runner *run, const tw_scenario_rotation *rotation)
{
    const double *a = rotation->axis;
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double part = rotation->angle / (length * (double)rotation->increments);
    const tw_vec3 increment = {part * a[0], part * a[1], part * a[2]};
    for (;;) {
        if (tw_sim_rotate(run->sim, increment, 1, run->error) != TW_STATUS_OK)
            return run->error->status;
        if (after_step(run->sim, run)) return run->error->status;
    }
}

static tw_status take_steps(tw_runner *run)
{
    tw_error ended; /* apart from what went wrong in after_step, which shows as INTERRUPTED */
    const tw_status status = tw_sim_run_hooked(run->sim, UINT64_MAX, after_step, run, &ended);
    if (status == TW_STATUS_INTERRUPTED) return run->error->status;
    *run->error = ended;
    return status;
}

/* First the state settles, and is saved; then the probes start from it. */
static tw_status probe(tw_runner *run, const tw_scenario_probes *wish)
{
    tw_status status = TW_STATUS_OK;
    if (!run->place.probing[0]) {
        run->ended = wish->settle_steps == 0;
        if (!run->ended) status = take_steps(run);
        if (status != TW_STATUS_OK || !run->ended) return status;
        run->ended = false;
        status = tw_probes_begin(run);
        if (status == TW_STATUS_OK) status = save(run);
    }
    return status == TW_STATUS_OK && !run->stopped ? tw_probes_run(run) : status;
}

static tw_status advance(tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    run->error->status = TW_STATUS_OK;
    if (stage && stage->path == TW_SCENARIO_ROTATE) return turn(run, &stage->rotation);
    if (stage && stage->path == TW_SCENARIO_PROBES) return probe(run, &stage->probes);
    return take_steps(run);
}

/* ---- Phases and stages ---- */

static tw_status begin(tw_runner *run)
{
    tw_status status = tw_runner_stage(run) ? tw_stage_begin(run) : tw_prepare_begin(run);
    if (status != TW_STATUS_OK) return status;
    run->place.begun[0] = 1;
    return tw_report_edge(run, false);
}

/* Also whether the stresses were held. */
static tw_status note_end(tw_runner *run)
{
    const tw_measure m = tw_sim_measure(run->sim);
    const tw_path_stress now = tw_runner_stress(run);
    const tw_control_report servo = tw_sim_control(run->sim);
    const double worst = 100.0 * tw_math_max(run->place.worst[0], servo.worst);
    tw_status status =
        tw_runner_note(run, "%s: %" PRIu64 " steps, strain %.5f, p %g Pa, q/p %.4f, porosity %.5f",
                       tw_runner_stage_name(run), run->place.stage_steps[0], run->place.before[0],
                       now.p, now.p > 0.0 ? now.q / now.p : 0.0, m.porosity);
    if (status != TW_STATUS_OK || tw_runner_stage(run)->path == TW_SCENARIO_ROTATE) return status;
    if (servo.status == TW_CONTROL_APPROACHING)
        return tw_runner_note(run, "%s: the stresses that were asked for were never reached",
                              tw_runner_stage_name(run));
    if (worst <= 0.1) return TW_STATUS_OK;
    return tw_runner_note(run, "%s: stresses were off by up to %.3g %% of p",
                          tw_runner_stage_name(run), worst);
}

static tw_status finish_stage(tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const char *folder = run->plan->folder;
    tw_status status = tw_report_stage(run);
    if (status == TW_STATUS_OK) status = note_end(run);
    if (status == TW_STATUS_OK)
        status = tw_sim_save(run->sim, tw_path_in(folder, "stages", stage->name, ".h5").text,
                             run->error);
    if (status == TW_STATUS_OK && stage->save)
        status = tw_sim_save(run->sim, tw_path_in(folder, "states", stage->save, ".h5").text,
                             run->error);
    run->place.stage[0]++;
    return status;
}

static tw_status finish(tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const bool stages = stage != NULL;
    tw_status status = tw_report_edge(run, true);
    if (status == TW_STATUS_OK && !stages && run->place.phase[0] == TW_PLACE_SETTLE)
        status = tw_report_stage(run);
    if (status == TW_STATUS_OK) status = stages ? finish_stage(run) : tw_prepare_finish(run);
    run->ended = false;
    run->place.begun[0] = 0;
    if (run->place.phase[0] == TW_PLACE_STAGES && run->place.stage[0] == run->scenario->stage_count)
        run->place.phase[0] = TW_PLACE_DONE;
    if (status == TW_STATUS_OK) status = save(run);
    if (status == TW_STATUS_OK && stages && stage->path == TW_SCENARIO_PROBES)
        tw_probes_clean(run, stage);
    return status;
}

static tw_status go(tw_runner *run)
{
    tw_status status = TW_STATUS_OK;
    while (status == TW_STATUS_OK && run->place.phase[0] != TW_PLACE_DONE) {
        if (!run->place.begun[0]) status = begin(run);
        if (status == TW_STATUS_OK) status = advance(run);
        if (status != TW_STATUS_OK) return status;
        if (run->ended) status = finish(run);
        if (status != TW_STATUS_OK || !run->stopped) continue;
        if (run->place.phase[0] == TW_PLACE_DONE) break;
        status = save(run);
        return status == TW_STATUS_OK
                   ? tw_error_set(run->error, TW_STATUS_INTERRUPTED,
                                  "ended on request at step %" PRIu64, run->place.steps[0])
                   : status;
    }
    return status == TW_STATUS_OK ? tw_report_summary(run) : status;
}

tw_status tw_run_scenario(const tw_scenario *scenario, const tw_run_plan *plan, tw_error *error)
{
    tw_runner run = {.scenario = scenario, .plan = plan, .error = error};
    run.history.file = run.log.file = -1;
    run.saved_at = wall_clock();
    error->status = TW_STATUS_OK;
    error->text[0] = '\0';
    if (tw_run_check(scenario, error) != TW_STATUS_OK) return error->status;
    tw_plain plain; /* files have decimal points, whatever the caller's locale */
    if (!tw_plain_enter(&plain)) return tw_error_set(error, TW_STATUS_MEMORY, "out of memory");
    tw_status status = tw_open(&run);
    if (status == TW_STATUS_OK) status = go(&run);
    tw_report_close(&run);
    tw_sim_free(run.sim);
    tw_plain_leave(&plain);
    return status;
}
