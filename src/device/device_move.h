/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_DEVICE_MOVE_H
#define TW_DEVICE_MOVE_H

#include "device/device_atomic.h"
#include "device/device_world.h"

TW_INLINE void tw_device_move(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_move_sphere(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_move_ghost(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_move_ghost_sphere(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

#endif
