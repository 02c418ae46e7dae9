/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the run of a scenario has come, on standard error: one line that is rewritten on a
 * terminal, a line every ten seconds elsewhere. */
#ifndef TWIRL_APP_RUN_PROGRESS_H
#define TWIRL_APP_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/run.h>

typedef struct tw_run_progress {
    const char *command; /* name for messages */
    bool quiet, terminal;
    double started, shown;    /* wall clock [s] */
    size_t stage;             /* number of the present one */
    double stage_started;     /* when this program took it up: wall clock [s] */
    double stage_share;       /* what had been done of it then [-] */
    uint64_t steps;           /* taken here */
    uint64_t before, counted; /* of the run: before it was taken up here, and when last sampled */
    double body_steps, contact_steps;
} tw_run_progress;

tw_run_progress tw_run_progress_start(const char *command, bool quiet);

/* After every step, or some of them; cheap until there is something to show. */
void tw_run_progress_step(tw_run_progress *progress, const tw_run_view *view);

/* A line of its own. */
void tw_run_progress_note(const tw_run_progress *progress, const char *text);

void tw_run_progress_clear(const tw_run_progress *progress);

/* The last line: how fast it went. */
void tw_run_progress_end(const tw_run_progress *progress);

#endif
