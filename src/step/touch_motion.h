/* SPDX-License-Identifier: BSD-3-Clause */
/* The movement of a contact of spheres in a step, for one contact at a time, as inline functions.
 */
#ifndef TW_STEP_TOUCH_MOTION_H
#define TW_STEP_TOUCH_MOTION_H

#include <twirl/contact_inline.h>

#include "step/motion.h"
#include "world/pair_law.h"

/* Rotation vector of a body in the step. Everything rotates by *rigid_turn if that is not NULL. */
TW_INLINE tw_vec3 tw_touch_motion_turn(const tw_state *state, const tw_vec3 *rigid_turn,
                                       uint32_t body)
{
    return rigid_turn ? *rigid_turn : tw_motion_rotation(state->bodies.gibbs[body]);
}

TW_INLINE tw_contact_motion tw_touch_motion_of(const tw_state *state, const tw_schedule *schedule,
                                               const tw_vec3 *rigid_turn, uint32_t slot,
                                               const tw_contact_law *law,
                                               const tw_contact_memory *memory)
{
    const tw_pair *pair = &schedule->pairs.pair[schedule->slots.pair[slot]];
    const tw_tile_sphere_slot *p = &schedule->tiles.sphere_slot[schedule->slots.sphere_p[slot]],
                              *q = &schedule->tiles.sphere_slot[schedule->slots.sphere_q[slot]];
    const tw_contact_pair both = {
        tw_vec3_make(q->x[0] - p->x[0], q->x[1] - p->x[1], q->x[2] - p->x[2]),
        tw_touch_motion_turn(state, rigid_turn, schedule->spheres.body[pair->p]),
        tw_touch_motion_turn(state, rigid_turn, schedule->spheres.body[pair->q]),
        p->radius,
        q->radius,
        tw_pair_law_mass(state, schedule, pair)};
    tw_contact_motion motion = tw_contact_pair_motion_inline(law->kind, &both, memory);
    /* First-order kinematics would find movement in a rigid rotation. */
    if (rigid_turn && law->kind != TW_CONTACT_EXACT) motion.du = tw_vec3_make(0.0, 0.0, 0.0);
    return motion;
}

#endif
