/* SPDX-License-Identifier: BSD-3-Clause */
/* All simulated data, as columns. */
#ifndef TW_WORLD_WORLD_H
#define TW_WORLD_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/types.h>

#include "base/arena.h"
#include "base/quat.h"
#include "shape/shape.h"
#include "world/cell.h"
#include "world/tiles.h"

enum { TW_BODY_FIXED = 1 };

typedef struct tw_bodies {
#define TW_COLUMN(type, name) type *name;
#include "world/body_columns.def"
#undef TW_COLUMN
    size_t count, capacity;
    uint32_t *sphere_first; /* first sphere of body i; count + 1 entries; made by tw_world_place */
    uint32_t *index_of;     /* index of the body with this id */
} tw_bodies;

/* Spheres follow from bodies and shapes: body by body, in the order of the shape. */
typedef struct tw_spheres {
    uint32_t *body;
    double *radius;  /* [m] */
    tw_vec3 *offset; /* from the body's centre, in its frame [m] */
    size_t count, capacity;
} tw_spheres;

typedef struct tw_wall {
    tw_vec3 point, normal; /* normal: unit, towards the grains */
    tw_vec3 v;             /* [m/s] */
    tw_vec3 dx;            /* displacement of the last step [m] */
    tw_vec3 travel;        /* displacement since the neighbour list was made [m] */
    tw_vec3 force;         /* of the grains on the wall [N] */
    int32_t servo, unused;
    double target, gain, v_max;
} tw_wall;

/* A pair of spheres near enough to touch before the next search. p < q as bodies, or the same body
 * with another image of itself. A wall w is sphere (spheres.count + w) of body (bodies.count + w).
 */
typedef struct tw_pair {
    uint32_t p, q; /* spheres */
    tw_shift shift;
} tw_pair;

/* Pairs in canonical order: by body p, body q, image, sphere p, sphere q. */
typedef struct tw_pairs {
    tw_pair *pair;
    uint32_t *slot; /* where the contact of a pair is kept; TW_NO_SLOT: it does not touch */
    size_t count, capacity;
    uint32_t *first; /* first pair with body p = i; bodies + 1 entries */
    size_t body_capacity;
} tw_pairs;

static inline int tw_pairs_touch(const tw_pairs *pairs, size_t k)
{
    return pairs->slot[k] != TW_NO_SLOT;
}

/* Sums over time [J]. */
typedef struct tw_energy_balance {
    double friction, contact_damping, body_damping;
    double cell, walls, gravity;
    double start; /* kinetic and stored energy when the first step began */
    int32_t started, unused;
} tw_energy_balance;

/* Sums over the contacts and bodies of the last step. */
typedef struct tw_sums {
    tw_mat3 moment;    /* sum of branch (x) force on p [J] */
    double normal;     /* stored normal energy [J] */
    double tangential; /* stored tangential energy [J] */
    size_t contacts, sliding;
} tw_sums;

typedef struct tw_world {
    tw_cell cell;
    tw_shape *shapes;
    size_t shape_count, shape_capacity;
    tw_bodies bodies;
    tw_spheres spheres;
    tw_wall *walls;
    size_t wall_count, wall_capacity;
    tw_pairs pairs;
    tw_contacts contacts;
    tw_tiles tiles;
    tw_contact_law law;
    double density, mass_scale;
    tw_vec3 gravity;
    double damping_mass, damping_spin, damping_local;
    double skin_requested;   /* as asked for; 0: chosen */
    double skin;        /* in force [m] */
    double bound;       /* largest bounding radius of a body [m] */
    double radius_min;  /* least radius of a sphere [m] */
    double stretch;     /* the flow may have shortened distances by this part since then, no more */
    double dt;          /* [s]; 0: not yet chosen */
    double dt_fraction; /* of the stable step, where dt is chosen */
    int32_t dt_automatic;  /* 1: dt follows the stable step */
    int32_t dt_forced;  /* 1: dt may exceed the stable step */
    double time;        /* [s] */
    uint64_t steps;
    uint64_t searches; /* how often the neighbour list was made */
    tw_energy_balance balance;
    tw_sums sums;
    tw_mat3 cell_back; /* 1 - (affine map of the last step)^-1; used within a step alone */
    int32_t placed;    /* spheres and neighbour list belong to the bodies */
    tw_arena scratch;
    tw_sim_times times; /* of no influence on anything */
} tw_world;

void tw_world_init(tw_world *world);
void tw_world_free(tw_world *world);

tw_status tw_world_reserve_bodies(tw_world *world, size_t count, tw_error *error);

/* One more body with all columns zero; its index is bodies.count - 1. */
tw_status tw_world_add_body(tw_world *world, tw_error *error);
tw_status tw_world_add_wall(tw_world *world, const tw_wall *wall, tw_error *error);

/* Makes the spheres anew from bodies and shapes, and index_of from ids. */
tw_status tw_world_place(tw_world *world, tw_error *error);

/* Index of the body with this id, by looking for it; index_of is the quick way once placed. */
size_t tw_world_find_body(const tw_world *world, uint32_t id);

/* Centres of the spheres of bodies with these positions and orientations. */
void tw_world_spheres_at(const tw_world *world, const tw_vec3 *x, const tw_quat *q,
                         tw_vec3 *centres);

/* Puts the bodies into a new order: new index i holds what was at order[i]. */
tw_status tw_world_permute_bodies(tw_world *world, const uint32_t *order, tw_error *error);

/* Room for this many pairs, and for the tables that go with them. */
tw_status tw_world_reserve_pairs(tw_world *world, size_t pairs, tw_error *error);

/* Room for this many slots of contacts. Memories are kept, all else about contacts is lost. */
tw_status tw_world_reserve_slots(tw_world *world, size_t slots, tw_error *error);

/* Seats and sphere slots of a tile's own bodies, from number `first` on, and those of its ghosts once all
 * tiles have loaded their own. */
void tw_tile_load_own(const tw_world *world, const tw_tile *tile, uint32_t first);
void tw_tile_load_ghosts(const tw_world *world, tw_tile *tile);

/* The body slot to which a sphere slot belongs. */
uint32_t tw_tile_body_slot(const tw_world *world, const tw_tile *tile, uint32_t sphere_slot);

/* Empties a slot for contacts of spheres. */
void tw_tile_empty(tw_world *world, const tw_tile *tile, uint32_t slot);

/* Contacts of each body, those with walls too. */
void tw_world_count_contacts(const tw_world *world, uint32_t *counts);

/* Centre of a sphere in space. */
tw_vec3 tw_world_sphere(const tw_world *world, uint32_t sphere);

/* Force of a contact on p. */
static inline tw_vec3 tw_world_contact_force(const tw_world *world, uint32_t slot)
{
    const tw_contact_memory memory = tw_bundle_get(world->contacts.bundle, slot);
    const tw_vec3 f = tw_vec3_add_scaled(memory.ft, -world->law.kn * memory.zeta, memory.n);
    if (!world->contacts.viscous) return f;
    return tw_vec3_add(f, tw_bundle_force_get(world->contacts.drag, slot));
}

static inline uint32_t tw_world_body_of(const tw_world *world, uint32_t sphere)
{
    const size_t walls = sphere - world->spheres.count;
    return sphere < world->spheres.count ? world->spheres.body[sphere]
                                         : (uint32_t)(world->bodies.count + walls);
}

#endif
