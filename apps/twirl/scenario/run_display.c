/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/run_display.h"

#include <stdio.h>

tw_run_display tw_run_display_start(const char *command, bool quiet)
{
    return (tw_run_display){.line = tw_progress_start(command, quiet),
                            .progress = tw_run_progress_start()};
}

void tw_run_display_announce(const tw_run_display *display, const tw_scenario *scenario)
{
    char text[200];
    if (display->line.quiet) return;
    tw_run_progress_plan(scenario, text, sizeof text);
    fprintf(stderr, "%s: %s\n", display->line.command, text);
}

void tw_run_display_step(tw_run_display *display, const tw_run_view *view)
{
    char text[560];
    tw_run_progress_step(&display->progress, view);
    if (!tw_progress_due(&display->line, tw_progress_now())) return;
    tw_run_progress_line(&display->progress, view, text, sizeof text);
    tw_progress_show(&display->line, text);
}

void tw_run_display_message(tw_run_display *display, const char *text)
{
    display->messages++;
    if (display->line.quiet) return;
    tw_progress_clear(&display->line);
    fprintf(stderr, "%s: %s\n", display->line.command, text);
}

void tw_run_display_end(const tw_run_display *display)
{
    const tw_progress *line = &display->line;
    const tw_run_progress *progress = &display->progress;
    char text[200] = "the run is complete; nothing is left to do"; /* resumed after its end */
    if (line->quiet) return;
    tw_progress_clear(line);
    if (progress->steps == 0 && progress->part.phase) return; /* stopped while grains were placed */
    if (progress->steps > 0 || display->messages > 0)
        tw_run_progress_total(progress, text, sizeof text);
    fprintf(stderr, "%s: %s\n", line->command, text);
}
