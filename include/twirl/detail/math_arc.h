/* SPDX-License-Identifier: BSD-3-Clause */
/* Angles from their tangent or cosine. A part of twirl/math.h. */
#ifndef TWIRL_DETAIL_MATH_ARC_H
#define TWIRL_DETAIL_MATH_ARC_H

#include <twirl/detail/math_bits.h>

#define TW_MATH_PI_HI 0x1.921fb54442d18p+1
#define TW_MATH_PI_LO 0x1.1a62633145c07p-53

/* The angle of (x, y), for 0 <= y <= x and an x whose square is in the range of double. From the
 * nearest direction with a tangent j/8 it is off by the angle with the tangent t, |t| <= 1/16. */
TW_INLINE tw_math_pair tw_math_arc_octant(tw_math_pair y, tw_math_pair x)
{
    const double hi[9] = {0.0,
                          0x1.fd5ba9aac2f6ep-4,
                          0x1.f5b75f92c80ddp-3,
                          0x1.6f61941e4def1p-2,
                          0x1.dac670561bb4fp-2,
                          0x1.1e00babdefeb4p-1,
                          0x1.4978fa3269ee1p-1,
                          0x1.700a7c5784634p-1,
                          0x1.921fb54442d18p-1};
    const double lo[9] = {0.0,
                          -0x1.cd37686760c17p-59,
                          0x1.8ab6e3cf7afbdp-57,
                          -0x1.c63aae6f6e918p-56,
                          0x1.a2b7f222f65e2p-56,
                          -0x1.928df287a668fp-58,
                          0x1.2419a87f2a458p-56,
                          -0x1.8c34d25aadef6p-56,
                          0x1.1a62633145c07p-55};
    const int j = (int)(8.0 * (y.hi / x.hi) + 0.5);
    const double c = 0.125 * j;
    const tw_math_pair cx = tw_math_product(c, x.hi), cy = tw_math_product(c, y.hi);
    const tw_math_pair minus = tw_math_pair_make(-cx.hi, -cx.lo - c * x.lo);
    const tw_math_pair plus = tw_math_pair_make(cy.hi, cy.lo + c * y.lo);
    const tw_math_pair t =
        tw_math_pair_quotient(tw_math_pair_sum(y, minus), tw_math_pair_sum(x, plus));

    const double z = t.hi * t.hi, w = z * z;
    const double p0 = -0x1.5555555555555p-2 + z * 0x1.9999999998c2p-3;
    const double p1 = -0x1.2492491fc4a07p-3 + z * 0x1.c71c5b13b6cbdp-4;
    const double p2 = -0x1.7444c91d5a51dp-4 + z * 0x1.30662a3b10b0cp-4;
    const double p = p0 + w * (p1 + w * p2);
    const tw_math_pair s = tw_math_sum(hi[j], t.hi);
    return tw_math_join(s.hi, s.lo + (lo[j] + (t.lo + t.hi * z * p)));
}

/* Angle for any y >= 0 and x >= 0 of such size; `left`: the angle of (-x, y). */
TW_INLINE double tw_math_arc(tw_math_pair y, tw_math_pair x, int left)
{
    const int steep = y.hi > x.hi;
    tw_math_pair a = steep ? tw_math_arc_octant(x, y) : tw_math_arc_octant(y, x);
    if (!steep && !left) return a.hi + a.lo;
    if (steep != left) a = tw_math_pair_make(-a.hi, -a.lo);
    const double share = steep ? 0.5 : 1.0;
    a = tw_math_pair_sum(tw_math_pair_make(share * TW_MATH_PI_HI, share * TW_MATH_PI_LO), a);
    return a.hi + a.lo;
}

/* atan2 of |y| and |x|, with `left` as the sign of x, for zeros and infinities too. */
TW_INLINE double tw_math_arc_any(double y, double x, int left)
{
    const double half = 0.5 * TW_MATH_PI_HI;
    if (y == 0.0 || (x == TW_MATH_INFINITY && y < x)) return left ? TW_MATH_PI_HI : 0.0;
    if (x == 0.0 || (y == TW_MATH_INFINITY && x < y)) return half;
    if (x == TW_MATH_INFINITY) return left ? 1.5 * half : 0.5 * half;
    if (!left && y < 0x1p-28 * x) return y / x;
    const double most = tw_math_max(x, y);
    const double scale = most > 0x1p400 ? 0x1p-600 : (most < 0x1p-400 ? 0x1p600 : 1.0);
    return tw_math_arc(tw_math_pair_make(scale * y, 0.0), tw_math_pair_make(scale * x, 0.0), left);
}

/* The angle of (x, y), between -pi and pi. */
TW_MATH_CALL double tw_math_atan2(double y, double x)
{
    if (x != x || y != y) return TW_MATH_NAN;
    const double a = tw_math_arc_any(fabs(y), fabs(x), tw_math_is_negative(x));
    return tw_math_is_negative(y) ? -a : a;
}

TW_MATH_CALL double tw_math_atan(double x)
{
    return tw_math_atan2(x, 1.0);
}

/* The angle of (x, root of 1 - x^2). */
TW_MATH_CALL double tw_math_acos(double x)
{
    if (!(fabs(x) <= 1.0)) return TW_MATH_NAN;
    if (fabs(x) == 1.0) return x < 0.0 ? TW_MATH_PI_HI : 0.0;
    const tw_math_pair square = tw_math_product(x, x);
    const tw_math_pair rest = tw_math_sum(1.0, -square.hi);
    const tw_math_pair y = tw_math_pair_root(tw_math_join(rest.hi, rest.lo - square.lo));
    return tw_math_arc(y, tw_math_pair_make(fabs(x), 0.0), x < 0.0);
}

#endif
