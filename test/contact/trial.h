/* SPDX-License-Identifier: BSD-3-Clause */
/* Random steps of a contact with all its sliders: sliding, rolling and twisting. */
#ifndef TWIRL_TEST_CONTACT_TRIAL_H
#define TWIRL_TEST_CONTACT_TRIAL_H

#include "rates.h"
#include "support.h"

typedef enum trial_part { TRIAL_SLIDING, TRIAL_ROLLING, TRIAL_TWISTING, TRIAL_PARTS } trial_part;
typedef enum trial_kind { TRIAL_TOUCHING, TRIAL_FRESH, TRIAL_PARTING, TRIAL_KINDS } trial_kind;

/* A step with n fixed. The bodies turn against each other, so that nothing twirls. */
typedef struct trial {
    tw_contact_law law;
    tw_vec3 n;
    double zeta0, zeta1, radius;
    rates_step part[TRIAL_PARTS];
    tw_vec3 along[TRIAL_PARTS]; /* direction of the movement; of twisting: +n or -n */
} trial;

/* Exact, with sliding friction, in three of four cases with rolling resistance, and in three of
 * four with twisting resistance. */
trial trial_draw(support_random *random, int32_t normal, int rescale, trial_kind kind);

/* A vector in the plane of a part from its components along the movement and across it. */
tw_vec3 trial_in_space(const trial *t, trial_part part, double along, double across);

/* The contact before the step, and the motion. */
tw_contact_memory trial_memory(const trial *t);
tw_contact_parts trial_extra(const trial *t);
tw_contact_motion trial_motion(const trial *t);

/* The step; memory and extra are those after it. */
tw_contact_load trial_advance(const trial *t, tw_contact_memory *memory, tw_contact_parts *extra);

#endif
