/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_RUN_RESUME_H
#define TW_RUN_RESUME_H

#include "run/run.h"

/* Starts a run in a new folder, or from where an earlier run was interrupted. */
tw_status tw_run_open(tw_run *run);

#endif
