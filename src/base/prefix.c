/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/prefix.h"

#include "base/parallel.h"

enum { PREFIX_GRAIN = 8192 }; /* below this, starting threads costs more than adding */

typedef struct prefixing {
    const uint32_t *counts;
    uint32_t *offsets;
    size_t n, parts;
    uint64_t before[TW_PARALLEL_PARTS_MAX]; /* sum of the part, then of all parts before it */
} prefixing;

static void add_up(void *context, size_t part)
{
    prefixing *p = context;
    const tw_parallel_range range = tw_parallel_part(p->n, p->parts, part);
    uint64_t sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += p->counts[i];
    p->before[part] = sum;
}

static void set_offsets(void *context, size_t part)
{
    prefixing *p = context;
    const tw_parallel_range range = tw_parallel_part(p->n, p->parts, part);
    uint64_t sum = p->before[part];
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t count = p->counts[i]; /* read first: the arrays may be the same */
        p->offsets[i] = (uint32_t)sum;
        sum += count;
    }
    p->before[part] = sum;
}

uint64_t tw_prefix_sum_u32(const uint32_t *counts, uint32_t *offsets, size_t n)
{
    prefixing p = {counts, offsets, n, tw_parallel_parts(n, PREFIX_GRAIN), {0}};
    uint64_t start = 0;
    if (p.parts > 1) tw_parallel_run(p.parts, add_up, &p);
    for (size_t part = 0; part < p.parts; part++) {
        const uint64_t sum = p.before[part];
        p.before[part] = start;
        start += sum;
    }
    tw_parallel_run(p.parts, set_offsets, &p);
    return p.before[p.parts - 1];
}
