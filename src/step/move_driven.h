/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that move with given velocities. */
#ifndef TW_STEP_MOVE_DRIVEN_H
#define TW_STEP_MOVE_DRIVEN_H

#include "step/motion.h"

/* Moves body i, whose `l` is its angular velocity, from position x and orientation q. Returns the
 * work done on it by half of the contact forces [J]. */
TW_INLINE double tw_move_driven(tw_bodies *b, size_t i, double dt, tw_vec3 x, tw_quat q)
{
    const tw_quat turn = tw_quat_from_rotation(tw_vec3_scale(dt, b->l[i]));
    b->dx[i] = tw_vec3_scale(dt, b->v[i]);
    b->x[i] = tw_vec3_add(x, b->dx[i]);
    b->q[i] = tw_quat_normalise(tw_quat_mul(turn, q));
    b->gibbs[i] = tw_motion_gibbs(turn);
    return 0.5 * tw_motion_work(b, i);
}

#endif
