/* SPDX-License-Identifier: BSD-3-Clause */
/* The servo of a wall: as that of the cell (control/servo_steer.h), for one force or torque. Inline
 * code in C11, C++17 and CUDA. */
#ifndef TW_STEP_MOVE_SERVO_H
#define TW_STEP_MOVE_SERVO_H

#include "world/surface.h"

/* Weight of the latest step in the drift: an average over about ten steps. A shorter average would
 * follow faster, but ring where the packing yields much more softly than its contacts. */
#define TW_MOVE_SERVO_DRIFT 0.1

/* The damping force at the end of a step is extrapolated from the means of this step and the one
 * before (docs/theory/contact.md): the first answer to a change of velocity is half as large again.
 */
#define TW_MOVE_SERVO_FIRST 1.5

/* A speed without a limit, per step, of the largest radius. */
#define TW_MOVE_SERVO_REACH 1e-3

/* The speed of the next step, along the direction or about the axis of the servo: after it the
 * force or torque is the target, except for the movement of the grains. Where nothing touches the
 * wall it approaches. `bound`: the largest radius. */
TW_INLINE double tw_move_servo_speed(tw_wall *wall, double bound, double dt)
{
    const double pressed = tw_wall_pressed(wall, wall->force, wall->torque),
                 before =
                     tw_vec3_dot(wall->servo == TW_WALL_TURNS ? wall->spin : wall->v, wall->along),
                 viscous = TW_MOVE_SERVO_FIRST * wall->damping,
                 response = dt * wall->stiffness + viscous;
    double v = before; /* what resists is not known */
    if (wall->predicted)
        wall->drift += TW_MOVE_SERVO_DRIFT * ((pressed - wall->expected) / dt - wall->drift);
    /* Grains that go on moving press more as contacts stiffen. */
    if (wall->predicted && !tw_surface_presses(wall))
        wall->drift *= tw_math_min(wall->stiffness / wall->stiffness_before, 2.0);
    wall->stiffness_before = wall->stiffness;
    wall->predicted = wall->stiffness > 0.0;
    if (wall->predicted) {
        v = (wall->target - pressed - dt * wall->drift + viscous * before) / response;
    } else if (pressed == 0.0) {
        wall->drift = v = 0.0;
        if (wall->target > 0.0)
            v = wall->v_max <= DBL_MAX ? wall->v_max : TW_MOVE_SERVO_REACH * bound / dt;
    }
    v = tw_math_min(tw_math_max(v, -wall->v_max), wall->v_max);
    wall->expected = pressed + response * v - viscous * before;
    return v;
}

#endif
