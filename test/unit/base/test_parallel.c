/* SPDX-License-Identifier: BSD-3-Clause */
/* parallel.h, prefix.h, sort.h and sum.h: the same answer for any number of threads. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include "base/parallel.h"
#include "base/prefix.h"
#include "base/sort.h"
#include "base/sum.h"

#include <stdlib.h>

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    assert_non_null(p);
    return p;
}

static void parts_cover_a_range_once_and_evenly(void **state)
{
    (void)state;
    for (size_t n = 0; n < 50; n++)
        for (size_t parts = 1; parts < 12; parts++) {
            size_t at = 0;
            for (size_t part = 0; part < parts; part++) {
                const tw_parallel_range range = tw_parallel_part(n, parts, part);
                assert_int_equal(range.begin, at);
                assert_in_range(range.end - range.begin, n / parts, n / parts + 1);
                at = range.end;
            }
            assert_int_equal(at, n);
        }
}

/* Clusters give a job its share of a machine in OMP_NUM_THREADS; what a process chose before does
 * not count. */
static void the_default_is_what_the_environment_says(void **state)
{
    (void)state;
    tw_parallel_set_threads(5);
    unsetenv("OMP_NUM_THREADS");
    const int processors = tw_parallel_default();
    assert_true(processors >= 1);
    tw_parallel_set_threads(processors + 1);
    assert_int_equal(tw_parallel_default(), processors);
    static const struct {
        const char *wish;
        int threads; /* 0: as many as processors */
    } cases[] = {{"3", 3}, {"2,4", 2}, {"0", 0}, {"-1", 0}, {"many", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("OMP_NUM_THREADS", cases[i].wish, 1);
        const int wanted = cases[i].threads > 0 ? cases[i].threads : processors;
        assert_int_equal(tw_parallel_default(), wanted);
    }
    unsetenv("OMP_NUM_THREADS");
}

typedef struct visit {
    unsigned char *seen;
    size_t n;
} visit;

static void mark(void *context, size_t begin, size_t end)
{
    visit *v = context;
    if (begin % 10 != 0 || (end != begin + 10 && end != v->n)) return; /* shows as unseen */
    for (size_t i = begin; i < end; i++)
        v->seen[i]++;
}

static void a_parallel_loop_visits_each_item_once_in_fixed_chunks(void **state)
{
    (void)state;
    for (int t = 0; t < THREADS; t++)
        for (size_t n = 0; n < 200; n += 13) {
            unsigned char seen[200] = {0};
            visit v = {seen, n};
            tw_parallel_set_threads(threads[t]);
            tw_parallel_for(n, 10, mark, &v);
            for (size_t i = 0; i < 200; i++)
                assert_int_equal(seen[i], i < n);
        }
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

static void a_prefix_sum_beyond_32_bits_is_told(void **state)
{
    (void)state;
    uint32_t counts[3] = {UINT32_MAX, UINT32_MAX, 5};
    assert_true(tw_prefix_sum_u32(counts, counts, 3) == 2 * (uint64_t)UINT32_MAX + 5);
}

typedef struct sort_item {
    uint64_t key;
    uint32_t value;
} sort_item;

/* A stable order is a total one with the original place as the tie-break; here values are places.
 */
static int item_order(const void *a, const void *b)
{
    const sort_item *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

static void check_sort(const sort_item *items, sort_item *sorted, size_t n, int bits)
{
    memcpy(sorted, items, n * sizeof *items);
    qsort(sorted, n, sizeof *sorted, item_order);
    uint64_t *key = allocate(2 * n, sizeof *key);
    uint32_t *short_key = allocate(2 * n, sizeof *short_key), *value = allocate(2 * n, 4);
    for (int t = 0; t < THREADS; t++) {
        tw_parallel_set_threads(threads[t]);
        for (size_t i = 0; i < n; i++) {
            key[i] = items[i].key;
            value[i] = items[i].value;
        }
        tw_sort_u64(key, value, key + n, value + n, n, bits);
        for (size_t i = 0; i < n; i++)
            assert_true(key[i] == sorted[i].key && value[i] == sorted[i].value);
        if (bits > 32) continue;
        for (size_t i = 0; i < n; i++) {
            short_key[i] = (uint32_t)items[i].key;
            value[i] = items[i].value;
        }
        tw_sort_u32(short_key, value, short_key + n, value + n, n, bits);
        for (size_t i = 0; i < n; i++)
            assert_true(short_key[i] == sorted[i].key && value[i] == sorted[i].value);
    }
    free(key);
    free(short_key);
    free(value);
}

static void sorting_is_stable_and_equals_the_library_sort(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 8192, 40001};
    static const int widths[] = {1, 5, 8, 9, 20, 32, 40, 64}; /* odd and even numbers of passes */
    tw_random random = tw_random_seed(62);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            const size_t n = sizes[k];
            sort_item *items = allocate(2 * n, sizeof *items);
            for (size_t i = 0; i < n; i++) {
                items[i].key = tw_random_next(&random) >> (64 - widths[w]);
                items[i].value = (uint32_t)i;
            }
            check_sort(items, items + n, n, widths[w]);
            for (size_t i = 0; i < n; i++)
                items[i].key &= UINT64_C(0xff00ff); /* passes that can be left out */
            check_sort(items, items + n, n, widths[w]);
            free(items);
        }
}

static void bits_beyond_the_width_are_not_compared(void **state)
{
    (void)state;
    uint32_t key[4] = {0x1002, 0x0001, 0x1001, 0x0002}, value[4] = {0, 1, 2, 3};
    uint32_t key_scratch[4], value_scratch[4];
    tw_sort_u32(key, value, key_scratch, value_scratch, 4, 8);
    const uint32_t expected[4] = {1, 2, 0, 3};
    assert_memory_equal(value, expected, sizeof expected);
}

static const size_t sum_sizes[] = {0, 1, 7, 8, 1023, 1024, 1025, 50000, 262144, 262145, 600001};
enum { SUM_SIZES = sizeof sum_sizes / sizeof *sum_sizes, SUM_MAX = 600001 };

static void sums_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    tw_mat3 *x = allocate(SUM_MAX, sizeof *x);
    tw_random random = tw_random_seed(63);
    for (size_t i = 0; i < SUM_MAX; i++)
        for (int k = 0; k < 9; k++)
            x[i].m[k] = ldexp(check_between(&random, -1.0, 1.0), (int)(i % 60));
    for (int s = 0; s < SUM_SIZES; s++) {
        const size_t n = sum_sizes[s];
        tw_parallel_set_threads(1);
        const double a = tw_sum_double(x[0].m, n);
        const tw_vec3 b = tw_sum_vec3((const tw_vec3 *)(const void *)x, n);
        const tw_mat3 c = tw_sum_mat3(x, n);
        for (int t = 1; t < THREADS; t++) {
            tw_parallel_set_threads(threads[t]);
            const double a_again = tw_sum_double(x[0].m, n);
            const tw_vec3 b_again = tw_sum_vec3((const tw_vec3 *)(const void *)x, n);
            const tw_mat3 c_again = tw_sum_mat3(x, n);
            assert_memory_equal(&a, &a_again, sizeof a);
            assert_memory_equal(&b, &b_again, sizeof b);
            assert_memory_equal(&c, &c_again, sizeof c);
        }
    }
    free(x);
}

static void sums_of_whole_numbers_are_exact(void **state)
{
    (void)state;
    double *x = allocate(9 * SUM_MAX, sizeof *x);
    for (size_t i = 0; i < 9 * (size_t)SUM_MAX; i++)
        x[i] = (double)(i % 1000) - 300.0;
    for (int s = 0; s < SUM_SIZES; s++) {
        const size_t n = sum_sizes[s];
        double sum = 0.0, sum3[3] = {0.0}, sum9[9] = {0.0};
        for (size_t i = 0; i < n; i++) {
            sum += x[i];
            for (size_t k = 0; k < 3; k++)
                sum3[k] += x[3 * i + k];
            for (size_t k = 0; k < 9; k++)
                sum9[k] += x[9 * i + k];
        }
        tw_parallel_set_threads(threads[s % THREADS]);
        check_at_most(fabs(tw_sum_double(x, n) - sum), 0.0);
        const tw_vec3 v = tw_sum_vec3((const tw_vec3 *)(const void *)x, n);
        check_at_most(check_distance(v, tw_vec3_make(sum3[0], sum3[1], sum3[2])), 0.0);
        const tw_mat3 m = tw_sum_mat3((const tw_mat3 *)(const void *)x, n);
        for (int k = 0; k < 9; k++)
            check_at_most(fabs(m.m[k] - sum9[k]), 0.0);
    }
    free(x);
}

/* Sums 1, i and the greatest width at once, from no array at all. */
static void count_items(void *context, size_t begin, size_t end, double *sum)
{
    (void)context;
    for (size_t i = begin; i < end; i++) {
        sum[0] += 1.0;
        sum[TW_SUM_WIDTH_MAX - 1] += (double)i;
    }
}

static void what_a_chunk_computes_is_summed_too(void **state)
{
    (void)state;
    for (int t = 0; t < THREADS; t++) {
        double sum[TW_SUM_WIDTH_MAX];
        tw_parallel_set_threads(threads[t]);
        tw_sum_chunks(300001, TW_SUM_WIDTH_MAX, count_items, NULL, sum);
        check_at_most(fabs(sum[0] - 300001.0), 0.0);
        check_at_most(fabs(sum[1]), 0.0);
        check_at_most(fabs(sum[TW_SUM_WIDTH_MAX - 1] - 300001.0 * 150000.0), 0.0);
    }
}

static void count_task(void *context, size_t index)
{
    ((unsigned char *)context)[index]++;
}

static void tasks_are_run_once_each(void **state)
{
    (void)state;
    for (int n = -1; n < THREADS; n++) { /* 0: one thread per processor */
        unsigned char seen[40] = {0};
        tw_parallel_tasks(33, n < 0 ? 0 : threads[n], count_task, seen);
        for (size_t i = 0; i < 40; i++)
            assert_int_equal(seen[i], i < 33);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_a_range_once_and_evenly),
        cmocka_unit_test(the_default_is_what_the_environment_says),
        cmocka_unit_test(a_parallel_loop_visits_each_item_once_in_fixed_chunks),
        cmocka_unit_test(prefix_sums_equal_the_plain_loop),
        cmocka_unit_test(a_prefix_sum_beyond_32_bits_is_told),
        cmocka_unit_test(sorting_is_stable_and_equals_the_library_sort),
        cmocka_unit_test(bits_beyond_the_width_are_not_compared),
        cmocka_unit_test(sums_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(sums_of_whole_numbers_are_exact),
        cmocka_unit_test(what_a_chunk_computes_is_summed_too),
        cmocka_unit_test(tasks_are_run_once_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
