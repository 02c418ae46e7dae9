/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy stored in the contacts. */
#ifndef TW_WORLD_STORED_H
#define TW_WORLD_STORED_H

#include "world/schedule.h"

typedef struct tw_stored {
    double normal, tangential; /* [J] */
} tw_stored;

/* Over all contacts, in the order of pairs. */
tw_stored tw_stored_sum(const tw_model *model, const tw_state *state, const tw_schedule *schedule);

#endif
