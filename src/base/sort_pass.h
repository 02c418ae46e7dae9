/* SPDX-License-Identifier: BSD-3-Clause */
/* The body of sort.c for one key type: included there once for each, with SORT_KEY and SORT_NAME.
 * No include guard for that reason. */

typedef struct SORT_NAME(sorting) {
    const SORT_KEY *keys;
    const uint32_t *values;
    SORT_KEY *to_keys;
    uint32_t *to_values;
    size_t n, parts;
    int shift;
    sort_table *table;
} SORT_NAME(sorting);

static void SORT_NAME(sort_count)(void *context, size_t part)
{
    const SORT_NAME(sorting) *s = context;
    const tw_parallel_range range = tw_parallel_part(s->n, s->parts, part);
    uint32_t *count = s->table->at[part];
    memset(count, 0, SORT_DIGITS * sizeof *count);
    for (size_t i = range.begin; i < range.end; i++)
        count[(s->keys[i] >> s->shift) % SORT_DIGITS]++;
}

static void SORT_NAME(sort_scatter)(void *context, size_t part)
{
    const SORT_NAME(sorting) *s = context;
    const tw_parallel_range range = tw_parallel_part(s->n, s->parts, part);
    uint32_t *at = s->table->at[part];
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t place = at[(s->keys[i] >> s->shift) % SORT_DIGITS]++;
        s->to_keys[place] = s->keys[i];
        s->to_values[place] = s->values[i];
    }
}

static bool SORT_NAME(sort_pass)(SORT_NAME(sorting) * s)
{
    tw_parallel_run(s->parts, SORT_NAME(sort_count), s);
    if (!sort_place(s->table, s->parts, s->n)) return false;
    tw_parallel_run(s->parts, SORT_NAME(sort_scatter), s);
    return true;
}

void SORT_NAME(tw_sort)(SORT_KEY *keys, uint32_t *values, SORT_KEY *scratch_keys,
                        uint32_t *scratch_values, size_t n, int bits)
{
    assert(n <= UINT32_MAX && bits <= (int)(8 * sizeof(SORT_KEY)));
    sort_table table;
    SORT_KEY *from_keys = keys, *to_keys = scratch_keys;
    uint32_t *from_values = values, *to_values = scratch_values;
    const size_t parts = tw_parallel_parts(n, SORT_GRAIN);
    for (int shift = 0; shift < bits; shift += 8) {
        SORT_NAME(sorting)
        s = {from_keys, from_values, to_keys, to_values, n, parts, shift, &table};
        if (!SORT_NAME(sort_pass)(&s)) continue;
        SORT_KEY *const swap_keys = from_keys;
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
