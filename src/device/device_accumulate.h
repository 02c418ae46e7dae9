/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on body slots and the sum of their moments: what step/touch.c computes, in the order of
 * contact slots. */
#ifndef TW_DEVICE_ACCUMULATE_H
#define TW_DEVICE_ACCUMULATE_H

#include "device/device_atomic.h"
#include "device/device_rows.h"
#include "device/device_sums.h"
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

/* Adds the forces of walls on a body, after those of all contacts of spheres. */
TW_INLINE void tw_device_accumulate_walls(const tw_device_world *w, uint32_t body,
                                          tw_device_rows_six *sum)
{
    double force[3] = {sum->a.x, sum->a.y, sum->a.z}, torque[3] = {sum->b.x, sum->b.y, sum->b.z};
    tw_device_walls_add(w, body, force, torque);
    sum->a = tw_vec3_make(force[0], force[1], force[2]);
    sum->b = tw_vec3_make(torque[0], torque[1], torque[2]);
}

/* Contacts of a body slot are loaded in batches before they are added, so that the loads overlap.
 */
enum { TW_DEVICE_ACCUMULATE_SEATS = 4, TW_DEVICE_ACCUMULATE_ROWS = 2 };

/* Adds the forces of contacts: `count` of those in `seat`. The force on q is the opposite of that
 * on p. Where there is none, a 0 changes no bit of a sum that started at 0. */
TW_INLINE void tw_device_accumulate_add(const double *load, const uint32_t *seat, uint32_t count,
                                        tw_device_rows_six *sum)
{
    enum { ROWS = TW_DEVICE_ACCUMULATE_ROWS };
    tw_device_rows_six row[ROWS];
    for (uint32_t j = 0; j < ROWS; j++) {
        row[j].a = row[j].b = tw_vec3_make(0.0, 0.0, 0.0);
        if (j < count)
            row[j] = tw_device_rows_get_six(load + 6 * (size_t)(seat[j] & ~TW_DEVICE_AS_Q));
    }
    for (uint32_t j = 0; j < ROWS; j++) {
        const double sign = seat[j] & TW_DEVICE_AS_Q ? -1.0 : 1.0;
        sum->a = tw_vec3_add_scaled(sum->a, sign, row[j].a);
        sum->b = tw_vec3_add_scaled(sum->b, sign, row[j].b);
    }
}

/* Body slot b: force, and torque about the tile's origin. */
TW_INLINE tw_device_rows_six tw_device_accumulate_contacts(tw_device_world *w, uint32_t b)
{
    enum { SEATS = TW_DEVICE_ACCUMULATE_SEATS, ROWS = TW_DEVICE_ACCUMULATE_ROWS };
    if (w->changed[b]) tw_device_accumulate_list(w, b);
    const uint32_t *from = w->seat + w->near_first[b];
    const uint32_t seats = w->seats[b];
    const double *load = w->load;
    tw_device_rows_six sum;
    sum.a = sum.b = tw_vec3_make(0.0, 0.0, 0.0);
    for (uint32_t first = 0; first < seats; first += SEATS) {
        const uint32_t count = seats - first;
        uint32_t seat[SEATS];
        for (uint32_t j = 0; j < SEATS; j++)
            seat[j] = j < count ? from[first + j] : 0;
        for (uint32_t j = 0; j < SEATS; j += ROWS)
            if (j < count) tw_device_accumulate_add(load, seat + j, count - j, &sum);
    }
    return sum;
}

/* Notes the body of a body slot, counted in its tile, whose force is not finite. A position that is
 * not finite shows in the torque. The sums over slots of a body that are finite are so too: forces
 * of contacts are limited. */
TW_INLINE void tw_device_accumulate_watch(tw_device_world *w, const tw_tile *tile, uint32_t k,
                                          tw_vec3 f, tw_vec3 torque)
{
    const uint32_t ghost = k - tile->bodies;
    if (0.0 * ((f.x + f.y) + (f.z + torque.x) + (torque.y + torque.z)) == 0.0) return;
    if (k < tile->bodies)
        tw_device_atomic_min(&w->run.bad_body, tile->body + k);
    else if (ghost < tile->ghosts)
        tw_device_atomic_min(&w->run.bad_body, w->schedule.tiles.ghost[tile->ghost + ghost].body);
}

/* ---- A tile, shared by threads ---- */

/* Body slots of a tile whose forces are kept for the sum of moments at a time. */
enum { TW_DEVICE_ACCUMULATE_SLOTS = 1000 }; /* a multiple of TW_SUM_LANES */

/* With many tiles several of them share a multiprocessor; with few each has all threads. */
enum { TW_DEVICE_ACCUMULATE_THREADS = 256, TW_DEVICE_ACCUMULATE_WIDE = 1024 };

typedef struct tw_device_accumulate_work {
    double f[3][TW_DEVICE_ACCUMULATE_SLOTS];
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_work;

/* Body slot k of the tile, which is number `at` of its part. After an excessive overlap the forces
 * stay those of before, as on the CPU. */
TW_INLINE void tw_device_accumulate_slot(tw_device_world *w, const tw_tile *tile, uint32_t k,
                                         tw_device_accumulate_work *work, uint32_t at)
{
    const uint32_t b = tile->body_slot + k;
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&w->schedule.tiles.centre[b]);
    tw_device_rows_six sum = tw_device_accumulate_contacts(w, b);
    if (w->state.wall_count > 0 && k < tile->bodies)
        tw_device_accumulate_walls(w, tile->body + k, &sum);
    const tw_vec3 x = tw_vec3_make(centre.x[0], centre.x[1], centre.x[2]), f = sum.a;
    const tw_vec3 torque = tw_vec3_sub(sum.b, tw_vec3_cross(x, f));
    work->f[0][at] = f.x;
    work->f[1][at] = f.y;
    work->f[2][at] = f.z;
    if (w->run.bad_pair == UINT64_MAX)
        tw_device_rows_put_six(w->body_load + 6 * (size_t)b, f, torque);
    tw_device_accumulate_watch(w, tile, k, f, torque);
}

/* Adds the moments of the forces of a part, as in step/touch.c: an element, a lane. */
TW_INLINE double tw_device_accumulate_moment(const tw_device_accumulate_work *work,
                                             const tw_tile_sphere_slot *centre, uint32_t count,
                                             uint32_t element, uint32_t lane, double sum)
{
    enum { BATCH = 8 };
    const double *f = work->f[element % 3];
    const uint32_t row = element / 3;
    for (uint32_t first = lane; first < count; first += BATCH * TW_SUM_LANES) {
        double x[BATCH];
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t k = first + j * TW_SUM_LANES;
            x[j] = k < count ? centre[k].x[row] : 0.0;
        }
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t k = first + j * TW_SUM_LANES;
            if (k < count) sum += x[j] * f[k];
        }
    }
    return sum;
}

/* Two for each part: forces, moments; then the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_stages(const tw_device_world *w, uint32_t number)
{
    const uint32_t slots = w->schedule.tiles.tile[number].body_slots;
    return 2 * ((slots + TW_DEVICE_ACCUMULATE_SLOTS - 1) / TW_DEVICE_ACCUMULATE_SLOTS) + 1;
}

/* A tile: forces on its body slots, and the sum of their moments. */
TW_INLINE void tw_device_accumulate_tile(tw_device_world *w, tw_device_accumulate_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread,
                                         uint32_t threads)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t first = stage / 2 * TW_DEVICE_ACCUMULATE_SLOTS, left = tile->body_slots - first;
    const uint32_t count = left < TW_DEVICE_ACCUMULATE_SLOTS ? left : TW_DEVICE_ACCUMULATE_SLOTS;
    if (stage + 1 == tw_device_accumulate_stages(w, number)) {
        if (thread < 9)
            *tw_device_sums_tile(w, TW_DEVICE_SUM_MOMENT + thread, number) =
                tw_sum_lanes_join(work->moment[thread]);
    } else if (stage % 2 == 0) {
        for (uint32_t at = thread; at < count; at += threads)
            tw_device_accumulate_slot(w, tile, first + at, work, at);
    } else if (thread < 9 * TW_SUM_LANES) {
        double *sum = &work->moment[thread / TW_SUM_LANES][thread % TW_SUM_LANES];
        *sum = tw_device_accumulate_moment(work, w->schedule.tiles.centre + tile->body_slot + first,
                                           count, thread / TW_SUM_LANES, thread % TW_SUM_LANES,
                                           stage == 1 ? 0.0 : *sum);
    }
    if (number == 0 && stage == 0 && thread == 0 && w->run.bad_pair == UINT64_MAX)
        w->run.gathered = 0;
}

TW_INLINE void tw_device_accumulate(tw_device_world *w, tw_device_accumulate_work *work,
                                    uint32_t number, uint32_t stage, uint32_t thread)
{
    tw_device_accumulate_tile(w, work, number, stage, thread, TW_DEVICE_ACCUMULATE_THREADS);
}

TW_INLINE uint32_t tw_device_accumulate_wide_stages(const tw_device_world *w, uint32_t number)
{
    return tw_device_accumulate_stages(w, number);
}

TW_INLINE void tw_device_accumulate_wide(tw_device_world *w, tw_device_accumulate_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread)
{
    tw_device_accumulate_tile(w, work, number, stage, thread, TW_DEVICE_ACCUMULATE_WIDE);
}

#endif
