/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on body slots and the sum of their moments: what step/touch.c computes, in the order of
 * contact slots. Includer: a runtime first. */
#ifndef TW_DEVICE_ACCUMULATE_H
#define TW_DEVICE_ACCUMULATE_H

#include "device/device_atomic.h"
#include "device/device_rows.h"
#include "device/device_sums.h"
#include "device/device_tiling_ghosts.h"
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

/* ---- Forces ---- */

TW_INLINE void tw_device_accumulate_add(tw_device_rows_six *sum, uint32_t seat,
                                        tw_device_rows_six row)
{
    const double sign = seat & TW_DEVICE_AS_Q ? -1.0 : 1.0;
    sum->a = tw_vec3_add_scaled(sum->a, sign, row.a);
    sum->b = tw_vec3_add_scaled(sum->b, sign, row.b);
}

#if defined(__CUDA_ARCH__)
/* For the 32 body slots of a warp. A row takes three accesses; three neighbouring threads make them
 * at once, for each other: the memory is asked for a third of the lines. */
__device__ inline tw_device_rows_six tw_device_accumulate_warp(const double *load,
                                                               const uint32_t *from, uint32_t count)
{
    enum { ROUNDS = 3 }; /* contacts of each that are under way at once */
    __shared__ double2 shared[TW_DEVICE_BLOCK / 32][ROUNDS][96];
    const unsigned lane = threadIdx.x & 31u;
    const uint32_t most = __reduce_max_sync(~0u, count), none = ~0u;
    double2(*piece)[96] = shared[threadIdx.x / 32];
    tw_device_rows_six sum;
    sum.a = sum.b = tw_vec3_make(0.0, 0.0, 0.0);
    for (uint32_t first = 0; first < most; first += ROUNDS) {
        uint32_t seat[ROUNDS];
        double2 v[ROUNDS][3];
        for (int k = 0; k < ROUNDS; k++)
            seat[k] = first + k < count ? from[first + k] : none;
        for (int k = 0; k < ROUNDS; k++)
            for (unsigned j = 0; j < 3; j++) {
                const unsigned e = 32 * j + lane;
                const uint32_t of = __shfl_sync(~0u, seat[k], (int)(e / 3));
                if (of != none)
                    v[k][j] = ((const double2 *)load)[3 * (size_t)(of & ~TW_DEVICE_AS_Q) + e % 3];
            }
        for (int k = 0; k < ROUNDS; k++)
            for (unsigned j = 0; j < 3; j++)
                piece[k][32 * j + lane] = v[k][j];
        __syncwarp();
        for (int k = 0; k < ROUNDS; k++) {
            if (seat[k] == none) continue;
            const double2 *at = &piece[k][3 * lane];
            tw_device_rows_six row;
            row.a = tw_vec3_make(at[0].x, at[0].y, at[1].x);
            row.b = tw_vec3_make(at[1].y, at[2].x, at[2].y);
            tw_device_accumulate_add(&sum, seat[k], row);
        }
        __syncwarp();
    }
    return sum;
}
#endif

/* Body slot b: force, and torque about the tile's origin. The force on q is the opposite of that on
 * p. */
TW_INLINE tw_device_rows_six tw_device_accumulate_contacts(const tw_device_world *w, uint32_t b)
{
    const uint32_t *from = w->seat + w->near_first[b];
    const uint32_t count = w->seats[b];
    tw_device_rows_six sum;
    sum.a = sum.b = tw_vec3_make(0.0, 0.0, 0.0);
    for (uint32_t k = 0; k < count; k++)
        tw_device_accumulate_add(
            &sum, from[k],
            tw_device_rows_get_six(w->load + 6 * (size_t)(from[k] & ~TW_DEVICE_AS_Q)));
    return sum;
}

/* Adds the forces of walls on a body slot, after those of all contacts of spheres. */
TW_INLINE void tw_device_accumulate_walls(const tw_device_world *w, uint32_t b,
                                          tw_device_rows_six *sum)
{
    const tw_tile *tile = &w->schedule.tiles.tile[tw_device_tiling_tile_with(w, b)];
    const uint32_t k = b - tile->body_slot;
    if (k >= tile->bodies) return;
    double force[3] = {sum->a.x, sum->a.y, sum->a.z}, torque[3] = {sum->b.x, sum->b.y, sum->b.z};
    tw_device_walls_add(w, tile->body + k, force, torque);
    sum->a = tw_vec3_make(force[0], force[1], force[2]);
    sum->b = tw_vec3_make(torque[0], torque[1], torque[2]);
}

TW_INLINE tw_device_rows_six tw_device_accumulate_forces(const tw_device_world *w, uint32_t b)
{
    tw_device_rows_six sum;
#if defined(__CUDA_ARCH__)
    if (__activemask() == ~0u)
        sum = tw_device_accumulate_warp(w->load, w->seat + w->near_first[b], w->seats[b]);
    else
#endif
        sum = tw_device_accumulate_contacts(w, b);
    if (w->state.wall_count > 0) tw_device_accumulate_walls(w, b, &sum);
    return sum;
}

/* Notes the body of a body slot whose force is not finite. A position that is not finite shows in
 * the torque. The sums over slots of a body that are finite are so too: forces of contacts are
 * limited. */
TW_INLINE void tw_device_accumulate_watch(tw_device_world *w, uint32_t b, tw_vec3 f, tw_vec3 torque)
{
    if (0.0 * ((f.x + f.y) + (f.z + torque.x) + (torque.y + torque.z)) == 0.0) return;
    const tw_tile *tile = &w->schedule.tiles.tile[tw_device_tiling_tile_with(w, b)];
    const uint32_t k = b - tile->body_slot, ghost = k - tile->bodies;
    if (k < tile->bodies)
        tw_device_atomic_min(&w->run.bad_body, tile->body + k);
    else if (ghost < tile->ghosts)
        tw_device_atomic_min(&w->run.bad_body, w->schedule.tiles.ghost[tile->ghost + ghost].body);
}

/* A body slot. After an excessive overlap the forces stay those of before, as on the CPU. */
TW_INLINE void tw_device_accumulate(tw_device_world *w, uint32_t b)
{
    const int bad = w->run.bad_pair != UINT64_MAX;
    if (w->changed[b]) tw_device_accumulate_list(w, b);
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&w->schedule.tiles.centre[b]);
    const tw_device_rows_six sum = tw_device_accumulate_forces(w, b);
    const tw_vec3 x = tw_vec3_make(centre.x[0], centre.x[1], centre.x[2]);
    const tw_vec3 torque = tw_vec3_sub(sum.b, tw_vec3_cross(x, sum.a));
    if (!bad) tw_device_rows_put_six_of(w->body_load, b, sum.a, torque);
    tw_device_accumulate_watch(w, b, sum.a, torque);
    if (b == 0 && !bad) w->run.gathered = 0;
}

/* ---- Moments ---- */

/* Body slots of a tile at a time: centres and forces are put into memory that the threads share. A
 * multiple of TW_SUM_LANES. */
#ifndef TW_DEVICE_ACCUMULATE_SLOTS
#define TW_DEVICE_ACCUMULATE_SLOTS 1000
#endif
enum { TW_DEVICE_ACCUMULATE_THREADS = 256 };

typedef struct tw_device_accumulate_work {
    double x[3][TW_DEVICE_ACCUMULATE_SLOTS], f[3][TW_DEVICE_ACCUMULATE_SLOTS];
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_work;

/* The force after an excessive overlap, which is not among those of the body slots. */
TW_MATH_CALL tw_vec3 tw_device_accumulate_again(const tw_device_world *w, uint32_t b)
{
    tw_device_rows_six sum = tw_device_accumulate_contacts(w, b);
    if (w->state.wall_count > 0) tw_device_accumulate_walls(w, b, &sum);
    return sum.a;
}

TW_INLINE void tw_device_accumulate_load(const tw_device_world *w, tw_device_accumulate_work *work,
                                         uint32_t b, uint32_t at)
{
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&w->schedule.tiles.centre[b]);
    const double *force = w->body_load + 6 * (size_t)b;
    tw_vec3 f = tw_vec3_make(force[0], force[1], force[2]);
    if (w->run.bad_pair != UINT64_MAX) f = tw_device_accumulate_again(w, b);
    work->x[0][at] = centre.x[0];
    work->x[1][at] = centre.x[1];
    work->x[2][at] = centre.x[2];
    work->f[0][at] = f.x;
    work->f[1][at] = f.y;
    work->f[2][at] = f.z;
}

/* Adds the moments of the forces, as in step/touch.c: an element, a lane. */
TW_INLINE double tw_device_accumulate_moment(const tw_device_accumulate_work *work, uint32_t count,
                                             uint32_t element, uint32_t lane, double sum)
{
    enum { BATCH = 8 };
    const double *x = work->x[element / 3], *f = work->f[element % 3];
    uint32_t k = lane;
    for (; k + (BATCH - 1) * TW_SUM_LANES < count; k += BATCH * TW_SUM_LANES) {
        double product[BATCH];
        for (uint32_t j = 0; j < BATCH; j++)
            product[j] = x[k + j * TW_SUM_LANES] * f[k + j * TW_SUM_LANES];
        for (uint32_t j = 0; j < BATCH; j++)
            sum += product[j];
    }
    for (; k < count; k += TW_SUM_LANES)
        sum += x[k] * f[k];
    return sum;
}

/* Two for each part of the body slots; then the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_tile_stages(const tw_device_world *w, uint32_t number)
{
    const uint32_t slots = w->schedule.tiles.tile[number].body_slots; /* at least two */
    return 2 * ((slots - 1) / TW_DEVICE_ACCUMULATE_SLOTS + 1) + 1;
}

/* A tile: the sum of the moments of the forces on its body slots. */
TW_INLINE void tw_device_accumulate_tile(tw_device_world *w, tw_device_accumulate_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t first = stage / 2 * TW_DEVICE_ACCUMULATE_SLOTS, left = tile->body_slots - first;
    const uint32_t count = left < TW_DEVICE_ACCUMULATE_SLOTS ? left : TW_DEVICE_ACCUMULATE_SLOTS;
    const uint32_t element = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
    if (stage + 1 == tw_device_accumulate_tile_stages(w, number)) {
        if (thread < 9)
            *tw_device_sums_tile(w, TW_DEVICE_SUM_MOMENT + thread, number) =
                tw_sum_lanes_join(work->moment[thread]);
    } else if (stage % 2 == 0) {
        for (uint32_t at = thread; at < count; at += TW_DEVICE_ACCUMULATE_THREADS)
            tw_device_accumulate_load(w, work, tile->body_slot + first + at, at);
    } else if (element < 9) {
        work->moment[element][lane] = tw_device_accumulate_moment(
            work, count, element, lane, stage == 1 ? 0.0 : work->moment[element][lane]);
    }
}

#endif
