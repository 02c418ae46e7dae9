/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of `twirl run` on standard error. */
#ifndef TWIRL_APP_RUN_DISPLAY_H
#define TWIRL_APP_RUN_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/run.h>

#include "common/progress.h"

typedef struct tw_run_display {
    tw_progress line;
    tw_run_progress progress;
    size_t messages; /* from this process */
} tw_run_display;

tw_run_display tw_run_display_start(const char *command, bool quiet);

/* Prints what is to be done: grains, stages, estimated steps. */
void tw_run_display_announce(const tw_run_display *display, const tw_scenario *scenario);

/* To be called after every step, or some of them; cheap unless a line is due. */
void tw_run_display_step(tw_run_display *display, const tw_run_view *view);

/* Prints a line that stays. */
void tw_run_display_message(tw_run_display *display, const char *text);

/* The last line: how fast the run was, or that there was nothing to do. */
void tw_run_display_end(const tw_run_display *display);

#endif
