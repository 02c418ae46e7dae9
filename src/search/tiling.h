/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a pair list. */
#ifndef TW_SEARCH_TILING_H
#define TW_SEARCH_TILING_H

#include <string.h>

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
    for (uint32_t i = tile->body; i < tile->body + tile->bodies; i++)
        tile->origin = tw_vec3_add_scaled(tile->origin, 1.0 / tile->bodies, b->x_ref[i]);
}

/* Two idle spheres at distance zero: they never overlap. */
TW_INLINE void tw_tiling_place_idle(const tw_state *state, tw_schedule *schedule,
                                    const tw_tile *tile)
{
    tw_tile_sphere_slot *sphere_slot =
        schedule->tiles.sphere_slot + tile->sphere_slot + tile->sphere_slots - 2;
    const uint32_t body_slot = tile->body_slot + tile->body_slots - 2;
    const tw_tile_sphere_slot left = {{0.0, 0.0, 0.0}, state->skin},
                              right = {{2.0 * state->skin, 0.0, 0.0}, state->skin};
    const tw_tile_half still = {{0.0, 0.0, 0.0}, 0.0};
    const tw_tile_sphere_slot centre = {{0.0, 0.0, 0.0}, 0.0};
    sphere_slot[0] = left;
    sphere_slot[1] = right;
    schedule->tiles.half[body_slot] = schedule->tiles.half[body_slot + 1] = still;
    if (!schedule->tiles.single)
        schedule->tiles.centre[body_slot] = schedule->tiles.centre[body_slot + 1] = centre;
}

/* Divides bodies and pairs into tiles, with room for their contacts; all slots are empty. `ends`
 * gets the sphere slots of each pair, in scratch memory. */
tw_status tw_tiling_make(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_tiling_ends **ends, tw_error *error);

#endif
