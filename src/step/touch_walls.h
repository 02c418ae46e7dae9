/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of spheres with walls. */
#ifndef TW_STEP_TOUCH_WALLS_H
#define TW_STEP_TOUCH_WALLS_H

#include "step/touch_context.h"

/* Finds and advances the wall contacts of a tile. */
void tw_touch_walls_advance(tw_touch_context *touch, const tw_tile *tile, double *sum);

#endif
