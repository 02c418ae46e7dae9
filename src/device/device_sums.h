/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_DEVICE_SUMS_H
#define TW_DEVICE_SUMS_H

#include "device/device_atomic.h"
#include "device/device_world.h"

TW_INLINE void tw_device_sums(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_sums_group(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

/* Number of items of tw_device_sums. */
TW_INLINE uint32_t tw_device_sums_items(const tw_device_world *known)
{
    return 8 * known->tiles;
}

#endif
