/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_RUN_STAGE_H
#define TW_RUN_STAGE_H

#include "run/run.h"

/* ---- How it begins, and what it does after each step ---- */

tw_status tw_run_stage_begin(tw_run *run);

/* To be called after each step: sets run->ended, and reverses cyclic stages. */
tw_status tw_run_stage_check(tw_run *run);

/* ---- The energy balance of a stage, or of the preparation ---- */

/* Keeps that of the start. */
void tw_run_balance_keep(tw_run *run, const tw_energy *e);

/* Warns at the end if the residual since then is not small against the energy that was put in, lost
 * or is there, whichever is most. */
tw_status tw_run_balance_log(tw_run *run, const tw_energy *e);

/* ---- When and why a stage ends, and how far it is ---- */

/* Steps in which no end condition can be met, at least 1: conditions of stress are checked after
 * every step. */
uint64_t tw_run_stage_end_idle_steps(const tw_run *run);

/* Cycles of a cyclic stage: the whole part counts those that are complete, the rest is the way
 * covered in the present one, 0.25 at its first reversal and 0.75 at its second. NaN for other
 * paths. */
double tw_run_stage_end_cycles(const tw_run *run);

/* Completed fraction, 0 to 1: of all end conditions, that of the nearest. NaN if it cannot be
 * estimated. */
double tw_run_stage_end_progress(const tw_run *run);

/* Whether the present stage would have come as far as it is with its end conditions in place of
 * `before`; if not, `why` names the condition. */
bool tw_run_stage_end_can_replace(const tw_run *run, const tw_scenario_end *before, char *why,
                                  size_t size);

/* Keeps what the next stage begins with and the simulation does not have. */
void tw_run_stage_end_keep(tw_run *run);

/* "shear: ended at axial strain 0.1 (end.strain)" */
tw_status tw_run_stage_end_log(tw_run *run);

#endif
