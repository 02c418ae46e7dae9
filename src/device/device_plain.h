/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_DEVICE_PLAIN_H
#define TW_DEVICE_PLAIN_H

#include "device/device_atomic.h"
#include "device/device_world.h"

TW_INLINE void tw_device_plain(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_plain_slide(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

TW_INLINE void tw_device_plain_hard(tw_device_world *w, uint32_t i)
{
    (void)w;
    (void)i;
}

#endif
