/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities at the present time. The leap-frog keeps velocities half a step earlier; the velocity
 * at the present time is the mean of those before and after the pending kick, the kick of
 * step/move_lanes.c: contact forces, gravity, damping, velocity gradient. */
#ifndef TW_STEP_KICK_H
#define TW_STEP_KICK_H

#include "step/move.h"

typedef struct tw_kick_velocity {
    tw_vec3 v; /* fluctuation velocity [m/s] */
    tw_vec3 l; /* angular momentum [kg m^2/s]; of a fixed body: angular velocity [rad/s] */
} tw_kick_velocity;

/* Velocity of body i at the present time. */
tw_kick_velocity tw_kick_present(const tw_model *model, const tw_state *state, size_t i);

/* Sets v and l of body i so that `present` is its velocity at the present time. */
void tw_kick_set(const tw_model *model, tw_state *state, size_t i, tw_kick_velocity present);

/* Its part of tw_move_energies. */
tw_move_energy tw_kick_energy(const tw_model *model, const tw_state *state, size_t i);

/* Adds the energy of body i, `factor` times, to the start of the energy balance: changes that are
 * not work leave the residual as it is. */
void tw_kick_account(const tw_model *model, tw_state *state, size_t i, double factor);

/* Converts the velocities of bodies with the flag TW_BODY_PRESENT, once forces and dt are known. */
void tw_kick_convert(const tw_model *model, tw_state *state);

#endif
