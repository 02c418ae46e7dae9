/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a run on standard error: one line that is rewritten on a terminal, a line every
 * ten seconds elsewhere. */
#ifndef TWIRL_APP_PROGRESS_H
#define TWIRL_APP_PROGRESS_H

#include <stdbool.h>

typedef struct tw_progress {
    const char *command; /* name for messages */
    bool quiet, terminal;
    double started, shown; /* wall clock [s] */
    double interval;       /* between lines: 0.5 s on a terminal, 10 s elsewhere, unless changed */
} tw_progress;

tw_progress tw_progress_start(const char *command, bool quiet);

/* Whether it is time for a line; if so, the next one is due an interval later. */
bool tw_progress_due(tw_progress *progress, double now);

/* Replaces the line on a terminal, prints one elsewhere. Leading blanks align it on a terminal. */
void tw_progress_show(const tw_progress *progress, const char *line);

/* Clears the line on a terminal, so that a message can be printed. */
void tw_progress_clear(const tw_progress *progress);

/* Seconds on a monotonic clock. */
double tw_progress_now(void);

#endif
