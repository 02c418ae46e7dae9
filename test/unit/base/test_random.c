/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics use fixed seeds, so they do not fail at random. */
#include "check.h"

#include "base/random.h"

#include <math.h>

static void the_generator_gives_the_published_numbers(void **state)
{
    (void)state;
    /* xoshiro256++ from the state 1, 2, 3, 4: output of the authors' reference program, as quoted
     * by other implementations */
    static const uint64_t expected[] = {
        UINT64_C(41943041),
        UINT64_C(58720359),
        UINT64_C(3588806011781223),
        UINT64_C(3591011842654386),
        UINT64_C(9228616714210784205),
        UINT64_C(9973669472204895162),
        UINT64_C(14011001112246962877),
        UINT64_C(12406186145184390807),
        UINT64_C(15849039046786891736),
        UINT64_C(10450023813501588000),
    };
    tw_random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(tw_random_next(&random) == expected[i]);
}

static void seeds_are_expanded_by_the_published_splitmix64(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317),
        UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431),
    };
    const tw_random random = tw_random_seed(1234567);
    for (int k = 0; k < 4; k++)
        assert_true(random.s[k] == expected[k]);
}

static void uniform_numbers_fill_the_interval_evenly(void **state)
{
    (void)state;
    enum { N = 1000000, BINS = 100 };
    tw_random random = tw_random_seed(41);
    int count[BINS] = {0};
    double sum = 0.0, squares = 0.0, neighbours = 0.0, last = 0.5;
    for (int i = 0; i < N; i++) {
        const double u = tw_random_uniform(&random);
        assert_true(u >= 0.0 && u < 1.0);
        count[(int)(u * BINS)]++;
        sum += u - 0.5;
        squares += (u - 0.5) * (u - 0.5);
        neighbours += (u - 0.5) * (last - 0.5);
        last = u;
    }
    double chi2 = 0.0;
    for (int k = 0; k < BINS; k++)
        chi2 += (count[k] - N / BINS) * (double)(count[k] - N / BINS) / (N / BINS);
    /* four standard deviations: of u 1/12, of u^2 1/180, of a product of two 1/144; chi^2 with 99
     * degrees of freedom has the variance 198 */
    check_at_most(fabs(sum / N), 4.0 * sqrt(1.0 / 12.0 / N));
    check_at_most(fabs(squares / N - 1.0 / 12.0), 4.0 * sqrt(1.0 / 180.0 / N));
    check_at_most(fabs(neighbours / N), 4.0 * sqrt(1.0 / 144.0 / N));
    check_at_most(fabs(chi2 - (BINS - 1)), 4.0 * sqrt(2.0 * (BINS - 1)));
}

static void normal_numbers_follow_the_error_function(void **state)
{
    (void)state;
    enum { N = 400000 };
    static const double points[] = {-3.5, -2.5, -1.5, -1.0, -0.3, 0.0, 0.5, 1.0, 1.2, 2.0, 3.0};
    enum { POINTS = sizeof points / sizeof *points };
    tw_random random = tw_random_seed(42);
    double sum[5] = {0.0};
    int below[POINTS] = {0};
    for (int i = 0; i < N; i++) {
        const double x = tw_random_normal(&random);
        for (int k = 1; k < 5; k++)
            sum[k] += pow(x, k) / N;
        for (int k = 0; k < POINTS; k++)
            below[k] += x < points[k];
    }
    /* four standard deviations; the variances of x, x^2, x^3 and x^4 are 1, 2, 15 and 96 */
    check_at_most(fabs(sum[1]), 4.0 * sqrt(1.0 / N));
    check_at_most(fabs(sum[2] - 1.0), 4.0 * sqrt(2.0 / N));
    check_at_most(fabs(sum[3]), 4.0 * sqrt(15.0 / N));
    check_at_most(fabs(sum[4] - 3.0), 4.0 * sqrt(96.0 / N));
    for (int k = 0; k < POINTS; k++) {
        const double p = 0.5 * erfc(-points[k] / sqrt(2.0));
        check_at_most(fabs((double)below[k] / N - p), 4.0 * sqrt(p * (1.0 - p) / N));
    }
}

static void a_copied_state_repeats_the_stream(void **state)
{
    (void)state;
    tw_random a = tw_random_seed(43), other = tw_random_seed(44);
    (void)tw_random_normal(&a);
    tw_random b = a;
    for (int i = 0; i < 100; i++) {
        const double x = tw_random_normal(&a), y = tw_random_normal(&b);
        assert_memory_equal(&x, &y, sizeof x);
        const uint64_t next = tw_random_next(&a), same = tw_random_next(&b);
        const uint64_t strange = tw_random_next(&other);
        assert_true(next == same && next != strange);
    }
}

/* Neighbouring keys and indices, as grains and their tries have them, in a square of two. */
static void draws_under_keys_are_even_and_unrelated(void **state)
{
    (void)state;
    enum { KEYS = 2000, DRAWS = 250, BINS = 32 };
    static int count[3][BINS * BINS];
    for (uint64_t a = 0; a < KEYS; a++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            const double u = tw_random_at(tw_random_key(7, 0, a), i);
            const double with[3] = {tw_random_at(tw_random_key(7, 0, a), i + 1),
                                    tw_random_at(tw_random_key(7, 0, a + 1), i),
                                    tw_random_at(tw_random_key(7, 1, a), i)};
            assert_true(u >= 0.0 && u < 1.0);
            for (int k = 0; k < 3; k++)
                count[k][(int)(u * BINS) * BINS + (int)(with[k] * BINS)]++;
        }
    const double each = (double)KEYS * DRAWS / (BINS * BINS);
    for (int k = 0; k < 3; k++) {
        double chi2 = 0.0;
        for (int n = 0; n < BINS * BINS; n++)
            chi2 += (count[k][n] - each) * (count[k][n] - each) / each;
        /* five deviations of chi-squared with 1023 degrees of freedom */
        check_at_most(fabs(chi2 - 1023.0), 5.0 * sqrt(2.0 * 1023.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_the_published_numbers),
        cmocka_unit_test(seeds_are_expanded_by_the_published_splitmix64),
        cmocka_unit_test(uniform_numbers_fill_the_interval_evenly),
        cmocka_unit_test(normal_numbers_follow_the_error_function),
        cmocka_unit_test(a_copied_state_repeats_the_stream),
        cmocka_unit_test(draws_under_keys_are_even_and_unrelated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
