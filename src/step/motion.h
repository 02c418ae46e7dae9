/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations of single bodies, as inline functions. */
#ifndef TW_STEP_MOTION_H
#define TW_STEP_MOTION_H

#include "world/schedule.h"

/* The Gibbs vector of a rotation by less than a half turn. */
TW_INLINE tw_vec3 tw_motion_gibbs(tw_quat turn)
{
    return tw_vec3_scale(1.0 / turn.w, tw_vec3_make(turn.x, turn.y, turn.z));
}

/* The Gibbs vector of a body in the step. */
TW_INLINE tw_vec3 tw_motion_turned(const tw_state *state, const tw_schedule *schedule,
                                   uint32_t body)
{
    const tw_tiles *t = &schedule->tiles;
    if (!t->turned) return state->bodies.gibbs[body];
    const tw_tile *tile = &t->tile[tw_tiles_home(t, body)];
    const double *g = t->half[tile->body_slot + (body - tile->body)].v;
    return tw_vec3_make(g[0], g[1], g[2]);
}

/* The rotation vector of a Gibbs vector. */
TW_INLINE tw_vec3 tw_motion_rotation(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* 2 atan(t)/t */
    const double s = t < 1e-2 ? 2.0 - t2 * (2.0 / 3 - t2 * (2.0 / 5 - t2 * (2.0 / 7)))
                              : 2.0 * tw_math_atan(t) / t;
    return tw_vec3_scale(s, g);
}

/* Work of the present force and torque over the movement of the last step, from the columns. */
TW_INLINE double tw_motion_work(const tw_bodies *b, size_t i)
{
    return tw_vec3_dot(b->force[i], b->dx[i]) +
           tw_vec3_dot(b->torque[i], tw_motion_rotation(b->gibbs[i]));
}

/* Displacement of the centre of a sphere in the step. */
TW_INLINE tw_vec3 tw_motion_displacement(const tw_state *state, const tw_schedule *schedule,
                                         uint32_t sphere)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t body = schedule->spheres.body[sphere];
    const tw_vec3 arm = tw_vec3_sub(tw_schedule_sphere_centre(state, schedule, sphere), b->x[body]);
    const tw_vec3 g = tw_motion_turned(state, schedule, body);
    const tw_quat turned = tw_quat_normalise(tw_quat_make(1.0, g.x, g.y, g.z));
    const tw_vec3 before = tw_quat_rotate_back(turned, arm);
    return tw_vec3_add(b->dx[body], tw_vec3_sub(arm, before));
}

#endif
