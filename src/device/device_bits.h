/* SPDX-License-Identifier: BSD-3-Clause */
/* A bit for each contact slot, 32 in a word. */
#ifndef TW_DEVICE_BITS_H
#define TW_DEVICE_BITS_H

#include "device/device_atomic.h"

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

#endif
