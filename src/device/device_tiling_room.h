/* SPDX-License-Identifier: BSD-3-Clause */
/* Workspace of the tiling on a device, in scratch memory. */
#ifndef TW_DEVICE_TILING_ROOM_H
#define TW_DEVICE_TILING_ROOM_H

#include <stdint.h>

#include <twirl/contact.h>

typedef struct tw_device_tiling {
    /* Hash tables of ghosts and their spheres: the first pair with each, UINT32_MAX where empty. */
    uint32_t *body_table, *sphere_table;
    uint32_t table;     /* entries */
    uint32_t component; /* of the memories that is being moved */
    /* By pair, with one entry more: how many of the pairs before it ... */
    uint32_t *ghost_before;  /* ... are the first one with their ghost */
    uint32_t *sphere_before; /* ... with their ghost sphere */
    uint32_t *wall_before;   /* ... are with a wall */
    uint32_t *touch_before;  /* ... are contacts of spheres */
    uint32_t *contact;       /* number of the contact of a pair; UINT32_MAX: none */
    uint32_t *bundle_before; /* bundles of contact slots of the tiles before, by tile */
    uint32_t *fill;          /* how far the lists of body slots, or of bodies, are filled */
    double *moved;           /* a component of the memory of each contact */
    /* Contacts for the host. */
    tw_contact_memory *memory;
    tw_contact_extra *extra;
    uint8_t *sliding;
} tw_device_tiling;

#endif
