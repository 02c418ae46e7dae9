/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/advance_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/exchange.h>
#include <twirl/history_columns.h>
#include <twirl/math.h>
#include <twirl/run_progress.h>
#include <twirl/sim.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mat3.h"
#include "base/text.h"
#include "common/output.h"
#include "common/scene.h"

/* The progress of `twirl advance`. */

typedef struct progress_report {
    tw_progress line;
    uint64_t begin;   /* step at which the whole run began */
    uint64_t first;   /* step at which this process took over */
    uint64_t target;  /* last step */
    uint64_t counted; /* last step included in contact_steps */
    double contact_steps;
    double solid; /* volume of the grains [m^3]; 0: not known yet */
} progress_report;

/* Steps between counts of contacts, whose number changes slowly. */
enum { SAMPLE = 16 };

static progress_report progress_start(const char *command, bool quiet, const tw_sim *sim,
                                      uint64_t begin, uint64_t target)
{
    progress_report progress = {.begin = begin, .target = target};
    progress.line = tw_progress_start(command, quiet);
    progress.first = progress.counted = tw_sim_steps(sim);
    return progress;
}

static void count_contacts(progress_report *progress, const tw_sim *sim)
{
    const uint64_t steps = tw_sim_steps(sim);
    size_t contacts = 0;
    tw_sim_contacts(sim, &contacts, NULL);
    progress->contact_steps += (double)(steps - progress->counted) * (double)contacts;
    progress->counted = steps;
}

static void show(progress_report *progress, tw_sim *sim, double now)
{
    tw_measure m;
    if (!(progress->solid > 0.0)) {
        if (tw_sim_measure(sim, &m, NULL) != TW_STATUS_OK) return; /* the run will report it */
        progress->solid = m.solid_volume;
    }
    const tw_run_progress_stress stress = tw_run_progress_stress_of(sim);
    const uint64_t step = tw_sim_steps(sim);
    const double elapsed = now - progress->line.started;
    const double rate = (double)(step - progress->first) / elapsed;
    const double share =
        (double)(step - progress->begin) / (double)(progress->target - progress->begin);
    char left[32], line[256];
    tw_run_progress_duration(left, sizeof left, (double)(progress->target - step) / rate);
    snprintf(line, sizeof line,
             "%5.1f %%  step %" PRIu64 "  time %.4g s  p %.4g Pa  q/p %.3f  porosity %.4f  "
             "%.3g steps/s  %.3g contact-steps/s  %s left",
             100.0 * share, step, tw_sim_time(sim), stress.p, stress.ratio,
             tw_run_progress_porosity(sim, progress->solid), rate,
             progress->contact_steps / elapsed, left);
    tw_progress_show(&progress->line, line);
}

/* To be called after every step; cheap unless a line is due. */
static void progress_step(progress_report *progress, tw_sim *sim)
{
    const double now = tw_clock();
    if (tw_sim_steps(sim) - progress->counted >= SAMPLE) count_contacts(progress, sim);
    if (tw_progress_due(&progress->line, now) && tw_sim_steps(sim) < progress->target)
        show(progress, sim, now);
}

/* The last line: how fast the run was. */
static void progress_end(progress_report *progress, const tw_sim *sim)
{
    const tw_progress *line = &progress->line;
    if (line->quiet) return;
    count_contacts(progress, sim);
    const double elapsed = tw_math_max(tw_clock() - line->started, 1e-9);
    const uint64_t steps = tw_sim_steps(sim) - progress->first;
    tw_progress_clear(line);
    fprintf(stderr, "%s: %" PRIu64 " step%s in %.3g s: %.3g steps/s, %.3g contact-steps/s\n",
            line->command, steps, tw_output_plural(steps), elapsed, (double)steps / elapsed,
            progress->contact_steps / elapsed);
}

/* The history of a run as CSV. A resumed run removes the rows after its step, so that the file is
 * the same as that of an uninterrupted run. */

typedef struct advance_history {
    int file;
    const char *path;
    bool empty;      /* no row yet */
    uint64_t latest; /* step of the last row */
} advance_history;

/* Columns after the step, with their values from the measure m and the stress, which is that of the
 * contacts plus the kinetic stress, as in the history of `twirl run`. */
#define COLUMNS(X)                                                                                 \
    X(time, m.time)                                                                                \
    X(volume, m.volume)                                                                            \
    X(porosity, m.porosity)                                                                        \
    X(p, tw_mat3_trace(stress) / 3.0)                                                              \
    X(stress_xx, stress.m[0])                                                                      \
    X(stress_xy, stress.m[1])                                                                      \
    X(stress_xz, stress.m[2])                                                                      \
    X(stress_yx, stress.m[3])                                                                      \
    X(stress_yy, stress.m[4])                                                                      \
    X(stress_yz, stress.m[5])                                                                      \
    X(stress_zx, stress.m[6])                                                                      \
    X(stress_zy, stress.m[7])                                                                      \
    X(stress_zz, stress.m[8])                                                                      \
    X(coordination, m.coordination)                                                                \
    X(sliding_fraction, m.sliding_fraction)                                                        \
    X(unbalanced, m.unbalanced)                                                                    \
    X(kinetic, m.energy.kinetic)                                                                   \
    X(rotational, m.energy.rotational)                                                             \
    X(normal, m.energy.normal)                                                                     \
    X(tangential, m.energy.tangential)                                                             \
    X(friction, m.energy.friction)                                                                 \
    X(contact_damping, m.energy.contact_damping)                                                   \
    X(body_damping, m.energy.body_damping)                                                         \
    X(cell, m.energy.cell)                                                                         \
    X(walls, m.energy.walls)                                                                       \
    X(gravity, m.energy.gravity)                                                                   \
    X(start, m.energy.start)                                                                       \
    X(residual, m.energy.residual)                                                                 \
    X(stored_rolling, m.energy.stored_rolling)                                                     \
    X(stored_twisting, m.energy.stored_twisting)                                                   \
    X(micro_slip, m.energy.micro_slip)                                                             \
    X(rolling, m.energy.rolling)                                                                   \
    X(twisting, m.energy.twisting)

/* Then the stress of the contacts alone, which other histories do not have. */
#define CONTACT_COLUMNS ",contact_p" CONTACT(xx, xy, xz) CONTACT(yx, yy, yz) CONTACT(zx, zy, zz)
#define CONTACT(a, b, c) ",contact_stress_" #a ",contact_stress_" #b ",contact_stress_" #c

static const char header[] = "step" COLUMNS(TW_HISTORY_COLUMN_NAME) CONTACT_COLUMNS "\n";

static bool history_fail(const advance_history *history, const char *what, tw_error *error)
{
    tw_error_set(error, TW_STATUS_FILE, "--history: cannot %s %s: %s", what,
                 tw_error_shorten_path(history->path).text, tw_error_reason_of(errno).text);
    return false;
}

static bool write_text(const advance_history *history, const char *text, size_t length,
                       tw_error *error)
{
    return tw_write_all(history->file, text, length) == length ||
           history_fail(history, "write", error);
}

static bool open_file(advance_history *history, const char *path, int flags, tw_error *error)
{
    *history = (advance_history){.path = path, .empty = true};
    history->file = open(path, O_CREAT | O_CLOEXEC | flags, 0666);
    return history->file >= 0 || history_fail(history, "open", error);
}

/* Starts a new file. False, here and below: see error. */
static bool history_create(advance_history *history, const char *path, tw_error *error)
{
    return open_file(history, path, O_WRONLY | O_TRUNC, error) &&
           write_text(history, header, sizeof header - 1, error);
}

/* Length of the part to keep: the header and the complete rows up to `step`. 0: there is no
 * complete header; negative: not a history. */
static off_t keep_rows(advance_history *history, FILE *rows, uint64_t step)
{
    char *line = NULL;
    size_t capacity = 0;
    off_t kept = 0;
    for (ssize_t length; (length = getline(&line, &capacity, rows)) > 0;) {
        if (line[length - 1] != '\n') break;
        if (kept == 0) {
            if (strcmp(line, header) != 0) kept = -1;
        } else {
            const uint64_t at = strtoull(line, NULL, 10);
            if (at > step) break;
            history->latest = at;
            history->empty = false;
        }
        if (kept < 0) break;
        kept += length;
    }
    free(line);
    return kept;
}

/* Keeps the rows of an earlier run up to this step, if there are any. */
static bool history_resume(advance_history *history, const char *path, uint64_t step,
                           tw_error *error)
{
    struct stat about;
    if (!open_file(history, path, O_RDWR, error)) return false;
    /* Nothing can be removed from a pipe or a terminal. */
    if (fstat(history->file, &about) == 0 && !S_ISREG(about.st_mode))
        return write_text(history, header, sizeof header - 1, error);
    FILE *rows = fopen(path, "r");
    if (!rows) return history_fail(history, "read", error);
    const off_t kept = keep_rows(history, rows, step);
    fclose(rows);
    if (kept < 0) {
        tw_error_set(error, TW_STATUS_INPUT,
                     "--history: %s is not a history of 'twirl advance': its header differs; "
                     "choose another file",
                     tw_error_shorten_path(path).text);
        return false;
    }
    if (ftruncate(history->file, kept) != 0 || lseek(history->file, kept, SEEK_SET) < 0)
        return history_fail(history, "truncate", error);
    return kept > 0 || write_text(history, header, sizeof header - 1, error);
}

/* Adding 0.0 turns -0 into 0 and changes nothing else. */
static void add_numbers(tw_text_buffer *row, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tw_text_buffer_add(row, ",%.17g", values[i] + 0.0);
}

/* Adds a row, unless the last one is of the same step. */
static bool history_add(advance_history *history, tw_sim *sim, tw_error *error)
{
    const uint64_t step = tw_sim_steps(sim);
    if (!history->empty && history->latest == step) return true;
    tw_measure m;
    if (tw_sim_measure(sim, &m, error) != TW_STATUS_OK) return false;
    const tw_mat3 stress = tw_mat3_add(m.stress, m.stress_kinetic);
    const double values[] = {COLUMNS(TW_HISTORY_COLUMN_VALUE)};
    tw_text_buffer row = {0};
    tw_text_buffer_add(&row, "%" PRIu64, step);
    add_numbers(&row, values, sizeof values / sizeof *values);
    add_numbers(&row, &m.p, 1);
    add_numbers(&row, m.stress.m, 9);
    tw_text_buffer_add(&row, "\n");
    tw_exit_unless(row.failed ? NULL : row.text);
    const bool written = write_text(history, row.text, row.length, error);
    tw_text_buffer_free(&row);
    history->empty = false;
    history->latest = step;
    return written;
}

/* Brings the rows to the disk. */
static bool history_sync(const advance_history *history, tw_error *error)
{
    /* EINVAL: a pipe or a terminal. */
    return tw_write_all_sync(history->file) || errno == EINVAL ||
           history_fail(history, "write", error);
}

/* Time between checkpoints without --every [s]. */
static const double save_interval = 30.0;

typedef struct run {
    const tw_advance_plan *plan;
    progress_report progress;
    advance_history history;
    tw_export_series *series; /* NULL: none */
    double saved_at;          /* wall clock [s] */
    uint64_t saved_step, frame_step;
    bool saved, framed;
    tw_error error; /* not TW_STATUS_OK: the run has failed */
} run;

/* False, here and below: the run has failed. */
static bool add_row(run *r, tw_sim *sim)
{
    return !r->plan->history || history_add(&r->history, sim, &r->error);
}

static bool add_frame(run *r, tw_sim *sim)
{
    const uint64_t step = tw_sim_steps(sim);
    if (!r->series || (r->framed && r->frame_step == step)) return true;
    if (tw_export_series_add(r->series, sim, &r->error) != TW_STATUS_OK) return false;
    r->framed = true;
    r->frame_step = step;
    return true;
}

/* The history first: if the checkpoint were ahead of it, rows would be missing after a crash. */
static bool save(run *r, tw_sim *sim)
{
    if (r->plan->history && !history_sync(&r->history, &r->error)) return false;
    if (tw_sim_save(sim, r->plan->out, &r->error) != TW_STATUS_OK) return false;
    r->saved = true;
    r->saved_step = tw_sim_steps(sim);
    r->saved_at = tw_clock();
    return true;
}

static bool save_is_due(const run *r, const tw_sim *sim)
{
    if (r->plan->every > 0) return tw_sim_steps(sim) % r->plan->every == 0;
    return tw_clock() - r->saved_at >= save_interval;
}

/* Intervals are multiples of the step of the state, so that an interrupted run has its rows, frames
 * and checkpoints at the same steps. */
static uint64_t after_steps(tw_sim *sim, const tw_sim_step_record *steps, size_t count,
                            void *context)
{
    run *r = context;
    const tw_advance_plan *plan = r->plan;
    const uint64_t step = tw_sim_steps(sim);
    (void)steps;
    (void)count;
    if (step % plan->report == 0 && !add_row(r, sim)) return 0;
    if (step % plan->frame == 0 && !add_frame(r, sim)) return 0;
    if (step < plan->target && save_is_due(r, sim) && !save(r, sim)) return 0;
    progress_step(&r->progress, sim);
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
    if (!r->series) return false;
    if (r->plan->resumed &&
        tw_export_series_resume(r->series, tw_sim_time(sim), &frames, &r->error) != TW_STATUS_OK)
        return false;
    r->framed = frames > 0;
    r->frame_step = tw_sim_steps(sim);
    return true;
}

static bool open_history(run *r, const tw_sim *sim)
{
    const char *path = r->plan->history;
    if (!path) return true;
    return r->plan->resumed ? history_resume(&r->history, path, tw_sim_steps(sim), &r->error)
                            : history_create(&r->history, path, &r->error);
}

/* The first row and frame show the initial state; a resumed run already has them. */
static bool begin(run *r, tw_sim *sim)
{
    if (!open_history(r, sim) || !open_series(r, sim)) return false;
    if (r->plan->resumed) tw_replace_file_clean_target(r->plan->out);
    /* No steps, but it computes the forces and checks the state. */
    if (tw_sim_prepare(sim, &r->error) != TW_STATUS_OK) return false;
    if (r->plan->history && r->history.empty && !add_row(r, sim)) return false;
    return r->framed || add_frame(r, sim);
}

static int report_failure(const run *r, const tw_sim *sim)
{
    const char *command = r->plan->command;
    tw_progress_clear(&r->progress.line);
    fprintf(stderr, "%s: %s\n", command, r->error.text);
    if (r->saved)
        fprintf(stderr, "%s: the last checkpoint is %s, at step %" PRIu64 "\n", command,
                r->plan->out, r->saved_step);
    else if (tw_sim_steps(sim) > r->progress.first)
        fprintf(stderr, "%s: no checkpoint was written yet\n", command);
    return tw_exit_status_running(r->error.status);
}

static int finish(run *r, tw_sim *sim)
{
    const bool whole = tw_sim_steps(sim) >= r->plan->target;
    if (whole && (!add_row(r, sim) || !add_frame(r, sim))) return report_failure(r, sim);
    if (!save(r, sim)) return report_failure(r, sim);
    progress_end(&r->progress, sim);
    return whole ? TW_EXIT_OK : TW_EXIT_SIGNAL + tw_interrupt_signal();
}

int tw_advance_run(tw_sim *sim, const tw_advance_plan *plan, bool *device_failed)
{
    run r = {
        .plan = plan, .history = {.file = -1}, .saved = plan->saved, .error = {TW_STATUS_OK, ""}};
    int result;
    tw_interrupt_watch();
    r.saved_step = tw_sim_steps(sim);
    r.saved_at = tw_clock();
    r.progress = progress_start(plan->command, plan->quiet, sim, plan->begin, plan->target);
    if (begin(&r, sim)) {
        tw_error ended; /* separate: errors in after_steps show as INTERRUPTED */
        const tw_status status = tw_sim_steps(sim) < plan->target
                                     ? tw_sim_run_batched(sim, after_steps, &r, &ended)
                                     : TW_STATUS_OK;
        if (status != TW_STATUS_OK && status != TW_STATUS_INTERRUPTED) r.error = ended;
    }
    *device_failed = r.error.status == TW_STATUS_DEVICE;
    result = r.error.status != TW_STATUS_OK ? report_failure(&r, sim) : finish(&r, sim);
    if (r.history.file >= 0) close(r.history.file);
    tw_export_series_close(r.series);
    return result;
}
