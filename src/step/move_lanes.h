/* SPDX-License-Identifier: BSD-3-Clause */
/* A tile in the move phase. `context` is a tw_move_context; the functions serve tw_sum_parts. */
#ifndef TW_STEP_MOVE_LANES_H
#define TW_STEP_MOVE_LANES_H

#include "base/simd.h"
#include "step/move_context.h"

/* Its energies between two steps. */
TW_SIMD_DECLARE(void, tw_move_lanes_energies, void *context, size_t tile, double *sum);

/* Its step. */
TW_SIMD_DECLARE(void, tw_move_lanes_tile, void *context, size_t tile, double *sum);

#endif
