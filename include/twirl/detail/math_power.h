/* SPDX-License-Identifier: BSD-3-Clause */
/* Powers, cube root and hypotenuse. A part of twirl/math.h. */
#ifndef TWIRL_DETAIL_MATH_POWER_H
#define TWIRL_DETAIL_MATH_POWER_H

#include <twirl/detail/math_exp.h>

/* The logarithm of a positive, finite x, to 2^-66 of its size. */
TW_INLINE tw_math_pair tw_math_log_pair(double x)
{
    const int small = x < 0x1p-1022;
    double f;
    const double exponent = tw_math_inline_log_parts(small ? x * 0x1p54 : x, &f);
    const double k = small ? exponent - 54.0 : exponent;

    /* 2 artanh(s) = 2 s + s z (2/3 + z (2/5 + z p)), of which all but p in pairs. */
    const tw_math_pair s = tw_math_pair_quotient(tw_math_pair_make(f, 0.0), tw_math_sum(2.0, f));
    const tw_math_pair z = tw_math_pair_product(s, s);
    const double z1 = z.hi, z2 = z1 * z1;
    const double p0 = 0x1.2492492492492p-2 + z1 * 0x1.c71c71c71caacp-3;
    const double p1 = 0x1.745d1745699ebp-3 + z1 * 0x1.3b13b19031a4fp-3;
    const double p2 = 0x1.1110ec09daeddp-3 + z1 * 0x1.e1f425621f48cp-4;
    const double p3 = 0x1.ac99d6aba2606p-4 + z1 * 0x1.b638c11e6e3aap-4;
    const double p = p0 + z2 * (p1 + z2 * (p2 + z2 * p3));
    const tw_math_pair third = tw_math_pair_make(0x1.5555555555555p-1, 0x1.5555555555555p-55);
    const tw_math_pair fifth = tw_math_pair_make(0x1.999999999999ap-2, -0x1.999999999999ap-56);
    tw_math_pair v = tw_math_pair_sum(fifth, tw_math_pair_make(z1 * p, 0.0));
    v = tw_math_pair_sum(third, tw_math_pair_product(v, z));
    v = tw_math_pair_product(tw_math_pair_product(v, z), s);

    v = tw_math_pair_sum(tw_math_pair_make(2.0 * s.hi, 2.0 * s.lo), v);
    const tw_math_pair sum = tw_math_sum(k * TW_MATH_LN2_HI, v.hi);
    return tw_math_join(sum.hi, sum.lo + (k * TW_MATH_LN2_LO + v.lo));
}

/* For finite x > 0 and finite y. */
TW_INLINE double tw_math_pow_positive(double x, double y)
{
    const tw_math_pair log = tw_math_log_pair(x);
    const double rough = y * log.hi;
    if (rough > 800.0) return TW_MATH_INFINITY;
    if (rough < -800.0) return 0.0;
    if (fabs(rough) < 0x1p-60) return 1.0;
    const tw_math_pair p = tw_math_product(y, log.hi);
    return tw_math_inline_exp_join(tw_math_inline_exp_parts(p.hi, p.lo + y * log.lo));
}

/* 0 if y is not an integer, 1 if it is odd, 2 if it is even. */
TW_INLINE int tw_math_parity(double y)
{
    const double size = fabs(y);
    if (!(size < 0x1p53)) return 2;
    const uint64_t whole = (uint64_t)size;
    return (double)whole != size ? 0 : 2 - (int)(whole & 1u);
}

/* x to the power y, with the conventions of C for zeros, infinities and negative x. */
TW_MATH_CALL double tw_math_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return TW_MATH_NAN;
    const double size = fabs(x);
    const int parity = tw_math_parity(y), negative = tw_math_is_negative(x) && parity == 1;
    double power;
    if (fabs(y) == TW_MATH_INFINITY) {
        if (size == 1.0) return 1.0;
        return (size > 1.0) == (y > 0.0) ? TW_MATH_INFINITY : 0.0;
    }
    if (size == 0.0 || size == TW_MATH_INFINITY) {
        power = (size > 1.0) == (y > 0.0) ? TW_MATH_INFINITY : 0.0;
    } else {
        if (x < 0.0 && parity == 0) return TW_MATH_NAN;
        power = tw_math_pow_positive(size, y);
    }
    return negative ? -power : power;
}

/* The cube root. A guess of 17 binary digits has an exact cube; four terms of a series in its
 * relative error do the rest. */
TW_MATH_CALL double tw_math_cbrt(double x)
{
    const double size = fabs(x);
    if (x != x) return TW_MATH_NAN;
    if (size == 0.0 || size == TW_MATH_INFINITY) return x;
    const int small = size < 0x1p-1022;
    const uint64_t bits = tw_math_bits(small ? size * 0x1p54 : size);
    /* x = 2^(exponent - 1077) m; 1077 is a multiple of three. */
    const uint64_t exponent = (bits >> 52) + (small ? 0u : 54u), over = exponent % 3u;
    const double m = tw_math_of_bits((bits & UINT64_C(0x000fffffffffffff)) |
                                     UINT64_C(0x3ff0000000000000)); /* 1 <= m < 2 */
    const double factor =
        over == 0 ? 1.0 : (over == 1 ? 0x1.428a2f98d728bp+0 : 0x1.965fea53d6e3dp+0);
    const double whole = over == 0 ? m : (over == 1 ? 2.0 * m : 4.0 * m);
    const double guess =
        factor * (0x1.e53b7c4424a52p-2 +
                  m * (0x1.ac2d3134f4533p-1 +
                       m * (-0x1.ddcd3b488ee6ap-2 +
                            m * (0x1.9b95b5c468d61p-3 +
                                 m * (-0x1.97bd99baa0628p-5 + m * 0x1.592445f2d394p-8)))));
    const double y =
        tw_math_of_bits((tw_math_bits(guess) + UINT64_C(0x800000000)) & ~UINT64_C(0xfffffffff));
    const double e = (whole - y * y * y) / whole;
    const double root = y + y * e * (1.0 / 3 + e * (2.0 / 9 + e * (14.0 / 81)));
    const double scaled = root * tw_math_of_bits((exponent / 3u + 664u) << 52);
    return tw_math_is_negative(x) ? -scaled : scaled;
}

/* Square root of x^2 + y^2. */
TW_MATH_CALL double tw_math_hypot(double x, double y)
{
    const double a = fabs(x), b = fabs(y);
    if (a == TW_MATH_INFINITY || b == TW_MATH_INFINITY) return TW_MATH_INFINITY;
    if (x != x || y != y) return TW_MATH_NAN;
    const double most = tw_math_max(a, b);
    if (tw_math_min(a, b) == 0.0) return most;
    const double scale = most > 0x1p400 ? 0x1p-600 : (most < 0x1p-400 ? 0x1p600 : 1.0);
    const double back = most > 0x1p400 ? 0x1p600 : (most < 0x1p-400 ? 0x1p-600 : 1.0);
    const tw_math_pair a2 = tw_math_product(scale * a, scale * a);
    const tw_math_pair b2 = tw_math_product(scale * b, scale * b);
    const tw_math_pair root = tw_math_pair_root(tw_math_pair_sum(a2, b2));
    return (root.hi + root.lo) * back;
}

#endif
