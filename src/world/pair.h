/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of a sphere and a surface near it. */
#ifndef TW_WORLD_PAIR_H
#define TW_WORLD_PAIR_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "world/shift.h"

#define TW_NO_SLOT UINT32_MAX
#define TW_NO_PAIR UINT32_MAX

/* What a sphere can touch. A new kind needs a distance (search/list.c, tw_list_make), a contact law
 * call (src/step) and a way into tw_contact_state (src/sim). */
typedef enum tw_pair_surface { TW_SURFACE_SPHERE, TW_SURFACE_PLANE } tw_pair_surface;

/* A sphere, and a surface near enough to touch it before the next search. Of two spheres, body p
 * comes before body q, or both are the same body and q is another image of it. */
typedef struct tw_pair {
    uint32_t p;      /* sphere */
    uint32_t q;      /* number of the surface among those of its kind: sphere, or wall */
    tw_shift shift;  /* periodic image of q; zero for a plane */
    uint8_t surface; /* tw_pair_surface */
} tw_pair;

static_assert(sizeof(tw_pair) == 12, "the longest list of all has no padding");

TW_INLINE int tw_pair_is_plane(const tw_pair *pair)
{
    return pair->surface == TW_SURFACE_PLANE;
}

/* Pairs in canonical order: by body p; spheres before planes; body q, image, sphere p, sphere q, or
 * plane, sphere p. */
typedef struct tw_pairs {
    tw_pair *pair;
    uint32_t *slot;  /* contact slot of a pair; TW_NO_SLOT: not in contact */
    uint32_t *given; /* where the list is deferred: the slot that a contact gets in it, counted from
                        the first one of its tile; NULL: any */
    size_t count, capacity;
    uint32_t *first; /* first pair with body p = i; bodies + 1 entries */
    size_t body_capacity, given_capacity;
} tw_pairs;

TW_INLINE int tw_pairs_touch(const tw_pairs *pairs, size_t k)
{
    return pairs->slot[k] != TW_NO_SLOT;
}

#endif
