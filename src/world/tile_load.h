/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the body, sphere and contact slots of a tile. */
#ifndef TW_WORLD_TILE_LOAD_H
#define TW_WORLD_TILE_LOAD_H

#include "world/schedule.h"

/* Copies a tile's own bodies and their spheres into its slots, starting with number `first`. */
void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first);

/* Copies the ghosts of a tile, once all tiles have loaded their own bodies. */
void tw_tile_load_ghosts(const tw_state *state, tw_schedule *schedule, tw_tile *tile);

/* Empties a slot for contacts of spheres. */
void tw_tile_load_empty(tw_state *state, tw_schedule *schedule, const tw_tile *tile, uint32_t slot);

/* The body slot of a sphere slot. */
uint32_t tw_tile_load_body_slot(const tw_schedule *schedule, const tw_tile *tile,
                                uint32_t sphere_slot);

#endif
