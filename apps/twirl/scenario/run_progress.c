/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/run_progress.h"

#include "common/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <twirl/math.h>

tw_run_progress tw_run_progress_start(const char *command, bool quiet)
{
    return (tw_run_progress){.line = tw_progress_start(command, quiet), .stage = SIZE_MAX};
}

/* Time left in the stage, at the rate of this process; empty if it is unknown. */
static void write_left(char *text, size_t size, const tw_run_progress *progress,
                       const tw_run_view *view, double now)
{
    const double gained = view->progress - progress->stage_share;
    char time[32];
    text[0] = '\0';
    if (!(gained > 0.0)) return;
    tw_progress_duration(time, sizeof time,
                         (1.0 - view->progress) / gained * (now - progress->stage_started));
    snprintf(text, size, "  %s left", time);
}

/* The state of the specimen; for probes, which all start from one state, how many are done. */
static void write_state(char *text, size_t size, const tw_run_view *view)
{
    if (view->probe_count > 0) {
        snprintf(text, size, "probes %zu/%zu", view->probes_done, view->probe_count);
        return;
    }
    tw_measure m;
    if (tw_sim_measure(view->sim, &m, NULL) != TW_STATUS_OK) { /* the run will report it */
        text[0] = '\0';
        return;
    }
    snprintf(text, size, "strain %.4f  p %.4g Pa  q/p %.3f  porosity %.4f", view->strain, m.p,
             tw_progress_stress_ratio(&m), m.porosity);
}

static void show(const tw_run_progress *progress, const tw_run_view *view, double now)
{
    const double elapsed = now - progress->line.started;
    char left[48], share[16] = "", state[120], line[360];
    write_left(left, sizeof left, progress, view, now);
    write_state(state, sizeof state, view);
    if (!isnan(view->progress)) snprintf(share, sizeof share, " %.1f %%", 100.0 * view->progress);
    snprintf(line, sizeof line,
             "[%zu/%zu] %s%s  %s  %.3g steps/s  %.3g grain-steps/s  %.3g contact-steps/s%s",
             view->stage_number, view->stage_count, view->stage, share, state,
             (double)progress->steps / elapsed, progress->body_steps / elapsed,
             progress->contact_steps / elapsed, left);
    tw_progress_show(&progress->line, line);
}

void tw_run_progress_step(tw_run_progress *progress, const tw_run_view *view)
{
    const double now = tw_progress_now();
    if (progress->steps == 0) progress->before = progress->counted = view->steps - 1;
    progress->steps = view->steps - progress->before;
    if (view->steps - progress->counted >= TW_PROGRESS_SAMPLE) {
        const double steps = (double)(view->steps - progress->counted);
        progress->body_steps += steps * (double)tw_sim_bodies(view->sim);
        size_t contacts = 0;
        tw_sim_contacts(view->sim, &contacts, NULL);
        progress->contact_steps += steps * (double)contacts;
        progress->counted = view->steps;
    }
    if (view->stage_number != progress->stage || isnan(progress->stage_share)) {
        progress->stage = view->stage_number;
        progress->stage_started = now;
        progress->stage_share = view->progress;
    }
    if (tw_progress_due(&progress->line, now)) show(progress, view, now);
}

void tw_run_progress_message(tw_run_progress *progress, const char *text)
{
    progress->messages++;
    if (progress->line.quiet) return;
    tw_progress_clear(&progress->line);
    fprintf(stderr, "%s: %s\n", progress->line.command, text);
}

void tw_run_progress_end(const tw_run_progress *progress)
{
    const tw_progress *line = &progress->line;
    const double elapsed = tw_math_max(tw_progress_now() - line->started, 1e-9);
    if (line->quiet) return;
    tw_progress_clear(line);
    if (progress->steps == 0 && progress->messages == 0) { /* resumed after its end */
        fprintf(stderr, "%s: the run is complete; nothing is left to do\n", line->command);
        return;
    }
    fprintf(stderr,
            "%s: %" PRIu64 " step%s in %.3g s: %.3g steps/s, %.3g grain-steps/s, %.3g "
            "contact-steps/s\n",
            line->command, progress->steps, tw_output_plural(progress->steps), elapsed,
            (double)progress->steps / elapsed, progress->body_steps / elapsed,
            progress->contact_steps / elapsed);
}
