/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments for the elementary functions, the same on every machine: over the whole range of
 * double, over the ranges in use, and where accuracy is difficult. No expression draws twice,
 * because C does not define the order of evaluation. Also used by programs without cmocka on other
 * machines. */
#ifndef TWIRL_TEST_UNIT_MATH_SAMPLE_H
#define TWIRL_TEST_UNIT_MATH_SAMPLE_H

#include <twirl/math.h>

#include <stddef.h>

#include "base/random.h"

#define SAMPLE_FUNCTIONS(DO)                                                                       \
    DO(exp, 1)                                                                                     \
    DO(expm1, 1)                                                                                   \
    DO(log, 1)                                                                                     \
    DO(log1p, 1)                                                                                   \
    DO(sin, 1)                                                                                     \
    DO(cos, 1)                                                                                     \
    DO(tan, 1)                                                                                     \
    DO(atan, 1)                                                                                    \
    DO(acos, 1)                                                                                    \
    DO(cbrt, 1)                                                                                    \
    DO(atan2, 2)                                                                                   \
    DO(pow, 2)                                                                                     \
    DO(hypot, 2)

#define SAMPLE_ENUM(name, count) SAMPLE_##name,
enum { SAMPLE_FUNCTIONS(SAMPLE_ENUM) SAMPLE_COUNT };

static const double sample_corners[] = {
    0.0,
    0x1p-1074,
    0x1p-1073,
    0x0.fffffffffffffp-1022,
    0x1p-1022,
    0x1.0000000000001p-1022,
    0x1p-538,
    0x1p-537,
    0x1p-61,
    0x1p-60,
    0x1p-54,
    0x1p-53,
    0x1p-30,
    0x1.fffffffffffffp-29,
    0x1p-28,
    0x1p-27,
    0x1p-4,
    0.25,
    0.3,
    0x1.6a09e667f3bccp-2,
    0x1.6a09e667f3bcdp-2,
    0.5,
    0x1.6a09e667f3bccp-1,
    0x1.6a09e667f3bcdp-1,
    0x1.921fb54442d17p-1,
    0x1.921fb54442d18p-1,
    0x1.fffffffffffffp-1,
    1.0,
    0x1.0000000000001p0,
    0x1.6a09e667f3bcdp0,
    1.5,
    0x1.921fb54442d18p0,
    2.0,
    0x1.5bf0a8b145769p1,
    3.0,
    0x1.921fb54442d18p1,
    4.0,
    5.0,
    8.0,
    22.0,
    37.4,
    40.0,
    511.0,
    708.0,
    0x1.62e42fefa39efp9,
    0x1.62e42fefa39f0p9,
    0x1.6232bdd7abcd2p9,
    0x1.74385446d71c3p9,
    0x1.74385446d71c4p9,
    0x1.74910d52d3051p9,
    0x1.74910d52d3052p9,
    746.0,
    1023.0,
    1024.0,
    1074.0,
    1075.0,
    0x1.fffffffffffffp19,
    0x1p20,
    0x1p52,
    0x1.fffffffffffffp52,
    0x1p53,
    0x1.0000000000001p53,
    0x1p64,
    0x1.6ac5b262ca1ffp849, /* nearest to a multiple of pi/2 */
    0x1p400,
    0x1p511,
    0x1p512,
    0x1p1023,
    0x1.fffffffffffffp1023,
};
#define SAMPLE_CORNERS (sizeof sample_corners / sizeof *sample_corners)

static inline double sample_apply(int function, double x, double y)
{
    switch (function) {
#define SAMPLE_CASE_1(name) tw_math_##name(x)
#define SAMPLE_CASE_2(name) tw_math_##name(x, y)
#define SAMPLE_CASE(name, count)                                                                   \
    case SAMPLE_##name:                                                                            \
        return SAMPLE_CASE_##count(name);
        SAMPLE_FUNCTIONS(SAMPLE_CASE)
#undef SAMPLE_CASE
    default:
        return 0.0;
    }
}

static inline double sample_between(tw_random *random, double low, double high)
{
    return low + (high - low) * tw_random_uniform(random);
}

static inline int sample_int(tw_random *random, int low, int high)
{
    return low + (int)(tw_random_next(random) % (uint64_t)(high - low + 1));
}

/* Random digits, exponent (in a range) and sign. */
static inline double sample_spread(tw_random *random, int low, int high)
{
    const uint64_t digits = tw_random_next(random);
    const uint64_t exponent = (uint64_t)(1023 + sample_int(random, low, high));
    return tw_math_of_bits((digits & UINT64_C(0x800fffffffffffff)) | exponent << 52);
}

/* Any number, including subnormal numbers and infinities. */
static inline double sample_any(tw_random *random)
{
    const double x = tw_math_of_bits(tw_random_next(random));
    const double number = x != x ? 1.0 : x;
    return sample_int(random, 0, 15) == 0 ? number * 0x1p-1060 : number;
}

/* x moved by up to 2^digits units in the last place. */
static inline double sample_near(tw_random *random, double x, int digits)
{
    const int shift = 64 - sample_int(random, 1, digits);
    const uint64_t by = tw_random_next(random) >> shift;
    return tw_math_of_bits(sample_int(random, 0, 1) ? tw_math_bits(x) + by : tw_math_bits(x) - by);
}

static inline double sample_turns(tw_random *random)
{
    const int digits = sample_int(random, 1, 40);
    const double k = (double)(tw_random_next(random) >> (64 - digits));
    return sample_near(random, (k + 1.0) * 0x1.921fb54442d18p-1, 6);
}

static inline void sample_pow(tw_random *random, int kind, double *x, double *y)
{
    switch (kind) {
    case 0:
    case 1: { /* results over the whole range, and a little beyond */
        const int exponent = sample_int(random, 1, 1021);
        *x = fabs(sample_spread(random, exponent, exponent));
        if (kind == 1) *x = 1.0 / *x;
        *y = sample_between(random, -1090.0, 1040.0) / exponent;
        return;
    }
    case 2: { /* near 1 */
        const int digits = sample_int(random, 2, 52), sign = 1 - 2 * sample_int(random, 0, 1);
        *x = 1.0 + sign * fabs(sample_spread(random, -digits, -digits));
        *y = sample_between(random, -800.0, 800.0) *
             tw_math_of_bits((uint64_t)(1023 + digits) << 52);
        return;
    }
    case 3:
        *x = sample_between(random, 0.0, 10.0);
        *y = sample_between(random, -20.0, 20.0);
        return;
    case 4:
        *x = sample_between(random, -10.0, 10.0);
        *y = sample_int(random, -300, 300);
        return;
    default:
        *x = fabs(sample_any(random));
        *y = sample_int(random, 0, 3) ? sample_spread(random, -60, 8) : sample_any(random);
    }
}

static inline void sample_two(int function, tw_random *random, int kind, double *x, double *y)
{
    if (function == SAMPLE_pow) {
        sample_pow(random, kind, x, y);
        return;
    }
    switch (kind) {
    case 0:
        *x = sample_any(random);
        *y = sample_any(random);
        return;
    case 1: { /* of similar size, anywhere */
        const int exponent = sample_int(random, -1021, 1010);
        *x = sample_spread(random, exponent, exponent + 12);
        *y = sample_spread(random, exponent, exponent + 12);
        return;
    }
    case 2:
        *x = sample_spread(random, -1023, -1000); /* and subnormal */
        *y = sample_spread(random, -1023, -1000);
        return;
    case 3:
        *x = sample_spread(random, -30, 30);
        *y = sample_near(random, *x * (1.0 / 16) * sample_int(random, 1, 16), 40);
        return;
    default:
        *x = sample_between(random, -1.0, 1.0);
        *y = sample_between(random, -1.0, 1.0);
    }
}

static inline double sample_one(int function, tw_random *random, int kind)
{
    if (kind == 0) return sample_any(random);
    if (kind == 1) return sample_between(random, -1.0, 1.0);
    if (kind == 2) return sample_spread(random, -70, 12);
    switch (function) {
    case SAMPLE_exp:
    case SAMPLE_expm1:
        if (kind == 3) return sample_between(random, -750.0, 712.0);
        if (kind == 4) return sample_between(random, -3.0, 3.0);
        return function == SAMPLE_exp ? sample_between(random, -746.0, -707.0)
                                      : sample_spread(random, -12, -1);
    case SAMPLE_log:
        if (kind == 3) return sample_near(random, 1.0, 52);
        if (kind == 4) return sample_between(random, 0.5, 2.0);
        return fabs(sample_spread(random, -1023, 1023));
    case SAMPLE_log1p:
        if (kind == 3) return -sample_near(random, 1.0, 50);
        if (kind == 4) return sample_between(random, -0.9, 3.0);
        return fabs(sample_spread(random, -60, 1023));
    case SAMPLE_sin:
    case SAMPLE_cos:
    case SAMPLE_tan:
        if (kind == 3) return sample_turns(random);
        if (kind == 4) return sample_between(random, -10.0, 10.0);
        return sample_spread(random, 15, 40);
    case SAMPLE_acos:
        if (kind == 3) return sample_near(random, 1.0, 52);
        if (kind == 4) return -sample_near(random, 1.0, 50);
        return sample_near(random, 0x1.6a09e667f3bcdp-1, 50);
    default:
        return sample_between(random, -10.0, 10.0);
    }
}

/* Argument number i of a function. */
static inline void sample_argument(int function, size_t i, tw_random *random, double *x, double *y)
{
    const size_t corners =
        function < SAMPLE_atan2 ? 2 * SAMPLE_CORNERS : 4 * SAMPLE_CORNERS * SAMPLE_CORNERS;
    if (i < corners) {
        const double sign_x = i % 2 ? -1.0 : 1.0, sign_y = i / 2 % 2 ? -1.0 : 1.0;
        *x = sign_x * sample_corners[i / (function < SAMPLE_atan2 ? 2 : 4) % SAMPLE_CORNERS];
        *y = sign_y * sample_corners[i / 4 / SAMPLE_CORNERS % SAMPLE_CORNERS];
    } else if (function < SAMPLE_atan2) {
        *x = sample_one(function, random, (int)(i % 6));
        *y = 0.0;
    } else {
        sample_two(function, random, (int)(i % 6), x, y);
    }
}

/* Hash of the results for the first `count` arguments; all NaNs count as one. */
static inline uint64_t sample_hash(int function, size_t count)
{
    tw_random random = tw_random_seed(71);
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        double x, y;
        sample_argument(function, i, &random, &x, &y);
        const uint64_t bits = tw_math_bits(sample_apply(function, x, y));
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

#endif
