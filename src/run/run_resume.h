/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the two pairs of checkpoint and run state a run continues from. */
#ifndef TW_RUN_RUN_RESUME_H
#define TW_RUN_RUN_RESUME_H

#include "run/run.h"

/* Takes over the newer pair if it and all files it depends on are as the run has left them, else
 * the older one, with a line to the caller; refuses if neither is. Changes nothing in the folder.
 * Sets state and simulation of the run; there is no simulation if nothing had been saved yet
 * (TW_RUN_STATE_START). `resolved` is the text of the scenario. */
tw_status tw_run_resume(tw_run *run, const char *resolved);

#endif
