/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking over the specimen that another run has prepared. */
#ifndef TW_RUN_RUN_ADOPT_H
#define TW_RUN_RUN_ADOPT_H

#include "run/run.h"

/* Refuses plan->specimen if the run there is not one of tw_run_preparation's scenario. */
tw_status tw_run_adopt_check(const tw_run *run);

/* Brings a run that has taken no step to the end of its preparation: state, history and log are
 * those that it would have by itself. Refuses if the other run has not ended. Nothing is committed:
 * a run that is interrupted now begins again. */
tw_status tw_run_adopt(tw_run *run);

#endif
