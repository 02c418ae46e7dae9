/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the search: the pair list of the reference state. */
#ifndef TW_SEARCH_LIST_H
#define TW_SEARCH_LIST_H

#include "search/search.h"

/* Bounding radius of body i [m]. */
double tw_list_bound(const tw_world *world, size_t i);

/* Fills world->pairs from x_ref, h_ref and the spheres in the reference state, nothing touching.
 * The memories of contacts stay where they are. */
tw_status tw_list_make(tw_world *world, tw_error *error);

/* Marks each contact as touching and gives it its slot, or its data a slot of their own. */
tw_status tw_list_attach(tw_world *world, const tw_search_contacts *contacts, tw_error *error);

#endif
