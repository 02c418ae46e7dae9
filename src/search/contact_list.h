/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts apart from a neighbour list: on their way from one list to the next, to or from a file,
 * or from a caller. */
#ifndef TW_SEARCH_CONTACT_LIST_H
#define TW_SEARCH_CONTACT_LIST_H

#include "world/schedule.h"

typedef struct tw_contact_list {
    tw_pair *pair;             /* spheres by the present order of bodies */
    tw_contact_memory *memory; /* NULL: in the contact slots of the state */
    uint32_t *slot; /* memory is NULL: the present slot of each; otherwise the slot to assign,
                       counted from the first of its tile, or NULL: any, in the order of pairs */
    tw_contact_extra *extra; /* NULL: none, or where memory is NULL, in the slots too */
    uint32_t parts;          /* of `extra` that are in use, as in tw_extras */
    uint8_t *sliding;        /* NULL: unknown */
    size_t count;
} tw_contact_list;

/* A list of `count` contacts with these extras, all zero, in memory of its own. 0: no memory. The
 * caller frees it in either case. */
int tw_contact_list_make(tw_contact_list *list, size_t count, uint32_t parts);
void tw_contact_list_free(tw_contact_list *list);

/* The present contacts, in the order of pairs, with room for `more`, and for these parts of extras
 * besides those there are. 0: no memory. The caller frees them in either case. */
int tw_contact_list_gather(const tw_state *state, const tw_schedule *schedule, size_t more,
                           uint32_t parts, tw_contact_list *list);

/* Whether the present contacts are these, in this order and in these slots. */
int tw_contact_list_holds(const tw_contact_list *list, const tw_schedule *schedule);

#endif
