/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a pair list. */
#ifndef TW_SEARCH_TILING_H
#define TW_SEARCH_TILING_H

#include "world/schedule.h"

/* Sphere slots of a pair of spheres. */
typedef struct tw_tiling_ends {
    uint32_t p, q;
} tw_tiling_ends;

/* Divides bodies and pairs into tiles, with room for their contacts; all slots are empty. `ends`
 * gets the sphere slots of each pair, in scratch memory. */
tw_status tw_tiling_make(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_tiling_ends **ends, tw_error *error);

#endif
