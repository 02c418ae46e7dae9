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

/* Copies body k of a tile and its spheres into their slots. `exact`: the law takes Gibbs vectors;
 * `masses`: some law asks for the masses of bodies. */
TW_INLINE void tw_tile_load_body(const tw_state *state, tw_schedule *schedule, const tw_tile *tile,
                                 uint32_t k, int exact, int masses)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t i = tile->body + k, first = schedule->spheres.first[i],
                   end = schedule->spheres.first[i + 1];
    const tw_vec3 x = tw_vec3_sub(b->x[i], tile->origin),
                  turn = exact ? b->gibbs[i] : tw_tile_load_half(b->gibbs[i]);
    const tw_tile_half half = {{turn.x, turn.y, turn.z},
                               masses && !(b->flags[i] & TW_BODY_FIXED) ? b->mass[i] : 0.0};
    double *centre = schedule->tiles.centre[tile->body_slot + k].x;
    schedule->tiles.half[tile->body_slot + k] = half;
    centre[0] = x.x; /* its radius stays */
    centre[1] = x.y;
    centre[2] = x.z;
    if (schedule->tiles.single) return;
    const tw_mat3 r = tw_quat_matrix(b->q[i]);
    for (uint32_t s = first; s < end; s++) {
        tw_vec3 at = x;
        if (end > first + 1) at = tw_vec3_add(x, tw_mat3_mul_vec(r, schedule->spheres.offset[s]));
        const tw_tile_sphere_slot slot = {{at.x, at.y, at.z}, schedule->spheres.radius[s]};
        schedule->tiles.sphere_slot[tile->sphere_slot + s - schedule->spheres.first[tile->body]] =
            slot;
    }
}

/* Copies a tile's own bodies and their spheres into its slots, starting with number `first`. */
void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first);

/* Copies the ghosts of a tile, once all tiles have loaded their own bodies. */
void tw_tile_load_ghosts(const tw_state *state, tw_schedule *schedule, tw_tile *tile);

/* Empties a slot for contacts of spheres. On a device candidates are not listed, and laws only
 * where there are several. */
TW_INLINE void tw_tile_load_empty(tw_state *state, tw_schedule *schedule, const tw_tile *tile,
                                  uint32_t slot)
{
    tw_contacts *c = &state->contacts;
    const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    tw_bundle_put(c->bundle, slot, &idle);
    if (c->extras.parts) {
        tw_contact_extra none;
        memset(&none, 0, sizeof none);
        tw_extras_put(&c->extras, slot, &none);
    }
    schedule->slots.pair[slot] = TW_NO_PAIR;
    if (schedule->slots.candidate) schedule->slots.candidate[slot] = TW_NO_PAIR;
    if (schedule->slots.law) {
        schedule->slots.law[slot] = 0;
        schedule->slots.root[slot] = schedule->slots.inv_root[slot] = 1.0;
    }
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
