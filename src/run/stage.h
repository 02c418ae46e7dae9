/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage: how it begins, and when it ends. */
#ifndef TW_RUN_STAGE_H
#define TW_RUN_STAGE_H

#include "run/run.h"

tw_status tw_stage_begin(tw_run *run);

/* To be called after each step: sets run->ended, and reverses cyclic stages. */
tw_status tw_stage_check(tw_run *run);

/* Cycles of a cyclic stage: the whole part counts those that are complete, the rest is the way
 * covered in the present one, 0.25 at its first reversal and 0.75 at its second. NaN for other
 * paths. */
double tw_stage_cycles(const tw_run *run);

/* Completed fraction, 0 to 1; NaN if it cannot be estimated. */
double tw_stage_progress(const tw_run *run);

#endif
