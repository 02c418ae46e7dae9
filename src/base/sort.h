/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole numbers in parallel: radix sort, prefix sums. */
#ifndef TW_BASE_SORT_H
#define TW_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Stable radix sort of keys with 32-bit values. */

/* Sorts `keys` ascending and moves `values` along; equal keys keep their order, so the result does
 * not depend on the number of threads. Only the lowest `bits` bits of the keys are compared; fewer
 * bits take fewer passes. The scratch arrays hold n elements each; nothing is allocated. n is less
 * than 2^32. */
void tw_sort_u32(uint32_t *keys, uint32_t *values, uint32_t *scratch_keys, uint32_t *scratch_values,
                 size_t n, int bits);

/* Prefix sums in parallel: from counts to offsets. */

/* offsets[i] = counts[0] + ... + counts[i - 1]. The two may be the same array, but not overlap
 * otherwise. Returns the total; if it exceeds UINT32_MAX, the offsets have wrapped and are invalid.
 */
uint64_t tw_prefix_sum_u32(const uint32_t *counts, uint32_t *offsets, size_t n);

#endif
