/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that are advanced one by one. */
#ifndef TW_STEP_TOUCH_SINGLE_H
#define TW_STEP_TOUCH_SINGLE_H

#include "step/touch_context.h"
#include "step/touch_one.h"

/* A contact of spheres: what the lanes know of it, and the result. */
typedef struct tw_touch_single {
    tw_vec3 n;        /* at the end of the step */
    double zeta;      /* likewise */
    tw_vec3 du, ft;   /* movement in the step, tangential force at its end */
    tw_vec3 ft0, dxi; /* of the trial, as is phi */
    double phi;
    int small; /* the trial is valid, but exceeds the friction limit */
} tw_touch_single;

/* Advances it and adds its work to the sums. Returns 0 if the contact has ended: its slot is then
 * empty. */
int tw_touch_single_advance(tw_touch_context *touch, tw_tile *tile, uint32_t slot,
                            tw_touch_single *one, double *sum);

/* Adds a contact to the sums, and checks its overlap against the allowed one. */
void tw_touch_single_count(tw_touch_context *touch, uint32_t slot, const tw_contact_load *load,
                           double allowed, double zeta, double *sum);

/* The same for any law, after tw_touch_one_advance. */
void tw_touch_single_add(tw_touch_context *touch, uint32_t slot, const tw_touch_one *one,
                         double allowed, double *sum);

#endif
