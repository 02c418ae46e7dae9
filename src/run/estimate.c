/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps, time and memory of a run, by a trial with few grains in a temporary folder: how far each
 * of its parts comes gives its steps, and the number of grains the cost of a step. */
#include <ftw.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <twirl/math.h>
#include <twirl/run.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"
#include "run/prepare.h"

/* A phase of the specimen, a stage, or the probes of a stage. */
typedef struct small_part {
    size_t stage;      /* from 1; 0: the specimen */
    const char *phase; /* as in tw_run_view */
    uint64_t first;    /* step of the run at which it began */
    double steps;      /* taken */
    double started;    /* when its first step was done [s] */
    double seconds;    /* of its other steps [s] */
    double progress;   /* at its last step; NaN: unknown */
    double strain;     /* then [-] */
    bool cut;          /* it was ended before its time */
} small_part;

typedef struct small_run {
    const tw_run_estimate_plan *plan;
    unsigned traits;      /* of the device */
    double (*now)(void);  /* processor time, as other work matters less; wall time of a GPU [s] */
    tw_scenario scenario; /* a copy, whose end conditions are changed to cut a stage */
    size_t grains, spheres;
    double ratio; /* grains of the run over those of the trial, which takes a file as it is */
    double device_memory; /* [bytes] */
    small_part *parts;
    size_t count;
    tw_folder_path folder; /* temporary */
    bool made;             /* it has been */
} small_run;

/* Enough for a cell a few grains wide in each direction. A GPU takes as long for few as for
 * thousands. */
static uint64_t grains_for(const tw_scenario_specimen *s, bool on_device)
{
    const double *a = s->cell.aspect, thin = tw_math_min(a[0], tw_math_min(a[1], a[2]));
    const double cubes = a[0] * a[1] * a[2] / (thin * thin * thin);
    uint64_t count =
        on_device ? 10000 : (uint64_t)tw_math_min(300.0 * tw_math_max(1.0, 0.36 * cubes), 3000.0);
    if (s->arrangement == TW_SCENARIO_FCC) count = 108;   /* 4 * 3^3 */
    if (s->arrangement == TW_SCENARIO_CUBIC) count = 125; /* 5^3 */
    return count < s->count ? count : s->count;
}

/* Shares its texts and lists with the scenario, except for the stages. */
static bool make_small(const tw_scenario *scenario, bool on_device, tw_scenario *out)
{
    *out = *scenario;
    out->stages = malloc((scenario->stage_count + 1) * sizeof *out->stages);
    if (!out->stages) return false;
    for (size_t k = 0; k < scenario->stage_count; k++) {
        out->stages[k] = scenario->stages[k];
        tw_scenario_output_drop_frames(&out->stages[k].output);
    }
    tw_scenario_output_drop_frames(&out->output);
    out->output.checkpoint.steps = TW_SCENARIO_NONE;
    out->output.checkpoint.wall_time = 1e9;
    if (tw_scenario_is_generated(scenario)) {
        out->specimen.count = grains_for(&scenario->specimen, on_device);
        tw_scenario_preparation *p = &out->specimen.preparation;
        if (p->friction == TW_SCENARIO_AUTO) { /* one trial of the search */
            p->friction = 0.25;
            p->porosity = p->void_ratio = p->tolerance = nan("");
        }
    }
    return true;
}

static small_part *part_of(small_run *t, const tw_run_view *view)
{
    small_part *last = t->count > 0 ? &t->parts[t->count - 1] : NULL;
    if (last && last->stage == view->stage_number && last->phase == view->phase) return last;
    if (last && !last->cut) last->progress = 1.0; /* it came to its end */
    last = &t->parts[t->count++];
    *last = (small_part){view->stage_number, view->phase, view->steps - 1, .started = t->now()};
    return last;
}

/* Whether a stage tells nothing of its length: so does a loose assembly, whose pressure rises only
 * when its grains touch. Stages after it would begin with a state that is not theirs. */
static bool is_unknown(const small_run *t, const small_part *part)
{
    return part->stage > 0 && !tw_run_is_steady(&t->scenario.stages[part->stage - 1]) &&
           !(part->progress >= 1e-3);
}

/* The specimen has three times the time of the plan, all stages together have it once. */
static int after_step(const tw_run_view *view, void *context)
{
    small_run *t = context;
    const double budget = t->plan->seconds, stages = (double)t->scenario.stage_count;
    const bool stopped = t->plan->stop && t->plan->stop(t->plan->context);
    if (!view->sim || stopped) return stopped;
    small_part *part = part_of(t, view);
    if (part->cut) return 0;
    t->grains = tw_sim_body_count(view->sim);
    t->spheres = tw_sim_sphere_count(view->sim);
    t->device_memory = tw_sim_device_memory(view->sim);
    part->steps = (double)(view->steps - part->first);
    part->progress = view->progress;
    part->strain = fabs(view->strain);
    part->seconds = t->now() - part->started;
    if (part->stage == 0) return part->seconds > 3.0 * budget;
    tw_scenario_stage *stage = &t->scenario.stages[part->stage - 1];
    if (part->seconds < budget / stages) return 0;
    if (view->probe_count > 0) return part->seconds > budget; /* there is no end between */
    part->cut = true;                                         /* it ends at its next step */
    stage->rotation.increments = stage->probes.settle_steps = stage->end.steps = 1;
    return is_unknown(t, part);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    (void)remove(path);
    return 0;
}

static tw_status run_trial(small_run *t, tw_error *error)
{
    const tw_folder_path folder = tw_folder_path_join(t->folder.text, "run");
    const int threads = t->traits & TW_SIM_DEVICE_HOST ? 1 : t->plan->threads;
    const tw_run_plan plan = {.folder = folder.text,
                              .threads = threads,
                              .device = t->plan->device,
                              .context = t,
                              .step = after_step};
    const tw_status status = tw_run_scenario(&t->scenario, &plan, error);
    small_part *last = t->count > 0 ? &t->parts[t->count - 1] : NULL;
    if (status == TW_STATUS_OK && last && !last->cut) last->progress = 1.0;
    /* Cut short by its time, not by the caller: what is known so far is enough. */
    const bool stopped = t->plan->stop && t->plan->stop(t->plan->context);
    return status == TW_STATUS_INTERRUPTED && !stopped && last ? TW_STATUS_OK : status;
}

/* *bound: at most so many, as something that is measured may end the stage before. */
static double steps_of(const tw_scenario *s, const small_run *t, const small_part *part,
                       bool *bound)
{
    const tw_scenario_preparation *p = &s->specimen.preparation;
    const tw_scenario_stage *stage = part->stage > 0 ? &s->stages[part->stage - 1] : NULL;
    const double steps = part->steps / part->progress;
    if (!stage) { /* the last grains to come to rest decide: measured from 300 to 10,000 */
        const double trials =
            p->friction == TW_SCENARIO_AUTO ? (double)tw_run_prepare_trials(p->tolerance) : 1.0;
        const bool half = part->progress < 1.0 && strcmp(part->phase, "compression") == 0;
        return (half ? 2.0 : 1.0) * trials * steps * (1.0 + 0.06 * tw_math_log(t->ratio));
    }
    const double strain = tw_scenario_stage_strain(stage);
    *bound = part->cut && !tw_run_is_steady(stage) && tw_scenario_stage_traits(stage).driven &&
             part->strain > 0.0 && strain > 0.0;
    return *bound ? part->steps * strain / part->strain : steps;
}

/* Time of a step. Static iterations are factorisations: power 1.8, measured from 1,000 to 10,000
 * grains. An H200 takes as long for a step without grains as for 120,000 of them. Threads: 1.9
 * times as fast with 2, 7 to 12 times with 16. */
static double seconds_of(const tw_scenario *s, const small_run *t, const small_part *part)
{
    const double each = part->seconds / tw_math_max(part->steps - 1.0, 1.0),
                 few = (double)t->grains;
    const int threads = t->plan->threads > 0 ? t->plan->threads : tw_parallel_default();
    const bool probes = strcmp(part->phase, "probes") == 0;
    if (strcmp(part->phase, "rates") == 0 ||
        (probes && s->stages[part->stage - 1].probes.method == TW_SCENARIO_METHOD_STATIC))
        return each * tw_math_pow(t->ratio, 1.8);
    if (t->traits & TW_SIM_DEVICE_GPU) return each * (120000.0 + t->ratio * few) / (120000.0 + few);
    if (!(t->traits & TW_SIM_DEVICE_HOST)) return each * t->ratio;
    return each * t->ratio / tw_math_pow(threads, probes ? 1.0 : 0.8); /* probes side by side */
}

/* Steps and time of all parts. Stages that the trial did not reach count by their strain, at the
 * cost of its last part.*/
static void add_parts(const tw_scenario *s, const small_run *t, tw_run_estimate *out)
{
    size_t next = 1;
    double each = (double)NAN;
    for (size_t k = 0; k < t->count; k++) {
        const small_part *part = &t->parts[k];
        tw_run_estimate_part *to = &out->parts[part->stage];
        bool bound = false;
        each = seconds_of(s, t, part);
        if (is_unknown(t, part)) break;
        const double steps = steps_of(s, t, part, &bound);
        to->steps += steps;
        to->seconds += steps * each;
        to->bound = bound;
        next = part->stage + 1;
    }
    for (size_t k = next; k < out->count; k++) {
        const uint64_t steps = tw_scenario_stage_steps(s, k - 1);
        out->parts[k].steps = steps > 0 ? (double)steps : (double)NAN;
        out->parts[k].seconds = out->parts[k].steps * each;
        out->parts[k].bound = !tw_run_is_steady(&s->stages[k - 1]);
    }
}

static void add_memory(const tw_scenario *s, const small_run *t, tw_run_estimate *out)
{
    struct rusage usage;
    const double cuda = 1.05e9; /* bytes that CUDA takes of an H200 before any grain */
    const double n = (double)t->grains,
                 each = out->grain_memory =
                     1200.0 + 220.0 * (double)t->spheres / n; /* as in tw_scenario_memory */
    out->divided = (t->traits & TW_SIM_DEVICE_DIVIDED) != 0;
    out->made_there = out->divided && s->specimen.arrangement == TW_SCENARIO_REGIONS;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        out->memory = tw_math_max(1024.0 * (double)usage.ru_maxrss - n * each, 0.0);
    if (!out->made_there) out->memory += t->ratio * n * each;
    if (t->device_memory > 0.0) out->device_memory = cuda + t->device_memory * t->ratio;
}

/* States, and rows of the history, which come less often the longer a stage takes (report.c). A row
 * has 1,350 bytes, a state 50 kB without grains. */
static double disk_of(const tw_scenario *s, const small_run *t, const tw_run_estimate *out)
{
    double rows = 0.0, files = 2.0 + (double)s->stage_count;
    struct stat file;
    for (size_t k = 0; k < s->stage_count; k++) {
        const double steps = tw_math_max(out->parts[k + 1].steps, 1.0),
                     states = tw_scenario_stage_strain(&s->stages[k]) /
                              tw_scenario_output_in(s, &s->stages[k]).states.strain;
        files += (s->stages[k].save != NULL) + (states > 0.0 ? floor(states) : 0.0);
        rows += tw_math_min(steps, 3.0 * TW_SCENARIO_STAGE_ROWS) + steps / TW_SCENARIO_ROW_STEPS;
    }
    const tw_folder_path run = tw_folder_path_join(t->folder.text, "run"),
                         state = tw_folder_path_in(run.text, "states", "specimen", ".h5");
    const double each = stat(state.text, &file) == 0 ? (double)file.st_size : 5e4;
    return 1350.0 * rows + files * (5e4 + tw_math_max(each - 5e4, 0.0) * t->ratio);
}

static tw_status start(small_run *t, const tw_scenario *s, tw_run_estimate *out, tw_error *error)
{
    const char *parent = getenv("TMPDIR");
    memset(out, 0, sizeof *out);
    out->count = s->stage_count + 1;
    out->parts = calloc(out->count, sizeof *out->parts);
    t->parts = calloc(3 + 2 * s->stage_count, sizeof *t->parts);
    if (!out->parts || !t->parts || !make_small(s, !(t->traits & TW_SIM_DEVICE_HOST), &t->scenario))
        return tw_error_set_memory(error);
    out->parts[0].name = "specimen";
    for (size_t k = 0; k < s->stage_count; k++)
        out->parts[k + 1].name = s->stages[k].name;
    const tw_status status = tw_sim_check_device(t->plan->device, error);
    if (status != TW_STATUS_OK) return status;
    t->folder = tw_folder_path_join(parent && *parent ? parent : "/tmp", "twirl_check_XXXXXX");
    t->made = mkdtemp(t->folder.text) != NULL;
    return t->made ? TW_STATUS_OK : tw_error_set_system(error, "create the folder", t->folder.text);
}

tw_status tw_run_estimate_make(const tw_scenario *scenario, const tw_run_estimate_plan *plan,
                               tw_run_estimate *out, tw_error *error)
{
    TW_CALL_HERE(scenario && plan && out);
    small_run t = {.plan = plan, .traits = tw_sim_device_traits(plan->device)};
    t.now = t.traits & TW_SIM_DEVICE_GPU ? tw_clock : tw_clock_thread;
    tw_status status = start(&t, scenario, out, error);
    if (status == TW_STATUS_OK) status = run_trial(&t, error);
    if (status == TW_STATUS_OK) {
        out->grains = t.grains;
        const uint64_t count = scenario->specimen.count;
        t.ratio = tw_scenario_is_generated(scenario) ? (double)count / (double)t.grains : 1.0;
        add_parts(scenario, &t, out);
        add_memory(scenario, &t, out);
        out->disk = disk_of(scenario, &t, out);
        for (size_t k = 0; k < out->count; k++) {
            out->steps += out->parts[k].steps;
            out->seconds += out->parts[k].seconds;
        }
    }
    if (t.made) (void)nftw(t.folder.text, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(t.scenario.stages);
    free(t.parts);
    return status;
}

void tw_run_estimate_free(tw_run_estimate *estimate)
{
    free(estimate->parts);
    memset(estimate, 0, sizeof *estimate);
}
