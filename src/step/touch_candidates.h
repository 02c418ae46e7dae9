/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that begin and end. */
#ifndef TW_STEP_TOUCH_CANDIDATES_H
#define TW_STEP_TOUCH_CANDIDATES_H

#include "step/touch_context.h"

/* Makes contacts of the candidates of a tile that have come to overlap. */
void tw_touch_candidates_begin(const tw_model *model, tw_state *state, tw_schedule *schedule,
                               tw_tile *tile);

/* Makes the contact in a slot a candidate again. */
void tw_touch_candidates_end(tw_state *state, tw_schedule *schedule, tw_tile *tile, uint32_t slot);

#endif
