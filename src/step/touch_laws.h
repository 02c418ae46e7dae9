/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by any law. */
#ifndef TW_STEP_TOUCH_LAWS_H
#define TW_STEP_TOUCH_LAWS_H

#include "base/simd.h"
#include "step/touch_context.h"

/* Advances the sphere contacts of a tile, several at a time. */
TW_SIMD_DECLARE(void, tw_touch_laws, tw_touch_context *touch, tw_tile *tile, double *sum);

#endif
