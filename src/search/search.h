/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbour list: which spheres may touch before it is made again. */
#ifndef TW_SEARCH_SEARCH_H
#define TW_SEARCH_SEARCH_H

#include "world/world.h"

/* Contacts on their own, apart from a neighbour list. */
typedef struct tw_contact_list {
    tw_pair *pair;             /* spheres by the present order of bodies */
    tw_contact_memory *memory; /* NULL: they lie in the slots of the world */
    uint32_t *slot;   /* memory is NULL: the present slot of each; otherwise the one it is to have,
                         counted from the first of its tile, or NULL: any, in the order of pairs */
    tw_vec3 *drag;    /* force of contact damping on p; NULL: none [N] */
    uint8_t *sliding; /* NULL: not known */
    size_t count;
} tw_contact_list;

/* How far spheres may have moved since the list was made, at most [m]. */
typedef struct tw_travel {
    double own;      /* against the affine flow */
    double absolute; /* against space */
} tw_travel;

/* Notes in a tile how far its bodies have moved, from number `first` on; `affine` takes the cell of
 * the list to the present one. Then: the farthest of all tiles. */
void tw_travel_of_tile(const tw_world *world, const tw_mat3 *affine, tw_tile *tile, uint32_t first);
tw_travel tw_travel_farthest(const tw_world *world);

/* True if something may have come into touch that the list does not know. Sets world->stretch. */
int tw_search_stale(tw_world *world, tw_travel travel);

/* By how much a gap may have closed since the list was made, at most, between two bodies that have
 * moved this far against the flow [m]. */
static inline double tw_search_approach(const tw_world *world, double own_p, double own_q)
{
    return own_p + own_q + world->stretch * (2.0 * world->bound + world->skin);
}

/* Makes the list anew: bodies are wrapped into the cell and sorted in space, a strongly sheared
 * cell is described by shorter edges, contacts keep their memory. None of this changes the physics.
 */
tw_status tw_search_refresh(tw_world *world, tw_error *error);

/* Makes the list that belongs to x_ref, q_ref and h_ref, in the present order of bodies, and gives
 * the contacts their place in it: how a restored world comes to the very list it had. */
tw_status tw_search_restore(tw_world *world, const tw_contact_list *contacts, tw_error *error);

#endif
