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
#define TW_DEVICE_ACCUMULATE_PART 288
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

/* Adds the moments of the forces, as in step/touch.c: an element, a lane. */
TW_INLINE double tw_device_accumulate_moment(const tw_device_accumulate_places *places,
                                             uint32_t count, uint32_t element, uint32_t lane,
                                             double sum)
{
    enum { BATCH = 8 };
    const double *x = places->x[element / 3], *f = places->f[element % 3];
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

/* A tile is taken in parts of equal length, a multiple of TW_SUM_LANES. */
typedef struct tw_device_accumulate_cut {
    uint32_t parts, size;
} tw_device_accumulate_cut;

TW_INLINE tw_device_accumulate_cut tw_device_accumulate_cut_of(const tw_tile *tile)
{
    tw_device_accumulate_cut cut;
    cut.parts = (tile->body_slots - 1) / TW_DEVICE_ACCUMULATE_PART + 1; /* it has at least two */
    cut.size = (tile->body_slots - 1) / cut.parts + 1;
    cut.size = (cut.size + TW_SUM_LANES - 1) / TW_SUM_LANES * TW_SUM_LANES;
    return cut;
}

/* Of part number `part`, and those after it if there is none. */
TW_INLINE uint32_t tw_device_accumulate_count(const tw_tile *tile, tw_device_accumulate_cut cut,
                                              uint32_t part)
{
    const uint32_t first = part * cut.size;
    if (first >= tile->body_slots) return 0;
    return tile->body_slots - first < cut.size ? tile->body_slots - first : cut.size;
}

/* A thread for each element and lane adds a part. */
TW_INLINE void tw_device_accumulate_add_part(const tw_device_accumulate_places *places,
                                             double moment[][TW_SUM_LANES], uint32_t part,
                                             uint32_t count, uint32_t thread)
{
    if (thread >= 9 * TW_SUM_LANES) return;
    double *sum = &moment[thread / TW_SUM_LANES][thread % TW_SUM_LANES];
    *sum = tw_device_accumulate_moment(places, count, thread / TW_SUM_LANES, thread % TW_SUM_LANES,
                                       part == 0 ? 0.0 : *sum);
}

TW_INLINE void tw_device_accumulate_join(tw_device_world *w, double moment[][TW_SUM_LANES],
                                         uint32_t number, uint32_t thread)
{
    if (thread < 9)
        *tw_device_sums_tile(w, TW_DEVICE_SUM_MOMENT + thread, number) =
            tw_sum_lanes_join(moment[thread]);
}

/* ---- A tile: moments of forces that are known ---- */

enum { TW_DEVICE_ACCUMULATE_MOMENT_THREADS = 256 };

typedef struct tw_device_accumulate_moments_work {
    tw_device_accumulate_places places;
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_moments_work;

/* The force after an excessive overlap, which is not among those of the body slots. */
TW_MATH_CALL tw_vec3 tw_device_accumulate_again(tw_device_world *w, uint32_t b)
{
    return tw_device_accumulate_forces(w, b).a;
}

TW_INLINE uint32_t tw_device_accumulate_moments_stages(const tw_device_world *w, uint32_t number)
{
    return 2 * tw_device_accumulate_cut_of(&w->schedule.tiles.tile[number]).parts + 1;
}

TW_INLINE void tw_device_accumulate_moments(tw_device_world *w,
                                            tw_device_accumulate_moments_work *work,
                                            uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const tw_device_accumulate_cut cut = tw_device_accumulate_cut_of(tile);
    const uint32_t part = stage / 2, first = tile->body_slot + part * cut.size;
    const uint32_t count = tw_device_accumulate_count(tile, cut, part);
    if (part == cut.parts)
        tw_device_accumulate_join(w, work->moment, number, thread);
    else if (stage % 2 == 1)
        tw_device_accumulate_add_part(&work->places, work->moment, part, count, thread);
    for (uint32_t at = thread; stage % 2 == 0 && at < count;
         at += TW_DEVICE_ACCUMULATE_MOMENT_THREADS) {
        const double *force = w->body_load + 6 * (size_t)(first + at);
        tw_vec3 f = tw_vec3_make(force[0], force[1], force[2]);
        if (w->run.bad_pair != UINT64_MAX) f = tw_device_accumulate_again(w, first + at);
        tw_device_accumulate_note(&work->places, at, tw_device_accumulate_centre(w, first + at), f);
    }
}

/* ---- A tile: forces and moments, where there are many tiles ---- */

/* A thread for each body slot of a part. Meanwhile other threads add the moments of the part
 * before. */
enum { TW_DEVICE_ACCUMULATE_THREADS = TW_DEVICE_ACCUMULATE_PART + 96 };

typedef struct tw_device_accumulate_tile_work {
    tw_device_accumulate_places places[2];
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_tile_work;

/* The parts; one more for the moments of the last; the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_tile_stages(const tw_device_world *w, uint32_t number)
{
    return tw_device_accumulate_cut_of(&w->schedule.tiles.tile[number]).parts + 2;
}

TW_INLINE void tw_device_accumulate_tile(tw_device_world *w, tw_device_accumulate_tile_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const tw_device_accumulate_cut cut = tw_device_accumulate_cut_of(tile);
    if (stage > cut.parts) {
        tw_device_accumulate_join(w, work->moment, number, thread);
    } else if (thread < TW_DEVICE_ACCUMULATE_PART) {
        if (thread >= tw_device_accumulate_count(tile, cut, stage)) return;
        const uint32_t b = tile->body_slot + stage * cut.size + thread;
        const tw_vec3 x = tw_device_accumulate_centre(w, b);
        tw_device_accumulate_note(&work->places[stage % 2], thread, x,
                                  tw_device_accumulate_slot(w, b, x));
    } else if (stage > 0) {
        tw_device_accumulate_add_part(&work->places[(stage - 1) % 2], work->moment, stage - 1,
                                      tw_device_accumulate_count(tile, cut, stage - 1),
                                      thread - TW_DEVICE_ACCUMULATE_PART);
    }
}

#endif
