/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of many steps with what a user wants of it on the way: checkpoints, history, frames, a word
 * on progress, and an end in good order when a signal comes. */
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
    bool resumed;           /* rows and frames of an earlier part of the run are to be kept */
    bool quiet;
    bool saved; /* `out` already holds the state from which it goes on */
} tw_advance_plan;

/* Runs, and says on standard error what there is to say. An exit status of args.h; above
 * TW_EXIT_SIGNAL the state was saved and the run can be taken up again. */
int tw_advance_run(tw_sim *sim, const tw_advance_plan *plan);

#endif
