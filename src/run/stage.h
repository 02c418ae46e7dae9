/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage: how it begins, and what it does after each step. */
#ifndef TW_RUN_STAGE_H
#define TW_RUN_STAGE_H

#include "run/run.h"

tw_status tw_stage_begin(tw_run *run);

/* To be called after each step: sets run->ended, and reverses cyclic stages. */
tw_status tw_stage_check(tw_run *run);

#endif
