/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/mat3.h"

tw_progress tw_progress_start(const char *command, bool quiet)
{
    tw_progress progress = {.command = command, .quiet = quiet};
    progress.terminal = isatty(STDERR_FILENO);
    progress.interval = progress.terminal ? 0.5 : 10.0;
    progress.started = progress.shown = tw_progress_now();
    return progress;
}

bool tw_progress_due(tw_progress *progress, double now)
{
    if (now - progress->shown < progress->interval) return false;
    progress->shown = now;
    return !progress->quiet;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void tw_progress_show(const tw_progress *progress, const char *line)
{
    if (progress->terminal)
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    else
        fprintf(stderr, "%s: %s\n", progress->command, line + strspn(line, " "));
}

void tw_progress_clear(const tw_progress *progress)
{
    if (progress->terminal && !progress->quiet) fputs("\r\033[K", stderr);
}

double tw_progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tw_progress_duration(char *text, size_t size, double seconds)
{
    const double most = 359999.0; /* 99:59:59 */
    const unsigned s = (unsigned)tw_math_min(seconds, most);
    if (s >= 3600)
        snprintf(text, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%u:%02u", s / 60, s % 60);
}

tw_progress_stress tw_progress_stress_of(const tw_sim *sim)
{
    const tw_control_report report = tw_sim_control(sim);
    const double *s = report.stress, p = (s[TW_XX] + s[TW_YY] + s[TW_ZZ]) / 3.0;
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += k < TW_YZ ? (s[k] - p) * (s[k] - p) : 2.0 * s[k] * s[k];
    return (tw_progress_stress){p, p > 0.0 ? sqrt(1.5 * sum) / p : 0.0};
}

double tw_progress_porosity(const tw_sim *sim, double solid)
{
    return 1.0 - solid / fabs(tw_mat3_det(tw_sim_cell(sim)));
}
