/* SPDX-License-Identifier: BSD-3-Clause */
/* The stiffness for the servo: control/stiffness.h. Includer: a runtime first. */
#ifndef TW_DEVICE_STIFFNESS_H
#define TW_DEVICE_STIFFNESS_H

#include "control/stiffness.h"
#include "device/device_launch.h"
#include "device/device_memory.h"
#include "device/device_sums.h"

/* A lane of a tile is an item that many threads share. They compute the terms of as many contacts
 * at a time; then each adds those of one sum, one after the other. */
enum { TW_DEVICE_STIFFNESS_THREADS = 128 };

typedef struct tw_device_stiffness_work {
    /* Odd rows: threads that read different terms of a contact read different banks of memory. */
    double a[TW_COMPONENTS][TW_DEVICE_STIFFNESS_THREADS + 1]; /* as in tw_stiffness_sum_terms */
    double b[TW_COMPONENTS][TW_DEVICE_STIFFNESS_THREADS + 1];
    double constants[4][TW_DEVICE_STIFFNESS_THREADS + 1]; /* kn, kt, nu_n, nu_t */
    double sum[TW_STIFFNESS_SUMS];                        /* so far */
} tw_device_stiffness_work;

/* Contact slots of a lane. */
TW_INLINE uint32_t tw_device_stiffness_slots(const tw_device_world *w, uint32_t i)
{
    const uint32_t slots = w->schedule.tiles.tile[i / TW_SUM_LANES].slots;
    return (slots + TW_SUM_LANES - 1 - i % TW_SUM_LANES) / TW_SUM_LANES;
}

/* Two for as many contacts as there are threads; two even if there are none. */
TW_INLINE uint32_t tw_device_stiffness_lane_stages(const tw_device_world *w, uint32_t i)
{
    const uint32_t slots = tw_device_stiffness_slots(w, i);
    return slots > 0 ? 2 * ((slots - 1) / TW_DEVICE_STIFFNESS_THREADS + 1) : 2;
}

/* Of contact k of the lane. Terms of 0 change no bit of a sum that starts at +0. */
TW_INLINE void tw_device_stiffness_terms(const tw_device_world *w, tw_device_stiffness_work *work,
                                         uint32_t i, uint32_t k, uint32_t thread)
{
    const tw_tile *tile = &w->schedule.tiles.tile[i / TW_SUM_LANES];
    const uint32_t slot = tile->slot + k * TW_SUM_LANES + i % TW_SUM_LANES;
    double a[TW_COMPONENTS] = {0.0}, b[TW_COMPONENTS] = {0.0}, constants[4] = {0.0};
    if (k < tw_device_stiffness_slots(w, i) && w->schedule.slots.pair[slot] != TW_NO_PAIR) {
        const int uniform = tw_model_is_uniform(&w->model);
        const tw_stiffness_sum_contact c =
            tw_stiffness_sum_find(&w->model, &w->state, &w->schedule, uniform, slot);
        tw_stiffness_sum_terms(&c, uniform, a, b);
        constants[0] = c.kn;
        constants[1] = c.kt;
        constants[2] = c.nu_n;
        constants[3] = c.nu_t;
    }
    for (int j = 0; j < TW_COMPONENTS; j++) {
        work->a[j][thread] = a[j];
        work->b[j][thread] = b[j];
    }
    for (int j = 0; j < 4; j++)
        work->constants[j][thread] = constants[j];
}

/* One of the sums, continued by `count` contacts. */
TW_INLINE double tw_device_stiffness_add(const tw_device_stiffness_work *work, uint32_t number,
                                         uint32_t count, double sum)
{
    const double *x = NULL, *y = NULL;
    uint32_t row = 0;
    if (number < TW_STIFFNESS_PAIRS) {
        while ((row + 1) * (row + 2) / 2 <= number)
            row++;
        x = work->a[row];
        y = work->a[number - row * (row + 1) / 2];
    } else if (number < TW_STIFFNESS_SUM_KN) {
        x = y = work->b[number - TW_STIFFNESS_SUM_BRANCH];
    } else {
        x = y = work->constants[number - TW_STIFFNESS_SUM_KN];
    }
    for (uint32_t k = 0; k < count; k++)
        sum += number < TW_STIFFNESS_PAIRS ? x[k] * y[k] : x[k];
    return sum;
}

TW_INLINE void tw_device_stiffness_lane(tw_device_world *w, tw_device_stiffness_work *work,
                                        uint32_t i, uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_STIFFNESS_THREADS };
    const uint32_t first = stage / 2 * THREADS;
    if (stage == 0)
        tw_device_sums_reset(w, i * THREADS + thread, TW_SUM_LANES * w->tiles * THREADS);
    if (stage % 2 == 0) {
        tw_device_stiffness_terms(w, work, i, first + thread, thread);
    } else if (thread < TW_STIFFNESS_SUMS) {
        const uint32_t slots = tw_device_stiffness_slots(w, i);
        const uint32_t left = slots > first ? slots - first : 0;
        const double sum = tw_device_stiffness_add(work, thread, left < THREADS ? left : THREADS,
                                                   stage == 1 ? 0.0 : work->sum[thread]);
        work->sum[thread] = sum;
        if (left <= THREADS)
            tw_device_sums_lane(w, thread, i / TW_SUM_LANES)[i % TW_SUM_LANES] = sum;
    }
}

/* Sum and tile. */
TW_INLINE void tw_device_stiffness_join(tw_device_world *w, uint32_t i)
{
    const uint32_t sum = i / w->tiles, tile = i % w->tiles;
    tw_device_sums_put(w, sum, tile, tw_device_sums_join(w, sum, tile));
}

TW_INLINE void tw_device_stiffness_set(tw_device_world *w, uint32_t i)
{
    (void)i;
    tw_stiffness_sum_set(&w->servo.stiffness, &w->state, w->total);
}

TW_DEVICE_TEAM(tw_device_stiffness_lane, TW_DEVICE_UNLESS_HALTED, tw_device_stiffness_work,
               tw_device_stiffness_lane_stages(world, block), TW_DEVICE_STIFFNESS_THREADS, 4)
TW_DEVICE_ITEM(tw_device_stiffness_join, TW_DEVICE_ALWAYS, 1)
TW_DEVICE_ITEM(tw_device_stiffness_set, TW_DEVICE_ALWAYS, 1)

/* As in tw_stiffness_refresh, whether it is stale or not. The device is not halted. */
static inline tw_status tw_device_stiffness_refresh(tw_device_instance *d)
{
    const uint32_t tiles = d->host.tiles;
    tw_device_stiffness_lane_each(&d->runtime, d->world, TW_SUM_LANES * tiles);
    tw_device_stiffness_join_each(&d->runtime, d->world, TW_STIFFNESS_SUMS * tiles);
    tw_device_stiffness_set_each(&d->runtime, d->world, 1);
    return TW_STATUS_OK;
}

#endif
