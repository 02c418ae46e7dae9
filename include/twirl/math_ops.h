/* SPDX-License-Identifier: BSD-3-Clause */
/* exp, expm1, log and log1p, written once for numbers and once more for lanes of numbers: included
 * by twirl/math_exp.h and by code for lanes, with these defined:
 *
 *     TW_REAL               a number, or lanes of them
 *     TW_MATH_NAME(verb)    the prefix of the names
 *     TW_SPLAT(number)      a number for all lanes
 *     TW_INT                uint64_t, or lanes of it
 *     TW_BITS(real)         the bits of a number, as TW_INT
 *     TW_OF_BITS(bits)      and back
 *     TW_SELECT(m, a, b)    a where the comparison m holds, b elsewhere
 *
 * Every argument is allowed, and a lane gets the bits of the function for numbers. No call, no
 * branch, no table; no conversion between integers and numbers, which SSE2 and AVX2 lack for lanes:
 * whole numbers go through a sum with TW_MATH_WHOLE, in whose last bits they then are.
 * docs/theory/arithmetic.md has the method.
 */

/* exp(x) = 2^k (1 + hi + lo) */
typedef struct TW_MATH_NAME(power) {
    TW_REAL k, hi, lo;
} TW_MATH_NAME(power);

/* The first 26 binary digits: their square is exact. */
TW_INLINE TW_REAL TW_MATH_NAME(head)(TW_REAL x)
{
    return TW_OF_BITS(TW_BITS(x) & UINT64_C(0xfffffffff8000000));
}

/* 2^k for a whole k between -1022 and 1023. */
TW_INLINE TW_REAL TW_MATH_NAME(power_of_two)(TW_REAL k)
{
    return TW_OF_BITS((TW_BITS(k + TW_MATH_WHOLE) << 52) + UINT64_C(0x3ff0000000000000));
}

/* y 2^k, in two steps: 2^k alone may be out of range. */
TW_INLINE TW_REAL TW_MATH_NAME(scale)(TW_REAL y, TW_REAL k)
{
    const TW_REAL half = (0.5 * k + TW_MATH_WHOLE) - TW_MATH_WHOLE;
    return y * TW_MATH_NAME(power_of_two)(half) * TW_MATH_NAME(power_of_two)(k - half);
}

/* Of x + rest, for |x| < 1000 and a rest that is small beside it. With k the nearest to x/ln 2, r
 * what is left and |r| < 0.3467: r + r^2/2 without a rounding error, and a polynomial for the rest.
 */
TW_INLINE TW_MATH_NAME(power) TW_MATH_NAME(exp_parts)(TW_REAL x, TW_REAL rest)
{
    TW_MATH_NAME(power) e;
    e.k = (x * TW_MATH_INV_LN2 + TW_MATH_WHOLE) - TW_MATH_WHOLE;
    const TW_REAL a = x - e.k * TW_MATH_LN2_HI, b = e.k * TW_MATH_LN2_LO - rest;
    const TW_REAL r = a - b, tail = (a - r) - b;
    const TW_REAL head = TW_MATH_NAME(head)(r), square = 0.5 * head * head;
    const TW_REAL off = 0.5 * (r - head) * (r + head);

    const TW_REAL z = r * r, w = z * z;
    const TW_REAL p0 = 0x1.555555555555bp-3 + r * 0x1.555555555555ap-5;
    const TW_REAL p1 = 0x1.111111110ed96p-7 + r * 0x1.6c16c16c141fdp-10;
    const TW_REAL p2 = 0x1.a01a01b323cffp-13 + r * 0x1.a01a01b1ca844p-16;
    const TW_REAL p3 = 0x1.71ddf0d13070ep-19 + r * 0x1.27e4c32a9e396p-22;
    const TW_REAL p4 = 0x1.af6af032c42aep-26 + r * 0x1.1f9922aecc6bcp-29;
    const TW_REAL p = (p0 + z * p1) + w * ((p2 + z * p3) + w * p4);

    e.hi = r + square;
    e.lo = ((r - e.hi) + square) + ((off + (tail + tail * r)) + r * z * p);
    return e;
}

TW_INLINE TW_REAL TW_MATH_NAME(exp_join)(TW_MATH_NAME(power) e)
{
    const TW_REAL sum = 1.0 + e.hi;
    return TW_MATH_NAME(scale)(sum + (((1.0 - sum) + e.hi) + e.lo), e.k);
}

TW_INLINE TW_REAL TW_MATH_NAME(exp)(TW_REAL x)
{
    /* Beyond these the result is infinite and 0 all the same. */
    TW_REAL in = TW_SELECT(x < 710.0, x, TW_SPLAT(710.0));
    in = TW_SELECT(in > -746.0, in, TW_SPLAT(-746.0));
    const TW_REAL y = TW_MATH_NAME(exp_join)(TW_MATH_NAME(exp_parts)(in, TW_SPLAT(0.0)));
    return TW_SELECT(x == x, y, TW_SPLAT(TW_MATH_NAN));
}

/* exp(x) - 1 */
TW_INLINE TW_REAL TW_MATH_NAME(expm1)(TW_REAL x)
{
    TW_REAL in = TW_SELECT(x < 710.0, x, TW_SPLAT(710.0));
    in = TW_SELECT(in > -40.0, in, TW_SPLAT(-40.0));
    const TW_MATH_NAME(power) e = TW_MATH_NAME(exp_parts)(in, TW_SPLAT(0.0));
    /* 2^k (1 - 2^-k + hi + lo); 2^-k is nothing beside 1 in the end. */
    const TW_REAL k = TW_SELECT(e.k < 100.0, e.k, TW_SPLAT(100.0));
    const TW_REAL one = -TW_MATH_NAME(power_of_two)(-k);
    const TW_REAL a = 1.0 + one, part = a - 1.0, a_lo = (1.0 - (a - part)) + (one - part);
    const TW_REAL s = a + e.hi, more = s - a, s_lo = (a - (s - more)) + (e.hi - more);
    const TW_REAL y = TW_MATH_NAME(scale)(s + (s_lo + (a_lo + e.lo)), e.k);
    const TW_REAL all = TW_SELECT(x * x < 0x1p-120, x, y);
    return TW_SELECT(x == x, all, TW_SPLAT(TW_MATH_NAN));
}

/* k ln 2 + log(1 + f) + rest, for a whole k and -0.293 < f < 0.415. With s = f/(2 + f), log(1 + f)
 * = 2 artanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)), of which the first two without a rounding error.
 */
TW_INLINE TW_REAL TW_MATH_NAME(log_join)(TW_REAL k, TW_REAL f, TW_REAL rest)
{
    const TW_REAL head = TW_MATH_NAME(head)(f), square = 0.5 * head * head;
    const TW_REAL off = 0.5 * (f - head) * (f + head);
    const TW_REAL s = f / (2.0 + f), z = s * s, w = z * z;
    const TW_REAL p0 = 0x1.5555555555558p-1 + z * 0x1.99999999952d7p-2;
    const TW_REAL p1 = 0x1.2492492df79dfp-2 + z * 0x1.c71c62dbbd736p-3;
    const TW_REAL p2 = 0x1.7462b78a4d11fp-3 + z * 0x1.39fe025e78d95p-3;
    const TW_REAL p = (p0 + w * p1) + w * w * (p2 + w * 0x1.2b5cae0386875p-3);
    const TW_REAL low = s * ((square + off) + z * p) - off;

    const TW_REAL a = f - square, a_lo = (f - a) - square;
    const TW_REAL whole = k * TW_MATH_LN2_HI, sum = whole + a, sum_lo = (whole - sum) + a;
    return sum + ((sum_lo + a_lo) + (low + (k * TW_MATH_LN2_LO + rest)));
}

/* x = 2^k (1 + f), 1 + f between the roots of 1/2 and of 2, for a positive normal x. */
TW_INLINE TW_REAL TW_MATH_NAME(log_parts)(TW_REAL x, TW_REAL *f)
{
    /* 1.0 less the root of 1/2 takes the border between two k to that between two exponents. */
    const TW_INT moved = TW_BITS(x) + UINT64_C(0x00095f619980c433);
    const TW_INT part = moved & UINT64_C(0x000fffffffffffff);
    *f = TW_OF_BITS(part + UINT64_C(0x3fe6a09e667f3bcd)) - 1.0;
    /* The biased exponent in the last bits of 2^52. */
    return TW_OF_BITS((moved >> 52) + UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
}

TW_INLINE TW_REAL TW_MATH_NAME(log)(TW_REAL x)
{
    const TW_REAL in = TW_SELECT(x < 0x1p-1022, x * 0x1p54, x); /* subnormal numbers */
    TW_REAL f;
    const TW_REAL exponent = TW_MATH_NAME(log_parts)(in, &f);
    const TW_REAL k = TW_SELECT(x < 0x1p-1022, exponent - 54.0, exponent);
    TW_REAL y = TW_MATH_NAME(log_join)(k, f, TW_SPLAT(0.0));
    y = TW_SELECT(x < TW_MATH_INFINITY, y, TW_SPLAT(TW_MATH_INFINITY));
    y = TW_SELECT(x > 0.0, y, TW_SPLAT(-TW_MATH_INFINITY));
    return TW_SELECT(x >= 0.0, y, TW_SPLAT(TW_MATH_NAN));
}

/* log(1 + x) */
TW_INLINE TW_REAL TW_MATH_NAME(log1p)(TW_REAL x)
{
    const TW_REAL u = 1.0 + x, part = u - 1.0, lost = (1.0 - (u - part)) + (x - part);
    TW_REAL f;
    const TW_REAL k = TW_MATH_NAME(log_parts)(u, &f);
    /* Near 1, x itself is better than what is left of it in u. */
    const TW_REAL in = TW_SELECT(k == 0.0, x, f);
    const TW_REAL rest = TW_SELECT(k == 0.0, TW_SPLAT(0.0), lost / u);
    TW_REAL y = TW_MATH_NAME(log_join)(k, in, rest);
    y = TW_SELECT(x * x < 0x1p-120, x, y);
    y = TW_SELECT(x < TW_MATH_INFINITY, y, TW_SPLAT(TW_MATH_INFINITY));
    y = TW_SELECT(x > -1.0, y, TW_SPLAT(-TW_MATH_INFINITY));
    return TW_SELECT(x >= -1.0, y, TW_SPLAT(TW_MATH_NAN));
}
