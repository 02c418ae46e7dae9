/* SPDX-License-Identifier: BSD-3-Clause */
/* Least significant digit first, 8 bits per pass: the 256 write streams still fit the first-level
 * cache; with 11 bits they would not. Each thread counts and scatters one part of the items. */
#include "base/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/parallel.h"

enum { SORT_GRAIN = 4096, SORT_DIGITS = 256 };

/* Where each part writes its first item of each digit: digit by digit, and within a digit part by
 * part, which is what makes the sort stable. */
typedef struct sort_table {
    uint32_t at[TW_PARALLEL_PARTS_MAX][SORT_DIGITS];
} sort_table;

/* Turns counts into offsets. False if all items have the same digit and the pass can be skipped. */
static bool sort_place(sort_table *table, size_t parts, size_t n)
{
    size_t place = 0;
    for (int digit = 0; digit < SORT_DIGITS; digit++) {
        const size_t start = place;
        for (size_t part = 0; part < parts; part++) {
            const uint32_t count = table->at[part][digit];
            table->at[part][digit] = (uint32_t)place;
            place += count;
        }
        if (place - start == n) return false;
    }
    return true;
}

typedef struct radix_sort {
    const uint32_t *keys;
    const uint32_t *values;
    uint32_t *to_keys;
    uint32_t *to_values;
    size_t n, parts;
    int shift;
    sort_table *table;
} radix_sort;

static void sort_count(void *context, size_t part)
{
    const radix_sort *s = context;
    const tw_parallel_range range = tw_parallel_part(s->n, s->parts, part);
    uint32_t *count = s->table->at[part];
    memset(count, 0, SORT_DIGITS * sizeof *count);
    for (size_t i = range.begin; i < range.end; i++)
        count[(s->keys[i] >> s->shift) % SORT_DIGITS]++;
}

static void sort_scatter(void *context, size_t part)
{
    const radix_sort *s = context;
    const tw_parallel_range range = tw_parallel_part(s->n, s->parts, part);
    uint32_t *at = s->table->at[part];
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t place = at[(s->keys[i] >> s->shift) % SORT_DIGITS]++;
        s->to_keys[place] = s->keys[i];
        s->to_values[place] = s->values[i];
    }
}

static bool sort_pass(radix_sort *s)
{
    tw_parallel_run(s->parts, sort_count, s);
    if (!sort_place(s->table, s->parts, s->n)) return false;
    tw_parallel_run(s->parts, sort_scatter, s);
    return true;
}

void tw_sort_u32(uint32_t *keys, uint32_t *values, uint32_t *scratch_keys, uint32_t *scratch_values,
                 size_t n, int bits)
{
    assert(n <= UINT32_MAX && bits <= (int)(8 * sizeof(uint32_t)));
    sort_table table;
    uint32_t *from_keys = keys, *to_keys = scratch_keys;
    uint32_t *from_values = values, *to_values = scratch_values;
    const size_t parts = tw_parallel_parts(n, SORT_GRAIN);
    for (int shift = 0; shift < bits; shift += 8) {
        radix_sort s = {from_keys, from_values, to_keys, to_values, n, parts, shift, &table};
        if (!sort_pass(&s)) continue;
        uint32_t *const swap_keys = from_keys;
        uint32_t *const swap_values = from_values;
        from_keys = to_keys;
        from_values = to_values;
        to_keys = swap_keys;
        to_values = swap_values;
    }
    if (from_keys == keys) return;
    memcpy(keys, from_keys, n * sizeof *keys);
    memcpy(values, from_values, n * sizeof *values);
}

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
