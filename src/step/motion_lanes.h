/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of motion of TW_LANES bodies: tw_motion_lanes_*. */
#ifndef TW_STEP_MOTION_LANES_H
#define TW_STEP_MOTION_LANES_H

#include "step/move_context.h"
#include "step/rows.h"

#define TW_REAL tw_lanes
#define TW_VEC tw_lanes3
#define TW_VEC_NAME(verb) tw_lanes3_##verb
#define TW_QUAT tw_rows_quat
#define TW_MASK tw_lanes_mask
#define TW_NAME(verb) tw_motion_lanes_##verb
#define TW_SPLAT TW_SPLAT_LANES
#define TW_SELECT tw_lanes_select
#define TW_SQRT tw_lanes_sqrt
#define TW_ALL tw_lanes_all
#include "step/motion_ops.inc"

#endif
