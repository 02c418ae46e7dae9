/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of `twirl run`. */
#ifndef TWIRL_APP_RUN_PROGRESS_H
#define TWIRL_APP_RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/run.h>

#include "common/progress.h"

/* The part of the run under way: a phase of the specimen, a stage, or its probes. */
typedef struct tw_run_progress_part {
    const char *phase;
    size_t stage, trial;
    double started; /* when this process began or resumed it: wall clock [s] */
    double share;   /* of it already done then [-] */
    uint64_t steps; /* of the run then */
} tw_run_progress_part;

typedef struct tw_run_progress {
    tw_progress line;
    tw_run_progress_part part;
    uint64_t steps;   /* taken by this process */
    uint64_t before;  /* steps of the run before this process */
    uint64_t counted; /* last step included in the two sums */
    double body_steps, contact_steps;
    size_t messages; /* from this process */
} tw_run_progress;

tw_run_progress tw_run_progress_start(const char *command, bool quiet);

/* Prints what is to be done: grains, stages, estimated steps. */
void tw_run_progress_announce(const tw_run_progress *progress, const tw_scenario *scenario);

/* To be called after every step, or some of them; cheap unless a line is due. */
void tw_run_progress_step(tw_run_progress *progress, const tw_run_view *view);

/* Prints a line that stays. */
void tw_run_progress_message(tw_run_progress *progress, const char *text);

/* The last line: how fast the run was, or that there was nothing to do. */
void tw_run_progress_end(const tw_run_progress *progress);

#endif
