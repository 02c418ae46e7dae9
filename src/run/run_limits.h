/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends a run because its results would mean nothing. */
#ifndef TW_RUN_RUN_LIMITS_H
#define TW_RUN_RUN_LIMITS_H

#include "run/run.h"

/* After a step of a stage: TW_STATUS_PHYSICS if the cell has become too thin, or a stress that ends
 * the stage has not been reached at a strain where it never will be. */
tw_status tw_run_limits_check(const tw_run *run);

/* Logs how far grains from a file overlap at the start, if that is far. */
tw_status tw_run_limits_log_overlap(tw_run *run);

#endif
