/* SPDX-License-Identifier: BSD-3-Clause */
/* When and why a stage ends, and how far it is. */
#ifndef TW_RUN_STAGE_END_H
#define TW_RUN_STAGE_END_H

#include "run/run.h"

/* Checks the end conditions after a step: sets run->ended and run->end. */
tw_status tw_stage_end_check(tw_run *run);

/* Steps in which none of them can be met, at least 1: conditions of stress are looked at after
 * every step. */
uint64_t tw_stage_end_idle_steps(const tw_run *run);

/* Cycles of a cyclic stage: the whole part counts those that are complete, the rest is the way
 * covered in the present one, 0.25 at its first reversal and 0.75 at its second. NaN for other
 * paths. */
double tw_stage_end_cycles(const tw_run *run);

/* How far the cycled strain or stress is from its start, in the present direction. */
double tw_stage_end_cycled(const tw_run *run);

/* Completed fraction, 0 to 1: of all end conditions, that of the nearest. NaN if it cannot be
 * estimated. */
double tw_stage_end_progress(const tw_run *run);

/* "shear: ended at axial strain 0.1 (end.strain)" */
tw_status tw_stage_end_log(tw_run *run);

#endif
