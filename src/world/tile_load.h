/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the body, sphere and contact slots of a tile. */
#ifndef TW_WORLD_TILE_LOAD_H
#define TW_WORLD_TILE_LOAD_H

#include "world/schedule.h"

/* Half of the rotation vector of a Gibbs vector. */
TW_INLINE tw_vec3 tw_tile_load_half(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* atan(t)/t */
    return tw_vec3_scale(
        t < 1e-2 ? 1.0 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7))) : tw_math_atan(t) / t, g);
}

/* Copies a tile's own bodies and their spheres into its slots, starting with number `first`. */
void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first);

/* Copies the ghosts of a tile, once all tiles have loaded their own bodies. */
void tw_tile_load_ghosts(const tw_state *state, tw_schedule *schedule, tw_tile *tile);

/* Empties a slot for contacts of spheres. */
TW_INLINE void tw_tile_load_empty(tw_state *state, tw_schedule *schedule, const tw_tile *tile,
                                  uint32_t slot)
{
    tw_contacts *c = &state->contacts;
    const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    tw_bundle_put(c->bundle, slot, &idle);
    if (c->extras.parts) {
        const tw_contact_extra none = {0};
        tw_extras_put(&c->extras, slot, &none);
    }
    schedule->slots.pair[slot] = schedule->slots.candidate[slot] = TW_NO_PAIR;
    schedule->slots.law[slot] = 0;
    schedule->slots.root[slot] = schedule->slots.inv_root[slot] = 1.0;
    c->sliding[slot] = 0;
    schedule->slots.sphere_p[slot] = tile->sphere_slot + tile->sphere_slots - 2;
    schedule->slots.sphere_q[slot] = schedule->slots.sphere_p[slot] + 1;
    if (schedule->tiles.single) return;
    schedule->slots.body_p[slot] = tile->body_slot + tile->body_slots - 2;
    schedule->slots.body_q[slot] = schedule->slots.body_p[slot] + 1;
}

/* The body slot of a sphere slot. */
TW_INLINE uint32_t tw_tile_load_body_slot(const tw_schedule *schedule, const tw_tile *tile,
                                          uint32_t sphere_slot)
{
    const uint32_t own = tile->sphere_slots - 2 - tile->ghost_spheres,
                   k = sphere_slot - tile->sphere_slot;
    if (schedule->tiles.single) return tile->body_slot + k;
    if (k >= own) return schedule->tiles.ghost_sphere[tile->ghost_sphere + k - own].body_slot;
    const uint32_t sphere = schedule->spheres.first[tile->body] + k;
    return tile->body_slot + schedule->spheres.body[sphere] - tile->body;
}

#endif
