/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/prefix.h"

#include "base/parallel.h"

enum { PREFIX_GRAIN = 8192 }; /* below it starting threads costs more than adding */

uint64_t tw_prefix_sum_u32(const uint32_t *counts, uint32_t *offsets, size_t n)
{
    uint64_t before[TW_PARALLEL_PARTS_MAX] = {0}, start = 0, total = 0;
    const size_t parts = tw_parallel_parts(n, PREFIX_GRAIN);
    if (parts > 1) {
        TW_PARALLEL_LOOP(parts > 1)
        for (size_t part = 0; part < parts; part++) {
            const tw_parallel_range range = tw_parallel_part(n, parts, part);
            uint64_t sum = 0;
            for (size_t i = range.begin; i < range.end; i++)
                sum += counts[i];
            before[part] = sum;
        }
    }
    for (size_t part = 0; part < parts; part++) {
        const uint64_t sum = before[part];
        before[part] = start;
        start += sum;
    }
    TW_PARALLEL_LOOP(parts > 1)
    for (size_t part = 0; part < parts; part++) {
        const tw_parallel_range range = tw_parallel_part(n, parts, part);
        uint64_t sum = before[part];
        for (size_t i = range.begin; i < range.end; i++) {
            const uint32_t count = counts[i]; /* read first: the arrays may be one */
            offsets[i] = (uint32_t)sum;
            sum += count;
        }
        if (part + 1 == parts) total = sum;
    }
    return total;
}
