/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on whole numbers that several items may do at once; their order does not matter. */
#ifndef TW_DEVICE_ATOMIC_H
#define TW_DEVICE_ATOMIC_H

#include <stdint.h>

#include <twirl/math.h>

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

/* 1 for the last of n callers: it may read what the others wrote before they called. */
TW_INLINE int tw_device_atomic_last(uint32_t *count, uint32_t n)
{
#if defined(__CUDA_ARCH__)
    __threadfence();
    const int last = atomicAdd(count, 1u) + 1 == n;
    __threadfence();
    return last;
#else
    return ++*count == n;
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

/* The same by 1, for items that count in one place: together where they run together. */
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

/* The same for numbers that are not negative: their bits have their order. Nearly all items have
 * one for the same place: one access for those that run together, and none if what is there is as
 * good. */
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

#endif
