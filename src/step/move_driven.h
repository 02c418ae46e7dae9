/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that move with given velocities. */
#ifndef TW_STEP_MOVE_DRIVEN_H
#define TW_STEP_MOVE_DRIVEN_H

#include "world/state.h"

/* Moves body i, whose `l` is its angular velocity, from position x and orientation q. Returns the
 * work done on it by half of the contact forces [J]. */
double tw_move_driven(tw_bodies *bodies, size_t i, double dt, tw_vec3 x, tw_quat q);

#endif
