/* SPDX-License-Identifier: BSD-3-Clause */
/* Preparation of a specimen: compression of a cell of constant shape until the grains carry load,
 * then settling under six stresses; repeated with other friction if a void ratio is required. */
#ifndef TW_RUN_PREPARE_H
#define TW_RUN_PREPARE_H

#include "run/run.h"

tw_status tw_run_prepare_begin(tw_run *run);

/* To be called after each step: sets run->ended. */
tw_status tw_run_prepare_check(tw_run *run);

/* Steps in which it has nothing to do, at least 1. */
uint64_t tw_run_prepare_idle_steps(const tw_run *run);

/* Moves on to the next phase. */
tw_status tw_run_prepare_finish(tw_run *run);

/* Completed fraction of the phase, 0 to 1; NaN if it cannot be estimated. */
double tw_run_prepare_progress(const tw_run *run);

/* Expected number of trials of a search for friction, before it starts and while it runs; 0: there
 * is no search. */
size_t tw_run_prepare_trials(double tolerance);
size_t tw_run_prepare_trials_expected(const tw_run *run);

#endif
