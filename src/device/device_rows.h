/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of four numbers, read and written by a device in accesses of two numbers; and bytes, several
 * at a time. */
#ifndef TW_DEVICE_ROWS_H
#define TW_DEVICE_ROWS_H

#include <stdint.h>

#include "base/quat.h"
#include "device/device_bits.h"
#include "device/device_world.h"
#include "world/schedule.h"

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

TW_INLINE tw_quat tw_device_rows_quat(const tw_quat *at)
{
#if defined(__CUDA_ARCH__)
    const double2 a = ((const double2 *)at)[0], b = ((const double2 *)at)[1];
    return tw_quat_make(a.x, a.y, b.x, b.y);
#else
    return *at;
#endif
}

/* Writes a row. */
TW_INLINE void tw_device_rows_put(double *to, double a, double b, double c, double d)
{
#if defined(__CUDA_ARCH__)
    ((double2 *)to)[0] = make_double2(a, b);
    ((double2 *)to)[1] = make_double2(c, d);
#else
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
#endif
}

/* Two vectors, one after the other. */
typedef struct tw_device_rows_six {
    tw_vec3 a, b;
} tw_device_rows_six;

TW_INLINE tw_device_rows_six tw_device_rows_get_six(const double *from)
{
    tw_device_rows_six row;
#if defined(__CUDA_ARCH__)
    const double2 a = ((const double2 *)from)[0], b = ((const double2 *)from)[1],
                  c = ((const double2 *)from)[2];
    row.a = tw_vec3_make(a.x, a.y, b.x);
    row.b = tw_vec3_make(b.y, c.x, c.y);
#else
    row.a = tw_vec3_make(from[0], from[1], from[2]);
    row.b = tw_vec3_make(from[3], from[4], from[5]);
#endif
    return row;
}

TW_INLINE void tw_device_rows_put_six(double *to, tw_vec3 a, tw_vec3 b)
{
#if defined(__CUDA_ARCH__)
    ((double2 *)to)[0] = make_double2(a.x, a.y);
    ((double2 *)to)[1] = make_double2(a.z, b.x);
    ((double2 *)to)[2] = make_double2(b.y, b.z);
#else
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
    to[3] = b.x;
    to[4] = b.y;
    to[5] = b.z;
#endif
}

TW_INLINE tw_device_incident tw_device_rows_incident(const tw_device_incident *at)
{
#if defined(__CUDA_ARCH__)
    const uint4 a = ((const uint4 *)at)[0], b = ((const uint4 *)at)[1];
    const tw_device_incident row = {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
    return row;
#else
    return *at;
#endif
}

typedef struct tw_device_rows_four {
    uint8_t x[4];
} tw_device_rows_four;

/* From a multiple of four. */
TW_INLINE tw_device_rows_four tw_device_rows_bytes(const uint8_t *from)
{
#if defined(__CUDA_ARCH__)
    const uchar4 a = *(const uchar4 *)from;
    const tw_device_rows_four row = {{a.x, a.y, a.z, a.w}};
#else
    const tw_device_rows_four row = {{from[0], from[1], from[2], from[3]}};
#endif
    return row;
}

/* The number of the first of eight bytes that is zero, from number `at` on; 8: there is none. From
 * a multiple of eight. */
TW_INLINE uint32_t tw_device_rows_zero(const uint8_t *from, uint32_t at)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t x = 0;
#if defined(__CUDA_ARCH__)
    x = *(const unsigned long long *)from;
#else
    for (int k = 0; k < 8; k++)
        x |= (uint64_t)from[k] << 8 * k;
#endif
    /* The highest bit of a byte is set if the byte is zero. */
    const uint64_t zeros = ~(((x & low) + low) | x | low) & UINT64_MAX << 8 * at;
    return zeros ? tw_device_bits_lowest(zeros) / 8 : 8;
}

#endif
