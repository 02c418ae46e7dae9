/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the probes of a stage, as many at a time as there are threads, each on its own copy of the
 * state. The result of a probe depends only on the initial state, not on the thread or the time. */
#ifndef TW_RUN_PROBE_STAGE_H
#define TW_RUN_PROBE_STAGE_H

#include "run/run.h"

/* Saves the settled state, from which the probes start. */
tw_status tw_probe_stage_begin(tw_run *run);

/* Sets run->ended when all probes are finished, or run->stopped on the caller's request. */
tw_status tw_probe_stage_run(tw_run *run);

#endif
