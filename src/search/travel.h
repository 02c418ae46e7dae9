/* SPDX-License-Identifier: BSD-3-Clause */
/* How far bodies have moved since the neighbour list was made. */
#ifndef TW_SEARCH_TRAVEL_H
#define TW_SEARCH_TRAVEL_H

#include "world/schedule.h"

/* Largest displacement of a sphere since the list was made [m]. */
typedef struct tw_travel {
    double own;      /* relative to the affine flow */
    double absolute; /* in space */
} tw_travel;

/* Sets the travel of a tile from its bodies, starting with number `first`; `affine` maps the cell
 * of the list to the present one. */
void tw_travel_of_tile(const tw_model *model, const tw_state *state, const tw_tiles *tiles,
                       const tw_mat3 *affine, tw_tile *tile, uint32_t first);

/* The largest of all tiles. */
tw_travel tw_travel_farthest(const tw_tiles *tiles);

/* Upper bound of the decrease of the gap between two bodies since the list was made, given their
 * displacements relative to the flow [m]. */
TW_INLINE double tw_travel_approach(const tw_schedule *schedule, double skin, double own_p,
                                    double own_q)
{
    return own_p + own_q + schedule->stretch * (2.0 * schedule->bound + skin);
}

#endif
