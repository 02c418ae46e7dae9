/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact slots and candidates of the tiles. */
#ifndef TW_SEARCH_TILING_SLOTS_H
#define TW_SEARCH_TILING_SLOTS_H

#include <math.h>

#include "search/contact_list.h"
#include "search/tiling.h"

/* Rank of the gap of a pair of spheres; `centres` are those of the spheres in the reference state.
 */
TW_INLINE int tw_tiling_slots_rank(const tw_state *state, const tw_schedule *schedule,
                                   const tw_pair *pair, const tw_vec3 *centres)
{
    tw_vec3 b = tw_vec3_sub(centres[pair->q], centres[pair->p]);
    b = tw_vec3_add(b, tw_cell_offset(&state->cell.h_ref, pair->shift));
    const double gap =
        tw_vec3_norm(b) - schedule->spheres.radius[pair->p] - schedule->spheres.radius[pair->q];
    const double rank = floor(gap / state->skin * TW_CANDIDATE_RANKS);
    return rank < 0.0 ? 0 : (rank < TW_CANDIDATE_RANKS ? (int)rank : TW_CANDIDATE_RANKS - 1);
}

/* Assigns each contact, whose pair is pairs[k], to a slot of its tile: the given one, or the next
 * in the order of pairs. On failure the memories are where they were. */
tw_status tw_tiling_slots_assign(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                 const tw_tiling_ends *ends, const tw_contact_list *contacts,
                                 const uint32_t *pairs, tw_error *error);

/* Lists the pairs that do not touch as candidates, by their gaps; `centres` are those of the
 * spheres in the reference state. Then loads the bodies into the tiles. */
void tw_tiling_slots_list_candidates(const tw_model *model, const tw_state *state,
                                     tw_schedule *schedule, const tw_tiling_ends *ends,
                                     const tw_vec3 *centres);

#endif
