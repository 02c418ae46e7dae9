/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_DEVICE_CANDIDATES_H
#define TW_DEVICE_CANDIDATES_H

#include "device/device_atomic.h"
#include "device/device_world.h"

TW_INLINE void tw_device_candidates(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_candidates_begin(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

#endif
