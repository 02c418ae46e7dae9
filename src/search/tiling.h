/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a pair list. */
#ifndef TW_SEARCH_TILING_H
#define TW_SEARCH_TILING_H

#include <math.h>
#include <string.h>

#include "search/list.h"
#include "world/schedule.h"

/* Sphere slots of a pair of spheres. */
typedef struct tw_tiling_ends {
    uint32_t p, q;
} tw_tiling_ends;

/* Whether q of a pair of spheres is a ghost in the tile of p. */
TW_INLINE int tw_tiling_is_ghost(const tw_schedule *schedule, const tw_tile *tile,
                                 const tw_pair *pair)
{
    const uint32_t body = schedule->spheres.body[pair->q];
    return (pair->shift.i | pair->shift.j | pair->shift.k) != 0 || body < tile->body ||
           body - tile->body >= tile->bodies;
}

TW_INLINE uint32_t tw_tiling_own_spheres(const tw_schedule *schedule, const tw_tile *tile)
{
    const uint32_t *first = schedule->spheres.first;
    return first[tile->body + tile->bodies] - first[tile->body];
}

/* Sets bodies, pairs and origin of a tile; all else is zero. */
TW_INLINE void tw_tiling_cut(const tw_state *state, tw_schedule *schedule, size_t number)
{
    const tw_bodies *b = &state->bodies;
    tw_tile *tile = &schedule->tiles.tile[number];
    const size_t first = number * schedule->tiles.size, last = first + schedule->tiles.size;
    memset(tile, 0, sizeof *tile);
    tile->body = (uint32_t)(first < b->count ? first : b->count);
    tile->bodies = (uint32_t)(last < b->count ? last : b->count) - tile->body;
    tile->pair = schedule->pairs.first[tile->body];
    tile->pairs = schedule->pairs.first[tile->body + tile->bodies] - tile->pair;
    enum { BATCH = 16 }; /* loaded before they are added, so that the loads overlap */
    const uint32_t end = tile->body + tile->bodies;
    tw_vec3 origin = {0.0, 0.0, 0.0};
    for (uint32_t i = tile->body; i < end; i += BATCH) {
        tw_vec3 x[BATCH];
        for (uint32_t k = 0; k < BATCH; k++)
            x[k] = b->x_ref[i + k < end ? i + k : end - 1];
        for (uint32_t k = 0; k < BATCH; k++)
            if (i + k < end) origin = tw_vec3_add_scaled(origin, 1.0 / tile->bodies, x[k]);
    }
    tile->origin = origin;
}

/* Two idle spheres that never touch: at distance zero, or as far apart again as contacts reach. */
TW_INLINE void tw_tiling_place_idle(const tw_model *model, const tw_state *state,
                                    tw_schedule *schedule, const tw_tile *tile)
{
    tw_tile_sphere_slot *sphere_slot =
        schedule->tiles.sphere_slot + tile->sphere_slot + tile->sphere_slots - 2;
    const uint32_t body_slot = tile->body_slot + tile->body_slots - 2;
    const tw_tile_sphere_slot left = {{0.0, 0.0, 0.0}, state->skin},
                              right = {{2.0 * tw_list_margin(model, state), 0.0, 0.0}, state->skin};
    const tw_tile_half still = {{0.0, 0.0, 0.0}, 0.0};
    const tw_tile_sphere_slot centre = {{0.0, 0.0, 0.0}, 0.0};
    sphere_slot[0] = left;
    sphere_slot[1] = right;
    schedule->tiles.half[body_slot] = schedule->tiles.half[body_slot + 1] = still;
    if (!schedule->tiles.single)
        schedule->tiles.centre[body_slot] = schedule->tiles.centre[body_slot + 1] = centre;
}

/* Memory for the arrays of tiles and slots of these lengths in all (`total`), and for so many
 * memories of contacts. */
#ifdef __cplusplus
extern "C"
#endif
    tw_status
    tw_tiling_take(tw_state *state, tw_schedule *schedule, const tw_tile *total, tw_error *error);

/* Divides bodies and pairs into tiles, with room for their contacts; all slots are empty. `ends`
 * gets the sphere slots of each pair, in scratch memory. */
tw_status tw_tiling_make(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_tiling_ends **ends, tw_error *error);

/* Contact slots and candidates of the tiles. */

/* Rank of a gap between spheres in the reference state. */
TW_INLINE int tw_tiling_slots_rank_of(const tw_model *model, const tw_state *state, double gap)
{
    const int ranks = TW_CANDIDATE_RANKS;
    const double rank = floor((gap + tw_model_begin(model)) / state->skin * ranks);
    return rank < 0.0 ? 0 : (rank < ranks ? (int)rank : ranks - 1);
}

/* Rank of a pair; `centres` are those of the spheres in the reference state.*/
TW_INLINE int tw_tiling_slots_rank(const tw_model *model, const tw_state *state,
                                   const tw_schedule *schedule, const tw_pair *pair,
                                   const tw_vec3 *centres)
{
    tw_vec3 b = tw_vec3_sub(centres[pair->q], centres[pair->p]);
    b = tw_vec3_add(b, tw_cell_offset(&state->cell.h_ref, pair->shift));
    const double gap =
        tw_vec3_norm(b) - schedule->spheres.radius[pair->p] - schedule->spheres.radius[pair->q];
    return tw_tiling_slots_rank_of(model, state, gap);
}

/* Assigns each contact, whose pair is pairs[k], to a slot of its tile: the given one, or the next
 * in the order of pairs. On failure the memories are where they were. Lists the other pairs of
 * spheres as candidates, by their gaps; `centres` are those of the spheres in the reference state.
 * Then loads the bodies into the tiles. */
tw_status tw_tiling_slots_assign(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                 tw_tiling_ends *ends, const tw_contact_list *contacts,
                                 const uint32_t *pairs, const tw_vec3 *centres, tw_error *error);

#endif
