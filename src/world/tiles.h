/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles: a share of the bodies, neighbours in space, with all that their contacts need beside them.
 *
 * A tile computes the contacts of its own bodies with those behind them in the order of bodies. For
 * this it has a body slot for each body that takes part: its own bodies first, then ghosts (bodies of
 * other tiles, and images), and a sphere slot for each sphere. Positions are relative to the tile's
 * origin. Nobody else writes there, so tiles can be worked on at the same time; a body's force is
 * that of its own body slot and of its body slots as a ghost, in the order of tiles. How many tiles there are
 * depends on the number of bodies alone. */
#ifndef TW_WORLD_TILES_H
#define TW_WORLD_TILES_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>

#include "world/cell.h"

/* Contacts in a bundle, and the number of lanes in sums: the same on every machine, and a multiple
 * of the number of lanes that any has. */
enum { TW_BUNDLE = 8 };

#define TW_NO_SLOT UINT32_MAX
#define TW_NO_PAIR UINT32_MAX

/* The rotation of a body as a tile sees it: what the law takes for half of it in the last step. */
typedef struct tw_half {
    double v[3], unused;
} tw_half;

/* A sphere as a tile sees it: centre from the tile's origin, and radius [m]. Also the centre of a
 * body, without a radius. */
typedef struct tw_sphere_slot {
    double x[3], radius;
} tw_sphere_slot;

/* What the contacts of a tile do to a body [N], [N m]. While they are added up the torque is about
 * the tile's origin, afterwards about the body's centre. */
typedef struct tw_accumulator {
    double force[3], torque[3], unused[2];
} tw_accumulator;

/* Memories of TW_BUNDLE contacts. */
typedef struct tw_bundle {
    double n[3][TW_BUNDLE], zeta[TW_BUNDLE], ft[3][TW_BUNDLE];
} tw_bundle;

typedef struct tw_bundle_force {
    double f[3][TW_BUNDLE];
} tw_bundle_force;

/* Contacts by slot. Spots and body slots of an empty slot are the tile's idle ones. */
typedef struct tw_contacts {
    tw_bundle *bundle;
    tw_bundle_force *drag; /* force of contact damping on p [N]; valid if `viscous` */
    uint32_t *sphere_p, *sphere_q;
    uint32_t *body_p, *body_q; /* the same arrays as the sphere slots' if every body is one sphere */
    uint32_t *pair;            /* TW_NO_PAIR: empty */
    uint32_t *candidate; /* what it was before it touched; TW_NO_PAIR: in touch from the start */
    uint8_t *sliding;
    size_t capacity; /* slots */
    int viscous;
} tw_contacts;

/* A pair that may come into touch. */
typedef struct tw_candidate {
    uint32_t p, q; /* sphere slots; the idle ones while it is in touch */
    uint32_t pair;
} tw_candidate;

enum { TW_CANDIDATE_RANKS = 16 };

/* Where the body slot of a ghost comes from. */
typedef struct tw_ghost {
    uint32_t source; /* its body slot at home */
    uint32_t body;
    uint32_t tile; /* its home */
    tw_shift shift;
} tw_ghost;

/* And the sphere slot of one of its spheres. */
typedef struct tw_ghost_sphere {
    uint32_t source; /* sphere slot at home */
    uint32_t body_slot;   /* of the ghost here */
} tw_ghost_sphere;

typedef struct tw_tile {
    tw_vec3 origin;             /* [m] */
    uint32_t body, bodies;      /* first, count */
    uint32_t pair, pairs;       /* canonical */
    uint32_t body_slot, body_slots;       /* own, ghosts, two that are idle */
    uint32_t sphere_slot, sphere_slots;       /* likewise */
    uint32_t ghost, ghosts;     /* entries of `ghost` */
    uint32_t ghost_sphere, ghost_spheres;     /* entries of `ghost_sphere` */
    uint32_t slot, slots, room; /* contacts of spheres: first, in use or empty between, most */
    uint32_t empty;             /* no slot below slot + empty is empty */
    uint32_t wall_slot;         /* contacts with walls: one slot for each pair */
    uint32_t wall_pair, walls;  /* entries of `wall_pair` */
    /* Suitors by rank, that is by their gap when the list was made, in parts of the skin; then
     * those that have parted since. */
    uint32_t candidate, candidates;
    uint32_t rank_end[TW_CANDIDATE_RANKS]; /* counted from `candidate` */
    /* How far a body has moved since the list was made, at most (tw_travel), and one of a tile that
     * it has ghosts from against the flow [m]. */
    double own, absolute, others;
} tw_tile;

typedef struct tw_tiles {
    tw_tile *tile;
    size_t count, size; /* tiles; bodies in each but the last */
    int single;         /* every body is one sphere */
    tw_half *half;      /* by body slot */
    tw_accumulator *accumulator;      /* by body slot */
    tw_sphere_slot *centre;    /* by body slot; the same array as `sphere_slot` if every body is one sphere */
    tw_sphere_slot *sphere_slot;
    tw_ghost *ghost;
    tw_ghost_sphere *ghost_sphere;
    uint32_t *ghost_first, *ghost_slot; /* body slots of body i as a ghost, in the order of tiles */
    uint32_t *degree;                   /* work space: contacts of body i */
    tw_candidate *candidate;
    uint32_t *hit; /* work space beside the candidates */
    uint32_t *wall_pair;
    tw_accumulator *wall_accumulator; /* by tile, then wall */
    double *sum;        /* work space: sums of each tile */
    size_t tile_capacity, body_slot_capacity, sphere_slot_capacity, ghost_capacity, ghost_sphere_capacity,
        body_capacity, ghost_slot_capacity, candidate_capacity, wall_pair_capacity, wall_accumulator_capacity,
        sum_capacity;
} tw_tiles;

static inline uint32_t tw_tiles_home(const tw_tiles *tiles, uint32_t body)
{
    return body / (uint32_t)tiles->size;
}

static inline tw_contact_memory tw_bundle_get(const tw_bundle *bundles, uint32_t slot)
{
    const tw_bundle *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    return (tw_contact_memory){
        {b->n[0][l], b->n[1][l], b->n[2][l]}, b->zeta[l], {b->ft[0][l], b->ft[1][l], b->ft[2][l]}};
}

static inline void tw_bundle_put(tw_bundle *bundles, uint32_t slot, const tw_contact_memory *memory)
{
    tw_bundle *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    const tw_vec3 n = memory->n, ft = memory->ft;
    const double parts[7] = {n.x, n.y, n.z, memory->zeta, ft.x, ft.y, ft.z};
    for (int k = 0; k < 3; k++) {
        b->n[k][l] = parts[k];
        b->ft[k][l] = parts[4 + k];
    }
    b->zeta[l] = parts[3];
}

static inline tw_vec3 tw_bundle_force_get(const tw_bundle_force *bundles, uint32_t slot)
{
    const tw_bundle_force *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    return tw_vec3_make(b->f[0][l], b->f[1][l], b->f[2][l]);
}

static inline void tw_bundle_force_put(tw_bundle_force *bundles, uint32_t slot, tw_vec3 f)
{
    tw_bundle_force *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    b->f[0][l] = f.x;
    b->f[1][l] = f.y;
    b->f[2][l] = f.z;
}

/* How to cut n bodies: into tiles of 384 to 775, where there are that many; into a few small ones
 * otherwise, so that threads have something to share. All but the last have the same number, whole
 * bundles of them. The order of sums follows from this, and so do the bits of every result: it
 * knows nothing of the machine. */
static inline void tw_tiles_cut(tw_tiles *tiles, size_t n)
{
    size_t parts = 1;
    while (n / (2 * parts) >= 384)
        parts *= 2;
    while (parts < 8 && n / (2 * parts) >= 64)
        parts *= 2;
    const size_t bundles = (n + parts * TW_BUNDLE - 1) / (parts * TW_BUNDLE);
    tiles->size = bundles > 0 ? bundles * TW_BUNDLE : TW_BUNDLE;
    tiles->count = n > 0 ? (n + tiles->size - 1) / tiles->size : 1;
}

#endif
