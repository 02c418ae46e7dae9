/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    assert_non_null(p);
    return p;
}

static void prefix_sums_equal_the_plain_loop(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 1000, 8191, 16384, 100003};
    tw_random random = tw_random_seed(61);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        uint32_t *counts = allocate(n, sizeof *counts), *offsets = allocate(n, sizeof *offsets);
        for (size_t i = 0; i < n; i++)
            counts[i] = (uint32_t)(tw_random_next(&random) % 50);
        for (int t = 0; t < THREADS; t++) {
            tw_parallel_set_threads(threads[t]);
            uint64_t total = tw_prefix_sum_u32(counts, offsets, n), sum = 0;
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(offsets[i], sum);
                sum += counts[i];
            }
            assert_true(total == sum);
            memcpy(offsets, counts, n * sizeof *counts); /* in place */
            assert_true(tw_prefix_sum_u32(offsets, offsets, n) == sum);
            for (size_t i = 0; i + 1 < n; i++)
                assert_int_equal(offsets[i + 1] - offsets[i], counts[i]);
        }
        free(counts);
        free(offsets);
    }
}

static void a_prefix_sum_beyond_32_bits_is_reported(void **state)
{
    (void)state;
    uint32_t counts[3] = {UINT32_MAX, UINT32_MAX, 5};
    assert_true(tw_prefix_sum_u32(counts, counts, 3) == 2 * (uint64_t)UINT32_MAX + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefix_sums_equal_the_plain_loop),
        cmocka_unit_test(a_prefix_sum_beyond_32_bits_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
