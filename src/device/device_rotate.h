/* SPDX-License-Identifier: BSD-3-Clause */
/* A rigid rotation of everything: tw_step_rotate on a device. Includer: a runtime first. */
#ifndef TW_DEVICE_ROTATE_H
#define TW_DEVICE_ROTATE_H

#include "device/device_candidates.h"
#include "device/device_launch.h"
#include "device/device_memory.h"
#include "device/device_move.h"
#include "device/device_step.h"
#include "step/motion.h"

/* One item: cell and walls; what the move phase sets for those that follow. */
TW_INLINE void tw_device_rotate_frame(tw_device_world *w, uint32_t i)
{
    const tw_rotate by = tw_rotate_of(w->run.turn);
    const tw_cell *cell = &w->state.cell;
    (void)i;
    tw_rotate_frame(&by, &w->state);
    w->move.affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    w->run.own = w->run.absolute = 0;
    w->run.bad_pair = w->run.bad_body = UINT64_MAX;
    tw_device_candidates_prepare(w);
    tw_device_candidates_stretch(w);
}

/* A body: also its own body slot, and its travel. */
TW_INLINE void tw_device_rotate_body(tw_device_world *w, uint32_t i)
{
    const tw_rotate by = tw_rotate_of(w->run.turn);
    tw_bodies *b = &w->state.bodies;
    const int mass = (w->run.flags & TW_CONTACT_BY_MASS) && !(b->flags[i] & TW_BODY_FIXED);
    tw_device_sums_contacts_reset(w, i);
    tw_rotate_body(&by, b, i);
    const tw_device_move_start start = tw_device_move_begin(w, i, 0);
    tw_device_move_load(w, i, 0, &start, b->x[i], by.gibbs, mass ? b->mass[i] : 0.0);
    tw_device_move_watch(w, i, 0, start.x_ref, b->x[i], b->q[i]);
}

TW_DEVICE_ITEM(tw_device_rotate_frame, TW_DEVICE_UNLESS_HALTED, 1)
TW_DEVICE_ITEM(tw_device_rotate_body, TW_DEVICE_UNLESS_HALTED, 1)

/* `world` has run.rigid and run.turn, and is not halted. The phases may halt because the
 * list is stale: tw_device_launch_forces then completes the rotation. */
static inline void tw_device_rotate_all(tw_device_runtime *runtime, tw_device_world *world,
                                        const tw_device_world *host)
{
    tw_device_rotate_frame_each(runtime, world, 1);
    tw_device_rotate_body_each(runtime, world, host->bodies);
    if (!host->schedule.tiles.single) tw_device_move_sphere_each(runtime, world, host->spheres);
    tw_device_launch_forces(runtime, world, host);
}

/* As above for a device whose world the host has; run.rigid remains set. */
static inline tw_status tw_device_rotate_step(tw_device_instance *d, tw_vec3 turn)
{
    d->host.run.rigid = 1;
    d->host.run.turn = turn;
    d->host.run.halt = 0;
    tw_device_memory_push(d);
    tw_device_rotate_all(&d->runtime, d->world, &d->host);
    return TW_STATUS_OK;
}

#endif
