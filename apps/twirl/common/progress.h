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

/* What lines of progress have in common. q = sqrt(3/2 s:s) of the deviator s of the stress: the
 * difference of the axial and the radial stress in a triaxial test [Pa]. */
double tw_progress_shear(const tw_measure *m);
/* "1:02:03", "2:03". */
void tw_progress_duration(char *text, size_t size, double seconds);
/* Columns of the terminal. */
size_t tw_progress_width(void);

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
