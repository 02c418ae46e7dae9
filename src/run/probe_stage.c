/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probe_stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/environment.h"
#include "base/parallel.h"
#include "run/probes.h"
#include "run/probes_part.h"
#include "run/probes_report.h"
#include "run/run_checkpoint.h"
#include "run/run_view.h"

/* Shared by the threads. */
typedef struct probe_pool {
    tw_run *run;
    tw_probes *probes;
    tw_append_file part;
    tw_file_path state;     /* name of the state that probes start from */
    pthread_mutex_t files;  /* HDF5 is not thread-safe */
    pthread_mutex_t report; /* for the caller's functions, part.txt, results and the error */
    atomic_ullong steps;
    atomic_bool stop;
    int together;   /* probes at a time */
    bool crowded;   /* memory was too short for so many: some are left */
    tw_error error; /* the first */
} probe_pool;

static tw_sim *open_copy(void *context, tw_error *error)
{
    probe_pool *c = context;
    pthread_mutex_lock(&c->files);
    tw_sim *sim = tw_run_checkpoint_open(c->run, c->state.text, error);
    pthread_mutex_unlock(&c->files);
    if (!sim || tw_sim_set_device(sim, c->run->plan->device, error) == TW_STATUS_OK) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* Reports to the caller unless another thread is doing so. */
static int after_step(void *context)
{
    probe_pool *c = context;
    atomic_fetch_add(&c->steps, 1);
    if (pthread_mutex_trylock(&c->report) == 0) {
        const uint64_t steps = atomic_load(&c->steps); /* under the lock it never decreases */
        if (tw_run_view_report(c->run, steps, c->probes->finished, c->probes->total)) {
            c->run->stopped = true;
            atomic_store(&c->stop, true);
        }
        pthread_mutex_unlock(&c->report);
    }
    return atomic_load(&c->stop);
}

static tw_status keep_result(probe_pool *c, size_t index, const tw_probe_result *result,
                             tw_error *error)
{
    tw_plain plain; /* the locale belongs to the thread */
    if (!tw_plain_enter(&plain)) return tw_error_set_memory(error);
    c->probes->result[index] = *result;
    c->probes->done[index] = true;
    c->probes->finished++;
    const tw_status status = tw_probes_part_add(c->run, c->probes, &c->part, index, error);
    tw_plain_leave(&plain);
    return status;
}

static void run_one(void *context, size_t index)
{
    probe_pool *c = context;
    const tw_probes *probes = c->probes;
    if (probes->done[index] || atomic_load(&c->stop)) return;
    const tw_probe_def def = tw_probes_definition(probes, index);
    const tw_probe_watch watch = {c, open_copy, after_step};
    tw_probe_result result;
    tw_error error = {TW_STATUS_OK, ""};
    tw_status status = tw_probe_run(&def, &watch, &result, &error);
    pthread_mutex_lock(&c->report);
    if (status == TW_STATUS_OK) status = keep_result(c, index, &result, &error);
    const bool crowded = status == TW_STATUS_MEMORY && c->together > 1;
    c->crowded |= crowded;
    if (status != TW_STATUS_OK && status != TW_STATUS_INTERRUPTED && !crowded &&
        c->error.status == TW_STATUS_OK) {
        tw_error_set(&c->error, status, "stage '%s', probe %zu of law %s: %.800s",
                     probes->stage->name, index % probes->each,
                     probes->laws[index / probes->each].label, error.text);
        atomic_store(&c->stop, true);
    }
    pthread_mutex_unlock(&c->report);
}

/* A small specimen does not fill a GPU: many run there side by side, each steered by a thread that
 * mostly waits. */
static int together_on(const tw_run *run)
{
    enum { ON_GPU = 16 };
    if (strcmp(tw_sim_device(run->sim), "cuda") == 0) return ON_GPU;
    return run->plan->threads > 0 ? run->plan->threads : tw_parallel_default();
}

/* Fewer at a time if memory is too short. */
static void run_probes(probe_pool *c)
{
    c->together = together_on(c->run);
    do {
        c->crowded = false;
        tw_parallel_tasks(c->probes->total, c->together, run_one, c);
        c->together = (c->together + 1) / 2;
    } while (c->crowded && !atomic_load(&c->stop));
}

static tw_status run_all(tw_run *run, tw_probes *probes)
{
    probe_pool c = {.run = run, .probes = probes, .part = {.descriptor = -1}};
    c.state = tw_file_path_join("stages", probes->stage->name);
    tw_status status = tw_probes_part_open(run, probes, &c.part);
    if (status == TW_STATUS_OK) {
        atomic_init(&c.steps, tw_probes_steps(probes));
        atomic_init(&c.stop, false);
        pthread_mutex_init(&c.files, NULL);
        pthread_mutex_init(&c.report, NULL);
        tw_sim_set_threads(run->sim, 1); /* the caller may use it from any of the threads */
        run_probes(&c);
        tw_sim_set_threads(run->sim, run->plan->threads);
        pthread_mutex_destroy(&c.files);
        pthread_mutex_destroy(&c.report);
    }
    tw_append_file_close(&c.part);
    if (c.error.status != TW_STATUS_OK) *run->error = c.error;
    return c.error.status != TW_STATUS_OK ? c.error.status : status;
}

tw_status tw_probe_stage_begin(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_probes_part_remove(run, stage);
    run->state.probing = 1;
    return tw_run_checkpoint_keep(run, tw_file_path_join("stages", stage->name).text);
}

tw_status tw_probe_stage_run(tw_run *run)
{
    tw_probes probes;
    tw_status status =
        tw_probes_make(run, &probes) ? run_all(run, &probes) : tw_error_set_memory(run->error);
    if (status == TW_STATUS_OK && probes.finished == probes.total) {
        run->state.steps += tw_probes_steps(&probes);
        status = tw_probes_report(run, &probes);
        run->ended = status == TW_STATUS_OK;
    }
    tw_probes_free(&probes);
    return status;
}
