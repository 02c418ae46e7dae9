/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of four numbers of the tiles, read by a device in two accesses. */
#ifndef TW_DEVICE_ROWS_H
#define TW_DEVICE_ROWS_H

#include "world/tile.h"

TW_INLINE tw_tile_sphere_slot tw_device_rows_sphere(const tw_tile_sphere_slot *at)
{
#if defined(__CUDA_ARCH__)
    const double2 a = ((const double2 *)at)[0], b = ((const double2 *)at)[1];
    const tw_tile_sphere_slot row = {{a.x, a.y, b.x}, b.y};
    return row;
#else
    return *at;
#endif
}

/* Without the mass. */
TW_INLINE tw_vec3 tw_device_rows_half(const tw_tile_half *at)
{
#if defined(__CUDA_ARCH__)
    const double2 a = ((const double2 *)at)[0];
    return tw_vec3_make(a.x, a.y, at->v[2]);
#else
    return tw_vec3_make(at->v[0], at->v[1], at->v[2]);
#endif
}

#endif
