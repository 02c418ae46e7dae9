/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a run goes, by phases of tw_sim_times. A thread is in one phase at a time
 * (base/environment.h); here the times of the threads are added up by stage. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/math.h>
#include <twirl/run.h>

#include "base/environment.h"
#include "base/json.h"
#include "base/parallel.h"
#include "run/timing.h"

/* On a device the host's other threads have next to nothing to do: only the one that waits for the
 * device counts. */
static int threads_of(const tw_run_plan *plan)
{
    if (!(tw_sim_device_traits(plan->device) & TW_SIM_DEVICE_HOST)) return 1;
    return plan->threads > 0 ? plan->threads : tw_parallel_default();
}

bool tw_run_timing_start(tw_run *run)
{
    tw_run_meter *m = &run->meter;
    m->threads = m->counted = threads_of(run->plan);
    m->since = tw_clock();
    m->from = tw_parallel_times(m->counted);
    m->parts = calloc(run->scenario->stage_count + 1, sizeof *m->parts);
    return m->parts != NULL;
}

static size_t part_of(const tw_run *run)
{
    const size_t last = run->scenario->stage_count;
    if (run->state.phase < TW_RUN_STATE_STAGES) return 0;
    return run->state.stage < last ? run->state.stage + 1 : last;
}

void tw_run_timing_add_steps(tw_run_meter *meter, uint64_t steps)
{
    meter->parts[meter->part].steps += steps;
}

void tw_run_timing_count(tw_run *run, int threads)
{
    tw_run_meter *m = &run->meter;
    tw_run_timing *part = &m->parts[m->part];
    const tw_sim_times now = tw_parallel_times(m->counted);
    const double clock = tw_clock();
    tw_clock_add_between(&m->from, &now, &part->phases);
    part->wall += clock - m->since;
    part->total += (clock - m->since) * m->counted;
    m->since = clock;
    m->part = part_of(run);
    m->counted = threads > 0 ? threads : m->threads;
    m->from = tw_parallel_times(m->counted);
}

/* A thread that was not there yet, or that has slept since, was without work, too. */
static void set_waiting(tw_run_timing *t)
{
    double sum = 0.0;
    t->phases.waiting = 0.0;
#define ADD(NAME, name, text) sum += t->phases.name;
    TW_SIM_PHASES(ADD)
#undef ADD
    t->phases.waiting = tw_math_max(t->total - sum, 0.0);
}

static tw_run_timing sum_of(tw_run *run)
{
    const tw_sim_times zero = {0};
    tw_run_timing sum = {.threads = run->meter.threads,
                         .device = run->sim ? tw_sim_device(run->sim) : "cpu"};
    tw_run_timing_count(run, run->meter.counted);
    for (size_t k = 0; k <= run->scenario->stage_count; k++) {
        tw_run_timing *part = &run->meter.parts[k];
        set_waiting(part);
        tw_clock_add_between(&zero, &part->phases, &sum.phases);
        sum.wall += part->wall;
        sum.total += part->total;
        sum.steps += part->steps;
    }
    return sum;
}

/* ---- As a table and as a file ---- */

void tw_run_timing_table(const tw_run_timing *t, char *text, size_t size)
{
    size_t at = 0;
    const bool host = tw_sim_device_traits(t->device) & TW_SIM_DEVICE_HOST;
#define ROW(NAME, name, what)                                                                      \
    if (t->phases.name > 0.0 && at < size)                                                         \
        at += (size_t)snprintf(text + at, size - at, "  %-8s %10.3f s  %5.1f %%  %s\n", #name,     \
                               t->phases.name, 100.0 * t->phases.name / t->total, what);
    TW_SIM_PHASES(ROW)
#undef ROW
    if (at < size)
        snprintf(text + at, size - at, "  %-8s %10.3f s  100.0 %%  %.3f s on %d thread%s%s%s\n",
                 "total", t->total, t->wall, t->threads, t->threads == 1 ? "" : "s",
                 host ? "" : ", device ", host ? "" : t->device);
}

static void add_times(tw_text_buffer *text, const tw_run_timing *t)
{
    tw_text_buffer_add(text, "\"steps\": %" PRIu64, t->steps);
    tw_json_number(text, "wall", t->wall);
    tw_json_number(text, "total", t->total);
    tw_text_buffer_add(text, ", \"phases\": [");
    const char *between = "";
#define ROW(NAME, name, what)                                                                      \
    tw_text_buffer_add(text, "%s\n    {\"name\": \"%s\"", between, #name);                         \
    tw_json_number(text, "seconds", t->phases.name);                                               \
    tw_json_number(text, "share", t->total > 0.0 ? t->phases.name / t->total : 0.0);               \
    tw_text_buffer_add(text, "}");                                                                 \
    between = ",";
    TW_SIM_PHASES(ROW)
#undef ROW
    tw_text_buffer_add(text, "]");
}

static tw_status write_file(tw_run *run, const tw_run_timing *sum, tw_error *error)
{
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text,
                       "{\n  \"of\": \"the last process that took steps of this run; no result: "
                       "other runs of the scenario have other times\",\n  \"device\": \"%s\", "
                       "\"threads\": %d,\n  ",
                       sum->device, sum->threads);
    add_times(&text, sum);
    tw_text_buffer_add(&text, ",\n  \"stages\": [");
    for (size_t k = 0; k <= run->scenario->stage_count; k++) {
        tw_text_buffer_add(&text, "%s\n  {\"name\": ", k > 0 ? "," : "");
        tw_text_buffer_add_json_string(&text,
                                       k > 0 ? run->scenario->stages[k - 1].name : "specimen");
        tw_text_buffer_add(&text, ", ");
        add_times(&text, &run->meter.parts[k]);
        tw_text_buffer_add(&text, "}");
    }
    tw_text_buffer_add(&text, "]\n}\n");
    return tw_replace_file_text(tw_folder_path_join(run->plan->folder, "timing.json").text, &text,
                                error);
}

void tw_run_timing_end(tw_run *run)
{
    tw_error error;
    const tw_run_timing sum = sum_of(run);
    if (sum.steps > 0 && write_file(run, &sum, &error) != TW_STATUS_OK)
        tw_run_remark(run, "warning: %s", error.text);
    if (sum.steps > 0 && run->plan->timing) run->plan->timing(&sum, run->plan->context);
    free(run->meter.parts);
}
