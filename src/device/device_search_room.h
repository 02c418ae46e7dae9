/* SPDX-License-Identifier: BSD-3-Clause */
/* Workspace of the search on a device. */
#ifndef TW_DEVICE_SEARCH_ROOM_H
#define TW_DEVICE_SEARCH_ROOM_H

#include <stdint.h>

#include <twirl/vec3.h>

#include "world/pair.h"

typedef struct tw_device_search {
    /* Contacts on their way from one list to the next, or from the host, in the order of pairs of
     * the list they come from. If no list can be made they stay here, with schedule.valid = 0. */
    tw_pair *contact_pair;    /* spheres by the present order of bodies */
    uint32_t *contact_slot;   /* where its memory is now */
    uint32_t *contact_target; /* its pair in the new list */
    uint32_t *contact_given;  /* slot to assign, counted from the first of its tile, if `given` */
    uint32_t count;           /* contacts */
    int32_t given;            /* 0: slots are assigned in the order of pairs */
    tw_vec3 *centre;          /* of the spheres in the reference state, in scratch memory */
} tw_device_search;

#endif
