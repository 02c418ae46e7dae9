/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the search: the pair list of the reference state. */
#ifndef TW_SEARCH_LIST_H
#define TW_SEARCH_LIST_H

#include "search/search.h"

/* Bounding radius of body i [m]. */
double tw_list_bound(const tw_world *world, size_t i);

/* Fills world->pairs from x_ref, h_ref and the centres of the spheres in the reference state,
 * nothing touching. */
tw_status tw_list_make(tw_world *world, const tw_vec3 *centres, tw_error *error);

/* Finds the pair of each contact. The numbers lie in the scratch memory. */
tw_status tw_list_find(tw_world *world, const tw_contact_list *contacts, uint32_t **pairs,
                          tw_error *error);

#endif
