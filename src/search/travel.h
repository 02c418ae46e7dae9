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

/* Bound of the relative shortening of distances by the affine flow since the list was made:
 * |A b| >= |b| (1 - stretch). */
TW_INLINE double tw_travel_stretch(const tw_cell *cell)
{
    const tw_mat3 affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    const tw_mat3 c =
        tw_mat3_sub(tw_mat3_mul(tw_mat3_transpose(affine), affine), tw_mat3_identity());
    double stretch = 0.0;
    for (int k = 0; k < 9; k++)
        stretch += c.m[k] * c.m[k];
    return sqrt(stretch);
}

/* Whether a contact may have formed that the list does not know; schedule->stretch is set. */
TW_INLINE int tw_travel_exceeds(const tw_state *state, const tw_schedule *schedule,
                                tw_travel travel)
{
    if (!(tw_travel_approach(schedule, state->skin, travel.own, travel.own) < state->skin))
        return 1;
    for (size_t k = 0; k < state->wall_count; k++) {
        const double moved = fabs(tw_vec3_dot(state->walls[k].travel, state->walls[k].normal));
        if (!(travel.absolute + moved < state->skin)) return 1;
    }
    return 0;
}

#endif
