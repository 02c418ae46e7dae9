/* SPDX-License-Identifier: BSD-3-Clause */
/* The stiffness for the servo: control/stiffness.c. Includer: a runtime first. */
#ifndef TW_DEVICE_STIFFNESS_H
#define TW_DEVICE_STIFFNESS_H

#include "control/stiffness_sum.h"
#include "device/device_memory.h"
#include "device/device_sums.h"

/* A contact slot. Branch and constants go to where its force was: that has gone to its bodies. */
TW_INLINE void tw_device_stiffness_contact(tw_device_world *w, uint32_t slot)
{
    if (w->how[slot] == TW_DEVICE_EMPTY || tw_pair_is_plane(tw_device_stiffness_pair(w, slot)))
        return;
    const tw_stiffness_sum_contact c =
        tw_stiffness_sum_find(&w->model, &w->state, &w->schedule, tw_model_is_uniform(&w->model),
                              slot);
    w->load[0][slot] = c.branch.x;
    w->load[1][slot] = c.branch.y;
    w->load[2][slot] = c.branch.z;
    w->load[3][slot] = c.kn;
    w->load[4][slot] = c.kt;
    w->load[5][slot] = c.nu_n;
    w->lost[TW_DEVICE_FRICTION][slot] = c.nu_t;
}

#endif
