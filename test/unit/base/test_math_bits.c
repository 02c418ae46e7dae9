/* SPDX-License-Identifier: BSD-3-Clause */
/* The elementary functions give the same bits on every machine, in lanes, and where symmetry
 * requires it. */
#include "check.h"

#include <stdio.h>

#include "base/math_sample.h"

#define LANES 2
#include "base/math_lanes.inc"
#undef LANES
#define LANES 4
#include "base/math_lanes.inc"
#undef LANES
#define LANES 8
#include "base/math_lanes.inc"
#undef LANES

static void check_same(double a, double b, double x)
{
    if (tw_math_bits(a) == tw_math_bits(b)) return;
    print_error("%a and %a at %a\n", a, b, x);
    fail();
}

/* Independent of compiler and processor: a failure here is a difference between machines. Arguments
 * and results are those of math_sample.h; changing a function or its arguments changes its hash. */
static void results_are_the_same_on_every_machine(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    static const struct {
        const char *name;
        uint64_t hash;
    } known[] = {
        {"exp", UINT64_C(0xbd45991152e7369a)},   {"expm1", UINT64_C(0xc304328af5511866)},
        {"log", UINT64_C(0xe0a3b0716b81d282)},   {"log1p", UINT64_C(0xf2dda09502b0acc4)},
        {"sin", UINT64_C(0x3b03eecb098fa722)},   {"cos", UINT64_C(0x9eb872c6a890217b)},
        {"tan", UINT64_C(0xec1f8291d549f6ae)},   {"atan", UINT64_C(0x3c419acba14077fe)},
        {"acos", UINT64_C(0xd89f4d328aacd24b)},  {"cbrt", UINT64_C(0xbc07e4c65853d235)},
        {"atan2", UINT64_C(0x04f4cfcd0ffb441f)}, {"pow", UINT64_C(0x9959ad6129cb36ca)},
        {"hypot", UINT64_C(0xffdf89e36b194eaa)},
    };
    int failed = 0;
    for (int f = 0; f < SAMPLE_COUNT; f++) {
        const uint64_t hash = sample_hash(f, COUNT);
        if (hash == known[f].hash) continue;
        print_error("{\"%s\", UINT64_C(0x%016llx)},\n", known[f].name, (unsigned long long)hash);
        failed++;
    }
    assert_int_equal(failed, 0);
}

static void lanes_agree_bitwise_with_scalars(void **state)
{
    (void)state;
    enum { COUNT = 40000, MOST = 8 };
    for (int f = SAMPLE_exp; f <= SAMPLE_log1p; f++) {
        tw_random random = tw_random_seed(72);
        double x[MOST], y[MOST], unused;
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t l = 0; l < MOST; l++)
                sample_argument(f, MOST * i + l, &random, &x[l], &unused);
            if (i % 100 == 0) x[i / 100 % MOST] = TW_MATH_NAN;
            if (i % 100 == 1)
                x[i / 100 % MOST] = i % 200 == 1 ? TW_MATH_INFINITY : -TW_MATH_INFINITY;
            for (int lanes = 2; lanes <= MOST; lanes *= 2) {
                for (int l = 0; l < MOST; l += lanes) {
                    if (lanes == 2) lanes2_apply(f, x + l, y + l);
                    if (lanes == 4) lanes4_apply(f, x + l, y + l);
                    if (lanes == 8) lanes8_apply(f, x + l, y + l);
                }
                for (int l = 0; l < MOST; l++)
                    check_same(y[l], sample_apply(f, x[l], 0.0), x[l]);
            }
        }
    }
}

static void odd_and_even_functions_are_bitwise_symmetric(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(73);
    for (int i = 0; i < 100000; i++) {
        const double x = i % 2 ? sample_any(&random) : sample_spread(&random, -40, 40);
        const double y = i % 3 ? sample_any(&random) : sample_spread(&random, -40, 40);
        if (fabs(x) < TW_MATH_INFINITY) {
            check_same(tw_math_sin(-x), -tw_math_sin(x), x);
            check_same(tw_math_tan(-x), -tw_math_tan(x), x);
            check_same(tw_math_cos(-x), tw_math_cos(x), x);
        }
        check_same(tw_math_atan(-x), -tw_math_atan(x), x);
        check_same(tw_math_cbrt(-x), -tw_math_cbrt(x), x);
        check_same(tw_math_atan2(-y, x), -tw_math_atan2(y, x), x);
        check_same(tw_math_hypot(-x, y), tw_math_hypot(y, x), x);
        check_same(tw_math_atan2(x, 1.0), tw_math_atan(x), x);
    }
}

/* Results for neighbouring arguments never decrease. This is observed, not proven; it needs errors
 * far below half of the change between neighbours. */
static void increasing_functions_are_monotonic(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(74);
    for (int i = 0; i < 200000; i++) {
        const double x = fabs(sample_spread(&random, -60, 9));
        const double next = tw_math_of_bits(tw_math_bits(x) + 1);
        assert_true(tw_math_exp(x) <= tw_math_exp(next));
        assert_true(tw_math_exp(-x) >= tw_math_exp(-next));
        assert_true(tw_math_expm1(x) <= tw_math_expm1(next));
        assert_true(tw_math_log(x) <= tw_math_log(next));
        assert_true(tw_math_log1p(x) <= tw_math_log1p(next));
        assert_true(tw_math_atan(x) <= tw_math_atan(next));
        assert_true(tw_math_cbrt(x) <= tw_math_cbrt(next));
    }
}

static void integer_results_are_exact(void **state)
{
    (void)state;
    check_same(tw_math_exp(0.0), 1.0, 0.0);
    check_same(tw_math_log(1.0), 0.0, 1.0);
    check_same(tw_math_cos(0.0), 1.0, 0.0);
    for (int k = -300; k <= 300; k++) {
        const double x = k, cube = x * x * x;
        check_same(tw_math_cbrt(cube), x, cube);
        check_same(tw_math_pow(x, 3.0), cube, x);
        check_same(tw_math_hypot(3.0 * x, 4.0 * x), fabs(5.0 * x), x);
        check_same(tw_math_pow(2.0, x), tw_math_of_bits((uint64_t)(1023 + k) << 52), x);
    }
}

static void minimum_and_maximum_ignore_nan(void **state)
{
    (void)state;
    const double nan = TW_MATH_NAN, inf = TW_MATH_INFINITY;
    check_same(tw_math_min(1.0, 2.0), 1.0, 0.0);
    check_same(tw_math_min(2.0, 1.0), 1.0, 0.0);
    check_same(tw_math_max(1.0, 2.0), 2.0, 0.0);
    check_same(tw_math_max(2.0, 1.0), 2.0, 0.0);
    check_same(tw_math_min(nan, 1.0), 1.0, 0.0);
    check_same(tw_math_min(1.0, nan), 1.0, 0.0);
    check_same(tw_math_max(nan, -inf), -inf, 0.0);
    check_same(tw_math_max(-inf, nan), -inf, 0.0);
    assert_true(tw_math_min(nan, nan) != tw_math_min(nan, nan));
    assert_true(tw_math_max(nan, nan) != tw_math_max(nan, nan));
    /* For two zeros the result is the first. */
    check_same(tw_math_min(0.0, -0.0), 0.0, 0.0);
    check_same(tw_math_min(-0.0, 0.0), -0.0, 0.0);
    check_same(tw_math_max(0.0, -0.0), 0.0, 0.0);
    check_same(tw_math_max(-0.0, 0.0), -0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_same_on_every_machine),
        cmocka_unit_test(lanes_agree_bitwise_with_scalars),
        cmocka_unit_test(odd_and_even_functions_are_bitwise_symmetric),
        cmocka_unit_test(increasing_functions_are_monotonic),
        cmocka_unit_test(integer_results_are_exact),
        cmocka_unit_test(minimum_and_maximum_ignore_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
