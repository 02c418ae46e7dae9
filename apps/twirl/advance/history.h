/* SPDX-License-Identifier: BSD-3-Clause */
/* The history of a run as CSV. A resumed run removes the rows after its step, so that the file is
 * the same as that of an uninterrupted run. */
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
    bool foreign;    /* the existing file is not a history */
    uint64_t latest; /* step of the last row */
    char error[PATH_MAX + 192];
} tw_history;

/* Starts a new file. False, here and below: see error. */
bool tw_history_create(tw_history *history, const char *path);

/* Keeps the rows of an earlier run up to this step, if there are any. */
bool tw_history_resume(tw_history *history, const char *path, uint64_t step);

/* Adds a row, unless the last one is of the same step. */
bool tw_history_add(tw_history *history, tw_sim *sim);

/* Brings the rows to the disk. */
bool tw_history_sync(tw_history *history);

void tw_history_close(tw_history *history);

#endif
