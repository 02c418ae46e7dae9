/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <twirl/math.h>
#include <unistd.h>

double tw_progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

tw_progress tw_progress_start(const char *command, bool quiet, const tw_sim *sim, uint64_t begin,
                              uint64_t target)
{
    tw_progress progress = {.command = command, .quiet = quiet, .begin = begin, .target = target};
    progress.terminal = isatty(STDERR_FILENO);
    progress.first = progress.counted = tw_sim_steps(sim);
    progress.started = progress.shown = tw_progress_now();
    return progress;
}

/* Their number changes slowly: a sample now and then costs nothing that could be measured. */
enum { SAMPLE = 16 };

static void count_contacts(tw_progress *progress, const tw_sim *sim)
{
    const uint64_t steps = tw_sim_steps(sim);
    progress->contact_steps += (double)(steps - progress->counted) * (double)tw_sim_contacts(sim);
    progress->counted = steps;
}

double tw_progress_shear(const tw_measure *m)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double mean = 0.5 * (m->stress.m[3 * i + j] + m->stress.m[3 * j + i]);
            const double s = mean - (i == j ? m->p : 0.0);
            sum += s * s;
        }
    }
    return sqrt(1.5 * sum);
}

void tw_progress_duration(char *text, size_t size, double seconds)
{
    const double whole = tw_math_min(seconds, 359999.0); /* 99 hours are enough to plan a day by */
    const unsigned s = (unsigned)whole;
    if (s >= 3600)
        snprintf(text, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%u:%02u", s / 60, s % 60);
}

size_t tw_progress_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void show(const tw_progress *progress, tw_sim *sim, double now)
{
    const tw_measure m = tw_sim_measure(sim);
    const uint64_t step = tw_sim_steps(sim);
    const double elapsed = now - progress->started;
    const double rate = (double)(step - progress->first) / elapsed;
    const double share =
        (double)(step - progress->begin) / (double)(progress->target - progress->begin);
    char left[32], line[256];
    tw_progress_duration(left, sizeof left, (double)(progress->target - step) / rate);
    snprintf(line, sizeof line,
             "%5.1f %%  step %" PRIu64 "  time %.4g s  p %.4g Pa  q/p %.3f  porosity %.4f  "
             "%.3g steps/s  %.3g contact-steps/s  %s left",
             100.0 * share, step, m.time, m.p, m.p > 0.0 ? tw_progress_shear(&m) / m.p : 0.0,
             m.porosity, rate, progress->contact_steps / elapsed, left);
    if (progress->terminal)
        fprintf(stderr, "\r%.*s\033[K", (int)tw_progress_width() - 1, line);
    else
        fprintf(stderr, "%s: %s\n", progress->command, line + strspn(line, " "));
}

void tw_progress_step(tw_progress *progress, tw_sim *sim)
{
    const double now = tw_progress_now();
    if (tw_sim_steps(sim) - progress->counted >= SAMPLE) count_contacts(progress, sim);
    if (now - progress->shown < (progress->terminal ? 0.5 : 10.0)) return;
    progress->shown = now;
    if (!progress->quiet && tw_sim_steps(sim) < progress->target) show(progress, sim, now);
}

void tw_progress_clear(const tw_progress *progress)
{
    if (progress->terminal && !progress->quiet) fputs("\r\033[K", stderr);
}

void tw_progress_end(tw_progress *progress, const tw_sim *sim)
{
    if (progress->quiet) return;
    count_contacts(progress, sim);
    const double elapsed = tw_math_max(tw_progress_now() - progress->started, 1e-9);
    const uint64_t steps = tw_sim_steps(sim) - progress->first;
    fprintf(stderr, "%s: %" PRIu64 " steps in %.3g s: %.3g steps/s, %.3g contact-steps/s\n",
            progress->command, steps, elapsed, (double)steps / elapsed,
            progress->contact_steps / elapsed);
}
