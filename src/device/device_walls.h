/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of spheres and walls: step/touch.c. */
#ifndef TW_DEVICE_WALLS_H
#define TW_DEVICE_WALLS_H

#include "device/device_atomic.h"
#include "device/device_world.h"
#include "step/touch_one.h"

/* The rigid rotation of this step; NULL in a step of time. */
TW_INLINE const tw_vec3 *tw_device_walls_rigid(const tw_device_world *w)
{
    return w->run.rigid ? &w->run.turn : NULL;
}

TW_INLINE void tw_device_walls_put(double *to, tw_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* Work lost by a contact that was advanced one by one. */
TW_INLINE void tw_device_walls_lose(const tw_device_world *w, uint32_t slot,
                                    const tw_contact_load *load)
{
    if (w->lost[TW_DEVICE_FRICTION]) w->lost[TW_DEVICE_FRICTION][slot] = load->work_dissipated;
    if (w->lost[TW_DEVICE_MICRO_SLIP]) w->lost[TW_DEVICE_MICRO_SLIP][slot] = load->work_micro;
    if (w->lost[TW_DEVICE_ROLLING]) w->lost[TW_DEVICE_ROLLING][slot] = load->lost_rolling;
    if (w->lost[TW_DEVICE_TWISTING]) w->lost[TW_DEVICE_TWISTING][slot] = load->lost_twisting;
    if (w->lost[TW_DEVICE_VISCOUS]) w->lost[TW_DEVICE_VISCOUS][slot] = load->work_viscous;
}

/* A pair with a wall. What is in w->wall_load counts where slot_state[slot] is not TW_DEVICE_EMPTY.
 */
TW_INLINE void tw_device_walls(tw_device_world *w, uint32_t k)
{
    tw_state *state = &w->state;
    tw_schedule *schedule = &w->schedule;
    const tw_tiles *t = &schedule->tiles;
    const uint32_t at = t->wall_pair[k];
    const tw_pair *pair = &schedule->pairs.pair[at];
    const tw_tile *tile = &t->tile[tw_tiles_home(t, schedule->spheres.body[pair->p])];
    const uint32_t slot = tile->wall_slot + (k - tile->wall_pair);
    const tw_vec3 x = tw_schedule_sphere_centre(state, schedule, pair->p);
    const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
    tw_touch_one one;
    if (!tw_touch_one_wall(&w->model, state, schedule, tw_device_walls_rigid(w), w->run.rigid, pair,
                           tw_pairs_touch(&schedule->pairs, at), slot, x, &one)) {
        w->slot_state[slot] = TW_DEVICE_EMPTY;
        return;
    }
    const int touching = one.load.touching, acts = touching || tw_device_world_is_damped(w);
    const double r = schedule->spheres.radius[pair->p];
    schedule->pairs.slot[at] = touching ? slot : TW_NO_SLOT;
    schedule->slots.pair[slot] = at;
    w->slot_state[slot] = (uint8_t)(touching ? TW_DEVICE_SINGLE : TW_DEVICE_ENDED);
    tw_device_walls_lose(w, slot, &one.load);
    if (touching) {
        state->contacts.sliding[slot] = (uint8_t)one.load.sliding;
        if (tw_touch_one_is_bad(&one.load, one.memory.zeta, 0.5 * r))
            tw_device_atomic_min(&w->run.bad_pair, at);
    }
    double *load = w->wall_load + 9 * (size_t)k;
    tw_device_walls_put(load, acts ? one.load.f : none);
    tw_device_walls_put(load + 3, acts ? one.load.couple : none);
    tw_device_walls_put(load + 6, tw_vec3_add_scaled(tw_vec3_sub(x, tile->origin),
                                                     r - 0.5 * one.memory.zeta, one.memory.n));
}

/* The first entry of wall_pair of this body, or of one behind it in the tile. */
TW_INLINE uint32_t tw_device_walls_first(const tw_device_world *w, const tw_tile *tile,
                                         uint32_t body)
{
    const tw_schedule *schedule = &w->schedule;
    uint32_t low = tile->wall_pair, high = tile->wall_pair + tile->walls;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t p = schedule->pairs.pair[schedule->tiles.wall_pair[middle]].p;
        if (schedule->spheres.body[p] < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the forces of walls on a body to the force accumulator of its own body slot, whose torque is
 * about the tile's origin. */
TW_INLINE void tw_device_walls_add(const tw_device_world *w, uint32_t body, double force[3],
                                   double torque[3])
{
    const tw_schedule *schedule = &w->schedule;
    const tw_tiles *t = &schedule->tiles;
    const tw_tile *tile = &t->tile[tw_tiles_home(t, body)];
    const uint32_t end = tile->wall_pair + tile->walls;
    for (uint32_t k = tw_device_walls_first(w, tile, body); k < end; k++) {
        if (schedule->spheres.body[schedule->pairs.pair[t->wall_pair[k]].p] != body) return;
        if (w->slot_state[tile->wall_slot + (k - tile->wall_pair)] == TW_DEVICE_EMPTY) continue;
        const double *load = w->wall_load + 9 * (size_t)k;
        const tw_vec3 f = tw_vec3_make(load[0], load[1], load[2]);
        const tw_vec3 point = tw_vec3_make(load[6], load[7], load[8]);
        const tw_vec3 turn = tw_vec3_cross(point, f);
        const double both[3] = {turn.x, turn.y, turn.z};
        for (int j = 0; j < 3; j++) {
            force[j] += load[j];
            torque[j] += both[j];
            torque[j] += load[3 + j];
        }
    }
}

/* Sets the force accumulators of the walls in a tile, and subtracts the part of wall contacts from
 * the sum of the moment: the affine flow is about the origin of space, not of the tile. The torques
 * on walls are used by no one. */
TW_INLINE void tw_device_walls_sum(const tw_device_world *w, uint32_t tile_number, double moment[9])
{
    const tw_schedule *schedule = &w->schedule;
    const tw_tiles *t = &schedule->tiles;
    const tw_tile *tile = &t->tile[tile_number];
    tw_tile_accumulator *walls = t->wall_accumulator + tile_number * w->state.wall_count;
    for (size_t k = 0; k < w->state.wall_count; k++)
        memset(&walls[k], 0, sizeof walls[k]);
    for (uint32_t k = tile->wall_pair; k < tile->wall_pair + tile->walls; k++) {
        if (w->slot_state[tile->wall_slot + (k - tile->wall_pair)] == TW_DEVICE_EMPTY) continue;
        const double *load = w->wall_load + 9 * (size_t)k;
        tw_tile_accumulator *wall = &walls[schedule->pairs.pair[t->wall_pair[k]].q];
        const tw_mat3 m = tw_mat3_outer(tile->origin, tw_vec3_make(load[0], load[1], load[2]));
        for (int j = 0; j < 3; j++)
            wall->force[j] -= load[j];
        for (int j = 0; j < 9; j++)
            moment[j] -= m.m[j];
    }
}

#endif
