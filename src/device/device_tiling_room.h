/* SPDX-License-Identifier: BSD-3-Clause */
/* Workspace of the tiling on a device. */
#ifndef TW_DEVICE_TILING_ROOM_H
#define TW_DEVICE_TILING_ROOM_H

#include <stdint.h>

#include <twirl/contact.h>

#include "world/schedule.h"

/* The least that a tile has beyond its contacts, in slots and as a part of them. */
enum { TW_DEVICE_TILING_SPARE = 32, TW_DEVICE_TILING_SHARE = 32 };

typedef struct tw_device_tiling {
    /* Hash tables of ghosts and their spheres: the first pair with each. For single spheres the two
     * are the same. */
    uint32_t *body_table, *sphere_table;
    uint32_t table; /* entries */
    /* By pair, with one entry more: how many of the pairs before it ... */
    uint32_t *ghost_before;  /* ... are the first one with their ghost */
    uint32_t *sphere_before; /* ... with their ghost sphere */
    uint32_t *wall_before;   /* ... are with a wall; NULL: there are no walls */
    uint32_t *touch_before;  /* ... are contacts of spheres */
    uint32_t *bundle_before; /* by tile: bundles of contact slots of the tiles before it */
    uint32_t pass;           /* of the move of memories */
    uint32_t share, spare;   /* a tile with n contacts gets n/share + spare slots more */

    /* Contacts for the host, from number `first` on. */
    uint32_t first;
    uint32_t *contact; /* their pairs */
    tw_pair *pair;
    uint32_t *slot; /* counted from the first of their tile; 0 for walls */
    tw_contact_memory *memory;
    tw_contact_extra *extra; /* NULL: there are none */
    uint8_t *sliding;
} tw_device_tiling;

#endif
