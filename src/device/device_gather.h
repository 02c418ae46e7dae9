/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on bodies: step/step.c on a device. As long as there is a list they are in the body
 * slots, from which the next move gathers them; the columns are written where someone reads them.
 * So it is with rotations, where the body slots hold them as they are. */
#ifndef TW_DEVICE_GATHER_H
#define TW_DEVICE_GATHER_H

#include "device/device_rows.h"
#include "device/device_world.h"
#include "step/motion.h"

/* Adds force and torque of a body slot. */
TW_INLINE void tw_device_gather_add(const tw_device_world *w, uint32_t slot,
                                    tw_device_rows_six *sum)
{
    const tw_device_rows_six row = tw_device_rows_get_six(w->body_load + 6 * (size_t)slot);
    sum->a = tw_vec3_add(sum->a, row.a);
    sum->b = tw_vec3_add(sum->b, row.b);
}

/* Force and torque on a body: of its own body slot, then of its ghosts in the order of tiles. */
TW_INLINE tw_device_rows_six tw_device_gather_slots(const tw_device_world *w, uint32_t i)
{
    const tw_tiles *t = &w->schedule.tiles;
    const tw_tile *tile = &t->tile[tw_tiles_home(t, i)];
    const uint32_t first = t->ghost_first[i], end = t->ghost_first[i + 1];
    tw_device_rows_six sum;
    sum.a = sum.b = tw_vec3_make(0.0, 0.0, 0.0);
    tw_device_gather_add(w, tile->body_slot + (i - tile->body), &sum);
    for (uint32_t v = first; v < end; v++)
        tw_device_gather_add(w, t->ghost_slot[v], &sum);
    return sum;
}

TW_INLINE void tw_device_gather_forces(tw_device_world *w, uint32_t i)
{
    const tw_device_rows_six sum = tw_device_gather_slots(w, i);
    w->state.bodies.force[i] = sum.a;
    w->state.bodies.torque[i] = sum.b;
}

/* A body: its columns, from its body slots. */
TW_INLINE void tw_device_gather(tw_device_world *w, uint32_t i)
{
    tw_device_gather_forces(w, i);
    w->state.bodies.gibbs[i] = tw_motion_turned(&w->state, &w->schedule, i);
}

/* A body in every step: those that are fixed, whose work is summed. After an excessive overlap
 * there is no sum, as on the CPU. */
TW_INLINE void tw_device_gather_fixed(tw_device_world *w, uint32_t i)
{
    if (w->run.bad_pair == UINT64_MAX && w->state.bodies.flags[i] & TW_BODY_FIXED)
        tw_device_gather_forces(w, i);
}

#endif
