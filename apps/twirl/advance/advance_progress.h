/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of `twirl advance`. */
#ifndef TWIRL_APP_ADVANCE_PROGRESS_H
#define TWIRL_APP_ADVANCE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/sim.h>

#include "common/progress.h"

typedef struct tw_advance_progress {
    tw_progress line;
    uint64_t begin;   /* step at which the whole run began */
    uint64_t first;   /* step at which this process took over */
    uint64_t target;  /* last step */
    uint64_t counted; /* last step included in contact_steps */
    double contact_steps;
    double solid; /* volume of the grains [m^3]; 0: not known yet */
} tw_advance_progress;

tw_advance_progress tw_advance_progress_start(const char *command, bool quiet, const tw_sim *sim,
                                              uint64_t begin, uint64_t target);

/* To be called after every step; cheap unless a line is due. */
void tw_advance_progress_step(tw_advance_progress *progress, tw_sim *sim);

/* The last line: how fast the run was. */
void tw_advance_progress_end(tw_advance_progress *progress, const tw_sim *sim);

#endif
