/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/advance_run.h"

#include "advance/advance_progress.h"
#include "advance/history.h"
#include "common/exit_status.h"
#include "common/file_name.h"
#include "common/interrupt.h"

#include "base/file.h"

#include <twirl/exchange.h>

#include <inttypes.h>
#include <stdio.h>

/* Time between checkpoints without --every [s]. */
static const double save_interval = 30.0;

typedef struct run {
    const tw_advance_plan *plan;
    tw_advance_progress progress;
    tw_history history;
    tw_export_series *series; /* NULL: none */
    double saved_at;          /* wall clock [s] */
    uint64_t saved_step, frame_step;
    bool saved, framed;
    bool failed;
    const char *reason; /* of a failure; points into history.error or error.text */
    tw_error error;
} run;

static bool fail(run *r, const char *reason)
{
    r->failed = true;
    r->reason = reason;
    return false;
}

static bool add_row(run *r, tw_sim *sim)
{
    if (!r->plan->history || tw_history_add(&r->history, sim)) return true;
    return fail(r, r->history.error);
}

static bool add_frame(run *r, tw_sim *sim)
{
    const uint64_t step = tw_sim_steps(sim);
    if (!r->series || (r->framed && r->frame_step == step)) return true;
    if (tw_export_series_add(r->series, sim, &r->error) != TW_STATUS_OK)
        return fail(r, r->error.text);
    r->framed = true;
    r->frame_step = step;
    return true;
}

/* The history first: if the checkpoint were ahead of it, rows would be missing after a crash. */
static bool save(run *r, tw_sim *sim)
{
    if (r->plan->history && !tw_history_sync(&r->history)) return fail(r, r->history.error);
    if (tw_sim_save(sim, r->plan->out, &r->error) != TW_STATUS_OK) return fail(r, r->error.text);
    r->saved = true;
    r->saved_step = tw_sim_steps(sim);
    r->saved_at = tw_progress_now();
    return true;
}

static bool save_is_due(const run *r, const tw_sim *sim)
{
    if (r->plan->every > 0) return tw_sim_steps(sim) % r->plan->every == 0;
    return tw_progress_now() - r->saved_at >= save_interval;
}

/* Intervals are multiples of the step of the state, so that an interrupted run has its rows, frames
 * and checkpoints at the same steps. */
static uint64_t after_steps(tw_sim *sim, const tw_sim_passed *steps, size_t count, void *context)
{
    run *r = context;
    const tw_advance_plan *plan = r->plan;
    const uint64_t step = tw_sim_steps(sim);
    (void)steps;
    (void)count;
    if (step % plan->report == 0 && !add_row(r, sim)) return 0;
    if (step % plan->frame == 0 && !add_frame(r, sim)) return 0;
    if (step < plan->target && save_is_due(r, sim) && !save(r, sim)) return 0;
    tw_advance_progress_step(&r->progress, sim);
    if (tw_interrupt_signal() != 0) return 0;
    const uint64_t due[] = {plan->report - step % plan->report, plan->frame - step % plan->frame,
                            plan->every > 0 ? plan->every - step % plan->every : UINT64_MAX};
    uint64_t next = plan->target - step; /* 0 at the end */
    for (size_t k = 0; k < sizeof due / sizeof *due; k++)
        next = due[k] < next ? due[k] : next;
    return next;
}

static bool open_series(run *r, const tw_sim *sim)
{
    char name[256];
    size_t frames = 0;
    if (!r->plan->vtk) return true;
    tw_file_name_base(name, sizeof name, r->plan->out);
    r->series = tw_export_series_open(r->plan->vtk, name, &r->error);
    if (!r->series) return fail(r, r->error.text);
    if (r->plan->resumed &&
        tw_export_series_resume(r->series, tw_sim_time(sim), &frames, &r->error) != TW_STATUS_OK)
        return fail(r, r->error.text);
    r->framed = frames > 0;
    r->frame_step = tw_sim_steps(sim);
    return true;
}

static bool open_history(run *r, const tw_sim *sim)
{
    const char *path = r->plan->history;
    if (!path) return true;
    const bool done = r->plan->resumed ? tw_history_resume(&r->history, path, tw_sim_steps(sim))
                                       : tw_history_create(&r->history, path);
    return done || fail(r, r->history.error);
}

/* The first row and frame show the initial state; a resumed run already has them. */
static bool begin(run *r, tw_sim *sim)
{
    if (!open_history(r, sim) || !open_series(r, sim)) return false;
    if (r->plan->resumed) tw_replace_file_clean_target(r->plan->out);
    /* No steps, but it computes the forces and checks the state. */
    if (tw_sim_prepare(sim, &r->error) != TW_STATUS_OK) return fail(r, r->error.text);
    if (r->plan->history && r->history.empty && !add_row(r, sim)) return false;
    return r->framed || add_frame(r, sim);
}

static int report_failure(const run *r, const tw_sim *sim)
{
    const char *command = r->plan->command;
    tw_progress_clear(&r->progress.line);
    fprintf(stderr, "%s: %s\n", command, r->reason);
    if (r->saved)
        fprintf(stderr, "%s: the last checkpoint is %s, at step %" PRIu64 "\n", command,
                r->plan->out, r->saved_step);
    else if (tw_sim_steps(sim) > r->progress.first)
        fprintf(stderr, "%s: no checkpoint was written yet\n", command);
    if (r->history.foreign) return TW_EXIT_USAGE;
    if (r->reason == r->history.error) return TW_EXIT_ENVIRONMENT;
    return tw_exit_status_running(r->error.status);
}

static int finish(run *r, tw_sim *sim)
{
    const bool whole = tw_sim_steps(sim) >= r->plan->target;
    if (whole && (!add_row(r, sim) || !add_frame(r, sim))) return report_failure(r, sim);
    if (!save(r, sim)) return report_failure(r, sim);
    tw_advance_progress_end(&r->progress, sim);
    return whole ? TW_EXIT_OK : TW_EXIT_SIGNAL + tw_interrupt_signal();
}

int tw_advance_run(tw_sim *sim, const tw_advance_plan *plan, bool *device_failed)
{
    run r = {.plan = plan, .history = {.file = -1}, .saved = plan->saved};
    int result;
    tw_interrupt_watch();
    r.saved_step = tw_sim_steps(sim);
    r.saved_at = tw_progress_now();
    r.progress =
        tw_advance_progress_start(plan->command, plan->quiet, sim, plan->begin, plan->target);
    if (begin(&r, sim)) {
        tw_error ended; /* separate: errors in after_steps show as INTERRUPTED */
        const tw_status status = tw_sim_steps(sim) < plan->target
                                     ? tw_sim_run_watched(sim, after_steps, &r, &ended)
                                     : TW_STATUS_OK;
        if (status != TW_STATUS_OK && status != TW_STATUS_INTERRUPTED) {
            r.error = ended;
            fail(&r, r.error.text);
        }
    }
    *device_failed = r.failed && r.error.status == TW_STATUS_DEVICE;
    result = r.failed ? report_failure(&r, sim) : finish(&r, sim);
    tw_history_close(&r.history);
    tw_export_series_close(r.series);
    return result;
}
