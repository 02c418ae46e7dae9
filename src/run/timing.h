/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time goes. */
#ifndef TW_RUN_TIMING_H
#define TW_RUN_TIMING_H

#include "run/run.h"

/* Starts the clock; false if out of memory. */
bool tw_run_timing_start(tw_run *run);

/* From now on `threads` threads are counted, 0: those of the run; and the time is that of the
 * present stage. */
void tw_run_timing_count(tw_run *run, int threads);

void tw_run_timing_add_steps(tw_run_meter *meter, uint64_t steps);

/* Writes timing.json, and tells the caller. The file is no result, and files.txt does not list it:
 * folders of equal runs are equal without it. */
void tw_run_timing_end(tw_run *run);

#endif
