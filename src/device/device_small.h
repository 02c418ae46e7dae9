/* SPDX-License-Identifier: BSD-3-Clause */
/* Small specimens, of few tiles, which leave most of a large device without work: their steps take
 * as long as the chain of kernels. In place of the phase tw_device_sums_total, the phase that needs
 * the totals (device_turn.h) joins the tiles and removes contacts that have parted in stages of its
 * own; and it computes the servo by matrix element. */
#ifndef TW_DEVICE_SMALL_H
#define TW_DEVICE_SMALL_H

#include "control/servo_steer.h"
#include "device/device_sums.h"

enum { TW_DEVICE_FEW_TILES = 64 };

/* Tests have another limit. */
#ifndef TW_DEVICE_SMALL_MOST
#define TW_DEVICE_SMALL_MOST TW_DEVICE_FEW_TILES
#endif
TW_INLINE int tw_device_is_small(const tw_device_list *list)
{
    return list->tiles <= TW_DEVICE_SMALL_MOST;
}

/* Threads of a warp that do different things wait for each other: what is to be done at the same
 * time is in different warps. */
enum { TW_DEVICE_SMALL_WARP = 32 };

/* Number of the thread in its warp, if that is `warp`, or in those after it; otherwise a large one.
 */
TW_INLINE uint32_t tw_device_small_in(uint32_t warp, uint32_t thread)
{
    return thread - warp * TW_DEVICE_SMALL_WARP;
}

/* ---- Tiles ---- */

enum {
    TW_DEVICE_SMALL_BRANCHES = TW_DEVICE_FEW_TILES / TW_DEVICE_SUMS_TILES,
    TW_DEVICE_SMALL_ITEMS = TW_DEVICE_SUMS * TW_DEVICE_SMALL_BRANCHES,
    TW_DEVICE_SMALL_PARTED = 64 /* contacts */
};

/* In memory that threads share. */
typedef struct tw_device_small_sums {
    double branch[TW_DEVICE_SUMS][TW_DEVICE_SMALL_BRANCHES + 1]; /* in banks of their own */
    double total[TW_DEVICE_SUMS];
    uint32_t first[TW_DEVICE_FEW_TILES], ended[TW_DEVICE_FEW_TILES]; /* contact slots of a tile */
    uint32_t count;                                                  /* of the following */
    uint32_t tile[TW_DEVICE_SMALL_PARTED], slot[TW_DEVICE_SMALL_PARTED];
} tw_device_small_sums;

/* Some tiles of a sum. */
TW_INLINE void tw_device_small_branch(const tw_device_list *list, const tw_device_sums *sums,
                                      tw_device_small_sums *to, uint32_t item)
{
    const uint32_t sum = item / TW_DEVICE_SMALL_BRANCHES, branch = item % TW_DEVICE_SMALL_BRANCHES,
                   first = branch * TW_DEVICE_SUMS_TILES,
                   count = first < list->tiles ? list->tiles - first : 0;
    double v[TW_DEVICE_SUMS_TILES];
    tw_device_sums_load(tw_device_sums_tile(list, sums, sum, first), count, v);
    to->branch[sum][branch] = tw_device_sums_pairs(v, count);
}

/* A sum. */
TW_INLINE void tw_device_small_total(const tw_device_list *list, tw_device_small_sums *few,
                                     uint32_t sum)
{
    double v[TW_DEVICE_SMALL_BRANCHES];
    for (uint32_t k = 0; k < TW_DEVICE_SMALL_BRANCHES; k++)
        v[k] = few->branch[sum][k];
    few->total[sum] =
        tw_device_sums_pairs(v, (list->tiles + TW_DEVICE_SUMS_TILES - 1) / TW_DEVICE_SUMS_TILES);
}

/* ---- Contacts that have parted: three stages, in which few accesses wait for others ---- */

/* A tile: how many are there? */
TW_INLINE void tw_device_small_ended(const tw_tiles *tiles, const tw_device_list *list,
                                     const tw_device_touch *touch, tw_device_small_sums *few,
                                     uint32_t tile)
{
    if (tile == 0) few->count = 0;
    if (tile >= list->tiles) return;
    few->first[tile] = tiles->tile[tile].slot;
    few->ended[tile] = touch->tile[tile].ended;
}

/* A tile: lists them. Those for which there is no room are removed here. */
TW_INLINE void tw_device_small_list(const tw_device_list *list, tw_state *state,
                                    tw_schedule *schedule, tw_device_touch *touch,
                                    tw_device_forces *forces, tw_device_small_sums *few,
                                    uint32_t tile)
{
    const uint32_t ended = tile < list->tiles ? few->ended[tile] : 0;
    if (ended == 0) return;
    const uint32_t at = tw_device_atomic_add(&few->count, ended);
    for (uint32_t k = 0; k < ended; k++) {
        const uint32_t slot = touch->ended[few->first[tile] + k];
        if (at + k < TW_DEVICE_SMALL_PARTED) {
            few->tile[at + k] = tile;
            few->slot[at + k] = slot;
        } else {
            tw_device_sums_contacts_empty(state, schedule, touch, forces, tile, slot);
        }
    }
    touch->tile[tile].ended = 0;
}

/* ---- Stages of the phase that needs the totals ---- */

/* Some tiles of a sum, of number `item`; forces on walls; contacts of a tile that have parted. They
 * are computed by different threads: for each of them only one of the numbers is in range. */
TW_INLINE void tw_device_small_load(const tw_tiles *tiles, const tw_device_list *list,
                                    const tw_device_touch *touch, tw_device_sums *sums,
                                    tw_device_small_sums *to, uint32_t item, uint32_t wall,
                                    uint32_t tile)
{
    if (!tw_device_is_small(list)) return;
    if (item < TW_DEVICE_SMALL_ITEMS)
        tw_device_small_branch(list, sums, to, item);
    else if (wall < TW_DEVICE_SMALL_WARP)
        for (uint32_t k = wall; k < TW_TILE_ACCUMULATOR * list->walls; k += TW_DEVICE_SMALL_WARP)
            tw_device_sums_wall(tiles, list, sums, k);
    else if (tile < TW_DEVICE_FEW_TILES)
        tw_device_small_ended(tiles, list, touch, to, tile);
}

/* Removes contacts that have parted, in two stages. `k`: a tile, then a contact. */
TW_INLINE void tw_device_small_part(const tw_device_list *list, tw_state *state,
                                    tw_schedule *schedule, tw_device_touch *touch,
                                    tw_device_forces *forces, tw_device_small_sums *few,
                                    uint32_t stage, uint32_t k)
{
    if (k >= TW_DEVICE_FEW_TILES || !tw_device_is_small(list)) return;
    if (stage == 0)
        tw_device_small_list(list, state, schedule, touch, forces, few, k);
    else if (k < TW_DEVICE_SMALL_PARTED && k < few->count)
        tw_device_sums_contacts_empty(state, schedule, touch, forces, few->tile[k], few->slot[k]);
}

/* ---- The servo by matrix element ----

   The numbers of the servo are few, but follow from each other. By one thread they are about a
   hundred quotients; in stages, with a thread per element of a matrix, few of them have to wait for
   each other (device_turn.h). Large specimens take the same stages: they have to wait for them,
   too. */

/* What the threads share: copies of what they read more than once, and numbers on the way. */
typedef struct tw_device_servo_work {
    tw_servo servo;
    tw_servo_steer_work by;
    tw_stiffness_respond_constants springs;
    tw_model model; /* its first law is `law` */
    tw_contact_law law;
    tw_cell cell; /* at the start of the step */
    size_t bodies;
    double dt;
} tw_device_servo_work;

/* Before the equations. */
TW_INLINE void tw_device_servo_read(const double *total, const tw_mat3 *moment,
                                    tw_device_servo_work *work, uint32_t thread)
{
    const uint32_t k = tw_device_small_in(2, thread);
    if (thread == 0)
        work->springs =
            tw_stiffness_respond_with(&work->servo.stiffness, &work->model,
                                      total[TW_DEVICE_SUM_CONTACTS], total[TW_DEVICE_SUM_SLIDING]);
    if (k < TW_COMPONENTS)
        tw_servo_steer_read(&work->servo, &work->cell, work->dt, moment,
                            total + TW_DEVICE_SUM_KINETIC, (int)k, &work->by);
    if (tw_device_small_in(3, thread) == 0) {
        work->by.stress_floor =
            tw_servo_steer_stress_floor(&work->model, tw_cell_volume(&work->cell), work->bodies);
        work->by.dependent = 0;
    }
}

TW_INLINE void tw_device_servo_respond(tw_device_servo_work *work, uint32_t thread)
{
    const uint32_t drift = tw_device_small_in(2, thread), off = tw_device_small_in(3, thread);
    const int i = (int)(thread / TW_COMPONENTS), j = (int)(thread % TW_COMPONENTS);
    if (i < TW_COMPONENTS) {
        tw_stiffness_respond_at(&work->servo.stiffness, &work->springs, i, j, &work->by.response);
        tw_servo_steer_respond(&work->by, i, j);
    }
    if (i < TW_COMPONENTS && i == j) tw_servo_steer_stiffen(&work->by, i);
    if (drift < TW_COMPONENTS) tw_servo_steer_watch(&work->servo, work->dt, (int)drift, &work->by);
    if (off < TW_COMPONENTS) tw_servo_steer_compare(&work->servo, (int)off, &work->by);
}

TW_INLINE void tw_device_servo_fill(tw_device_servo_work *work, uint32_t thread)
{
    enum { SIDES = TW_EQUATIONS_SIDES };
    const uint32_t right = tw_device_small_in(2, thread);
    tw_servo *servo = &work->servo;
    tw_servo_steer_work *by = &work->by;
    if (thread < TW_COMPONENTS * TW_COMPONENTS)
        tw_servo_steer_fill_left(servo, work->dt, (int)(thread / TW_COMPONENTS),
                                 (int)(thread % TW_COMPONENTS), by);
    if (right < TW_COMPONENTS * SIDES)
        tw_servo_steer_fill_right(servo, work->dt, (int)(right / SIDES), (int)(right % SIDES), by);
    if (tw_device_small_in(3, thread) == 0) {
        tw_servo_steer_judge(servo, tw_servo_steer_most(by->deviation));
        tw_servo_steer_count(servo);
    }
}

/* Eliminates column c, from one copy of the equations to the other. After the last one only the
 * solutions are needed. */
TW_INLINE void tw_device_servo_column(tw_servo_steer_work *by, int c, uint32_t thread)
{
    enum { WIDTH = TW_COMPONENTS + TW_EQUATIONS_SIDES };
    const int row = (int)(thread / WIDTH), k = (int)(thread % WIDTH);
    const tw_equations *from = &by->rows[c % 2];
    if (row >= TW_COMPONENTS || by->dependent) return;
    const int pivot = tw_equations_pivot(from, c);
    if (pivot < 0) {
        by->dependent = 1; /* all threads find this */
        return;
    }
    const double factor = tw_equations_factor(from, c, pivot, row);
    double value = tw_equations_reduced(from, c, pivot, factor, row, k);
    if (c == TW_COMPONENTS - 1) {
        if (k < TW_COMPONENTS) return;
        value =
            tw_equations_quotient(value, tw_equations_reduced(from, c, pivot, factor, row, row));
    }
    tw_equations_put(&by->rows[(c + 1) % 2], row, k, value);
}

/* What is seldom needed, or not waited for, is not inline: a stage starts sooner where there is
 * less code to load before it. */
TW_MATH_CALL void tw_device_servo_plain(const tw_servo *servo, double dt, tw_servo_steer_work *by)
{
    tw_servo_steer_solve_plain(servo, dt, by);
}

TW_MATH_CALL void tw_device_servo_volume(tw_servo *servo, double volume, double dt,
                                         tw_servo_steer_work *by)
{
    tw_servo_steer_volume(servo, volume, dt, by);
}

/* Strain rates, from the solutions. */
TW_INLINE void tw_device_servo_rates(tw_cell *cell, tw_device_servo_work *work)
{
    tw_servo_steer_work *by = &work->by;
    if (by->dependent) tw_device_servo_plain(&work->servo, work->dt, by);
    tw_servo_steer_limit(&work->servo, work->dt, by);
    work->cell.gradient = tw_servo_steer_gradient(by->rate, work->servo.request.simple_shear);
    cell->gradient = work->cell.gradient;
}

#endif
