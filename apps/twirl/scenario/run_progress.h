/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of `twirl run`. */
#ifndef TWIRL_APP_RUN_PROGRESS_H
#define TWIRL_APP_RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/run.h>

#include "common/progress.h"

typedef struct tw_run_progress {
    tw_progress line;
    size_t stage;         /* number of the current stage */
    double stage_started; /* when this process began or resumed it: wall clock [s] */
    double stage_share;   /* share of the stage already done then [-] */
    uint64_t steps;       /* taken by this process */
    uint64_t before;      /* steps of the run before this process */
    uint64_t counted;     /* last step included in the two sums */
    double body_steps, contact_steps;
    size_t messages; /* from this process */
} tw_run_progress;

tw_run_progress tw_run_progress_start(const char *command, bool quiet);

/* To be called after every step, or some of them; cheap unless a line is due. */
void tw_run_progress_step(tw_run_progress *progress, const tw_run_view *view);

/* Prints a line that stays. */
void tw_run_progress_message(tw_run_progress *progress, const char *text);

/* The last line: how fast the run was, or that there was nothing to do. */
void tw_run_progress_end(const tw_run_progress *progress);

#endif
