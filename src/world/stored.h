/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy stored in the contacts. */
#ifndef TW_WORLD_STORED_H
#define TW_WORLD_STORED_H

#include <twirl/contact_law.h>

#include "world/schedule.h"

typedef struct tw_stored {
    double normal, tangential, rolling, twisting; /* [J] */
} tw_stored;

/* Energy of a rolling or twisting spring of stiffness k, in the law of its contact, for a force
 * whose square is f2. */
TW_INLINE double tw_stored_spring(const tw_contact_law *law, double k, double zeta, double f2)
{
    if (!(k > 0.0)) return 0.0;
    return 0.5 * f2 / (law->normal == TW_CONTACT_HERTZ ? k * sqrt(zeta) : k);
}

/* Over all contacts, in the order of pairs. */
tw_stored tw_stored_sum(const tw_model *model, const tw_state *state, const tw_schedule *schedule);

/* Replaces the sums of the last step by `now`. The change is not work: it goes into the start of
 * the energy balance. */
void tw_stored_replace(tw_state *state, const tw_stored *now);

#endif
