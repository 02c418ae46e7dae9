/* SPDX-License-Identifier: BSD-3-Clause */
/* The body of sort.c for one key type: included there once for each, with SORT_KEY and SORT_NAME.
 * No include guard for that reason. */

static void SORT_NAME(sort_count)(const SORT_KEY *keys, tw_parallel_range range, int shift,
                                  uint32_t *count)
{
    memset(count, 0, SORT_DIGITS * sizeof *count);
    for (size_t i = range.begin; i < range.end; i++)
        count[(keys[i] >> shift) % SORT_DIGITS]++;
}

static bool SORT_NAME(sort_pass)(const SORT_KEY *keys, const uint32_t *values, SORT_KEY *to_keys,
                                 uint32_t *to_values, size_t n, int shift, sort_table *table)
{
    const size_t parts = tw_parallel_parts(n, SORT_GRAIN);
    TW_PARALLEL_LOOP(parts > 1)
    for (size_t part = 0; part < parts; part++)
        SORT_NAME(sort_count)(keys, tw_parallel_part(n, parts, part), shift, table->at[part]);
    if (!sort_place(table, parts, n)) return false;
    TW_PARALLEL_LOOP(parts > 1)
    for (size_t part = 0; part < parts; part++) {
        const tw_parallel_range range = tw_parallel_part(n, parts, part);
        uint32_t *at = table->at[part];
        for (size_t i = range.begin; i < range.end; i++) {
            const uint32_t place = at[(keys[i] >> shift) % SORT_DIGITS]++;
            to_keys[place] = keys[i];
            to_values[place] = values[i];
        }
    }
    return true;
}

void SORT_NAME(tw_sort)(SORT_KEY *keys, uint32_t *values, SORT_KEY *scratch_keys,
                        uint32_t *scratch_values, size_t n, int bits)
{
    assert(n <= UINT32_MAX && bits <= (int)(8 * sizeof(SORT_KEY)));
    sort_table table;
    SORT_KEY *from_keys = keys, *to_keys = scratch_keys;
    uint32_t *from_values = values, *to_values = scratch_values;
    for (int shift = 0; shift < bits; shift += 8) {
        if (!SORT_NAME(sort_pass)(from_keys, from_values, to_keys, to_values, n, shift, &table))
            continue;
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
