/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis of the elementary functions: the bits of a number, minimum and maximum, and sums and
 * products that keep their rounding error. A part of twirl/math.h. */
#ifndef TWIRL_DETAIL_MATH_BITS_H
#define TWIRL_DETAIL_MATH_BITS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#define TW_INLINE static inline __host__ __device__
#elif defined(__GNUC__)
#define TW_INLINE static inline __attribute__((always_inline))
#else
#define TW_INLINE static inline
#endif

/* Long functions are called, not inlined. */
#if defined(__CUDACC__)
#define TW_MATH_CALL static __noinline__ __host__ __device__
#elif defined(__GNUC__)
#define TW_MATH_CALL static __attribute__((noinline, unused))
#else
#define TW_MATH_CALL static inline
#endif

/* All functions return this NaN: processors differ in the sign of theirs. */
#define TW_MATH_NAN ((double)NAN)
#define TW_MATH_INFINITY ((double)INFINITY)

TW_INLINE uint64_t tw_math_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TW_INLINE double tw_math_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TW_INLINE int tw_math_is_negative(double x)
{
    return (int)(tw_math_bits(x) >> 63);
}

/* Minimum and maximum. If one argument is NaN, the other; if both are equal, as 0 and -0, the
 * first.
 */
TW_INLINE double tw_math_min(double a, double b)
{
    return b < a || a != a ? b : a;
}

TW_INLINE double tw_math_max(double a, double b)
{
    return b > a || a != a ? b : a;
}

/* A number in two parts: hi is the rounded sum, lo its rounding error. */
typedef struct tw_math_pair {
    double hi, lo;
} tw_math_pair;

TW_INLINE tw_math_pair tw_math_pair_make(double hi, double lo)
{
    tw_math_pair p;
    p.hi = hi;
    p.lo = lo;
    return p;
}

/* a + b exactly, for |a| >= |b| or a = 0. */
TW_INLINE tw_math_pair tw_math_join(double a, double b)
{
    const double sum = a + b;
    return tw_math_pair_make(sum, (a - sum) + b);
}

/* a + b exactly. */
TW_INLINE tw_math_pair tw_math_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return tw_math_pair_make(sum, (a - (sum - part)) + (b - part));
}

/* a rounded to 26 binary digits; a minus this has no more. */
TW_INLINE double tw_math_head(double a)
{
    return tw_math_of_bits((tw_math_bits(a) + UINT64_C(0x4000000)) & ~UINT64_C(0x7ffffff));
}

/* a b, to 2^-105 of its size, unless it overflows or underflows. All products are exact, and the
 * result is a sum: so a compiler that contracts to FMA, here or in the caller, changes nothing.
 * With a * b as the first part, x - hi in a caller might become x - a * b. */
TW_INLINE tw_math_pair tw_math_product(double a, double b)
{
    const double ah = tw_math_head(a), al = a - ah, bh = tw_math_head(b), bl = b - bh;
    const double p = ah * bh + (ah * bl + al * bh);
    return tw_math_join(p, (((ah * bh - p) + ah * bl) + al * bh) + al * bl);
}

TW_INLINE tw_math_pair tw_math_pair_product(tw_math_pair a, tw_math_pair b)
{
    const tw_math_pair p = tw_math_product(a.hi, b.hi);
    return tw_math_join(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

TW_INLINE tw_math_pair tw_math_pair_sum(tw_math_pair a, tw_math_pair b)
{
    const tw_math_pair s = tw_math_sum(a.hi, b.hi);
    return tw_math_join(s.hi, s.lo + (a.lo + b.lo));
}

TW_INLINE tw_math_pair tw_math_pair_quotient(tw_math_pair a, tw_math_pair b)
{
    const double q = a.hi / b.hi;
    const tw_math_pair p = tw_math_product(q, b.hi);
    return tw_math_pair_make(q, (((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo)) / b.hi);
}

/* Square root of a positive number. */
TW_INLINE tw_math_pair tw_math_pair_root(tw_math_pair a)
{
    const double root = sqrt(a.hi);
    const tw_math_pair p = tw_math_product(root, root);
    return tw_math_pair_make(root, (((a.hi - p.hi) - p.lo) + a.lo) / (2.0 * root));
}

#endif
