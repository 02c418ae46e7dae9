/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

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
