/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the probes of a stage, as many at a time as there are threads, each on a copy of its own.
 * What a probe gives depends on the state it starts from alone; which thread runs it, and when,
 * does not matter. */
#include "run/probes.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/text.h>

#include "base/error.h"
#include "base/parallel.h"

tw_path tw_probes_path(const tw_runner *run, const char *stage, const char *name)
{
    return tw_path_of(tw_path_in(run->plan->folder, "stages", stage, "").text, name);
}

size_t tw_probes_index(const tw_probes *probes, size_t law, size_t place)
{
    return law * probes->each + place;
}

/* ---- Which probes ---- */

static void put_law(const tw_runner *run, tw_probes_law *out, int32_t kind, uint32_t without)
{
    out->law = tw_sim_definition(run->sim).law; /* friction and all are those of the stage */
    out->law.kind = kind;
    out->law.refine &= ~without;
    size_t used = (size_t)snprintf(out->label, sizeof out->label, "%s", tw_contact_kind_name(kind));
    for (uint32_t bit = 1; bit <= TW_CONTACT_ALL; bit <<= 1)
        if (without & bit)
            used += (size_t)snprintf(out->label + used, sizeof out->label - used, "-%s",
                                     tw_contact_refinement_name(bit));
}

static bool make_laws(const tw_runner *run, tw_probes *probes)
{
    const tw_scenario_probes *wish = &probes->stage->probes;
    probes->laws = calloc(TW_CONTACT_KINDS + wish->variant_count, sizeof *probes->laws);
    if (!probes->laws) return false;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++)
        if (wish->laws & 1u << kind) put_law(run, &probes->laws[probes->law_count++], kind, 0);
    for (size_t i = 0; i < wish->variant_count; i++)
        put_law(run, &probes->laws[probes->law_count++], wish->variants[i].law,
                wish->variants[i].without);
    return true;
}

static bool make(tw_runner *run, tw_probes *probes)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const tw_scenario_probes *wish = &stage->probes;
    memset(probes, 0, sizeof *probes);
    probes->stage = stage;
    probes->directions.sphere = wish->space == TW_SCENARIO_SPHERE_OF_DIRECTIONS;
    probes->directions.axis = stage->axis;
    probes->directions.count = wish->count;
    probes->by_stress = isnan(wish->strain);
    probes->magnitude = probes->by_stress ? wish->stress : wish->strain;
    probes->elastic = wish->no_slip == 1 && !probes->by_stress ? TW_COMPONENTS : 0;
    probes->each = 1 + wish->count + probes->elastic;
    if (!make_laws(run, probes)) return false;
    probes->total = probes->law_count * probes->each;
    probes->result = calloc(probes->total, sizeof *probes->result);
    probes->done = calloc(probes->total, sizeof *probes->done);
    return probes->result && probes->done;
}

static void give_back(tw_probes *probes)
{
    free(probes->laws);
    free(probes->result);
    free(probes->done);
}

static tw_probe_def def_of(const tw_probes *probes, size_t index)
{
    const tw_scenario_probes *wish = &probes->stage->probes;
    const size_t place = index % probes->each, count = probes->directions.count;
    tw_probe_def def = {.law = probes->laws[index / probes->each].law,
                        .by_stress = probes->by_stress,
                        .magnitude = probes->magnitude,
                        .steps = wish->steps,
                        .rest = wish->rest,
                        .rest_steps = wish->rest_steps,
                        .load = place <= count,
                        .unload = place > 0 && place <= count && wish->unload == 1,
                        .twin = place > 0 && wish->no_slip == 1};
    if (place > 0 && place <= count)
        tw_directions_at(&probes->directions, place - 1, def.change);
    else if (place > count)
        def.change[place - count - 1] = place - count - 1 < TW_YZ ? 1.0 : sqrt(2.0);
    for (int k = 0; k < TW_COMPONENTS; k++)
        def.change[k] *= probes->magnitude;
    return def;
}

/* Of the probes that are finished. */
static uint64_t steps_of(const tw_probes *probes)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < probes->total; i++)
        for (int k = 0; k < TW_PROBE_PHASES && probes->done[i]; k++)
            steps += probes->result[i].steps[k];
    return steps;
}

/* ---- Threads ---- */

typedef struct crew {
    tw_runner *run;
    tw_probes *probes;
    tw_growth part;
    tw_path state;
    pthread_mutex_t files;  /* HDF5 is not made for threads */
    pthread_mutex_t report; /* the caller's functions, the file of what is finished, errors */
    atomic_ullong steps;
    atomic_bool stop;
    tw_error error; /* the first */
} crew;

static tw_sim *open_copy(void *context, tw_error *error)
{
    crew *c = context;
    pthread_mutex_lock(&c->files);
    tw_sim *sim = tw_sim_load(c->state.text, error);
    pthread_mutex_unlock(&c->files);
    return sim;
}

/* The caller hears of steps as often as somebody has time to tell. */
static int after_step(void *context)
{
    crew *c = context;
    atomic_fetch_add(&c->steps, 1);
    if (pthread_mutex_trylock(&c->report) == 0) {
        const uint64_t steps = atomic_load(&c->steps); /* under the lock it never goes back */
        if (tw_runner_tell(c->run, steps, c->probes->finished, c->probes->total)) {
            c->run->stopped = true;
            atomic_store(&c->stop, true);
        }
        pthread_mutex_unlock(&c->report);
    }
    return atomic_load(&c->stop);
}

static void take_result(crew *c, size_t index, tw_status status, const tw_probe_result *result,
                        tw_error *error)
{
    tw_plain plain; /* of each thread its own */
    pthread_mutex_lock(&c->report);
    if (status == TW_STATUS_OK && !tw_plain_enter(&plain))
        status = tw_error_set(error, TW_STATUS_MEMORY, "out of memory");
    else if (status == TW_STATUS_OK) {
        c->probes->result[index] = *result;
        c->probes->done[index] = true;
        c->probes->finished++;
        status = tw_probes_part_add(&c->part, index, result, error);
        tw_plain_leave(&plain);
    }
    if (status != TW_STATUS_OK && status != TW_STATUS_INTERRUPTED &&
        c->error.status == TW_STATUS_OK) {
        tw_error_set(&c->error, status, "stage '%s', probe %zu of law %s: %.800s",
                     c->probes->stage->name, index % c->probes->each,
                     c->probes->laws[index / c->probes->each].label, error->text);
        atomic_store(&c->stop, true);
    }
    pthread_mutex_unlock(&c->report);
}

static void run_one(void *context, size_t index)
{
    crew *c = context;
    if (c->probes->done[index] || atomic_load(&c->stop)) return;
    const tw_probe_def def = def_of(c->probes, index);
    const tw_probe_watch watch = {c, open_copy, after_step};
    tw_probe_result result;
    tw_error error = {TW_STATUS_OK, ""};
    const tw_status status = tw_probe_run(&def, &watch, &result, &error);
    take_result(c, index, status, &result, &error);
}

static tw_status run_all(tw_runner *run, tw_probes *probes)
{
    crew c = {.run = run, .probes = probes, .part = {.file = -1}};
    c.state = tw_path_in(run->plan->folder, "stages", probes->stage->name, ".h5");
    tw_status status = tw_probes_part_open(run, probes, &c.part);
    if (status == TW_STATUS_OK) {
        atomic_init(&c.steps, steps_of(probes));
        atomic_init(&c.stop, false);
        pthread_mutex_init(&c.files, NULL);
        pthread_mutex_init(&c.report, NULL);
        tw_sim_set_threads(run->sim, 1); /* the caller looks at it from any thread */
        tw_parallel_tasks(probes->total, run->plan->threads, run_one, &c);
        tw_sim_set_threads(run->sim, run->plan->threads);
        pthread_mutex_destroy(&c.files);
        pthread_mutex_destroy(&c.report);
    }
    tw_growth_close(&c.part);
    if (c.error.status != TW_STATUS_OK) *run->error = c.error;
    return c.error.status != TW_STATUS_OK ? c.error.status : status;
}

/* ---- The stage ---- */

tw_status tw_probes_begin(tw_runner *run)
{
    const char *name = tw_runner_stage_name(run), *folder = run->plan->folder;
    tw_status status =
        tw_files_make_folder(tw_path_in(folder, "stages", name, "").text, run->error);
    if (status != TW_STATUS_OK) return status;
    unlink(tw_probes_path(run, name, "part.txt").text);
    run->place.probing[0] = 1;
    return tw_sim_save(run->sim, tw_path_in(folder, "stages", name, ".h5").text, run->error);
}

tw_status tw_probes_run(tw_runner *run)
{
    tw_probes probes;
    tw_status status = make(run, &probes) ? run_all(run, &probes)
                                          : tw_error_set(run->error, TW_STATUS_MEMORY,
                                                         "no memory for %zu probes", probes.total);
    if (status == TW_STATUS_OK && probes.finished == probes.total) {
        run->place.steps[0] += steps_of(&probes);
        status = tw_probes_report(run, &probes);
        run->ended = status == TW_STATUS_OK;
    }
    give_back(&probes);
    return status;
}

void tw_probes_clean(const tw_runner *run, const tw_scenario_stage *stage)
{
    unlink(tw_probes_path(run, stage->name, "part.txt").text);
}
