/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres. */
#ifndef TW_STEP_TOUCH_SPHERES_H
#define TW_STEP_TOUCH_SPHERES_H

#include "base/simd.h"
#include "step/touch_context.h"

/* Advances the sphere contacts of a tile, several at a time. */
TW_SIMD_DECLARE(void, tw_touch_spheres, tw_touch_context *touch, tw_tile *tile, double *sum);

#endif
