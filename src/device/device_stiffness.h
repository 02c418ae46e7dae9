/* SPDX-License-Identifier: BSD-3-Clause */
/* The stiffness for the servo: control/stiffness.c. Includer: a runtime first. */
#ifndef TW_DEVICE_STIFFNESS_H
#define TW_DEVICE_STIFFNESS_H

#include "control/stiffness.h"
#include "device/device_memory.h"
#include "device/device_sums.h"

/* A contact slot. Branch and constants go to where force and work of the contact were: these have
 * been summed. */
TW_INLINE void tw_device_stiffness_contact(tw_device_world *w, uint32_t slot)
{
    const tw_tile *tile = &w->schedule.tiles.tile[w->bundle_tile[slot / TW_BUNDLE]];
    if (slot - tile->slot >= tile->slots || w->schedule.slots.pair[slot] == TW_NO_PAIR) return;
    const int uniform = tw_model_is_uniform(&w->model);
    const tw_stiffness_sum_contact c =
        tw_stiffness_sum_find(&w->model, &w->state, &w->schedule, uniform, slot);
    w->load[6 * (size_t)slot + 0] = c.branch.x;
    w->load[6 * (size_t)slot + 1] = c.branch.y;
    w->load[6 * (size_t)slot + 2] = c.branch.z;
    if (uniform) return;
    w->load[6 * (size_t)slot + 3] = c.kn;
    w->load[6 * (size_t)slot + 4] = c.kt;
    w->load[6 * (size_t)slot + 5] = c.nu_n;
    w->lost[TW_DEVICE_FRICTION][slot] = c.nu_t;
}

/* One row of the matrix, with its term of the branches; or, instead of a seventh row, the constants
 * of the contacts. */
enum { TW_DEVICE_STIFFNESS_ROWS = TW_COMPONENTS + 1, TW_DEVICE_STIFFNESS_BATCH = 4 };

TW_INLINE tw_stiffness_sum_contact tw_device_stiffness_get(const tw_device_world *w, uint32_t slot)
{
    tw_stiffness_sum_contact c;
    c.n = tw_bundle_get(w->state.contacts.bundle, slot).n;
    c.branch = tw_vec3_make(w->load[6 * (size_t)slot + 0], w->load[6 * (size_t)slot + 1],
                            w->load[6 * (size_t)slot + 2]);
    c.kn = w->load[6 * (size_t)slot + 3];
    c.kt = c.nu_n = c.nu_t = 0.0;
    return c;
}

TW_INLINE void tw_device_stiffness_row(tw_device_world *w, uint32_t number, uint32_t lane,
                                       uint32_t row)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t end = tile->slot + tile->slots, *pair = w->schedule.slots.pair;
    const int uniform = tw_model_is_uniform(&w->model);
    double sum[TW_COMPONENTS] = {0.0}, branch = 0.0;
    for (uint32_t first = tile->slot + lane; first < end;
         first += TW_DEVICE_STIFFNESS_BATCH * TW_SUM_LANES) {
        tw_stiffness_sum_contact c[TW_DEVICE_STIFFNESS_BATCH];
        int used[TW_DEVICE_STIFFNESS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_STIFFNESS_BATCH; k++) {
            const uint32_t slot = first + k * TW_SUM_LANES;
            used[k] = slot < end && pair[slot] != TW_NO_PAIR;
            if (used[k]) c[k] = tw_device_stiffness_get(w, slot);
        }
        for (uint32_t k = 0; k < TW_DEVICE_STIFFNESS_BATCH; k++) {
            double a[TW_COMPONENTS], b[TW_COMPONENTS], ai = 0.0, bi = 0.0;
            if (!used[k]) continue;
            tw_stiffness_sum_terms(&c[k], uniform, a, b);
            for (uint32_t j = 0; j < TW_COMPONENTS; j++) {
                ai = j == row ? a[j] : ai;
                bi = j == row ? b[j] : bi;
            }
            for (int j = 0; j < TW_COMPONENTS; j++)
                sum[j] += ai * a[j];
            branch += bi;
        }
    }
    for (uint32_t j = 0; j < TW_COMPONENTS; j++)
        if (j <= row) tw_device_sums_lane(w, row * (row + 1) / 2 + j, number)[lane] = sum[j];
    tw_device_sums_lane(w, TW_STIFFNESS_SUM_BRANCH + row, number)[lane] = branch;
}

TW_INLINE void tw_device_stiffness_constants(tw_device_world *w, uint32_t number, uint32_t lane)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t end = tile->slot + tile->slots;
    const double *load = w->load + 3, *last = w->lost[TW_DEVICE_FRICTION];
    double sum[4] = {0.0};
    const int uniform = tw_model_is_uniform(&w->model);
    for (uint32_t slot = tile->slot + lane; slot < end && !uniform; slot += TW_SUM_LANES) {
        const int used = w->schedule.slots.pair[slot] != TW_NO_PAIR;
        for (int k = 0; k < 3; k++)
            sum[k] += used ? load[6 * (size_t)slot + (size_t)k] : 0.0;
        sum[3] += used ? last[slot] : 0.0;
    }
    for (uint32_t k = 0; k < 4; k++)
        tw_device_sums_lane(w, TW_STIFFNESS_SUM_KN + k, number)[lane] = sum[k];
}

/* Row, tile and lane. */
TW_INLINE void tw_device_stiffness_lanes(tw_device_world *w, uint32_t i)
{
    const uint32_t lanes = TW_SUM_LANES * w->tiles, row = i / lanes, at = i % lanes;
    const uint32_t tile = at / TW_SUM_LANES, lane = at % TW_SUM_LANES;
    tw_device_sums_reset(w, i, TW_DEVICE_STIFFNESS_ROWS * lanes);
    if (row < TW_COMPONENTS)
        tw_device_stiffness_row(w, tile, lane, row);
    else
        tw_device_stiffness_constants(w, tile, lane);
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

TW_DEVICE_TASK(tw_device_stiffness_contact)
TW_DEVICE_TASK(tw_device_stiffness_lanes)
TW_DEVICE_TASK(tw_device_stiffness_join)
TW_DEVICE_TASK(tw_device_stiffness_set)

/* As in tw_stiffness_refresh, whether it is stale or not. */
static inline tw_status tw_device_stiffness_refresh(tw_device *d)
{
    tw_device_runtime *runtime = &d->runtime;
    const uint32_t tiles = d->known.tiles;
    tw_device_stiffness_contact_each(runtime, d->world, d->known.slots);
    tw_device_stiffness_lanes_each(runtime, d->world,
                                   TW_DEVICE_STIFFNESS_ROWS * TW_SUM_LANES * tiles);
    tw_device_stiffness_join_each(runtime, d->world, TW_STIFFNESS_SUMS * tiles);
    tw_device_stiffness_set_each(runtime, d->world, 1);
    return TW_STATUS_OK;
}

#endif
