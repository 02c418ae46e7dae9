/* SPDX-License-Identifier: BSD-3-Clause */
/* The response of the stress of the cell to an affine strain, from the springs and dashpots of its
 * contacts. Components in the order of tw_control, shear strains the engineering ones. */
#ifndef TW_CONTROL_STIFFNESS_H
#define TW_CONTROL_STIFFNESS_H

#include <twirl/control.h>

#include "world/schedule.h"

enum { TW_STIFFNESS_PAIRS = TW_COMPONENTS * (TW_COMPONENTS + 1) / 2 };

/* The contacts between bodies, per volume of the cell. Where all have the same springs
 * (tw_model_is_uniform), these are sums of geometry, otherwise each term is multiplied by the
 * normal stiffness of its contact, and the other constants are means relative to that. */
typedef struct tw_stiffness {
    double normal[TW_STIFFNESS_PAIRS]; /* sum of a (x) a, a = n (x) branch; lower triangle [1/m] */
    double branch[TW_COMPONENTS];      /* sum of branch (x) branch [1/m] */
    uint64_t contacts, step;           /* as they were then */
    int32_t made, unused;              /* 0: not yet */
    double kt, nu_n, nu_t; /* of the normal stiffness; 0 where all contacts are the same [-, s] */
} tw_stiffness;

/* A fiftieth of the contacts is a fiftieth of the stiffness, which hardly affects the servo; the
 * directions of contacts change by less in as many steps. */
TW_INLINE int tw_stiffness_is_stale(const tw_stiffness *stiffness, const tw_state *state)
{
    const double then = (double)stiffness->contacts, now = (double)state->sums.contacts;
    return !stiffness->made || fabs(now - then) > 0.02 * then ||
           state->steps - stiffness->step >= 50;
}

/* Made anew if it is stale. */
void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule);

#endif
