/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbour list: which spheres may come into contact before it is made again. */
#ifndef TW_SEARCH_SEARCH_H
#define TW_SEARCH_SEARCH_H

#include "search/contact_list.h"

/* True if a contact may have formed that the list does not know. Sets schedule->stretch. */
int tw_search_stale(const tw_state *state, tw_schedule *schedule);

/* Makes a new list: bodies are wrapped into the cell and sorted in space, a strongly sheared cell
 * is described by shorter edges, contacts keep their memories. None of this changes the physics. On
 * failure the state is still whole, the schedule not valid, and the call can be repeated. */
tw_status tw_search_refresh(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            tw_error *error);

/* Makes the list that belongs to x_ref, q_ref and h_ref, in the present order of bodies, and
 * assigns these contacts to slots: a restored state gets exactly the list it had. */
tw_status tw_search_restore(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_contact_list *contacts, tw_error *error);

/* Holds contacts without a list, until the next search: when bodies or walls have been added, or no
 * list could be made. The spheres must be listed. */
tw_status tw_search_keep(tw_state *state, tw_schedule *schedule, const tw_contact_list *contacts,
                         tw_error *error);

/* As tw_search_restore, but the list is left to tw_search_complete: until then the schedule holds
 * spheres and contacts, which is enough to look at them and to save them, but not for a step. */
tw_status tw_search_defer(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          const tw_contact_list *contacts, tw_error *error);

/* Makes a deferred list; does nothing if there is none. After a failure it is deferred still. */
tw_status tw_search_complete(const tw_model *model, tw_state *state, tw_schedule *schedule,
                             tw_error *error);

#endif
