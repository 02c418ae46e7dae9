/* SPDX-License-Identifier: BSD-3-Clause */
/* One contact by any law, with all that it remembers. */
#ifndef TW_STEP_TOUCH_ONE_H
#define TW_STEP_TOUCH_ONE_H

#include "step/touch_context.h"

typedef struct tw_touch_one {
    tw_contact_memory memory;
    tw_contact_extra extra;
    tw_contact_load load;
} tw_touch_one;

/* Advances it by the law, from the memory in `one` and the extras of its slot, or those of a new
 * contact. Adds its work and energy to the sums. */
void tw_touch_one_advance(tw_touch_context *touch, const tw_contact_law *law,
                          const tw_contact_motion *motion, uint32_t slot, int fresh,
                          tw_touch_one *one, double *sum);

/* Adds the force f at `point` relative to the tile's origin, and the couple. */
void tw_touch_one_accumulate(tw_tile_accumulator *sum, double sign, tw_vec3 point, tw_vec3 f,
                             tw_vec3 couple);

#endif
