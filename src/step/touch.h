/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact phase: tile by tile, contacts begin, are advanced by their law, and end; forces are
 * summed in the accumulators of the tiles. */
#ifndef TW_STEP_TOUCH_H
#define TW_STEP_TOUCH_H

#include "world/schedule.h"

/* `rigid_turn`: not NULL if everything rotates rigidly in the step, by this rotation vector. */
tw_status tw_touch_contacts(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_vec3 *rigid_turn, int still, tw_error *error);

/* The error that the contacts of a state give: that of the first pair with an excessive overlap or
 * a force that is not finite. */
tw_status tw_touch_explain(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, tw_error *error);

#endif
