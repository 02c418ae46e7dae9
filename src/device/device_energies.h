/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinetic energies on a device, as tw_move_energies. Includer: a runtime first. */
#ifndef TW_DEVICE_ENERGIES_H
#define TW_DEVICE_ENERGIES_H

#include "base/sum_lanes.h"
#include "base/sum_tree.h"
#include "device/device_memory.h"
#include "step/motion_body.h"
#include "step/move.h"
#include "step/move_begin.h"

enum {
    TW_DEVICE_ENERGIES_DAMPING,
    TW_DEVICE_ENERGIES_CELL,
    TW_DEVICE_ENERGIES_TRANSLATION,
    TW_DEVICE_ENERGIES_ROTATION,
    TW_DEVICE_ENERGIES_SUMS
};

/* Energies of body i in the kick to come. */
TW_INLINE void tw_device_energies_add(const tw_device_world *w, uint32_t i, double *sum)
{
    const tw_bodies *b = &w->state.bodies;
    tw_motion_body_kicked k;
    if (b->flags[i] & TW_BODY_FIXED) return;
    k.mass = b->mass[i];
    k.inertia = b->inertia[i];
    k.v0 = b->v[i];
    k.l0 = b->l[i];
    k.q = b->q[i];
    k.damping = 0.0;
    tw_motion_body_kick(&w->model, &w->move.kick, b->force[i], b->torque[i], &k);
    const tw_vec3 spin = tw_motion_body_omega(k.q, k.inertia, k.l);
    if (w->move.kick.damped) sum[TW_DEVICE_ENERGIES_DAMPING] += k.damping;
    sum[TW_DEVICE_ENERGIES_CELL] += k.cell;
    sum[TW_DEVICE_ENERGIES_TRANSLATION] += 0.5 * k.mass * tw_vec3_dot(k.v0, k.v);
    sum[TW_DEVICE_ENERGIES_ROTATION] += 0.5 * tw_vec3_dot(k.l0, spin);
}

/* Item: a tile and a lane. */
TW_INLINE void tw_device_energies_lane(tw_device_world *w, uint32_t i)
{
    const tw_tile *tile = &w->schedule.tiles.tile[i / TW_SUM_LANES];
    double sum[TW_DEVICE_ENERGIES_SUMS] = {0.0};
    for (uint32_t k = i % TW_SUM_LANES; k < tile->bodies; k += TW_SUM_LANES)
        tw_device_energies_add(w, tile->body + k, sum);
    for (int k = 0; k < TW_DEVICE_ENERGIES_SUMS; k++)
        w->measure.energy[(size_t)i * TW_DEVICE_ENERGIES_SUMS + (size_t)k] = sum[k];
}

TW_DEVICE_TASK(tw_device_energies_lane)

static inline tw_status tw_device_energies_refresh(tw_device *d, tw_move_energy *energy)
{
    const size_t count = (size_t)d->known.tiles * TW_SUM_LANES * TW_DEVICE_ENERGIES_SUMS;
    double *room = (double *)malloc((count + 1) * sizeof *room);
    double total[TW_DEVICE_ENERGIES_SUMS];
    if (!room || !tw_device_memory_reserve(d, &d->known.measure.energy, count, sizeof *room)) {
        free(room);
        return TW_STATUS_MEMORY;
    }
    d->known.move.kick = tw_move_begin_kick(&d->known.model, &d->known.state);
    tw_device_memory_push(d);
    tw_device_energies_lane_each(&d->runtime, d->world, d->known.tiles * TW_SUM_LANES);
    tw_device_runtime_bring(&d->runtime, room, d->known.measure.energy, count * sizeof *room);
    for (int k = 0; k < TW_DEVICE_ENERGIES_SUMS; k++) {
        tw_sum_tree tree;
        tree.count = 0;
        for (size_t t = 0; t < d->known.tiles; t++) {
            double lane[TW_SUM_LANES];
            for (size_t l = 0; l < TW_SUM_LANES; l++)
                lane[l] = room[(t * TW_SUM_LANES + l) * TW_DEVICE_ENERGIES_SUMS + (size_t)k];
            tw_sum_tree_add(&tree, tw_sum_lanes_join(lane));
        }
        total[k] = tw_sum_tree_total(&tree);
    }
    free(room);
    energy->translation = total[TW_DEVICE_ENERGIES_TRANSLATION];
    energy->rotation = total[TW_DEVICE_ENERGIES_ROTATION];
    energy->damping_work = 0.5 * total[TW_DEVICE_ENERGIES_DAMPING];
    energy->cell_work = 0.5 * total[TW_DEVICE_ENERGIES_CELL];
    return TW_STATUS_OK;
}

#endif
