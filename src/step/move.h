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

/* Energies of the state [J]. It lies in the middle of the next kick: half of the dissipation and of
 * the work of the cell in that kick belongs to the time before. */
typedef struct tw_move_energy {
    double translation, rotation;   /* kinetic */
    double damping_work, cell_work; /* half of the kick's body damping and work of the cell */
} tw_move_energy;

tw_move_energy tw_move_energies(const tw_model *model, const tw_state *state,
                                tw_schedule *schedule);

/* Velocities at the present time: step/kick.h. */

/* Angular velocity of body i, which is not fixed, from its angular momentum. */
tw_vec3 tw_kick_omega(const tw_bodies *b, size_t i, tw_vec3 l);

/* Velocity of body i at the present time. */
tw_kick_velocity tw_kick_present(const tw_model *model, const tw_state *state, size_t i);

/* Sets v and l of body i so that `present` is its velocity at the present time. */
void tw_kick_set(const tw_model *model, tw_state *state, size_t i, tw_kick_velocity present);

/* The part of body i in tw_move_energies. */
tw_move_energy tw_kick_energy(const tw_model *model, const tw_state *state, size_t i);

/* Adds the energy of body i, `factor` times, to the start of the energy balance: changes that are
 * not work leave the residual as it is. */
void tw_kick_account(const tw_model *model, tw_state *state, size_t i, double factor);

/* A free body, or all of them, get the flag TW_BODY_PRESENT, and their velocities at the present
 * time. */
void tw_kick_hold_body(const tw_model *model, tw_state *state, size_t i);
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
