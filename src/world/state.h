/* SPDX-License-Identifier: BSD-3-Clause */
/* The state: what a step changes, and what a checkpoint holds. */
#ifndef TW_WORLD_STATE_H
#define TW_WORLD_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "world/bodies.h"
#include "world/cell.h"
#include "world/contacts.h"
#include "world/energy_balance.h"
#include "world/sums.h"
#include "world/wall.h"

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

/* Puts the bodies into a new order: new index i holds what was at order[i]. `room` is workspace,
 * one entry per body. */
void tw_state_permute_bodies(tw_state *state, const uint32_t *order, tw_bodies_value *room);

/* Room for this many contact slots. Memories are kept, sliding flags are lost. On failure nothing
 * has changed. */
tw_status tw_state_reserve_contacts(tw_state *state, size_t slots, tw_error *error);

/* Room for these parts of tw_contact_extra, in addition to those there are; new ones are zero. On
 * failure nothing has changed. */
tw_status tw_state_need_extras(tw_state *state, uint32_t parts, tw_error *error);

#endif
