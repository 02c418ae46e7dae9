/* SPDX-License-Identifier: BSD-3-Clause */
/* The move phase: velocities from the forces of the last step, then cell, bodies and walls to the
 * end of the step. Each tile loads its own bodies. */
#ifndef TW_STEP_MOVE_H
#define TW_STEP_MOVE_H

#include "base/simd.h"
#include "step/kick.h"
#include "world/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

void tw_move_bodies(const tw_model *model, tw_state *state, tw_schedule *schedule);

/* Whether the cell moves little in a step with its present velocity gradient. */
tw_status tw_move_check_cell(const tw_mat3 *gradient, double dt, tw_error *error);

tw_move_energy tw_move_energies(const tw_model *model, const tw_state *state,
                                tw_schedule *schedule);

/* Velocities at the present time, of all bodies: see step/kick.h. */

/* Free bodies get the flag TW_BODY_PRESENT, and their velocities at the present time. */
void tw_kick_hold(const tw_model *model, tw_state *state);

/* dt was `was` when the velocities were set: those at the present time stay. */
void tw_kick_rebase(const tw_model *model, tw_state *state, double was);

/* Converts the velocities of bodies with the flag TW_BODY_PRESENT, once forces and dt are known. */
void tw_kick_convert(const tw_model *model, tw_state *state);

/* A tile in the move phase. `context` is a tw_move_context; the functions serve tw_sum_parts. */

/* Its energies between two steps. */
TW_SIMD_DECLARE(void, tw_move_lanes_energies, void *context, size_t tile, double *sum);

/* Its step. */
TW_SIMD_DECLARE(void, tw_move_lanes_tile, void *context, size_t tile, double *sum);

#ifdef __cplusplus
}
#endif

#endif
