/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbour list: which spheres may touch before it is made again. */
#ifndef TW_SEARCH_SEARCH_H
#define TW_SEARCH_SEARCH_H

#include "world/world.h"

/* Contacts on their own, apart from a neighbour list. */
typedef struct tw_search_contacts {
    tw_pair *pair;  /* spheres by the present order of bodies */
    uint32_t *slot; /* where the world keeps each; NULL: their data are these: */
    tw_contact_memory *memory;
    tw_push *push;
    uint8_t *sliding;
    size_t count;
} tw_search_contacts;

/* True if something may have come into touch that the list does not know. */
int tw_search_stale(const tw_world *world);

/* Makes the list anew: bodies are wrapped into the cell and sorted in space, a strongly sheared
 * cell is described by shorter edges, contacts keep their memory. None of this changes the physics.
 */
tw_status tw_search_refresh(tw_world *world, tw_error *error);

/* Makes the list that belongs to x_ref, q_ref and h_ref, in the present order of bodies, and gives
 * the contacts their place in it: how a restored world comes to the very list it had. */
tw_status tw_search_restore(tw_world *world, const tw_search_contacts *contacts, tw_error *error);

#endif
