/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinetic energies on a device, as tw_move_energies. Includer: a runtime first. */
#ifndef TW_DEVICE_ENERGIES_H
#define TW_DEVICE_ENERGIES_H

#include "base/sum.h"
#include "device/device_launch.h"
#include "device/device_stored.h"
#include "device/device_sums.h"
#include "step/motion.h"

/* Their sums of tiles are behind those of device_stored.h, which may be computed meanwhile. */
enum { TW_DEVICE_ENERGIES_FIRST = TW_DEVICE_STORED_SUMS };

/* Threads that share a tile. */
enum { TW_DEVICE_ENERGIES_THREADS = 256 };

typedef struct tw_device_energies_work {
    double term[TW_DEVICE_ENERGIES_SUMS][TW_DEVICE_ENERGIES_THREADS + 1];
    double lane[TW_DEVICE_ENERGIES_SUMS][TW_SUM_LANES]; /* so far */
} tw_device_energies_work;

/* Energies of body i in the kick to come. */
TW_INLINE void tw_device_energies_of(const tw_device_world *w, uint32_t i, double *term)
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
    if (w->move.kick.damped) term[TW_DEVICE_ENERGIES_DAMPING] = k.damping;
    term[TW_DEVICE_ENERGIES_CELL] = k.cell;
    term[TW_DEVICE_ENERGIES_TRANSLATION] = 0.5 * k.mass * tw_vec3_dot(k.v0, k.v);
    term[TW_DEVICE_ENERGIES_ROTATION] = 0.5 * tw_vec3_dot(k.l0, spin);
}

/* Two for as many bodies as there are threads, and one in which the lanes are joined. */
TW_INLINE uint32_t tw_device_energies_stages(const tw_device_world *w, uint32_t number)
{
    const uint32_t bodies = w->schedule.tiles.tile[number].bodies;
    return bodies > 0 ? 2 * ((bodies - 1) / TW_DEVICE_ENERGIES_THREADS + 1) + 1 : 3;
}

/* A tile. Threads compute the energies of as many bodies at a time; then each adds those of one
 * lane and sum. Fixed bodies are terms of 0, which change no bit. */
TW_INLINE void tw_device_energies(tw_device_world *w, tw_device_energies_work *work,
                                  uint32_t number, uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_ENERGIES_THREADS };
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t first = stage / 2 * THREADS, left = tile->bodies - first;
    if (stage + 1 == tw_device_energies_stages(w, number)) {
        if (thread < TW_DEVICE_ENERGIES_SUMS)
            *tw_device_sums_tile(w, TW_DEVICE_ENERGIES_FIRST + thread, number) =
                tw_sum_lanes_join(work->lane[thread]);
    } else if (stage % 2 == 0) {
        double term[TW_DEVICE_ENERGIES_SUMS] = {0.0};
        if (thread < left) tw_device_energies_of(w, tile->body + first + thread, term);
        for (uint32_t k = 0; k < TW_DEVICE_ENERGIES_SUMS; k++)
            work->term[k][thread] = term[k];
    } else if (thread < TW_DEVICE_ENERGIES_SUMS * TW_SUM_LANES) {
        const uint32_t which = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
        double sum = stage == 1 ? 0.0 : work->lane[which][lane];
        for (uint32_t k = lane; k < THREADS && k < left; k += TW_SUM_LANES)
            sum += work->term[which][k];
        work->lane[which][lane] = sum;
    }
}

TW_DEVICE_TEAM(tw_device_energies, TW_DEVICE_ALWAYS, tw_device_energies_work,
               tw_device_energies_stages(world, block), TW_DEVICE_ENERGIES_THREADS, 2)

#endif
