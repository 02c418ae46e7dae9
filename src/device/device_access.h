/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to memory by many threads: whole-number atomics, bits, rows of numbers that are read and
 * written in one access. */
#ifndef TW_DEVICE_ACCESS_H
#define TW_DEVICE_ACCESS_H

#include <stdint.h>

#include <twirl/math.h>

#include "base/quat.h"
#include "device/device_world.h"
#include "world/schedule.h"

/* Operations on whole numbers that several items may do at the same time; their order does not
 * matter. */

/* Returns the value before. */
TW_INLINE uint32_t tw_device_atomic_add(uint32_t *at, uint32_t by)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(at, by);
#else
    const uint32_t before = *at;
    *at += by;
    return before;
#endif
}

TW_INLINE void tw_device_atomic_add_long(uint64_t *at, uint64_t by)
{
#if defined(__CUDA_ARCH__)
    atomicAdd((unsigned long long *)at, (unsigned long long)by);
#else
    *at += by;
#endif
}

/* Adds 1, for items that count in one place: in one access where they run together. Returns the
 * value before. */
TW_INLINE uint32_t tw_device_atomic_next(uint32_t *at)
{
#if defined(__CUDA_ARCH__)
    const unsigned all = __activemask(), below = all & ((1u << (threadIdx.x % 32)) - 1);
    const int first = __ffs((int)all) - 1;
    uint32_t before = 0;
    if (below == 0) before = atomicAdd(at, (uint32_t)__popc(all));
    return __shfl_sync(all, before, first) + (uint32_t)__popc(below);
#else
    return (*at)++;
#endif
}

TW_INLINE void tw_device_atomic_or(uint32_t *at, uint32_t bits)
{
#if defined(__CUDA_ARCH__)
    atomicOr(at, bits);
#else
    *at |= bits;
#endif
}

TW_INLINE void tw_device_atomic_min(uint64_t *at, uint64_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMin((unsigned long long *)at, (unsigned long long)value);
#else
    if (value < *at) *at = value;
#endif
}

TW_INLINE void tw_device_atomic_max(uint64_t *at, uint64_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMax((unsigned long long *)at, (unsigned long long)value);
#else
    if (value > *at) *at = value;
#endif
}

TW_INLINE void tw_device_atomic_min_index(uint32_t *at, uint32_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMin(at, value);
#else
    if (value < *at) *at = value;
#endif
}

TW_INLINE void tw_device_atomic_max_index(uint32_t *at, uint32_t value)
{
#if defined(__CUDA_ARCH__)
    atomicMax(at, value);
#else
    if (value > *at) *at = value;
#endif
}

/* Puts `value` where `expected` is. Returns what was there before. */
TW_INLINE uint32_t tw_device_atomic_put(uint32_t *at, uint32_t expected, uint32_t value)
{
#if defined(__CUDA_ARCH__)
    return atomicCAS(at, expected, value);
#else
    const uint32_t before = *at;
    if (before == expected) *at = value;
    return before;
#endif
}

/* Maximum and minimum of numbers that are not negative: their bits have their order. Nearly all
 * items have one for the same place: one access for those that run together, and none if what is
 * there is as good. */
TW_INLINE void tw_device_atomic_most(uint64_t *at, double value)
{
    const uint64_t bits = tw_math_bits(value);
#if defined(__CUDA_ARCH__)
    const unsigned threads = __activemask(), high = (unsigned)(bits >> 32);
    const unsigned top = __reduce_max_sync(threads, high);
    const unsigned low = __reduce_max_sync(threads, high == top ? (unsigned)bits : 0u);
    const unsigned long long most = (unsigned long long)top << 32 | low;
    if ((threadIdx.x & 31u) == (unsigned)__ffs((int)threads) - 1u &&
        most > __ldcg((const unsigned long long *)at))
        tw_device_atomic_max(at, most);
#else
    tw_device_atomic_max(at, bits);
#endif
}

TW_INLINE void tw_device_atomic_least(uint64_t *at, double value)
{
    const uint64_t bits = tw_math_bits(value);
#if defined(__CUDA_ARCH__)
    const unsigned threads = __activemask(), high = (unsigned)(bits >> 32);
    const unsigned top = __reduce_min_sync(threads, high);
    const unsigned low = __reduce_min_sync(threads, high == top ? (unsigned)bits : ~0u);
    const unsigned long long least = (unsigned long long)top << 32 | low;
    if ((threadIdx.x & 31u) == (unsigned)__ffs((int)threads) - 1u &&
        least < __ldcg((const unsigned long long *)at))
        tw_device_atomic_min(at, least);
#else
    tw_device_atomic_min(at, bits);
#endif
}

/* A bit for each contact slot, 32 in a word. */

TW_INLINE uint32_t tw_device_bits_words(uint32_t slots)
{
    return slots / 32 + 1;
}

TW_INLINE void tw_device_bits_set(uint32_t *bits, uint32_t slot)
{
    tw_device_atomic_or(&bits[slot / 32], 1u << slot % 32);
}

TW_INLINE int tw_device_bits_has(const uint32_t *bits, uint32_t slot)
{
    return (int)(bits[slot / 32] >> slot % 32 & 1);
}

/* Word number k, without bits of slots outside of first .. end - 1. */
TW_INLINE uint32_t tw_device_bits_word(const uint32_t *bits, uint32_t k, uint32_t first,
                                       uint32_t end)
{
    const uint32_t low = 32 * k;
    if (low >= end) return 0;
    uint32_t word = bits[k];
    if (low < first) word &= ~0u << (first - low);
    if (low + 32 > end) word &= ~0u >> (low + 32 - end);
    return word;
}

/* The number of the lowest bit that is set; there is one. */
TW_INLINE uint32_t tw_device_bits_lowest(uint64_t bits)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__ffsll((long long)bits) - 1u;
#elif defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t k = 0;
    while (!(bits >> k & 1))
        k++;
    return k;
#endif
}

TW_INLINE uint32_t tw_device_bits_count(uint64_t bits)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__popcll((long long)bits);
#else
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
#endif
}

/* Ascending by the bits of `mask`; no two are equal in these. */
TW_INLINE void tw_device_sort(uint32_t *x, uint32_t count, uint32_t mask)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t one = x[i];
            uint32_t at = i;
            for (; at >= gap && (x[at - gap] & mask) > (one & mask); at -= gap)
                x[at] = x[at - gap];
            x[at] = one;
        }
    }
}

/* Rows of four numbers, read and written by a device in accesses of two numbers; and bytes, several
 * at a time. */

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

/* Finds zeros among eight bytes, from a multiple of eight on: the highest bit of each is set, and
 * no other. */
TW_INLINE uint64_t tw_device_rows_zeros(const uint8_t *from)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t x = 0;
#if defined(__CUDA_ARCH__)
    x = *(const unsigned long long *)from;
#else
    for (int k = 0; k < 8; k++)
        x |= (uint64_t)from[k] << 8 * k;
#endif
    return ~(((x & low) + low) | x | low);
}

#endif
