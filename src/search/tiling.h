/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the search: the tiles that go with a pair list. */
#ifndef TW_SEARCH_TILING_H
#define TW_SEARCH_TILING_H

#include "search/search.h"

/* Cuts bodies and pairs into tiles, with room for their contacts, all empty. `ends` gets the
 * sphere slots of each pair of spheres and lies in the scratch memory. */
typedef struct tw_tiling_ends {
    uint32_t p, q;
} tw_tiling_ends;

tw_status tw_tiling_make(tw_world *world, tw_tiling_ends **ends, tw_error *error);

/* Puts each contact, whose pair is pairs[k], into a slot of its tile: the one it says, or else in
 * the order of pairs without a gap. */
tw_status tw_tiling_assign(tw_world *world, const tw_tiling_ends *ends,
                         const tw_contact_list *contacts, const uint32_t *pairs,
                         tw_error *error);

/* Lists the pairs that do not touch, by their gaps: `centres` are those of the spheres when the
 * list was made. The last of the calls. */
void tw_tiling_finish(tw_world *world, const tw_tiling_ends *ends, const tw_vec3 *centres);

#endif
