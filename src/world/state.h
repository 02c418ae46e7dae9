/* SPDX-License-Identifier: BSD-3-Clause */
/* The state: what a step changes, and what a checkpoint holds. */
#ifndef TW_WORLD_STATE_H
#define TW_WORLD_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/quat.h"
#include "world/cell.h"
#include "world/contacts.h"

enum { TW_BODY_FIXED = 1 };

typedef struct tw_bodies {
#define TW_COLUMN(type, name) type *name;
#include "world/body_columns.def"
#undef TW_COLUMN
    size_t count, capacity;
} tw_bodies;

typedef struct tw_wall {
    tw_vec3 point, normal; /* normal: unit, towards the grains */
    tw_vec3 v;             /* [m/s] */
    tw_vec3 dx;            /* displacement of the last step [m] */
    tw_vec3 travel;        /* displacement since the neighbour list was made [m] */
    tw_vec3 force;         /* of the grains on the wall [N] */
    int32_t servo, unused;
    double target, gain, v_max;
} tw_wall;

/* Energy balance: sums over time [J]. */
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

typedef struct tw_state {
    tw_cell cell;
    tw_bodies bodies;
    tw_wall *walls;
    size_t wall_count, wall_capacity;
    tw_contacts contacts;
    tw_energy_balance balance;
    tw_sums sums;
    double skin; /* of the neighbour list [m] */
    double dt;   /* [s]; 0: not yet chosen */
    double time; /* [s] */
    uint64_t steps;
    uint64_t searches; /* how often the neighbour list was made */
} tw_state;

void tw_state_init(tw_state *state);
void tw_state_free(tw_state *state);

tw_status tw_state_reserve_bodies(tw_state *state, size_t count, tw_error *error);

/* One more body with all columns zero; its index is bodies.count - 1. */
tw_status tw_state_add_body(tw_state *state, tw_error *error);
tw_status tw_state_add_wall(tw_state *state, const tw_wall *wall, tw_error *error);

/* Index of the body with this id, by a linear search; SIZE_MAX if there is none. */
size_t tw_state_find_body(const tw_state *state, uint32_t id);

/* A value of any column. */
typedef union tw_column_value {
#define TW_COLUMN(type, name) type name;
#include "world/body_columns.def"
#undef TW_COLUMN
} tw_column_value;

/* Puts the bodies into a new order: new index i holds what was at order[i]. `room` is workspace,
 * one entry per body. */
void tw_state_permute_bodies(tw_state *state, const uint32_t *order, tw_column_value *room);

/* Room for this many contact slots. Memories are kept; damping forces and sliding flags are lost.
 * On failure nothing has changed. */
tw_status tw_state_reserve_contacts(tw_state *state, size_t slots, tw_error *error);

#endif
