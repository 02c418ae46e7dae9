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

/* Made anew if contacts have changed since, or much time has passed. */
void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule);

typedef struct tw_stiffness_response {
    double elastic[TW_COMPONENTS][TW_COMPONENTS]; /* stress lost per strain [Pa] */
    double viscous[TW_COMPONENTS][TW_COMPONENTS]; /* stress lost per change of the strain rate, at
                                                     the end of its first step [Pa s] */
} tw_stiffness_response;

/* `least`: a stiffness that is there without any contact [Pa]. */
tw_stiffness_response tw_stiffness_respond(const tw_stiffness *stiffness, const tw_model *model,
                                           const tw_state *state, double least);

#endif
