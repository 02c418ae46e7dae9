/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes of a stage: definitions, results on disk, threads. */
#include "run/probes.h"
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "run/checkpoint.h"
#include "run/progress.h"
#include "run/timing.h"

static void make_law(tw_run_probes_law *out, int32_t kind, uint32_t without)
{
    out->kind = kind;
    out->without = without;
    size_t used = (size_t)snprintf(out->label, sizeof out->label, "%s", tw_contact_kind_name(kind));
    for (uint32_t bit = 1; bit <= TW_CONTACT_ALL; bit <<= 1)
        if (without & bit)
            used += (size_t)snprintf(out->label + used, sizeof out->label - used, "-%s",
                                     tw_contact_refinement_name(bit));
}

static bool make_laws(tw_run_probes *probes)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    probes->laws = calloc(TW_CONTACT_KINDS + requested->variant_count, sizeof *probes->laws);
    if (!probes->laws) return false;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++)
        if (requested->laws & 1u << kind) make_law(&probes->laws[probes->law_count++], kind, 0);
    for (size_t i = 0; i < requested->variant_count; i++)
        make_law(&probes->laws[probes->law_count++], requested->variants[i].law,
                 requested->variants[i].without);
    return true;
}

/* False: out of memory. To be freed in any case. */
static bool make_probes(const tw_run *run, tw_run_probes *probes)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_scenario_probes *requested = &stage->probes;
    memset(probes, 0, sizeof *probes);
    probes->stage = stage;
    probes->directions.sphere = requested->space == TW_SCENARIO_SPHERE_OF_DIRECTIONS;
    probes->directions.axis = stage->axis;
    probes->directions.count = requested->count;
    probes->by_stress = isnan(requested->strain);
    probes->magnitude = probes->by_stress ? requested->stress : requested->strain;
    probes->elastic = requested->no_slip == 1 && !probes->by_stress ? TW_COMPONENTS : 0;
    probes->each = 1 + requested->count + probes->elastic;
    if (!make_laws(probes)) return false;
    probes->total = probes->law_count * probes->each;
    probes->result = calloc(probes->total, sizeof *probes->result);
    probes->done = calloc(probes->total, sizeof *probes->done);
    return probes->result && probes->done;
}

static void free_probes(tw_run_probes *probes)
{
    free(probes->laws);
    free(probes->result);
    free(probes->done);
}

/* Definition of the probe with this index. */
static tw_probe_def definition_of(const tw_run_probes *probes, size_t index)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    const size_t number = index % probes->each, count = probes->directions.count;
    const tw_run_probes_law *law = &probes->laws[index / probes->each];
    tw_probe_def def = {.kind = law->kind,
                        .without = law->without,
                        .by_stress = probes->by_stress,
                        .magnitude = probes->magnitude,
                        .steps = requested->steps,
                        .rest = requested->rest,
                        .rest_steps = requested->rest_steps,
                        .statically = requested->method == TW_SCENARIO_METHOD_STATIC,
                        .load = number <= count,
                        .unload = number > 0 && number <= count && requested->unload == 1,
                        .no_slip = number > 0 && requested->no_slip == 1};
    if (number > 0 && number <= count)
        tw_directions_at(&probes->directions, number - 1, def.change);
    else if (number > count)
        def.change[number - count - 1] = number - count - 1 < TW_YZ ? 1.0 : sqrt(2.0);
    for (int k = 0; k < TW_COMPONENTS; k++)
        def.change[k] *= probes->magnitude;
    return def;
}

/* Steps of the finished probes. */
static uint64_t steps_of_probes(const tw_run_probes *probes)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < probes->total; i++)
        for (int k = 0; k < TW_PROBE_PHASES && probes->done[i]; k++)
            steps += probes->result[i].steps[k];
    return steps;
}

/* ---- Finished probes on disk ---- */

static tw_folder_path part_path(const tw_run *run, const tw_scenario_stage *stage)
{
    return tw_run_probes_path(run, stage->name, "part.txt");
}

/* Ends a line: hash of the run, the stage and the text before it. */
static uint64_t check_of(const tw_run *run, const tw_scenario_stage *stage, const char *line,
                         size_t length)
{
    const uint64_t seed = tw_hash_of(stage->name, strlen(stage->name), run->state.identity);
    return tw_hash_of(line, length, seed);
}

/* A line: index, counts, numbers without rounding, check. */
static void write_line(tw_text_buffer *text, size_t index, const tw_probe_result *result)
{
    tw_text_buffer_add(text, "%zu", index);
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_text_buffer_add(text, " %" PRIu64, result->name[k]);
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_text_buffer_add(text, " %a", result->name[k]);
    TW_PROBE_COUNTS(COUNT)
    TW_PROBE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
}

/* False if a value is missing or something follows. */
static bool read_line(const char *text, const char *end, size_t *index, tw_probe_result *result)
{
    char *at;
    *index = strtoull(text, &at, 10);
    if (at == text) return false;
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (*at != ' ') return false;                                                              \
        result->name[k] = strtoull(at + 1, &at, 10);                                               \
    }
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (*at != ' ') return false;                                                              \
        result->name[k] = strtod(at + 1, &at);                                                     \
    }
    TW_PROBE_COUNTS(COUNT)
    TW_PROBE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    return at == end;
}

/* Where the check of a line begins, if it is right: at the last space; else NULL. `end` is its
 * newline. */
static const char *find_check(const tw_run *run, const tw_scenario_stage *stage, const char *line,
                              const char *end)
{
    char check[24];
    const int length = 17;
    if (end - line < length || end[-length] != ' ') return NULL;
    snprintf(check, sizeof check, " %016" PRIx64,
             check_of(run, stage, line, (size_t)(end - line - length)));
    return memcmp(end - length, check, (size_t)length) == 0 ? end - length : NULL;
}

/* Takes the results of whole lines, and keeps these lines in `good`. Probes on damaged ones run
 * again. */
static void take_lines(const tw_run *run, tw_run_probes *probes, const char *text,
                       tw_text_buffer *good)
{
    tw_probe_result result;
    size_t index;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        const char *check = find_check(run, probes->stage, text, end);
        if (!check || !read_line(text, check, &index, &result) || index >= probes->total ||
            probes->done[index])
            continue;
        probes->finished++;
        probes->done[index] = true;
        probes->result[index] = result;
        tw_text_buffer_add_bytes(good, text, (size_t)(end + 1 - text));
    }
}

/* Reads the results on file into `probes` and opens the file for more. Lines that are incomplete,
 * damaged or of another run are dropped. */
static tw_status open_part(const tw_run *run, tw_run_probes *probes, tw_run_append_file *part)
{
    const tw_folder_path path = part_path(run, probes->stage);
    const tw_folder_path folder =
        tw_folder_path_in(run->plan->folder, "stages", probes->stage->name, "");
    tw_text_buffer good = {0};
    tw_status status = tw_folder_make(folder.text, run->error);
    if (status != TW_STATUS_OK) return status;
    if (tw_run_file_exists(path.text)) {
        char *text = tw_read_file_all(path.text, NULL, run->error);
        if (!text) return run->error->status;
        take_lines(run, probes, text, &good);
        free(text);
    }
    const uint64_t length = good.length;
    if (length > 0) status = tw_replace_file_text(path.text, &good, run->error);
    return status == TW_STATUS_OK ? tw_run_append_file_open(part, path, length, run->error)
                                  : status;
}

/* Adds the result with this index. */
static tw_status add_to_part(const tw_run *run, const tw_run_probes *probes,
                             tw_run_append_file *part, size_t index, tw_error *error)
{
    tw_text_buffer line = {0};
    write_line(&line, index, &probes->result[index]);
    if (!line.failed)
        tw_text_buffer_add(&line, " %016" PRIx64 "\n",
                           check_of(run, probes->stage, line.text, line.length));
    return tw_run_append_file_add_text(part, &line, error);
}

void tw_run_probes_part_remove(const tw_run *run, const tw_scenario_stage *stage)
{
    const tw_folder_path path = part_path(run, stage);
    if (unlink(path.text) != 0 && errno != ENOENT) tw_run_remark_left(run, path.text);
}

/* ---- Threads ---- */

/* Shared by the threads. */
typedef struct probe_pool {
    tw_run *run;
    tw_run_probes *probes;
    tw_run_append_file part;
    tw_folder_path state;   /* name of the state that probes start from */
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
    tw_sim *sim = tw_run_checkpoint_open(c->run, c->state.text, error);
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
        TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
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
    tw_c_locale plain; /* the locale belongs to the thread */
    if (!tw_c_locale_push(&plain)) return tw_error_set_memory(error);
    c->probes->result[index] = *result;
    c->probes->done[index] = true;
    c->probes->finished++;
    const tw_status status = add_to_part(c->run, c->probes, &c->part, index, error);
    tw_c_locale_pop(&plain);
    return status;
}

static void run_one(void *context, size_t index)
{
    probe_pool *c = context;
    const tw_run_probes *probes = c->probes;
    if (probes->done[index] || atomic_load(&c->stop)) return;
    const tw_probe_def def = definition_of(probes, index);
    const tw_probe_watch watch = {c, open_copy, after_step};
    tw_probe_result result;
    tw_error error = {TW_STATUS_OK, ""};
    tw_status status = tw_probe_run(&def, &watch, &result, &error);
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
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
    /* MUMPS is not for several threads. */
    if (tw_run_stage(run)->probes.method == TW_SCENARIO_METHOD_STATIC) return 1;
    if (tw_sim_device_traits(tw_sim_device(run->sim)) & TW_SIM_DEVICE_GPU) return ON_GPU;
    return run->plan->threads > 0 ? run->plan->threads : tw_parallel_default();
}

/* Fewer at a time if memory is too short. */
static void run_probes(probe_pool *c)
{
    c->together = together_on(c->run);
    do {
        c->crowded = false;
        tw_run_timing_count(c->run, c->together);
        tw_parallel_tasks(c->probes->total, c->together, run_one, c);
        c->together = (c->together + 1) / 2;
    } while (c->crowded && !atomic_load(&c->stop));
    tw_run_timing_count(c->run, 0);
}

static tw_status run_all(tw_run *run, tw_run_probes *probes)
{
    probe_pool c = {.run = run, .probes = probes, .part = {.descriptor = -1}};
    c.state = tw_folder_path_join("stages", probes->stage->name);
    tw_status status = open_part(run, probes, &c.part);
    if (status == TW_STATUS_OK) {
        const uint64_t before = steps_of_probes(probes);
        atomic_init(&c.steps, before);
        atomic_init(&c.stop, false);
        pthread_mutex_init(&c.report, NULL);
        tw_sim_set_threads(run->sim, 1); /* the caller may use it from any of the threads */
        run_probes(&c);
        tw_run_timing_add_steps(&run->meter, atomic_load(&c.steps) - before);
        tw_sim_set_threads(run->sim, run->plan->threads);
        pthread_mutex_destroy(&c.report);
    }
    tw_run_append_file_close(&c.part);
    if (c.error.status != TW_STATUS_OK) *run->error = c.error;
    return c.error.status != TW_STATUS_OK ? c.error.status : status;
}

tw_status tw_run_probe_stage_begin(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_run_probes_part_remove(run, stage);
    run->state.probing = 1;
    return tw_run_checkpoint_keep(run, tw_folder_path_join("stages", stage->name).text);
}

tw_status tw_run_probe_stage_run(tw_run *run)
{
    tw_run_probes probes;
    tw_status status =
        make_probes(run, &probes) ? run_all(run, &probes) : tw_error_set_memory(run->error);
    if (status == TW_STATUS_OK && probes.finished == probes.total) {
        run->state.steps += steps_of_probes(&probes);
        status = tw_run_probes_report(run, &probes);
        run->ended = status == TW_STATUS_OK;
    }
    free_probes(&probes);
    return status;
}
