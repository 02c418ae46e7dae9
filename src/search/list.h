/* SPDX-License-Identifier: BSD-3-Clause */
/* The pair list of the reference state. */
#ifndef TW_SEARCH_LIST_H
#define TW_SEARCH_LIST_H

#include "search/contact_list.h"

/* Bounding radius of body i [m]. */
double tw_list_bound(const tw_model *model, const tw_state *state, size_t i);

/* Fills schedule->pairs from x_ref, h_ref and the centres of the spheres in the reference state. */
tw_status tw_list_make(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                       const tw_vec3 *centres, tw_error *error);

/* Finds the pair of each contact; the numbers are in scratch memory. */
tw_status tw_list_find(const tw_state *state, tw_schedule *schedule,
                       const tw_contact_list *contacts, uint32_t **pairs, tw_error *error);

#endif
