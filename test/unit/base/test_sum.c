/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/parallel.h"
#include "base/sum.h"

#include <stdlib.h>
#include <string.h>

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    assert_non_null(p);
    return p;
}

static const size_t sum_sizes[] = {0, 1, 7, 8, 1023, 1024, 1025, 50000, 262144, 262145, 600001};
enum { SUM_SIZES = sizeof sum_sizes / sizeof *sum_sizes, SUM_MAX = 600001 };

/* Sums of rows of `width` numbers. */
typedef struct rows {
    const double *x;
    size_t width;
} rows;

static void add_rows(void *context, size_t begin, size_t end, double *sum)
{
    const rows *r = context;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < r->width; k++)
            sum[k] += r->x[r->width * i + k];
}

static void sum_rows(const double *x, size_t n, int width, double *sum)
{
    rows r = {x, (size_t)width};
    tw_sum_chunks(n, width, add_rows, &r, sum);
}

static const int widths[] = {1, 3, 9};

static void sums_are_bitwise_equal_for_any_number_of_threads(void **state)
{
    (void)state;
    double *x = allocate((size_t)9 * SUM_MAX, sizeof *x);
    tw_random random = tw_random_seed(63);
    for (size_t i = 0; i < (size_t)9 * SUM_MAX; i++)
        x[i] = ldexp(check_between(&random, -1.0, 1.0), (int)(i / 9 % 60));
    for (int s = 0; s < 3 * SUM_SIZES; s++) {
        const size_t n = sum_sizes[s / 3];
        double once[9], again[9];
        tw_parallel_set_threads(1);
        sum_rows(x, n, widths[s % 3], once);
        for (int t = 1; t < THREADS; t++) {
            tw_parallel_set_threads(threads[t]);
            sum_rows(x, n, widths[s % 3], again);
            assert_memory_equal(once, again, (size_t)widths[s % 3] * sizeof *once);
        }
    }
    free(x);
}

static void sums_of_integers_are_exact(void **state)
{
    (void)state;
    double *x = allocate(9 * SUM_MAX, sizeof *x);
    for (size_t i = 0; i < 9 * (size_t)SUM_MAX; i++)
        x[i] = (double)(i % 1000) - 300.0;
    for (int s = 0; s < 3 * SUM_SIZES; s++) {
        const size_t n = sum_sizes[s / 3], width = (size_t)widths[s % 3];
        double expected[9] = {0.0}, sum[9];
        for (size_t i = 0; i < n * width; i++)
            expected[i % width] += x[i];
        tw_parallel_set_threads(threads[s % THREADS]);
        sum_rows(x, n, widths[s % 3], sum);
        for (size_t k = 0; k < width; k++)
            check_at_most(fabs(sum[k] - expected[k]), 0.0);
    }
    free(x);
}

/* Sums 1, i and other terms up to the largest width, without an array. */
static void count_items(void *context, size_t begin, size_t end, double *sum)
{
    (void)context;
    for (size_t i = begin; i < end; i++) {
        sum[0] += 1.0;
        sum[TW_SUM_WIDTH_MAX - 1] += (double)i;
    }
}

static void computed_terms_are_summed(void **state)
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

static void one_part(void *context, size_t part, double *sum)
{
    const double *x = context;
    sum[0] = x[part];
    sum[1] = -3.0 * x[part];
}

/* The same tree with and without workspace, for numbers of parts around powers of two. */
static void workspace_does_not_show(void **state)
{
    (void)state;
    enum { MOST = 1100 };
    double *x = allocate(MOST, sizeof *x), *room = allocate((size_t)2 * MOST, sizeof *room);
    tw_random random = tw_random_seed(8);
    for (size_t i = 0; i < MOST; i++)
        x[i] = ldexp(check_between(&random, -1.0, 1.0), (int)(i % 60));
    tw_parallel_set_threads(2);
    for (size_t n = 0; n <= MOST; n += n < 20 ? 1 : 53) {
        double with[2], without[2];
        tw_sum_parts(n, 2, one_part, x, room, with);
        tw_sum_parts(n, 2, one_part, x, NULL, without);
        assert_memory_equal(with, without, sizeof with);
    }
    free(room);
    free(x);
}

/* Against one addition after the other. Odd multiples of a small power of two lie in the middle of
 * two sums again and again. */
static void a_number_is_added_many_times(void **state)
{
    enum { MOST = 100000 };
    (void)state;
    tw_random random = tw_random_seed(64);
    for (int k = 0; k < 60; k++) {
        const double share = 1.0 / floor(check_between(&random, 1.0, MOST));
        const double ties = ldexp(1.0 + ldexp(1.0 + 2.0 * k, -52), -7), tie = k % 2 ? 3.0 : ties;
        const double x = k < 40 ? share : tie;
        double sum = 0.0;
        for (uint64_t n = 0; n < MOST; n++, sum += x) {
            if (n > 100 && n % 997 != (uint64_t)k && n + 1 < MOST) continue;
            const double fast = tw_sum_repeated(x, n);
            if (memcmp(&fast, &sum, sizeof sum) != 0)
                fail_msg("%a, %llu times: %a and %a", x, (unsigned long long)n, fast, sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_bitwise_equal_for_any_number_of_threads),
        cmocka_unit_test(sums_of_integers_are_exact),
        cmocka_unit_test(computed_terms_are_summed),
        cmocka_unit_test(workspace_does_not_show),
        cmocka_unit_test(a_number_is_added_many_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
