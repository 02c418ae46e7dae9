/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_DEVICE_STEER_H
#define TW_DEVICE_STEER_H

#include "device/device_atomic.h"
#include "device/device_candidates.h"
#include "device/device_world.h"

TW_INLINE void tw_device_steer(tw_device_world *w, uint32_t i)
{
    (void)i;
    tw_device_candidates_stretch(w); /* at the end: the cell has moved */
}

TW_INLINE void tw_device_finish(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

#endif
