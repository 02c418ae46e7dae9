/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates that overlap. */
#ifndef TW_STEP_TOUCH_NEAR_H
#define TW_STEP_TOUCH_NEAR_H

#include "base/simd.h"
#include "world/schedule.h"

/* Writes the numbers of the candidates begin .. end - 1 that overlap and returns how many there
 * are. `hits` has room for one more. */
TW_SIMD_DECLARE(uint32_t, tw_touch_near, const tw_tiles *tiles, uint32_t begin, uint32_t end,
                uint32_t *hits);

#endif
