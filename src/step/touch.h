/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the touch phase share. */
#ifndef TW_STEP_TOUCH_H
#define TW_STEP_TOUCH_H

#include <stdatomic.h>

#include <twirl/contact_inline.h>

#include "world/world.h"

/* Sums of a chunk of pairs. */
enum {
    TW_TOUCH_MOMENT = 0,
    TW_TOUCH_NORMAL = 9,
    TW_TOUCH_TANGENTIAL,
    TW_TOUCH_FRICTION,
    TW_TOUCH_VISCOUS,
    TW_TOUCH_CONTACTS,
    TW_TOUCH_SLIDING,
    TW_TOUCH_SUMS
};

typedef struct tw_touch {
    tw_world *world;
    const tw_vec3 *rigid_turn; /* not NULL: everything turns rigidly by this, walls too */
    atomic_size_t bad; /* the first pair with a runaway overlap or a number that is not finite */
} tw_touch;

/* Where the centre of a sphere was at the start of the step, against where it is now. */
tw_vec3 tw_touch_displacement(const tw_world *w, uint32_t sphere);

/* Books a contact that was advanced on its own: memory, push, sums. `branch` is between the
 * spheres. */
void tw_touch_book(tw_touch *touch, size_t pair, tw_vec3 branch, const tw_contact_motion *motion,
                   const tw_contact_memory *memory, const tw_contact_load *load, double *sum);

/* Advances a pair of a sphere and a wall. */
void tw_touch_wall(tw_touch *touch, size_t pair, double *sum);

/* Advances the pairs begin..end-1 of spheres, several at once; walls among them are left out. */
void tw_touch_spheres(tw_touch *touch, size_t begin, size_t end, double *sum);

#endif
