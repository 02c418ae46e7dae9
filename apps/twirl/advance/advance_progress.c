/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/advance_progress.h"

#include "common/output.h"

#include <inttypes.h>
#include <stdio.h>

#include <twirl/math.h>
#include <twirl/run.h>

/* Steps between counts of contacts, whose number changes slowly. */
enum { SAMPLE = 16 };

tw_advance_progress tw_advance_progress_start(const char *command, bool quiet, const tw_sim *sim,
                                              uint64_t begin, uint64_t target)
{
    tw_advance_progress progress = {.begin = begin, .target = target};
    progress.line = tw_progress_start(command, quiet);
    progress.first = progress.counted = tw_sim_steps(sim);
    return progress;
}

static void count_contacts(tw_advance_progress *progress, const tw_sim *sim)
{
    const uint64_t steps = tw_sim_steps(sim);
    size_t contacts = 0;
    tw_sim_contacts(sim, &contacts, NULL);
    progress->contact_steps += (double)(steps - progress->counted) * (double)contacts;
    progress->counted = steps;
}

static void show(tw_advance_progress *progress, tw_sim *sim, double now)
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

void tw_advance_progress_step(tw_advance_progress *progress, tw_sim *sim)
{
    const double now = tw_progress_now();
    if (tw_sim_steps(sim) - progress->counted >= SAMPLE) count_contacts(progress, sim);
    if (tw_progress_due(&progress->line, now) && tw_sim_steps(sim) < progress->target)
        show(progress, sim, now);
}

void tw_advance_progress_end(tw_advance_progress *progress, const tw_sim *sim)
{
    const tw_progress *line = &progress->line;
    if (line->quiet) return;
    count_contacts(progress, sim);
    const double elapsed = tw_math_max(tw_progress_now() - line->started, 1e-9);
    const uint64_t steps = tw_sim_steps(sim) - progress->first;
    tw_progress_clear(line);
    fprintf(stderr, "%s: %" PRIu64 " step%s in %.3g s: %.3g steps/s, %.3g contact-steps/s\n",
            line->command, steps, tw_output_plural(steps), elapsed, (double)steps / elapsed,
            progress->contact_steps / elapsed);
}
