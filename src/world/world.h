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
    tw_vec3 *x;      /* centre in space [m] */
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
    uint32_t touching; /* 1: memory is valid */
} tw_pair;

#define TW_NO_SLOT UINT32_MAX

/* What a contact does to its bodies. */
typedef struct tw_push {
    tw_vec3 force;              /* on p; q gets the opposite [N] */
    tw_vec3 torque_p, torque_q; /* about the centres of the bodies [N m] */
} tw_push;

/* Pairs in canonical order: by body p, body q, image, sphere p, sphere q. Whatever is summed over
 * the contacts of a body is summed in this order, so no result depends on how a pair was found. */
typedef struct tw_pairs {
    tw_pair *pair;
    uint32_t *slot; /* where the contact of a pair is kept, TW_NO_SLOT for one that never touched */
    size_t count, capacity;
    /* Contacts by slot. Which slot a contact has is nobody's business: nothing is done in their
     * order. */
    tw_contact_memory *memory; /* valid where touching, as all of them */
    tw_push *push;
    uint8_t *sliding;
    size_t slots;          /* given out since the list was made */
    uint32_t *first;       /* first pair with body p = i; bodies + 1 entries */
    uint32_t *touch_first; /* pairs of body i, as p or as q: entries of touch_pair; bodies + walls +
                              1 */
    uint32_t *touch_pair;  /* pair number, twice per pair; bit 31 set: the body is q */
    size_t body_capacity;
} tw_pairs;

/* Sums over time [J]. */
typedef struct tw_books {
    double friction, contact_damping, body_damping;
    double cell, walls, gravity;
    double start; /* kinetic and stored energy when the first step began */
    int32_t started, unused;
} tw_books;

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
    tw_contact_law law;
    double density, mass_scale;
    tw_vec3 gravity;
    double damping_mass, damping_spin, damping_local;
    double skin_wish;   /* as asked for; 0: chosen */
    double skin;        /* in force [m] */
    double dt;          /* [s]; 0: not yet chosen */
    double dt_fraction; /* of the stable step, where dt is chosen */
    int32_t dt_chosen;  /* 1: dt follows the stable step */
    int32_t dt_forced;  /* 1: dt may exceed the stable step */
    double time;        /* [s] */
    uint64_t steps;
    uint64_t searches; /* how often the neighbour list was made */
    tw_books books;
    tw_sums sums;
    tw_mat3 cell_back; /* 1 - (affine map of the last step)^-1; used within a step alone */
    int32_t placed;    /* spheres and neighbour list belong to the bodies */
    tw_arena scratch;
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

/* Centres of the spheres from positions and orientations of the bodies. */
void tw_world_move_spheres(tw_world *world);
void tw_world_spheres_at(tw_world *world, const tw_vec3 *x, const tw_quat *q);

/* Puts the bodies into a new order: new index i holds what was at order[i]. */
tw_status tw_world_permute_bodies(tw_world *world, const uint32_t *order, tw_error *error);

/* Room for this many pairs, and for the tables that go with them. */
tw_status tw_world_reserve_pairs(tw_world *world, size_t pairs, tw_error *error);

/* A slot for pair k, if it has none. May be called for different pairs at the same time. */
static inline uint32_t tw_pairs_slot(tw_pairs *pairs, size_t k)
{
    if (pairs->slot[k] == TW_NO_SLOT) {
        size_t slot;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
        slot = pairs->slots++;
        pairs->slot[k] = (uint32_t)slot;
    }
    return pairs->slot[k];
}

static inline uint32_t tw_world_body_of(const tw_world *world, uint32_t sphere)
{
    const size_t walls = sphere - world->spheres.count;
    return sphere < world->spheres.count ? world->spheres.body[sphere]
                                         : (uint32_t)(world->bodies.count + walls);
}

#endif
