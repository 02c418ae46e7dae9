/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tiles of the contact phase share. */
#ifndef TW_STEP_TOUCH_CONTEXT_H
#define TW_STEP_TOUCH_CONTEXT_H

#include <stdatomic.h>

#include <twirl/contact_inline.h>

#include "step/motion.h"
#include "world/schedule.h"

/* Sums of a tile. */
enum {
    TW_TOUCH_MOMENT = 0,
    TW_TOUCH_NORMAL = 9,
    TW_TOUCH_TANGENTIAL,
    TW_TOUCH_ROLLING, /* stored, as the two before */
    TW_TOUCH_TWISTING,
    TW_TOUCH_FRICTION,
    TW_TOUCH_MICRO_SLIP,
    TW_TOUCH_LOST_ROLLING,
    TW_TOUCH_LOST_TWISTING,
    TW_TOUCH_VISCOUS,
    TW_TOUCH_CONTACTS,
    TW_TOUCH_SLIDING,
    TW_TOUCH_DETECT_SECONDS,
    TW_TOUCH_FORCE_SECONDS,
    TW_TOUCH_SUMS
};

typedef struct tw_touch_context {
    const tw_model *model;
    tw_state *state;
    tw_schedule *schedule;
    const tw_vec3 *rigid_turn; /* not NULL: everything, walls included, rotates rigidly by this */
    int still;                 /* no time passes: in a rotation, and where nothing moves */
    int damped;                /* some law has damping */
    int plain;                 /* one linear law, without rolling, twisting and damping */
    atomic_size_t bad;         /* the first pair with a excessive overlap or a non-finite force */
} tw_touch_context;

/* Adds the force f at `point`, relative to the tile's origin. */
static inline void tw_touch_context_accumulate(tw_tile_accumulator *sum, double sign, tw_vec3 point,
                                               tw_vec3 f)
{
    const tw_vec3 t = tw_vec3_cross(point, f);
    sum->force[0] += sign * f.x;
    sum->force[1] += sign * f.y;
    sum->force[2] += sign * f.z;
    sum->torque[0] += sign * t.x;
    sum->torque[1] += sign * t.y;
    sum->torque[2] += sign * t.z;
}

#endif
