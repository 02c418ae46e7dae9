/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of motion of one body, with the bits of step/motion_lanes.h: tw_motion_body_*. */
#ifndef TW_STEP_MOTION_BODY_H
#define TW_STEP_MOTION_BODY_H

#include "step/move_context.h"

#define TW_REAL double
#define TW_VEC tw_vec3
#define TW_VEC_NAME(verb) tw_vec3_##verb
#define TW_QUAT tw_quat
#define TW_MASK int
#define TW_NAME(verb) tw_motion_body_##verb
#define TW_SPLAT(number) (number)
#define TW_SELECT(mask, yes, no) ((mask) ? (yes) : (no))
#define TW_SQRT sqrt
#define TW_ALL(mask) (mask)
#include "step/motion_ops.inc"

#endif
