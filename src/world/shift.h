/* SPDX-License-Identifier: BSD-3-Clause */
/* Periodic images. */
#ifndef TW_WORLD_SHIFT_H
#define TW_WORLD_SHIFT_H

#include <stdint.h>

#include <twirl/math.h>

/* An image of the cell, counted in edges. */
typedef struct tw_shift {
    int8_t i, j, k;
} tw_shift;

TW_INLINE tw_shift tw_shift_negative(tw_shift s)
{
    const tw_shift r = {(int8_t)-s.i, (int8_t)-s.j, (int8_t)-s.k};
    return r;
}

/* One number that orders shifts. */
TW_INLINE uint32_t tw_shift_key(tw_shift s)
{
    return (uint32_t)(s.i + 128) << 16 | (uint32_t)(s.j + 128) << 8 | (uint32_t)(s.k + 128);
}

#endif
