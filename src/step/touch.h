/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the touch phase share. */
#ifndef TW_STEP_TOUCH_H
#define TW_STEP_TOUCH_H

#include <stdatomic.h>

#include <twirl/contact_inline.h>

#include "base/simd.h"
#include "world/world.h"

/* Sums of a tile. */
enum {
    TW_TOUCH_MOMENT = 0,
    TW_TOUCH_NORMAL = 9,
    TW_TOUCH_TANGENTIAL,
    TW_TOUCH_FRICTION,
    TW_TOUCH_VISCOUS,
    TW_TOUCH_CONTACTS,
    TW_TOUCH_SLIDING,
    TW_TOUCH_MEET_SECONDS,
    TW_TOUCH_FORCE_SECONDS,
    TW_TOUCH_SUMS
};

typedef struct tw_touch {
    tw_world *world;
    const tw_vec3 *rigid_turn; /* not NULL: everything turns rigidly by this, walls too */
    atomic_size_t bad; /* the first pair with a runaway overlap or a number that is not finite */
} tw_touch;

/* How the centre of a sphere has moved during the step. */
tw_vec3 tw_touch_displacement(const tw_world *w, uint32_t sphere);

/* Rotation vector of a body during the step. */
tw_vec3 tw_touch_turn(const tw_touch *touch, uint32_t body);

/* A contact of spheres that goes on alone: what the lanes know of it, and what becomes of it. */
typedef struct tw_touch_single {
    tw_vec3 n;        /* at the end of the step */
    double zeta;      /* likewise */
    tw_vec3 du, ft;   /* movement in the step, tangential force at its end */
    tw_vec3 ft0, dxi; /* of the trial, as is phi */
    double phi;
    int small; /* the trial is right, but did not hold */
} tw_touch_single;

/* Advances it, and counts what it dissipates. Returns 0 if it has parted: the slot is then empty.
 */
int tw_touch_alone(tw_touch *touch, tw_tile *tile, uint32_t slot, tw_touch_single *one,
                   double *sum);

/* Adds force f, at `point` from the tile's origin, to a force accumulator. */
static inline void tw_touch_accumulate(tw_accumulator *accumulator, double sign, tw_vec3 point, tw_vec3 f)
{
    const tw_vec3 t = tw_vec3_cross(point, f);
    accumulator->force[0] += sign * f.x;
    accumulator->force[1] += sign * f.y;
    accumulator->force[2] += sign * f.z;
    accumulator->torque[0] += sign * t.x;
    accumulator->torque[1] += sign * t.y;
    accumulator->torque[2] += sign * t.z;
}

/* Contacts with walls. */
void tw_touch_walls(tw_touch *touch, const tw_tile *tile, double *sum);

/* Finds the candidates of a tile that have come into touch, and makes contacts of them. */
void tw_touch_meet(tw_world *world, tw_tile *tile);

/* Writes the numbers of those of candidates begin .. end - 1 that touch, and returns how many they
 * are. `hits` has room for one more. */
TW_SIMD_DECLARE(uint32_t, tw_touch_near, const tw_tiles *tiles, uint32_t begin, uint32_t end,
                uint32_t *hits);

/* Makes a candidate again of a contact that has parted. */
void tw_touch_part(tw_world *world, tw_tile *tile, uint32_t slot);

/* Advances the contacts of spheres, several at once. */
TW_SIMD_DECLARE(void, tw_touch_spheres, tw_touch *touch, tw_tile *tile, double *sum);

#endif
