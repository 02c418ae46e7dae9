/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a run has come, on standard error: one line that is rewritten on a terminal, a line every
 * ten seconds elsewhere. */
#ifndef TWIRL_APP_PROGRESS_H
#define TWIRL_APP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/sim.h>

typedef struct tw_progress {
    const char *command; /* name for messages */
    bool quiet, terminal;
    uint64_t begin, first, target; /* steps: of the run, of this part of it, of its end */
    double started, shown;         /* wall clock [s] */
    uint64_t counted;              /* up to which step contact_steps has been counted */
    double contact_steps;
} tw_progress;

/* Seconds of a clock that nobody sets. */
double tw_progress_now(void);

/* `begin` is the step at which the whole run began, which may be before now. */
tw_progress tw_progress_start(const char *command, bool quiet, const tw_sim *sim, uint64_t begin,
                              uint64_t target);

/* To be called after every step; cheap until there is something to show. */
void tw_progress_step(tw_progress *progress, tw_sim *sim);

/* Wipes the line that is rewritten, so that a message can be printed. */
void tw_progress_clear(const tw_progress *progress);

/* The last line: how fast it went. */
void tw_progress_end(tw_progress *progress, const tw_sim *sim);

#endif
