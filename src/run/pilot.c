/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/pilot.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/environment.h"
#include "base/error.h"

/* The pilot under way. The scenario is a copy, whose end conditions are changed to cut a stage. */
typedef struct trial_run {
    tw_pilot *pilot;
    tw_scenario scenario;
    const tw_pilot_plan *plan;
    double began;                    /* processor time [s] */
    double half_steps, half_seconds; /* of the present part, when half of its time was over */
} trial_run;

/* ---- A small version of the scenario ---- */

/* Enough for a cell a few grains wide in each direction. */
static uint64_t grains_for(const tw_scenario_specimen *s)
{
    const double *a = s->cell.aspect;
    const double thin = tw_math_min(a[0], tw_math_min(a[1], a[2]));
    const double cubes = a[0] * a[1] * a[2] / (thin * thin * thin);
    const double least = 100.0, most = 1000.0;
    uint64_t count = (uint64_t)tw_math_min(tw_math_max(least, 36.0 * cubes), most);
    if (s->arrangement == TW_SCENARIO_FCC) count = 108;   /* 4 * 3^3 */
    if (s->arrangement == TW_SCENARIO_CUBIC) count = 125; /* 5^3 */
    return count < s->count ? count : s->count;
}

/* The search for friction is replaced by one trial. */
static void simplify_preparation(tw_scenario_preparation *p, double friction)
{
    if (p->friction != TW_SCENARIO_AUTO) return;
    p->friction = friction;
    p->porosity = p->void_ratio = p->tolerance = nan("");
}

/* One law and two directions. */
static void simplify_probes(tw_scenario_probes *p)
{
    if (p->laws != 0) {
        p->laws &= ~p->laws + 1; /* its lowest bit */
        p->variant_count = 0;
    } else if (p->variant_count > 1) {
        p->variant_count = 1;
    }
    p->count = p->count < 2 ? p->count : 2;
}

/* *out shares its texts and lists with the scenario, except for the stages. */
static bool make_small(const tw_scenario *scenario, const tw_pilot_plan *plan, tw_scenario *out)
{
    const tw_scenario_frames none = {.steps = TW_SCENARIO_NONE, .strain = nan(""), .stages = 0};
    *out = *scenario;
    out->stages = malloc((scenario->stage_count + 1) * sizeof *out->stages);
    if (!out->stages) return false;
    for (size_t k = 0; k < scenario->stage_count; k++) {
        out->stages[k] = scenario->stages[k];
        if (out->stages[k].path == TW_SCENARIO_PROBES) simplify_probes(&out->stages[k].probes);
    }
    out->output.vtk = out->output.lammps = none;
    out->output.checkpoint.steps = TW_SCENARIO_NONE;
    out->output.checkpoint.wall_time = 1e9;
    if (!plan->stages) out->stage_count = 0;
    if (!scenario->specimen.file && !scenario->specimen.checkpoint) {
        out->specimen.count = plan->grains > 0 ? plan->grains : grains_for(&scenario->specimen);
        out->specimen.seed += plan->seed;
        simplify_preparation(&out->specimen.preparation, plan->friction);
    }
    return true;
}

/* ---- Watching it ---- */

/* Whether the stage advances at a constant rate, so that a short piece of it tells its length. */
static bool is_steady(const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    if (stage->path == TW_SCENARIO_ROTATE) return true;
    if (stage->path == TW_SCENARIO_CYCLIC && isnan(stage->cycle.strain)) return false;
    return isnan(end->stress) && isnan(end->q) && isnan(end->pressure) &&
           isnan(end->stress_ratio) && isnan(end->unbalanced);
}

/* Ends the stage at its next step. */
static void cut(trial_run *f, tw_pilot_part *part)
{
    tw_scenario_stage *stage = &f->scenario.stages[part->stage - 1];
    part->cut = true;
    if (stage->path == TW_SCENARIO_ROTATE)
        stage->rotation.increments = 1;
    else if (stage->path == TW_SCENARIO_PROBES)
        stage->probes.settle_steps = 1;
    else
        stage->end.steps = 1;
}

static tw_pilot_part *part_of(tw_pilot *pilot, const tw_run_view *view)
{
    tw_pilot_part *last = pilot->count > 0 ? &pilot->parts[pilot->count - 1] : NULL;
    if (last && last->stage == view->stage_number && last->phase == view->phase) return last;
    if (last && !last->cut) last->progress = 1.0; /* it came to its end */
    last = &pilot->parts[pilot->count++];
    *last = (tw_pilot_part){.stage = view->stage_number,
                            .phase = view->phase,
                            .first = view->steps - 1,
                            .started = tw_clock_thread()};
    return last;
}

static bool is_stopped(const tw_pilot_plan *plan)
{
    return plan->stop && plan->stop(plan->context);
}

/* A stage has its share of the time that was left when it began; one that is steady needs less. */
static double slice_of(const trial_run *f, const tw_pilot_part *part)
{
    const double budget = f->plan->seconds, left = budget - (part->started - f->began);
    const double share = left / (double)(f->scenario.stage_count - part->stage + 1);
    const bool steady = is_steady(&f->scenario.stages[part->stage - 1]);
    return steady ? tw_math_min(share, 0.25 * budget) : share;
}

/* Steps at the start of a loading cost more than later ones, so the second half counts. */
static void cut_when_due(trial_run *f, tw_pilot_part *part, double before)
{
    const double slice = slice_of(f, part);
    if (before < 0.5 * slice && part->seconds >= 0.5 * slice) {
        f->half_steps = part->steps;
        f->half_seconds = part->seconds;
    }
    if (part->seconds < slice) return;
    if (part->steps > f->half_steps)
        part->each = (part->seconds - f->half_seconds) / (part->steps - f->half_steps);
    cut(f, part);
}

static int after_step(const tw_run_view *view, void *context)
{
    enum { CHECK = 16, LARGE = 10000 }; /* steps between readings of the clock, of few grains */
    trial_run *f = context;
    const bool stopped = is_stopped(f->plan);
    if (!view->sim || stopped) return stopped;
    if (f->pilot->count == 0) f->pilot->dt_first = tw_sim_dt(view->sim);
    f->pilot->grains = tw_sim_bodies(view->sim);
    tw_pilot_part *part = part_of(f->pilot, view);
    if (part->cut) return 0;
    part->steps = (double)(view->steps - part->first);
    part->progress = view->progress;
    if (f->pilot->grains < LARGE && (view->steps - part->first) % CHECK != 0) return 0;
    const double before = part->seconds;
    part->seconds = tw_clock_thread() - part->started;
    part->each = part->seconds / tw_math_max(part->steps - 1.0, 1.0);
    if (part->stage == 0 || view->probe_count > 0)
        return tw_clock_thread() - f->began > 3.0 * f->plan->seconds;
    cut_when_due(f, part, before);
    return 0;
}

/* ---- Its folder ---- */

static bool make_folder(tw_file_path *folder, tw_error *error)
{
    const char *parent = getenv("TMPDIR");
    *folder = tw_file_path_join(parent && *parent ? parent : "/tmp", "twirl_check_XXXXXX");
    if (mkdtemp(folder->text)) return true;
    tw_error_set_system(error, "create the folder", folder->text);
    folder->text[0] = '\0';
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    (void)remove(path);
    return 0;
}

void tw_pilot_free(tw_pilot *pilot)
{
    enum { DESCRIPTORS = 16 };
    if (pilot->folder.text[0])
        (void)nftw(pilot->folder.text, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    free(pilot->parts);
    memset(pilot, 0, sizeof *pilot);
}

/* ---- All of it ---- */

static tw_status run_trial(trial_run *f, tw_error *error)
{
    tw_pilot *pilot = f->pilot;
    const tw_file_path folder = tw_file_path_join(pilot->folder.text, "run");
    const tw_run_plan plan = {
        .folder = folder.text, .threads = 1, .device = "cpu", .context = f, .step = after_step};
    tw_status status = tw_run_scenario(&f->scenario, &plan, error);
    pilot->seconds = tw_clock_thread() - f->began;
    tw_pilot_part *last = pilot->count > 0 ? &pilot->parts[pilot->count - 1] : NULL;
    if (status == TW_STATUS_OK && last && !last->cut) last->progress = 1.0;
    /* Cut short by the budget, not by the caller: what is known so far is enough. */
    if (status == TW_STATUS_INTERRUPTED && !is_stopped(f->plan) && pilot->count > 0)
        status = TW_STATUS_OK;
    pilot->state = tw_file_path_in(folder.text, "states", "specimen", ".h5");
    return status;
}

static void note_specimen(tw_pilot *pilot)
{
    tw_sim *sim = tw_sim_load(pilot->state.text, NULL);
    tw_stable_step stable;
    tw_measure m;
    if (sim && tw_sim_prepare(sim, NULL) == TW_STATUS_OK &&
        tw_sim_stable_step(sim, &stable, NULL) == TW_STATUS_OK) {
        pilot->dt = tw_sim_dt(sim);
        pilot->dt_target = tw_sim_definition(sim).dt_fraction * stable.dt;
        if (tw_sim_measure(sim, &m, NULL) == TW_STATUS_OK) pilot->void_ratio = m.void_ratio;
    }
    tw_sim_free(sim);
}

tw_status tw_pilot_run(tw_pilot *pilot, const tw_scenario *scenario, const tw_pilot_plan *plan,
                       tw_error *error)
{
    trial_run f = {.pilot = pilot, .plan = plan, .began = tw_clock_thread()};
    memset(pilot, 0, sizeof *pilot);
    pilot->parts = calloc(3 + 2 * scenario->stage_count, sizeof *pilot->parts);
    const bool made = make_small(scenario, plan, &f.scenario);
    tw_status status = TW_STATUS_OK;
    if (!pilot->parts || !made)
        status = tw_error_set_memory(error);
    else if (!make_folder(&pilot->folder, error))
        status = error->status;
    if (status == TW_STATUS_OK) {
        status = run_trial(&f, error);
        if (status == TW_STATUS_OK) note_specimen(pilot);
    }
    if (made) free(f.scenario.stages);
    return status;
}
