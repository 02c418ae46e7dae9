/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's view of a run. */
#ifndef TW_RUN_PROGRESS_H
#define TW_RUN_PROGRESS_H

#include "run/run.h"

/* Calls the caller's step function and returns its answer. While probes run: `probe_steps` are
 * their steps so far, `done` of `count` are finished; otherwise all three are 0. */
int tw_run_view_report(tw_run *run, uint64_t probe_steps, size_t done, size_t count);

/* Shows the view while grains are placed. `context` is the run: a function for
 * tw_run_scatter_watch. */
int tw_run_view_report_placed(double share, void *context);

#endif
