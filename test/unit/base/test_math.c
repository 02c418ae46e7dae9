/* SPDX-License-Identifier: BSD-3-Clause */
/* The elementary functions against MPFR. Errors are in units in the last place of the exact value:
 * correct rounding gives 0.5. */
#include "check.h"

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/math_sample.h"

#ifndef MATH_CASES
#define MATH_CASES 2000000
#endif

enum { PRECISION = 160, CASES = MATH_CASES };

typedef struct worst {
    double error, x, y;
} worst;

static size_t scaled(size_t count)
{
    const char *text = getenv("TWIRL_TEST_SCALE");
    return (size_t)((double)count * (text != NULL ? atof(text) : 1.0));
}

static void reference(int function, mpfr_t to, double x, double y)
{
    mpfr_t a, b;
    mpfr_inits2(53, a, b, (mpfr_ptr)0);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    switch (function) {
#define REFERENCE_1(name) mpfr_##name(to, a, MPFR_RNDN)
#define REFERENCE_2(name) mpfr_##name(to, a, b, MPFR_RNDN)
#define REFERENCE(name, count)                                                                     \
    case SAMPLE_##name:                                                                            \
        REFERENCE_##count(name);                                                                   \
        break;
        SAMPLE_FUNCTIONS(REFERENCE)
    default:
        break;
    }
    mpfr_clears(a, b, (mpfr_ptr)0);
}

/* Result of libm: where it agrees, most cases need no comparison with MPFR. */
static double libm(int function, double x, double y)
{
    switch (function) {
#define LIBM_1(name) name(x)
#define LIBM_2(name) name(x, y)
#define LIBM(name, count)                                                                          \
    case SAMPLE_##name:                                                                            \
        return LIBM_##count(name);
        SAMPLE_FUNCTIONS(LIBM)
    default:
        return 0.0;
    }
}

/* |got - exact| in units in the last place; 1e300 if NaN, infinity, zero or sign is wrong. */
static double error_of(double got, mpfr_t exact, mpfr_t room)
{
    if (mpfr_nan_p(exact)) return tw_math_bits(got) == UINT64_C(0x7ff8000000000000) ? 0.0 : 1e300;
    if (got != got || tw_math_is_negative(got) != (mpfr_signbit(exact) != 0)) return 1e300;
    if (mpfr_inf_p(exact)) return fabs(got) == TW_MATH_INFINITY ? 0.0 : 1e300;
    if (mpfr_zero_p(exact)) return got == 0.0 ? 0.0 : 1e300;
    const mpfr_exp_t exponent = mpfr_get_exp(exact) < -1021 ? -1021 : mpfr_get_exp(exact);
    if (fabs(got) == TW_MATH_INFINITY) {
        if (exponent > 1024) return 0.0;
        mpfr_set_ui_2exp(room, 1, 1024,
                         MPFR_RNDN); /* values that round beyond the largest number */
        if (got < 0.0) mpfr_neg(room, room, MPFR_RNDN);
    } else {
        mpfr_set_d(room, got, MPFR_RNDN);
    }
    mpfr_sub(room, room, exact, MPFR_RNDN);
    mpfr_mul_2si(room, room, 53 - exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(room, MPFR_RNDN));
}

static worst worst_of(int function, size_t count)
{
    tw_random random = tw_random_seed(71);
    worst w = {0.0, 0.0, 0.0};
    mpfr_t exact, room;
    mpfr_inits2(PRECISION, exact, room, (mpfr_ptr)0);
    for (size_t i = 0; i < count; i++) {
        double x, y;
        sample_argument(function, i, &random, &x, &y);
        const double got = sample_apply(function, x, y);
        /* Errors of a good libm are little more than 0.5, so larger errors show as differences from
         * it. */
        if (i > 50000 && i % 32 != 0 && got == libm(function, x, y)) continue;
        reference(function, exact, x, y);
        const double error = error_of(got, exact, room);
        if (!(error <= w.error)) w = (worst){error, x, y};
    }
    mpfr_clears(exact, room, (mpfr_ptr)0);
    return w;
}

static void every_function_is_accurate_to_four_fifths_of_the_last_place(void **state)
{
    (void)state;
    static const char *const names[] = {
#define NAME(name, count) #name,
        SAMPLE_FUNCTIONS(NAME)};
    int failed = 0;
    for (int f = 0; f < SAMPLE_COUNT; f++) {
        const worst w = worst_of(f, scaled(CASES));
        printf("%-6s %.4f at %a, %a\n", names[f], w.error, w.x, w.y);
        failed += !(w.error < 0.8); /* 0.75 for subnormal results, which are rounded twice */
    }
    assert_int_equal(failed, 0);
}

static void infinities_and_nan_give_the_results_of_c(void **state)
{
    (void)state;
    const double odd[] = {TW_MATH_NAN,
                          TW_MATH_INFINITY,
                          -TW_MATH_INFINITY,
                          0.0,
                          -0.0,
                          1.0,
                          -1.0,
                          0.5,
                          -0.5,
                          2.0,
                          -2.0,
                          3.0,
                          -3.0};
    enum { ODD = sizeof odd / sizeof *odd };
    mpfr_t exact, room;
    mpfr_inits2(PRECISION, exact, room, (mpfr_ptr)0);
    for (int f = 0; f < SAMPLE_COUNT; f++) {
        for (int i = 0; i < ODD * ODD; i++) {
            const double x = odd[i % ODD], y = odd[i / ODD];
            reference(f, exact, x, y);
            const double error = error_of(sample_apply(f, x, y), exact, room);
            if (!(error < 1.0)) print_error("function %d at %g, %g\n", f, x, y);
            assert_true(error < 1.0);
        }
    }
    mpfr_clears(exact, room, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infinities_and_nan_give_the_results_of_c),
        cmocka_unit_test(every_function_is_accurate_to_four_fifths_of_the_last_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
