/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on body slots and the sum of their moments: what step/touch.c computes, in the order of
 * contact slots. */
#ifndef TW_DEVICE_ACCUMULATE_H
#define TW_DEVICE_ACCUMULATE_H

#include "device/device_access.h"
#include "device/device_laws.h"
#include "device/device_sums.h"
#include "device/device_tiles.h"
#include "device/device_world.h"

/* A body slot, and the parts of the world that its forces are summed with. */
typedef struct tw_device_load {
    const tw_tiles *tiles;
    const tw_pairs *pairs;
    const tw_spheres *spheres;
    const tw_device_list *list;
    const tw_device_touch *touch;
    tw_device_run *run;
    tw_device_forces *forces;
    uint32_t b;
} tw_device_load;

/* Lists the contact slots in ascending order. Returns the first ones. */
TW_INLINE tw_device_incident tw_device_accumulate_list(const tw_device_load *at)
{
    const tw_device_list *list = at->list;
    tw_device_forces *forces = at->forces;
    const uint32_t b = at->b;
    const uint32_t first = list->near_first[b], end = list->near_first[b + 1];
    uint32_t next = first;
    for (uint32_t k = first; k < end; k++) {
        const uint32_t pair = list->near[k] & ~TW_DEVICE_AS_Q,
                       side = list->near[k] & TW_DEVICE_AS_Q;
        const uint32_t slot = at->pairs->slot[pair];
        if (slot == TW_NO_SLOT) continue;
        uint32_t place = next++;
        for (; place > first && (forces->incident[place - 1] & ~TW_DEVICE_AS_Q) > slot; place--)
            forces->incident[place] = forces->incident[place - 1];
        forces->incident[place] = slot | side;
    }
    tw_device_incident head;
    for (uint32_t k = 0; k < TW_DEVICE_INCIDENT_HEAD; k++)
        head.slot[k] = first + k < next ? forces->incident[first + k] : TW_DEVICE_NO_CONTACT;
    forces->incident_head[b] = head;
    forces->incident_count[b] = next - first;
    forces->changed[b] = 0;
    return head;
}

/* ---- Forces ---- */

/* Contacts of a body slot are loaded in batches before they are added, so that the loads overlap.
 */
enum { TW_DEVICE_ACCUMULATE_ROWS = 4 };

/* Adds the forces of contacts. The force on q is the opposite of that on p. Where there is none, a
 * 0 changes no bit of a sum that started at 0. */
TW_INLINE void tw_device_accumulate_add(const double *load, const uint32_t *slot,
                                        tw_device_rows_six *sum)
{
    enum { ROWS = TW_DEVICE_ACCUMULATE_ROWS };
    tw_device_rows_six row[ROWS];
    for (uint32_t j = 0; j < ROWS; j++) {
        row[j].a = row[j].b = tw_vec3_make(0.0, 0.0, 0.0);
        if (slot[j] != TW_DEVICE_NO_CONTACT)
            row[j] = tw_device_rows_get_six(load + 6 * (size_t)(slot[j] & ~TW_DEVICE_AS_Q));
    }
    for (uint32_t j = 0; j < ROWS; j++) {
        const double sign = slot[j] & TW_DEVICE_AS_Q ? -1.0 : 1.0;
        sum->a = tw_vec3_add_scaled(sum->a, sign, row[j].a);
        sum->b = tw_vec3_add_scaled(sum->b, sign, row[j].b);
    }
}

/* Those after the first ones. */
TW_INLINE void tw_device_accumulate_others(const tw_device_load *at, tw_device_rows_six *sum)
{
    enum { ROWS = TW_DEVICE_ACCUMULATE_ROWS };
    const uint32_t *from = at->forces->incident + at->list->near_first[at->b];
    const uint32_t count = at->forces->incident_count[at->b];
    for (uint32_t k = TW_DEVICE_INCIDENT_HEAD; k < count; k += ROWS) {
        uint32_t slot[ROWS];
        for (uint32_t j = 0; j < ROWS; j++)
            slot[j] = k + j < count ? from[k + j] : TW_DEVICE_NO_CONTACT;
        tw_device_accumulate_add(at->touch->load, slot, sum);
    }
}

/* Force, and torque about the tile's origin. */
TW_INLINE tw_device_rows_six tw_device_accumulate_contacts(const tw_device_load *at)
{
    enum { FIRST = TW_DEVICE_INCIDENT_HEAD };
    tw_device_incident first = tw_device_rows_incident(&at->forces->incident_head[at->b]);
    if (at->forces->changed[at->b]) first = tw_device_accumulate_list(at);
    tw_device_rows_six sum;
    sum.a = sum.b = tw_vec3_make(0.0, 0.0, 0.0);
    for (uint32_t j = 0; j < FIRST; j += TW_DEVICE_ACCUMULATE_ROWS)
        if (first.slot[j] != TW_DEVICE_NO_CONTACT)
            tw_device_accumulate_add(at->touch->load, first.slot + j, &sum);
    if (first.slot[FIRST - 1] != TW_DEVICE_NO_CONTACT) tw_device_accumulate_others(at, &sum);
    return sum;
}

/* Adds the forces of walls, after those of all contacts of spheres. */
TW_INLINE void tw_device_accumulate_walls(const tw_device_load *at, tw_device_rows_six *sum)
{
    const tw_tile *tile = &at->tiles->tile[tw_device_tiling_tile_with(at->tiles, at->list, at->b)];
    const uint32_t k = at->b - tile->body_slot;
    if (k >= tile->bodies) return;
    double force[3] = {sum->a.x, sum->a.y, sum->a.z}, torque[3] = {sum->b.x, sum->b.y, sum->b.z};
    tw_device_walls_add(at->tiles, at->pairs, at->spheres, at->touch, tile->body + k, force,
                        torque);
    sum->a = tw_vec3_make(force[0], force[1], force[2]);
    sum->b = tw_vec3_make(torque[0], torque[1], torque[2]);
}

/* Notes the body of a body slot whose force is not finite. A position that is not finite shows in
 * the torque. The sums over slots of a body that are finite are so too: forces of contacts are
 * limited. */
TW_INLINE void tw_device_accumulate_watch(const tw_device_load *at, tw_vec3 f, tw_vec3 torque)
{
    if (0.0 * ((f.x + f.y) + (f.z + torque.x) + (torque.y + torque.z)) == 0.0) return;
    const tw_tile *tile = &at->tiles->tile[tw_device_tiling_tile_with(at->tiles, at->list, at->b)];
    const uint32_t k = at->b - tile->body_slot, ghost = k - tile->bodies;
    if (k < tile->bodies)
        tw_device_atomic_min(&at->run->bad_body, tile->body + k);
    else if (ghost < tile->ghosts)
        tw_device_atomic_min(&at->run->bad_body, at->tiles->ghost[tile->ghost + ghost].body);
}

/* A body slot at x: its force, which is returned. After an excessive overlap the forces stay those
 * of before, as on the CPU. */
TW_INLINE tw_vec3 tw_device_accumulate_slot(const tw_device_load *at, tw_vec3 x)
{
    const int bad = at->run->bad_pair != UINT64_MAX;
    tw_device_rows_six sum = tw_device_accumulate_contacts(at);
    if (at->list->walls > 0) tw_device_accumulate_walls(at, &sum);
    const tw_vec3 torque = tw_vec3_sub(sum.b, tw_vec3_cross(x, sum.a));
    if (!bad) tw_device_rows_put_six(at->forces->body_load + 6 * (size_t)at->b, sum.a, torque);
    tw_device_accumulate_watch(at, sum.a, torque);
    return sum.a;
}

TW_INLINE tw_vec3 tw_device_accumulate_centre(const tw_tiles *tiles, uint32_t b)
{
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&tiles->centre[b]);
    return tw_vec3_make(centre.x[0], centre.x[1], centre.x[2]);
}

/* ---- Moments ---- */

/* Body slots of a tile at a time: usually all. A multiple of TW_SUM_LANES. */
#ifndef TW_DEVICE_ACCUMULATE_CHUNK
#define TW_DEVICE_ACCUMULATE_CHUNK 896
#endif

/* What the threads of a tile share: centres and forces of some body slots, sums in lanes. */
typedef struct tw_device_accumulate_work {
    double x[3][TW_DEVICE_ACCUMULATE_CHUNK], f[3][TW_DEVICE_ACCUMULATE_CHUNK];
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_work;

TW_INLINE void tw_device_accumulate_note(tw_device_accumulate_work *work, uint32_t at, tw_vec3 x,
                                         tw_vec3 f)
{
    work->x[0][at] = x.x;
    work->x[1][at] = x.y;
    work->x[2][at] = x.z;
    work->f[0][at] = f.x;
    work->f[1][at] = f.y;
    work->f[2][at] = f.z;
}

/* Adds the moments of the forces of a chunk, as in step/touch.c: an element in a lane. */
TW_INLINE void tw_device_accumulate_add_chunk(tw_device_accumulate_work *work, uint32_t chunk,
                                              uint32_t count, uint32_t thread)
{
    const uint32_t element = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
    if (element >= 9) return;
    const double *x = work->x[element / 3], *f = work->f[element % 3];
    double m = chunk > 0 ? work->moment[element][lane] : 0.0;
    for (uint32_t k = lane; k < count; k += TW_SUM_LANES)
        m += x[k] * f[k];
    work->moment[element][lane] = m;
}

/* Body slots of a chunk. */
TW_INLINE uint32_t tw_device_accumulate_count(const tw_tile *tile, uint32_t chunk)
{
    const uint32_t first = chunk * TW_DEVICE_ACCUMULATE_CHUNK;
    const uint32_t left = tile->body_slots > first ? tile->body_slots - first : 0;
    return left < TW_DEVICE_ACCUMULATE_CHUNK ? left : TW_DEVICE_ACCUMULATE_CHUNK;
}

/* Two for each chunk: forces, and their moments; then the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_stages(const tw_tiles *tiles, uint32_t number)
{
    const uint32_t slots = tiles->tile[number].body_slots;
    return 2 * ((slots + TW_DEVICE_ACCUMULATE_CHUNK - 1) / TW_DEVICE_ACCUMULATE_CHUNK) + 1;
}

/* About one for each body slot. */
enum { TW_DEVICE_ACCUMULATE_THREADS = 832 };

/* A tile. */
TW_INLINE void tw_device_accumulate(const tw_tiles *tiles, const tw_pairs *pairs,
                                    const tw_spheres *spheres, const tw_device_list *list,
                                    const tw_device_touch *touch, tw_device_run *run,
                                    tw_device_forces *forces, tw_device_sums *sums,
                                    tw_device_accumulate_work *work, uint32_t number,
                                    uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t chunk = stage / 2, count = tw_device_accumulate_count(tile, chunk);
    if (stage + 1 == tw_device_accumulate_stages(tiles, number)) {
        if (thread < 9)
            *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_MOMENT + thread, number) =
                tw_device_walls_moment(tile, touch, thread) -
                tw_sum_lanes_join(work->moment[thread]);
    } else if (stage % 2 == 1) {
        tw_device_accumulate_add_chunk(work, chunk, count, thread);
    } else {
        const uint32_t first = tile->body_slot + chunk * TW_DEVICE_ACCUMULATE_CHUNK;
        for (uint32_t k = thread; k < count; k += TW_DEVICE_ACCUMULATE_THREADS) {
            const tw_device_load at = {tiles, pairs, spheres, list, touch, run, forces, first + k};
            const tw_vec3 x = tw_device_accumulate_centre(tiles, first + k);
            tw_device_accumulate_note(work, k, x, tw_device_accumulate_slot(&at, x));
        }
    }
}

#endif
