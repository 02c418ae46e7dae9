/* SPDX-License-Identifier: BSD-3-Clause */
/* Stable radix sort of keys with 32-bit values. */
#ifndef TW_BASE_SORT_H
#define TW_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts `keys` ascending and moves `values` along; equal keys keep their order, so the result does
 * not depend on the number of threads. Only the lowest `bits` bits of the keys are compared; fewer
 * bits take fewer passes. The scratch arrays hold n elements each; nothing is allocated. n is less
 * than 2^32. */
void tw_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *scratch_keys, uint32_t *scratch_values,
                 size_t n, int bits);
void tw_sort_u32(uint32_t *keys, uint32_t *values, uint32_t *scratch_keys, uint32_t *scratch_values,
                 size_t n, int bits);

#endif
