/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures of a run as CSV, a row now and then. A run that is taken up again finds the rows
 * that belong to its future and takes them back, so that the file is that of one run. */
#ifndef TWIRL_APP_HISTORY_H
#define TWIRL_APP_HISTORY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <twirl/sim.h>

typedef struct tw_history {
    int file;
    const char *path;
    bool empty;      /* no row yet */
    bool foreign;    /* the file at hand is of another kind */
    uint64_t latest; /* step of the last row */
    char error[PATH_MAX + 192];
} tw_history;

/* Starts the file anew. False: the text is in error, here and below. */
bool tw_history_create(tw_history *history, const char *path);

/* Keeps the rows up to this step of an earlier run, if there is one. */
bool tw_history_resume(tw_history *history, const char *path, uint64_t step);

/* One row, unless the last one is of this step already. */
bool tw_history_add(tw_history *history, tw_sim *sim);

/* What was added is on the disk when this returns. */
bool tw_history_sync(tw_history *history);

void tw_history_close(tw_history *history);

#endif
