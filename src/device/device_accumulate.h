/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on body slots and the sum of their moments: what step/touch.c computes, in the order of
 * contact slots. */
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

/* Body slots of a tile at a time, at most: a multiple of TW_SUM_LANES. */
#ifndef TW_DEVICE_ACCUMULATE_PART
#define TW_DEVICE_ACCUMULATE_PART 256
#endif

/* ---- Forces ---- */

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

TW_INLINE tw_device_rows_six tw_device_accumulate_forces(tw_device_world *w, uint32_t b)
{
    tw_device_rows_six sum = tw_device_accumulate_contacts(w, b);
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

/* A body slot at x: its force, which is returned. After an excessive overlap the forces stay those
 * of before, as on the CPU. */
TW_INLINE tw_vec3 tw_device_accumulate_slot(tw_device_world *w, uint32_t b, tw_vec3 x)
{
    const int bad = w->run.bad_pair != UINT64_MAX;
    const tw_device_rows_six sum = tw_device_accumulate_forces(w, b);
    const tw_vec3 torque = tw_vec3_sub(sum.b, tw_vec3_cross(x, sum.a));
    if (!bad) tw_device_rows_put_six(w->body_load + 6 * (size_t)b, sum.a, torque);
    tw_device_accumulate_watch(w, b, sum.a, torque);
    if (b == 0 && !bad) w->run.gathered = 0;
    return sum.a;
}

TW_INLINE tw_vec3 tw_device_accumulate_centre(const tw_device_world *w, uint32_t b)
{
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&w->schedule.tiles.centre[b]);
    return tw_vec3_make(centre.x[0], centre.x[1], centre.x[2]);
}

/* Where there are few tiles, an item for each body slot, and moments afterwards. */
TW_INLINE void tw_device_accumulate(tw_device_world *w, uint32_t b)
{
    tw_device_accumulate_slot(w, b, tw_device_accumulate_centre(w, b));
}

/* ---- Moments ---- */

/* Centres and forces of some body slots of a tile. */
typedef struct tw_device_accumulate_places {
    double x[3][TW_DEVICE_ACCUMULATE_PART], f[3][TW_DEVICE_ACCUMULATE_PART];
} tw_device_accumulate_places;

TW_INLINE void tw_device_accumulate_note(tw_device_accumulate_places *places, uint32_t at,
                                         tw_vec3 x, tw_vec3 f)
{
    places->x[0][at] = x.x;
    places->x[1][at] = x.y;
    places->x[2][at] = x.z;
    places->f[0][at] = f.x;
    places->f[1][at] = f.y;
    places->f[2][at] = f.z;
}

/* Adds the moments of the forces of part number `part`, as in step/touch.c: a row, a lane. */
TW_INLINE void tw_device_accumulate_add_part(const tw_device_accumulate_places *places,
                                             double moment[][TW_SUM_LANES], uint32_t part,
                                             uint32_t count, uint32_t thread)
{
    const uint32_t row = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
    const double *f0 = places->f[0], *f1 = places->f[1], *f2 = places->f[2];
    double m0 = 0.0, m1 = 0.0, m2 = 0.0;
    if (row >= 3) return;
    const double *x = places->x[row];
    if (part > 0) {
        m0 = moment[3 * row][lane];
        m1 = moment[3 * row + 1][lane];
        m2 = moment[3 * row + 2][lane];
    }
    for (uint32_t k = lane; k < count; k += TW_SUM_LANES) {
        m0 += x[k] * f0[k];
        m1 += x[k] * f1[k];
        m2 += x[k] * f2[k];
    }
    moment[3 * row][lane] = m0;
    moment[3 * row + 1][lane] = m1;
    moment[3 * row + 2][lane] = m2;
}

/* Parts of a tile, and body slots of one of them: 0 after the last. */
TW_INLINE uint32_t tw_device_accumulate_parts(const tw_tile *tile)
{
    return (tile->body_slots + TW_DEVICE_ACCUMULATE_PART - 1) / TW_DEVICE_ACCUMULATE_PART;
}

TW_INLINE uint32_t tw_device_accumulate_count(const tw_tile *tile, uint32_t part)
{
    const uint32_t first = part * TW_DEVICE_ACCUMULATE_PART;
    const uint32_t left = tile->body_slots > first ? tile->body_slots - first : 0;
    return left < TW_DEVICE_ACCUMULATE_PART ? left : TW_DEVICE_ACCUMULATE_PART;
}

TW_INLINE void tw_device_accumulate_join(tw_device_world *w, double moment[][TW_SUM_LANES],
                                         uint32_t number, uint32_t thread)
{
    if (thread < 9)
        *tw_device_sums_tile(w, TW_DEVICE_SUM_MOMENT + thread, number) =
            tw_sum_lanes_join(moment[thread]);
}

/* ---- A tile: moments of forces that are known ---- */

/* Parts that are read at a time. */
enum { TW_DEVICE_ACCUMULATE_GROUP = 4, TW_DEVICE_ACCUMULATE_MOMENT_THREADS = 256 };

typedef struct tw_device_accumulate_moments_work {
    tw_device_accumulate_places places[TW_DEVICE_ACCUMULATE_GROUP];
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_moments_work;

/* The force after an excessive overlap, which is not among those of the body slots. */
TW_MATH_CALL tw_vec3 tw_device_accumulate_again(tw_device_world *w, uint32_t b)
{
    return tw_device_accumulate_forces(w, b).a;
}

TW_INLINE void tw_device_accumulate_read(tw_device_world *w, tw_device_accumulate_places *places,
                                         uint32_t b, uint32_t at)
{
    const double *force = w->body_load + 6 * (size_t)b;
    tw_vec3 f = tw_vec3_make(force[0], force[1], force[2]);
    if (w->run.bad_pair != UINT64_MAX) f = tw_device_accumulate_again(w, b);
    tw_device_accumulate_note(places, at, tw_device_accumulate_centre(w, b), f);
}

/* Two for each group: they are read, and added; then the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_moments_stages(const tw_device_world *w, uint32_t number)
{
    const uint32_t parts = tw_device_accumulate_parts(&w->schedule.tiles.tile[number]);
    return 2 * ((parts + TW_DEVICE_ACCUMULATE_GROUP - 1) / TW_DEVICE_ACCUMULATE_GROUP) + 1;
}

TW_INLINE void tw_device_accumulate_moments(tw_device_world *w,
                                            tw_device_accumulate_moments_work *work,
                                            uint32_t number, uint32_t stage, uint32_t thread)
{
    enum { PART = TW_DEVICE_ACCUMULATE_PART, GROUP = TW_DEVICE_ACCUMULATE_GROUP };
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t first = stage / 2 * GROUP; /* part */
    if (stage + 1 == tw_device_accumulate_moments_stages(w, number)) {
        tw_device_accumulate_join(w, work->moment, number, thread);
    } else if (stage % 2 == 0) {
        for (uint32_t k = thread; k < GROUP * PART; k += TW_DEVICE_ACCUMULATE_MOMENT_THREADS)
            if (first * PART + k < tile->body_slots)
                tw_device_accumulate_read(w, &work->places[k / PART],
                                          tile->body_slot + first * PART + k, k % PART);
    } else {
        for (uint32_t p = 0; p < GROUP; p++)
            tw_device_accumulate_add_part(&work->places[p], work->moment, first + p,
                                          tw_device_accumulate_count(tile, first + p), thread);
    }
}

/* ---- A tile: forces and moments, where there are many tiles ---- */

/* A thread for each body slot of a part. Meanwhile other threads add the moments of the part
 * before. */
enum { TW_DEVICE_ACCUMULATE_THREADS = TW_DEVICE_ACCUMULATE_PART + 32 };

typedef struct tw_device_accumulate_tile_work {
    tw_device_accumulate_places places[2];
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_tile_work;

/* The parts; one more for the moments of the last; the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_tile_stages(const tw_device_world *w, uint32_t number)
{
    return tw_device_accumulate_parts(&w->schedule.tiles.tile[number]) + 2;
}

TW_INLINE void tw_device_accumulate_tile(tw_device_world *w, tw_device_accumulate_tile_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    if (stage > tw_device_accumulate_parts(tile)) {
        tw_device_accumulate_join(w, work->moment, number, thread);
    } else if (thread < TW_DEVICE_ACCUMULATE_PART) {
        if (thread >= tw_device_accumulate_count(tile, stage)) return;
        const uint32_t b = tile->body_slot + stage * TW_DEVICE_ACCUMULATE_PART + thread;
        const tw_vec3 x = tw_device_accumulate_centre(w, b);
        tw_device_accumulate_note(&work->places[stage % 2], thread, x,
                                  tw_device_accumulate_slot(w, b, x));
    } else if (stage > 0) {
        tw_device_accumulate_add_part(&work->places[(stage - 1) % 2], work->moment, stage - 1,
                                      tw_device_accumulate_count(tile, stage - 1),
                                      thread - TW_DEVICE_ACCUMULATE_PART);
    }
}

#endif
