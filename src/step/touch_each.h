/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of spheres one by one, for laws that the lanes do not have. */
#ifndef TW_STEP_TOUCH_EACH_H
#define TW_STEP_TOUCH_EACH_H

#include "step/touch_context.h"

/* Whether the lanes (touch_spheres.h) have the laws of this model. */
int tw_touch_each_needed(const tw_model *model);

/* Advances the sphere contacts of a tile, in the order of slots. */
void tw_touch_each_advance(tw_touch_context *touch, tw_tile *tile, double *sum);

#endif
