/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on bodies: the sums that step/touch.c and step/gather.c compute, in the order of contact
 * slots and then of tiles. */
#ifndef TW_DEVICE_ACCUMULATE_H
#define TW_DEVICE_ACCUMULATE_H

#include "device/device_atomic.h"
#include "device/device_rows.h"
#include "device/device_walls.h"
#include "device/device_world.h"

/* Lists the contact slots of body slot b in ascending order. */
TW_INLINE void tw_device_accumulate_list(tw_device_world *w, uint32_t b)
{
    const uint32_t first = w->near_first[b], end = w->near_first[b + 1];
    uint32_t next = first;
    for (uint32_t k = first; k < end; k++) {
        const uint32_t pair = w->near[k] & ~TW_DEVICE_AS_Q, side = w->near[k] & TW_DEVICE_AS_Q;
        const uint32_t slot = w->schedule.pairs.slot[pair];
        if (slot == TW_NO_SLOT) continue;
        uint32_t at = next++;
        for (; at > first && (w->seat[at - 1] & ~TW_DEVICE_AS_Q) > slot; at--)
            w->seat[at] = w->seat[at - 1];
        w->seat[at] = slot | side;
    }
    w->seats[b] = next - first;
    w->changed[b] = 0;
}

/* The tile of a body slot. */
TW_INLINE const tw_tile *tw_device_accumulate_tile(const tw_device_world *w, uint32_t b)
{
    const tw_tile *tile = w->schedule.tiles.tile;
    uint32_t low = 0, high = w->tiles;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (tile[middle].body_slot <= b)
            low = middle;
        else
            high = middle;
    }
    return &tile[low];
}

/* Adds the forces of walls, after those of all contacts of spheres. */
TW_INLINE void tw_device_accumulate_walls(const tw_device_world *w, uint32_t b, tw_vec3 *f,
                                          tw_vec3 *t)
{
    const tw_tile *tile = tw_device_accumulate_tile(w, b);
    if (b - tile->body_slot >= tile->bodies) return;
    double force[3] = {f->x, f->y, f->z}, torque[3] = {t->x, t->y, t->z};
    tw_device_walls_add(w, tile->body + (b - tile->body_slot), force, torque);
    *f = tw_vec3_make(force[0], force[1], force[2]);
    *t = tw_vec3_make(torque[0], torque[1], torque[2]);
}

/* A body slot: its force accumulator. The force on q is the opposite of that on p. */
TW_INLINE void tw_device_accumulate(tw_device_world *w, uint32_t b)
{
    if (w->changed[b]) tw_device_accumulate_list(w, b);
    const uint32_t *seat = w->seat + w->near_first[b];
    const uint32_t seats = w->seats[b];
    const double *load = w->load;
    tw_vec3 f = tw_vec3_make(0.0, 0.0, 0.0), t = f;
    for (uint32_t k = 0; k < seats; k++) {
        const uint32_t slot = seat[k] & ~TW_DEVICE_AS_Q;
        const double sign = seat[k] & TW_DEVICE_AS_Q ? -1.0 : 1.0;
        const tw_device_rows_six row = tw_device_rows_get_six(load + 6 * (size_t)slot);
        f = tw_vec3_add_scaled(f, sign, row.a);
        t = tw_vec3_add_scaled(t, sign, row.b);
    }
    if (w->state.wall_count > 0) tw_device_accumulate_walls(w, b, &f, &t);
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&w->schedule.tiles.centre[b]);
    const tw_vec3 x = tw_vec3_make(centre.x[0], centre.x[1], centre.x[2]);
    const tw_vec3 torque = tw_vec3_sub(t, tw_vec3_cross(x, f));
    double *to = w->schedule.tiles.accumulator[b].force;
    tw_device_rows_put(to, f.x, f.y, f.z, torque.x);
    tw_device_rows_put(to + 4, torque.y, torque.z, 0.0, 0.0);
}

/* A body: force and torque. A position that is not finite shows in the torque. After an excessive
 * overlap there is no sum, as on the CPU. */
TW_INLINE void tw_device_accumulate_body(tw_device_world *w, uint32_t i)
{
    if (w->run.bad_pair != UINT64_MAX) return;
    const tw_tiles *t = &w->schedule.tiles;
    const tw_tile *tile = &t->tile[tw_tiles_home(t, i)];
    const tw_bodies *b = &w->state.bodies;
    const uint32_t end = t->ghost_first[i + 1];
    tw_vec3 f = tw_vec3_make(0.0, 0.0, 0.0), torque = f;
    tw_device_rows_add(&t->accumulator[tile->body_slot + (i - tile->body)], &f, &torque);
    for (uint32_t v = t->ghost_first[i]; v < end; v++)
        tw_device_rows_add(&t->accumulator[t->ghost_slot[v]], &f, &torque);
    b->force[i] = f;
    b->torque[i] = torque;
    if (0.0 * ((f.x + f.y) + (f.z + torque.x) + (torque.y + torque.z)) != 0.0)
        tw_device_atomic_min(&w->run.bad_body, i);
}

#endif
