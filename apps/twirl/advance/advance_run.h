/* SPDX-License-Identifier: BSD-3-Clause */
/* The run of `twirl advance`: steps with checkpoints, history, frames and progress, until the last
 * step or a signal. */
#ifndef TWIRL_APP_ADVANCE_RUN_H
#define TWIRL_APP_ADVANCE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/sim.h>

typedef struct tw_advance_plan {
    const char *command;    /* name for messages */
    const char *out;        /* checkpoint */
    const char *history;    /* CSV; NULL: none */
    const char *vtk;        /* directory of frames; NULL: none */
    uint64_t begin, target; /* steps of the state at the start and at the end of the whole run */
    uint64_t every;         /* steps between checkpoints; 0: by the clock */
    uint64_t report, frame; /* steps between rows, between frames */
    bool resumed;           /* keep rows and frames of an earlier part of the run */
    bool quiet;
    bool saved; /* `out` already contains the initial state */
} tw_advance_plan;

/* Runs, with messages on standard error. Returns an exit status; above TW_EXIT_SIGNAL the state was
 * saved and the run can be resumed. *device_failed: it ended because the device failed. */
int tw_advance_run(tw_sim *sim, const tw_advance_plan *plan, bool *device_failed);

#endif
