/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest stable time step. */
#ifndef TW_STEP_STABLE_H
#define TW_STEP_STABLE_H

#include "world/schedule.h"

/* A lower bound of the stable step, and the body that sets it. */
typedef struct tw_stable_limit {
    double dt;         /* [s] */
    size_t body;       /* index */
    double stiffness;  /* sum over its contacts [N/m]; of one if it has none */
    uint32_t contacts; /* of the body */
} tw_stable_limit;

tw_stable_limit tw_stable_find(const tw_model *model, const tw_state *state, tw_schedule *schedule);

/* The error of a given dt above the limit. */
tw_status tw_stable_refuse(const tw_state *state, const tw_stable_limit *limit, tw_error *error);

#endif
