/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps, time and memory of a run, from a run with few grains. */
#include <ftw.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/math.h>
#include <twirl/run.h>

#include "base/environment.h"
#include "base/error.h"
#include "run/files.h"
#include "run/loading.h"
#include "run/run.h"
#include "run/specimen.h"

/* ---- A run with few grains ---- */

/* A run of a scenario with few grains, in a temporary folder, to learn how many steps each part of
 * it takes and how long they take. */

/* A phase of the specimen, a stage, or the probes of a stage. */
typedef struct pilot_part {
    size_t stage;      /* from 1; 0: the specimen */
    const char *phase; /* as in tw_run_view */
    uint64_t first;    /* step of the run at which it began */
    double steps;      /* taken */
    double from, time; /* simulated: at its start, of its steps [s] */
    double started;    /* when its first step was done [s] */
    double seconds;    /* of its other steps [s] */
    double each;       /* of a step, by the part's second half if it was cut short [s] */
    double progress;   /* at its last step; NaN: unknown */
    bool cut;          /* it was ended before its time */
} pilot_part;

typedef struct pilot_plan {
    const tw_run_estimate_plan *caller;
    bool on_device;      /* of the run; otherwise on one thread of the processor */
    double (*now)(void); /* processor time, as other work matters less; wall time of a GPU [s] */
    uint64_t grains;     /* of a generated specimen */
    uint64_t least;      /* to which they can be reduced */
    uint64_t seed;       /* added to that of the specimen */
    double friction;     /* of the specimen, if that is to be searched for [-] */
    bool stages;         /* false: only the specimen */
    double seconds;      /* parts that take longer than a share of it are cut short */
} pilot_plan;

typedef struct pilot_run {
    const pilot_plan *plan;
    tw_scenario scenario;            /* a copy, whose end conditions are changed to cut a stage */
    double began;                    /* [s] */
    double half_steps, half_seconds; /* of the present part, when half of its time was over */

    /* What it tells: */
    uint64_t grains;
    pilot_part *parts;
    size_t count;
    double dt;             /* in the prepared specimen [s]; 0: not known */
    double void_ratio;     /* of the prepared specimen [-] */
    double dt_target;      /* what the engine would choose now: a fraction of the stable step [s] */
    double seconds;        /* of all of it [s] */
    tw_folder_path folder; /* temporary; "": none */
    tw_folder_path state;  /* the prepared specimen */
} pilot_run;

/* ---- A small version of the scenario ---- */

/* Enough for a cell a few grains wide in each direction. */
static uint64_t least_grains(const tw_scenario_specimen *s)
{
    const double *a = s->cell.aspect;
    const double thin = tw_math_min(a[0], tw_math_min(a[1], a[2]));
    const double cubes = a[0] * a[1] * a[2] / (thin * thin * thin);
    return (uint64_t)tw_math_min(tw_math_max(100.0, 36.0 * cubes), 1000.0);
}

/* More than the least: how long 100 grains take to settle depends on chance and on the cell. A GPU
 * takes as long for few as for thousands. */
static uint64_t grains_for(const tw_scenario_specimen *s, bool on_device)
{
    uint64_t count = on_device ? 10000 : 3 * least_grains(s);
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
static bool make_small(const tw_scenario *scenario, const pilot_plan *plan, tw_scenario *out)
{
    *out = *scenario;
    out->stages = malloc((scenario->stage_count + 1) * sizeof *out->stages);
    if (!out->stages) return false;
    for (size_t k = 0; k < scenario->stage_count; k++) {
        out->stages[k] = scenario->stages[k];
        tw_scenario_output_drop_frames(&out->stages[k].output);
        if (out->stages[k].path == TW_SCENARIO_PROBES) simplify_probes(&out->stages[k].probes);
    }
    tw_scenario_output_drop_frames(&out->output);
    out->output.checkpoint.steps = TW_SCENARIO_NONE;
    out->output.checkpoint.wall_time = 1e9;
    if (!plan->stages) out->stage_count = 0;
    if (tw_scenario_is_generated(scenario)) {
        out->specimen.count = plan->grains;
        out->specimen.seed += plan->seed;
        if (!tw_scenario_is_lattice(&out->specimen)) /* regions need more grains */
            out->specimen.arrangement = TW_SCENARIO_RANDOM;
        simplify_preparation(&out->specimen.preparation, plan->friction);
    }
    return true;
}

/* ---- Watching it ---- */

/* Ends the stage at its next step. */
static void cut(pilot_run *pilot, pilot_part *part)
{
    tw_scenario_stage *stage = &pilot->scenario.stages[part->stage - 1];
    part->cut = true;
    if (stage->path == TW_SCENARIO_ROTATE)
        stage->rotation.increments = 1;
    else if (stage->path == TW_SCENARIO_PROBES)
        stage->probes.settle_steps = 1;
    else
        stage->end.steps = 1;
}

static pilot_part *part_of(pilot_run *pilot, const tw_run_view *view)
{
    pilot_part *last = pilot->count > 0 ? &pilot->parts[pilot->count - 1] : NULL;
    if (last && last->stage == view->stage_number && last->phase == view->phase) return last;
    if (last && !last->cut) last->progress = 1.0; /* it came to its end */
    last = &pilot->parts[pilot->count++];
    *last = (pilot_part){.stage = view->stage_number,
                         .phase = view->phase,
                         .first = view->steps - 1,
                         .from = tw_sim_time(view->sim) - tw_sim_dt(view->sim),
                         .started = pilot->plan->now()};
    return last;
}

static bool is_stopped(const tw_run_estimate_plan *plan)
{
    return plan->stop && plan->stop(plan->context);
}

/* A stage has its share of the time that was left when it began; one that is steady needs less. */
static double slice_of(const pilot_run *pilot, const pilot_part *part)
{
    const double budget = pilot->plan->seconds, spent = part->started - pilot->began;
    const double left = tw_math_max(budget - spent, 0.25 * budget);
    const double share = left / (double)(pilot->scenario.stage_count - part->stage + 1);
    const bool steady = tw_run_is_steady(&pilot->scenario.stages[part->stage - 1]);
    return steady ? tw_math_min(share, 0.25 * budget) : share;
}

/* Steps at the start of a loading cost more than later ones, so the second half counts. */
static void cut_when_due(pilot_run *pilot, pilot_part *part, double before)
{
    const double slice = slice_of(pilot, part);
    if (before < 0.5 * slice && part->seconds >= 0.5 * slice) {
        pilot->half_steps = part->steps;
        pilot->half_seconds = part->seconds;
    }
    if (part->seconds < slice) return;
    if (part->steps > pilot->half_steps)
        part->each = (part->seconds - pilot->half_seconds) / (part->steps - pilot->half_steps);
    cut(pilot, part);
}

/* Whether the specimen takes too long. The compression goes on steadily, and is half of it: with
 * more grains than needed, this can be seen early. */
static bool is_slow(const pilot_run *pilot, const pilot_part *part)
{
    const double limit = 3.0 * pilot->plan->seconds;
    const double spent = pilot->plan->now() - pilot->began;
    const bool early = pilot->plan->grains > pilot->plan->least && part->stage == 0 &&
                       strcmp(part->phase, "compression") == 0 &&
                       part->progress < spent / (0.5 * limit);
    return spent > (early ? 0.1 * limit : limit);
}

/* Whether a part tells nothing of its length: it was cut when it had hardly begun, and does not go
 * on evenly. So does a loose assembly, whose pressure rises only when its grains touch. The stages
 * after it would begin with a state that is not theirs. */
static bool is_unknown(const pilot_run *pilot, const pilot_part *part)
{
    if (!part->cut) return false; /* of the specimen, too */
    const tw_scenario_stage *stage = &pilot->scenario.stages[part->stage - 1];
    const bool pressing = stage->path == TW_SCENARIO_ISOTROPIC && isnan(part->progress);
    return !tw_run_is_steady(stage) && (pressing || part->progress < 1e-3);
}

/* Whether its steps are iterations of static probes, or iterations and directions of rates. */
static bool is_static(const tw_scenario *s, const pilot_part *part)
{
    if (strcmp(part->phase, "rates") == 0) return true;
    return part->stage > 0 && strcmp(part->phase, "probes") == 0 &&
           s->stages[part->stage - 1].probes.method == TW_SCENARIO_METHOD_STATIC;
}

static int after_step(const tw_run_view *view, void *context)
{
    enum { CHECK = 16, LARGE = 10000 }; /* steps between readings of the clock, of few grains */
    pilot_run *pilot = context;
    const bool stopped = is_stopped(pilot->plan->caller);
    if (!view->sim || stopped) return stopped;
    pilot->grains = tw_sim_bodies(view->sim);
    pilot_part *part = part_of(pilot, view);
    if (part->cut) return 0;
    part->steps = (double)(view->steps - part->first);
    part->time = tw_sim_time(view->sim) - part->from;
    part->progress = view->progress;
    if (!pilot->plan->on_device && pilot->grains < LARGE && (uint64_t)part->steps % CHECK != 0 &&
        !is_static(&pilot->scenario, part))
        return 0;
    const double before = part->seconds;
    part->seconds = pilot->plan->now() - part->started;
    part->each = part->seconds / tw_math_max(part->steps - 1.0, 1.0);
    if (part->stage == 0 || view->probe_count > 0) return is_slow(pilot, part);
    cut_when_due(pilot, part, before);
    return is_unknown(pilot, part);
}

/* ---- Its folder ---- */

static bool make_folder(tw_folder_path *folder, tw_error *error)
{
    const char *parent = getenv("TMPDIR");
    *folder = tw_folder_path_join(parent && *parent ? parent : "/tmp", "twirl_check_XXXXXX");
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

/* Removes the folder, too. */
static void free_pilot(pilot_run *pilot)
{
    enum { DESCRIPTORS = 16 };
    if (pilot->folder.text[0])
        (void)nftw(pilot->folder.text, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    free(pilot->scenario.stages);
    free(pilot->parts);
    memset(pilot, 0, sizeof *pilot);
}

/* ---- All of it ---- */

static tw_status run_trial(pilot_run *pilot, tw_error *error)
{
    const tw_folder_path folder = tw_folder_path_join(pilot->folder.text, "run");
    const bool on_device = pilot->plan->on_device;
    const tw_run_plan plan = {.folder = folder.text,
                              .threads = on_device ? pilot->plan->caller->threads : 1,
                              .device = on_device ? pilot->plan->caller->device : "cpu",
                              .context = pilot,
                              .step = after_step};
    tw_status status = tw_run_scenario(&pilot->scenario, &plan, error);
    pilot->seconds = pilot->plan->now() - pilot->began;
    pilot_part *last = pilot->count > 0 ? &pilot->parts[pilot->count - 1] : NULL;
    if (status == TW_STATUS_OK && last && !last->cut) last->progress = 1.0;
    /* Cut short by the budget, not by the caller: what is known so far is enough. */
    if (status == TW_STATUS_INTERRUPTED && !is_stopped(pilot->plan->caller) && pilot->count > 0)
        status = TW_STATUS_OK;
    pilot->state = tw_folder_path_in(folder.text, "states", "specimen", ".h5");
    return status;
}

static void note_specimen(pilot_run *pilot)
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

/* After any status, free_pilot must follow. */
static tw_status run_pilot(pilot_run *pilot, const tw_scenario *scenario, const pilot_plan *plan,
                           tw_error *error)
{
    *pilot = (pilot_run){.plan = plan, .began = plan->now()};
    pilot->parts = calloc(3 + 2 * scenario->stage_count, sizeof *pilot->parts);
    const bool made = make_small(scenario, plan, &pilot->scenario);
    tw_status status = TW_STATUS_OK;
    if (!pilot->parts || !made)
        status = tw_error_set_memory(error);
    else if (!make_folder(&pilot->folder, error))
        status = error->status;
    if (status == TW_STATUS_OK) {
        status = run_trial(pilot, error);
        if (status == TW_STATUS_OK) note_specimen(pilot);
    }
    return status;
}

/* ---- The estimate ---- */

/* Steps, time and memory of a run before it is started. A pilot with few grains gives the steps;
 * periodic copies of its last state give the cost of a step and the memory of many grains. */

static const double cuda_memory = 1.05e9; /* bytes that CUDA takes of an H200 before any grain */

/* Grains of the run over those of the pilot, which takes a file as it is. */
static double size_ratio(const tw_scenario *s, const pilot_run *pilot)
{
    return tw_scenario_is_generated(s) ? (double)s->specimen.count / (double)pilot->grains : 1.0;
}

static bool is_random(const tw_scenario *s)
{
    return tw_scenario_is_generated(s) && !tw_scenario_is_lattice(&s->specimen);
}

/* Cost of grains, from copies of the pilot's last state. */
typedef struct cost {
    double overhead; /* of a step, whatever the number of grains [s] */
    double least;    /* of a step of the pilot's grains, whatever they do [s] */
    double ratio;    /* of all grains to the pilot's, without the overhead [-] */
    double speed_up; /* of a step by threads [-] */
    double threads;  /* which run probes side by side */
    double more;     /* on a device: of a step, of the grains that the pilot did not have [s] */
    double placing;  /* of all grains, before the first step [s] */
    double saving;   /* of a checkpoint of all grains [s] */
    double bytes;    /* of memory per grain */
    double device;   /* bytes of memory of a device per grain */
} cost;

/* ---- Copies ---- */

static double resident_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : (double)NAN;
}

static double heap_in_use(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else /* other C libraries do not tell */
    return resident_peak();
#endif
}

/* Seconds of a step. */
static double time_steps(tw_sim *sim, int threads, const tw_mat3 *gradient, double (*now)(void))
{
    enum { WARM = 5, CHUNK = 5 };
    const double least = 0.06; /* seconds */
    tw_sim_set_threads(sim, threads);
    tw_sim_set_velocity_gradient(sim, gradient);
    if (tw_sim_run(sim, WARM, NULL) != TW_STATUS_OK) return (double)NAN;
    const double start = now();
    uint64_t steps = 0;
    while (now() - start < least) {
        if (tw_sim_run(sim, CHUNK, NULL) != TW_STATUS_OK) return (double)NAN;
        steps += CHUNK;
    }
    return (now() - start) / (double)steps;
}

/* As many copies along each edge as give the number of grains of the scenario, up to a limit. */
static int copies_for(uint64_t count, uint64_t pilot)
{
    const double most = tw_math_min(216.0, tw_math_max(300000.0 / (double)pilot, 1.0));
    return (int)tw_math_min(floor(tw_math_cbrt(most) + 1e-9),
                            ceil(tw_math_cbrt((double)count / (double)pilot)));
}

/* Larger specimens are slower per grain, as they leave the caches: measured on two machines, 1.4 to
 * 1.5 times per factor of ten. */
static double cache_factor(double grains, double measured)
{
    return grains > measured ? 1.0 + 0.45 * tw_math_log(grains / measured) / tw_math_log(10.0)
                             : 1.0;
}

/* Before the first step, and for files: little on a processor, a quarter of a run on a GPU. */
static void time_making(const tw_scenario *s, const pilot_run *pilot, tw_sim *many, cost *c)
{
    const tw_run_scatter_watch watch = {NULL, NULL};
    const tw_folder_path path = tw_folder_path_join(pilot->folder.text, "copies.h5");
    const double all = (double)s->specimen.count, grains = (double)tw_sim_bodies(many);
    tw_scenario some = *s;
    double (*const now)(void) = pilot->plan->now;
    double porosity, start = now();
    if (tw_sim_save(many, path.text, NULL) == TW_STATUS_OK)
        c->saving = (now() - start) * all / grains;
    some.specimen.count = (uint64_t)tw_math_min(grains, all);
    start = now();
    tw_sim *made = !tw_scenario_is_lattice(&s->specimen)
                       ? tw_run_grains_make(&some, "cpu", &watch, &porosity, NULL)
                       : NULL;
    if (made) c->placing = (now() - start) * all / (double)tw_sim_bodies(made);
    tw_sim_free(made);
}

/* The cost by two sizes: the pilot's `few` grains take t1 seconds for a step, `grains` take tn. */
static bool compare_sizes(double few, double t1, double grains, double tn, double all, cost *c)
{
    const bool two = grains > few;
    const double each = two ? tw_math_max((tn - t1) / (grains - few), 0.0) : t1 / few;
    c->overhead = two ? tw_math_max(t1 - each * few, 0.0) : 0.0;
    c->more = each * tw_math_max(all - few, 0.0);
    const double small = t1 - c->overhead;
    c->least = 0.1 * small;
    c->ratio = each * all * cache_factor(all, grains) / small;
    return c->ratio > 0.0 && isfinite(c->ratio) && c->speed_up > 0.0;
}

/* By the rule of tw_sim_set_device. */
static const char *device_of(const tw_run_estimate_plan *plan)
{
    const char *name = plan->device ? plan->device : getenv("TWIRL_DEVICE");
    return name && *name ? name : "cpu";
}

/* Grains that were never on the host as a whole: the first process has its own ones. */
static bool is_made_there(const tw_scenario *s, const tw_run_estimate_plan *plan)
{
    return s->specimen.arrangement == TW_SCENARIO_REGIONS && strcmp(device_of(plan), "lammps") == 0;
}

static bool measure_copies(const tw_scenario *s, const pilot_run *pilot, tw_sim *sim, cost *c)
{
    const tw_run_estimate_plan *plan = pilot->plan->caller;
    const bool on_device = pilot->plan->on_device;
    double (*const now)(void) = pilot->plan->now;
    const char *device = on_device ? plan->device : "cpu";
    const int threads = on_device ? plan->threads : 1,
              n = copies_for(s->specimen.count, pilot->grains);
    const tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    const double empty = heap_in_use();
    tw_sim *one = tw_run_grains_repeat(s, sim, 1, NULL);
    if (!one || tw_sim_set_device(one, device, NULL) != TW_STATUS_OK) {
        tw_sim_free(one);
        return false;
    }
    const double few = (double)tw_sim_bodies(one), t1 = time_steps(one, threads, &gradient, now);
    const double resident = resident_peak();
    c->bytes = (heap_in_use() - empty) / few;
    c->device = tw_sim_device_memory(one) / few;
    double tn = t1, grains = few;
    const double before = heap_in_use();
    tw_sim *many = n > 1 ? tw_run_grains_repeat(s, sim, n, NULL) : NULL;
    if (many && tw_sim_set_device(many, device, NULL) == TW_STATUS_OK) {
        grains = (double)tw_sim_bodies(many);
        tn = time_steps(many, threads, &gradient, now);
        const double held = heap_in_use() - before;
        c->device = tw_sim_device_memory(many) / grains;
        tw_sim_set_threads(many, plan->threads);
        for (int k = 0; k < 3 && !on_device && tw_sim_threads(many) > 1; k++) {
            /* The fastest: other work on the machine comes and goes. */
            const double faster = tn / time_steps(many, plan->threads, &gradient, tw_clock);
            c->speed_up = k == 0 ? faster : tw_math_max(c->speed_up, faster);
        }
        time_making(s, pilot, many, c);
        c->bytes = (is_made_there(s, plan) ? held : resident_peak() - resident) / grains;
    }
    tw_sim_free(one);
    tw_sim_free(many);
    return compare_sizes(few, t1, grains, tn, (double)s->specimen.count, c);
}

/* A specimen from a file has been run as it is. */
static bool measure_cost(const tw_scenario *s, const pilot_run *pilot, cost *c, tw_error *error)
{
    *c = (cost){.ratio = 1.0, .speed_up = 1.0};
    const double empty = heap_in_use();
    tw_sim *sim = tw_sim_load(pilot->state.text, error);
    if (!sim) return false;
    bool good = tw_sim_set_device(sim, "cpu", error) == TW_STATUS_OK;
    tw_sim_set_threads(sim, pilot->plan->caller->threads);
    c->threads = pilot->plan->on_device ? 1.0 : tw_sim_threads(sim);
    if (!tw_scenario_is_generated(s))
        c->bytes = tw_sim_prepare(sim, NULL) == TW_STATUS_OK
                       ? (heap_in_use() - empty) / (double)tw_sim_bodies(sim)
                       : 0.0;
    else
        good = measure_copies(s, pilot, sim, c);
    tw_sim_free(sim);
    if (!good) tw_error_set(error, TW_STATUS_PHYSICS, "the cost of a step could not be measured");
    return good;
}

/* ---- Parts ---- */

/* The engine lowers its time step when it exceeds the target 1.6 times, and then to the target. How
 * far above it is in the end depends on chance: 0.9 to 1.55 times in 22 specimens of 100 to 10,000
 * grains, 1.17 times on average. The target itself hardly depends on the number of grains. */
static double dt_expected(const tw_scenario *s, const pilot_run *pilot)
{
    return is_random(s) && size_ratio(s, pilot) > 1.0 ? 1.17 * pilot->dt_target : pilot->dt;
}

/* The pilot had one law and two directions. */
static double probe_ratio(const tw_scenario_probes *p)
{
    tw_scenario_probes few = *p;
    few.laws = 1;
    few.variant_count = 0;
    few.count = p->count < 2 ? p->count : 2;
    return (double)tw_scenario_probe_loadings(p) / (double)tw_scenario_probe_loadings(&few);
}

static double steps_of(const tw_scenario *s, const pilot_run *pilot, const pilot_part *part)
{
    const tw_scenario_stage *stage = part->stage > 0 ? &s->stages[part->stage - 1] : NULL;
    const bool probes = strcmp(part->phase, "probes") == 0;
    if (stage && stage->path == TW_SCENARIO_ROTATE) return (double)stage->rotation.increments;
    double steps = part->steps / part->progress;
    if (stage && stage->path == TW_SCENARIO_RATES) return steps;
    if (probes) return steps * probe_ratio(&stage->probes);
    /* Most steps of a compression are taken before the time step has its last value. */
    const bool compression = strcmp(part->phase, "compression") == 0;
    if (isnan(s->time_step.dt) && tw_scenario_is_generated(s) && !compression)
        steps = part->time / (dt_expected(s, pilot) * part->progress);
    /* The grain with the most contacts decides on the time step, and the last ones to come to rest
     * on the end: among more grains both are more extreme. Measured from 300 to 10,000 grains:
     * compression 1.15 times (linear contacts) and 1.35 times (Hertz), settling 1.35 and 1.0. */
    if (compression || strcmp(part->phase, "settling") == 0)
        steps *= 1.0 + 0.06 * tw_math_log(size_ratio(s, pilot));
    const uint64_t limit = !stage                              ? TW_SCENARIO_NONE
                           : stage->path == TW_SCENARIO_PROBES ? stage->probes.settle_steps
                                                               : stage->end.steps;
    return limit == TW_SCENARIO_NONE ? steps : tw_math_min(steps, (double)limit);
}

/* Trials of the search for friction; 1 without a search. */
static double trials_of(const tw_scenario *s)
{
    const tw_scenario_preparation *p = &s->specimen.preparation;
    return p->friction == TW_SCENARIO_AUTO ? (double)tw_run_prepare_trials(p->tolerance) : 1.0;
}

/* Iterations of static probes are factorisations, one probe after another. Their time grows with
 * the power 1.8 of the number of grains: measured from 1,000 to 10,000. */
static double seconds_of_step(const tw_scenario *s, const pilot_run *pilot, const pilot_part *part,
                              const cost *c)
{
    if (is_static(s, part))
        return part->each * tw_math_exp(1.8 * tw_math_log(size_ratio(s, pilot)));
    if (pilot->plan->on_device) return part->each + c->more;
    const double grains = tw_math_max(part->each - c->overhead, c->least);
    /* Probes run side by side, with all they do; otherwise one thread does the overhead. */
    if (strcmp(part->phase, "probes") == 0) return (c->overhead + grains * c->ratio) / c->threads;
    return c->overhead + grains * c->ratio / c->speed_up;
}

static void add_part(const tw_scenario *s, const pilot_run *pilot, const pilot_part *part,
                     const cost *c, tw_run_estimate *out)
{
    const double repeat = part->stage == 0 ? trials_of(s) : 1.0;
    const double steps = repeat * steps_of(s, pilot, part);
    tw_run_estimate_part *to = &out->parts[part->stage];
    to->steps += steps;
    to->seconds += steps * seconds_of_step(s, pilot, part, c);
}

/* How often something is written in a part: 0 for the specimen, then the stages. `steps` counts
 * where no strain is given, or none is known. */
static double times_in(const tw_scenario *s, const tw_run_estimate *out, size_t part, double steps,
                       double strain)
{
    const tw_scenario_stage *stage = part > 0 ? &s->stages[part - 1] : NULL;
    const bool by_strain = stage && !isnan(strain) && tw_scenario_stage_traits(stage).driven;
    const double times =
        by_strain ? tw_scenario_stage_strain(stage) / strain : out->parts[part].steps / steps;
    return isnan(times) ? 0.0 : times;
}

static double count_or_infinity(uint64_t steps)
{
    return steps == TW_SCENARIO_NONE ? HUGE_VAL : (double)steps;
}

/* States of the specimen, of the stages and on the way, and two checkpoints. */
static double files_of(const tw_scenario *s, const tw_run_estimate *out)
{
    double files = 3.0 + (double)s->stage_count;
    for (size_t k = 0; k < s->stage_count; k++) {
        const tw_scenario_states on_way = tw_scenario_output_in(s, &s->stages[k]).states;
        files += s->stages[k].save != NULL;
        files += floor(times_in(s, out, k + 1, count_or_infinity(on_way.steps), on_way.strain));
    }
    return files;
}

/* ---- Memory and disk ---- */

/* While a state is loaded, the previous one still exists. */
static bool loads_states(const tw_scenario *s)
{
    for (size_t k = 0; k < s->stage_count; k++)
        if (s->stages[k].from || s->stages[k].path == TW_SCENARIO_PROBES) return true;
    return s->specimen.preparation.friction == TW_SCENARIO_AUTO;
}

static double memory_of(const tw_scenario *s, const pilot_run *pilot, double resident, double bytes)
{
    const double base = resident - (double)pilot->grains * bytes;
    const double grains = size_ratio(s, pilot) * (double)pilot->grains;
    return base + grains * bytes * (loads_states(s) ? 1.3 : 1.0);
}

/* Rows of a stage without a given interval: TW_SCENARIO_STAGE_ROWS, half as many for each doubling
 * of its steps until they are ROW_STEPS apart; see src/run/report.c. */
static double default_rows(const tw_scenario_stage *stage, double steps)
{
    const double first = TW_SCENARIO_STAGE_ROWS, apart = TW_SCENARIO_ROW_STEPS;
    double rows = 0.0;
    for (double n = first, every = 1.0; stage && steps > n && every < apart; every *= 2.0) {
        rows += 0.5 * first;
        n *= 2.0;
    }
    if (stage && stage->path == TW_SCENARIO_CYCLIC && stage->end.cycles != TW_SCENARIO_NONE)
        rows += (double)TW_SCENARIO_CYCLE_ROWS * (double)stage->end.cycles;
    return rows + (stage ? tw_math_min(first, steps) : 0.0) + steps / apart;
}

static double history_rows(const tw_scenario *s, const tw_run_estimate *out)
{
    double rows = 0.0;
    for (size_t k = 0; k < out->count; k++) {
        const tw_scenario_stage *stage = k > 0 ? &s->stages[k - 1] : NULL;
        const tw_scenario_history asked = tw_scenario_output_in(s, stage).history;
        const bool strain = stage && !isnan(asked.strain) && tw_scenario_stage_traits(stage).driven;
        const double more = strain || asked.steps != TW_SCENARIO_NONE
                                ? times_in(s, out, k, count_or_infinity(asked.steps), asked.strain)
                                : default_rows(stage, out->parts[k].steps);
        rows += 2.0 + (isnan(more) ? 0.0 : more);
    }
    return rows;
}

/* Files and the history. */
static double disk_of(const tw_scenario *s, const pilot_run *pilot, const tw_run_estimate *out)
{
    const double row = 950.0; /* bytes; most columns have 17 digits */
    const double fixed = 5e4; /* of a checkpoint without grains */
    struct stat file;
    if (stat(pilot->state.text, &file) != 0) return (double)NAN;
    const double each =
        fixed + tw_math_max((double)file.st_size - fixed, 0.0) * size_ratio(s, pilot);
    return row * history_rows(s, out) + files_of(s, out) * each;
}

/* ---- All of it ---- */

static bool start_estimate(const tw_scenario *s, tw_run_estimate *out)
{
    memset(out, 0, sizeof *out);
    out->count = s->stage_count + 1;
    out->parts = calloc(out->count, sizeof *out->parts);
    if (!out->parts) return false;
    out->parts[0].name = "specimen";
    for (size_t k = 0; k < s->stage_count; k++)
        out->parts[k + 1].name = s->stages[k].name;
    return true;
}

/* Stages from `first` on, 1 being the first one, which the pilot did not reach: by their strain, at
 * the cost of its last part. */
static void fill_missing(const tw_scenario *s, const pilot_run *pilot, size_t first, const cost *c,
                         tw_run_estimate *out)
{
    const double each = seconds_of_step(s, pilot, &pilot->parts[pilot->count - 1], c);
    for (size_t k = first; k < out->count; k++) {
        const uint64_t steps = tw_scenario_stage_steps(s, k - 1);
        out->parts[k].steps = steps > 0 ? (double)steps : (double)NAN;
        out->parts[k].seconds = out->parts[k].steps * each;
    }
}

static void add_parts(const tw_scenario *s, const pilot_run *pilot, const cost *c,
                      tw_run_estimate *out)
{
    if (pilot->count == 0) return;
    const pilot_part *last = &pilot->parts[pilot->count - 1];
    const bool unknown = is_unknown(pilot, last);
    for (size_t k = 0; k < pilot->count - unknown; k++)
        add_part(s, pilot, &pilot->parts[k], c, out);
    fill_missing(s, pilot, last->stage + !unknown, c, out);
}

/* How long grains take to settle depends on chance, so the specimen is made twice. One that was
 * not ready in time says nothing. */
static void average_specimen(pilot_run *pilot, const pilot_run *other)
{
    if (other->dt == 0.0) return;
    for (size_t k = 0; k < pilot->count && k < other->count; k++) {
        pilot_part *part = &pilot->parts[k];
        const pilot_part *with = &other->parts[k];
        if (part->stage != 0 || part->phase != with->phase) return;
        part->each = 0.5 * (part->each + with->each);
        part->steps = 0.5 * (part->steps + with->steps);
        part->time = 0.5 * (part->time + with->time);
    }
}

/* What a step costs without grains: their number is reduced to a few, for a moment. A trial of so
 * few that fails says nothing; only the caller ends the estimate. */
static tw_status find_overhead(const tw_scenario *s, const tw_run_estimate_plan *plan,
                               const pilot_run *pilot, cost *c, tw_error *error)
{
    enum { FEW = 12 };
    const pilot_plan moment = {
        .caller = plan, .grains = FEW, .friction = 0.25, .seconds = 0.01, .now = tw_clock_thread};
    pilot_run tiny;
    if (!is_random(s) || pilot->plan->on_device || pilot->count == 0 || pilot->grains < 4u * FEW)
        return TW_STATUS_OK;
    const tw_status status = run_pilot(&tiny, s, &moment, error);
    if (status == TW_STATUS_OK && tiny.count > 0) {
        const double few = tiny.parts[0].each, many = pilot->parts[0].each;
        const double loop = few - FEW * (many - few) / ((double)pilot->grains - FEW);
        c->overhead = tw_math_max(c->overhead, loop);
    }
    free_pilot(&tiny);
    return status == TW_STATUS_INTERRUPTED ? status : TW_STATUS_OK;
}

/* The specimen once more. As the search would: looser or denser than requested? */
static tw_status repeat_specimen(const tw_scenario *s, pilot_plan next, pilot_run *pilot,
                                 tw_error *error)
{
    const tw_scenario_preparation *p = &s->specimen.preparation;
    const double target = isnan(p->porosity) ? p->void_ratio : p->porosity / (1.0 - p->porosity);
    pilot_run other;
    next.seed = 1;
    next.stages = false;
    next.friction = pilot->void_ratio > target ? 0.0625 : 0.5625;
    const tw_status status = run_pilot(&other, s, &next, error);
    if (status == TW_STATUS_OK) average_specimen(pilot, &other);
    free_pilot(&other);
    return status == TW_STATUS_INTERRUPTED ? status : TW_STATUS_OK;
}

/* With fewer grains if that takes too long. *first is the plan of the pilot. */
static tw_status run_pilots(const tw_scenario *s, pilot_plan *first, pilot_run *pilot,
                            tw_error *error)
{
    const tw_scenario_specimen *specimen = &s->specimen;
    first->least = is_random(s) ? least_grains(specimen) : UINT64_MAX;
    if (tw_scenario_is_generated(s)) first->grains = grains_for(specimen, first->on_device);
    tw_status status = run_pilot(pilot, s, first, error);
    while (status == TW_STATUS_OK && pilot->dt == 0.0 && first->grains > first->least) {
        free_pilot(pilot);
        first->grains /= 4;
        if (first->grains < first->least) first->grains = first->least;
        status = run_pilot(pilot, s, first, error);
    }
    if (status == TW_STATUS_OK && pilot->dt == 0.0)
        return tw_error_set(error, TW_STATUS_PHYSICS, "its specimen was not ready after %.1f s",
                            pilot->seconds);
    const double enough = specimen->preparation.friction == TW_SCENARIO_AUTO ? 2.0 : 1.0;
    if (status != TW_STATUS_OK || !tw_scenario_is_generated(s) ||
        pilot->seconds > enough * first->seconds)
        return status;
    return repeat_specimen(s, *first, pilot, error);
}

tw_status tw_run_estimate_make(const tw_scenario *scenario, const tw_run_estimate_plan *plan,
                               tw_run_estimate *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    pilot_plan first = {.caller = plan,
                        .on_device = strcmp(device_of(plan), "cpu") != 0,
                        .now = strcmp(device_of(plan), "cuda") == 0 ? tw_clock : tw_clock_thread,
                        .friction = 0.25,
                        .stages = true,
                        .seconds = plan->seconds};
    pilot_run pilot;
    cost c;
    if (!start_estimate(scenario, out)) return tw_error_set_memory(error);
    tw_status status = tw_sim_check_device(plan->device, error);
    if (status != TW_STATUS_OK) return status;
    status = run_pilots(scenario, &first, &pilot, error);
    const double resident = resident_peak();
    if (status == TW_STATUS_OK && !measure_cost(scenario, &pilot, &c, error))
        status = error->status;
    if (status == TW_STATUS_OK) status = find_overhead(scenario, plan, &pilot, &c, error);
    if (status == TW_STATUS_OK) {
        add_parts(scenario, &pilot, &c, out);
        out->parts[0].seconds += c.placing;
        for (size_t k = 0; k < out->count; k++) {
            out->parts[k].seconds += files_of(scenario, out) * c.saving / (double)out->count;
            out->steps += out->parts[k].steps;
            out->seconds += out->parts[k].seconds;
        }
        out->grains = pilot.grains;
        out->memory = memory_of(scenario, &pilot, resident, c.bytes);
        out->divided = strcmp(device_of(plan), "lammps") == 0;
        out->made_there = is_made_there(scenario, plan);
        if (c.device > 0.0)
            out->device_memory =
                cuda_memory + size_ratio(scenario, &pilot) * (double)pilot.grains * c.device;
        out->disk = disk_of(scenario, &pilot, out);
    }
    free_pilot(&pilot);
    return status;
}

void tw_run_estimate_free(tw_run_estimate *estimate)
{
    free(estimate->parts);
    memset(estimate, 0, sizeof *estimate);
}
