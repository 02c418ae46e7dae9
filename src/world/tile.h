/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles: a tile is a group of bodies, neighbours in space, with copies of all that the computation
 * of their contacts needs.
 *
 * A tile computes the contacts of its own bodies with bodies of a higher index. It has a body slot
 * for each body involved: its own bodies first, then ghosts (bodies of other tiles, and periodic
 * images), and a sphere slot for each of their spheres. Positions are relative to the tile's
 * origin. A tile writes to its own arrays only, so tiles can be computed in parallel; the force on
 * a body is summed over its own body slot and its ghosts, in the order of tiles. The number of
 * tiles depends on the number of bodies alone. */
#ifndef TW_WORLD_TILE_H
#define TW_WORLD_TILE_H

#include <stddef.h>
#include <stdint.h>

#include "world/bundle.h"
#include "world/cell.h"

/* Half of a body's rotation in the last step, in the form that the law takes, and its mass: 0 for a
 * fixed body, and where no law asks for it [kg]. */
typedef struct tw_tile_half {
    double v[3], mass;
} tw_tile_half;

/* Centre of a sphere, relative to the tile's origin, and its radius [m]. Also used for the centres
 * of bodies, without a radius. */
typedef struct tw_tile_sphere_slot {
    double x[3], radius;
} tw_tile_sphere_slot;

/* Force accumulator of a body slot or wall [N], [N m]. The torque is about the tile's origin during
 * the summation, about the body's centre afterwards. */
typedef struct tw_tile_accumulator {
    double force[3], torque[3], unused[2];
} tw_tile_accumulator;

/* Sums over the contacts of a body, for the stable step. */
typedef struct tw_tile_springs {
    double k, nu;           /* stiffness and damping of the contact point [N/m], [N s/m] */
    double k_turn, nu_turn; /* of rolling and twisting [N m], [N m s] */
} tw_tile_springs;

/* A pair of spheres that does not touch, but may before the next search. */
typedef struct tw_tile_candidate {
    uint32_t p, q; /* sphere slots; the idle ones while it is a contact */
    uint32_t pair;
} tw_tile_candidate;

enum { TW_CANDIDATE_RANKS = 16 };

/* Source of a ghost. */
typedef struct tw_tile_ghost {
    uint32_t source; /* its own body slot */
    uint32_t body;
    uint32_t tile; /* that owns the body */
    tw_shift shift;
} tw_tile_ghost;

/* Source of a sphere of a ghost. */
typedef struct tw_tile_ghost_sphere {
    uint32_t source;    /* its own sphere slot */
    uint32_t body_slot; /* of the ghost in this tile */
} tw_tile_ghost_sphere;

typedef struct tw_tile {
    tw_vec3 origin;                       /* [m] */
    uint32_t body, bodies;                /* first, count */
    uint32_t pair, pairs;                 /* in canonical order */
    uint32_t body_slot, body_slots;       /* own bodies, ghosts, two idle ones */
    uint32_t sphere_slot, sphere_slots;   /* likewise */
    uint32_t ghost, ghosts;               /* entries of `ghost` */
    uint32_t ghost_sphere, ghost_spheres; /* entries of `ghost_sphere` */
    uint32_t slot, slots,
        room;           /* sphere contacts: first slot, slots up to the last one in use, limit */
    uint32_t empty;     /* all slots below slot + empty are in use */
    uint32_t wall_slot; /* wall contacts: first slot; one for each pair */
    uint32_t wall_pair, walls; /* entries of `wall_pair` */
    /* Candidates by rank, that is by their gap when the list was made, in fractions of the skin;
     * then contacts that have separated since. */
    uint32_t candidate, candidates;
    uint32_t rank_end[TW_CANDIDATE_RANKS]; /* counted from `candidate` */
    /* Largest displacement of a body since the list was made, relative to the affine flow and in
     * space (tw_travel), and the largest relative one over all tiles that have ghosts here [m]. */
    double own, absolute, others;
} tw_tile;

typedef struct tw_tiles {
    tw_tile *tile;
    size_t count, size; /* tiles; bodies in each but the last */
    int single;         /* every body is one sphere */
    int turned; /* on a device, with the exact law: `half` holds the Gibbs vectors of the last step,
                   the column of bodies may be older */
    tw_tile_half *half;               /* by body slot */
    tw_tile_accumulator *accumulator; /* by body slot */
    tw_tile_sphere_slot
        *centre; /* by body slot; the same array as `sphere_slot` if every body is one sphere */
    tw_tile_sphere_slot *sphere_slot;
    tw_tile_ghost *ghost;
    tw_tile_ghost_sphere *ghost_sphere;
    uint32_t *ghost_first, *ghost_slot; /* body slots of body i as a ghost, in the order of tiles */
    uint32_t *degree;                   /* workspace: contacts of body i */
    tw_tile_springs *springs;           /* workspace: of body i */
    tw_tile_candidate *candidate;
    uint32_t *hit; /* workspace of the candidates */
    uint32_t *wall_pair;
    tw_tile_accumulator *wall_accumulator; /* by tile, then wall */
    double *sum;                           /* workspace: sums of each tile */
    size_t tile_capacity, body_slot_capacity, sphere_slot_capacity, ghost_capacity,
        ghost_sphere_capacity, body_capacity, ghost_slot_capacity, candidate_capacity,
        wall_pair_capacity, wall_accumulator_capacity, sum_capacity;
} tw_tiles;

/* Whole bundles. */
TW_INLINE uint32_t tw_tile_round_up(uint32_t slots)
{
    return (slots + TW_BUNDLE - 1) / TW_BUNDLE * TW_BUNDLE;
}

/* The tile that owns a body. */
TW_INLINE uint32_t tw_tiles_home(const tw_tiles *tiles, uint32_t body)
{
    return body / (uint32_t)tiles->size;
}

/* Divides n bodies into tiles of 384 to 775, or fewer bodies into up to eight small tiles so that
 * threads can share the work. All tiles but the last have the same size, a multiple of TW_BUNDLE.
 * The order of sums, and so every bit of the results, follows from this: it must not depend on the
 * machine. */
TW_INLINE void tw_tiles_cut(tw_tiles *tiles, size_t n)
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
