/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations of single bodies, as inline functions. */
#ifndef TW_STEP_MOTION_H
#define TW_STEP_MOTION_H

#include "world/state.h"

/* The Gibbs vector of a rotation by less than a half turn. */
static inline tw_vec3 tw_motion_gibbs(tw_quat turn)
{
    return tw_vec3_scale(1.0 / turn.w, tw_vec3_make(turn.x, turn.y, turn.z));
}

/* The rotation vector of a Gibbs vector. */
static inline tw_vec3 tw_motion_rotation(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* 2 atan(t)/t */
    const double s = t < 1e-2 ? 2.0 - t2 * (2.0 / 3 - t2 * (2.0 / 5 - t2 * (2.0 / 7)))
                              : 2.0 * tw_math_atan(t) / t;
    return tw_vec3_scale(s, g);
}

/* Work of the present force and torque over the movement of the last step. */
static inline double tw_motion_work(const tw_bodies *b, size_t i)
{
    return tw_vec3_dot(b->force[i], b->dx[i]) +
           tw_vec3_dot(b->torque[i], tw_motion_rotation(b->gibbs[i]));
}

#endif
