/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix sums in parallel: from counts to offsets. */
#ifndef TW_BASE_PREFIX_H
#define TW_BASE_PREFIX_H

#include <stddef.h>
#include <stdint.h>

/* offsets[i] = counts[0] + ... + counts[i - 1]. The two may be the same array, but not overlap
 * otherwise. Returns the total; if it exceeds UINT32_MAX, the offsets have wrapped and are invalid.
 */
uint64_t tw_prefix_sum_u32(const uint32_t *counts, uint32_t *offsets, size_t n);

#endif
