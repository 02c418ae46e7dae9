/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on bodies and walls: the sum over the force accumulators of each, in the order of tiles.
 */
#ifndef TW_STEP_GATHER_H
#define TW_STEP_GATHER_H

#include "world/schedule.h"

tw_status tw_gather_forces(tw_state *state, tw_schedule *schedule, tw_error *error);

/* The error of the first body with a value that is not finite. */
tw_status tw_gather_explain(const tw_state *state, tw_error *error);

#endif
