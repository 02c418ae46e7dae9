/* SPDX-License-Identifier: BSD-3-Clause */
/* Short slides of the exact law, written once for one contact and once more for lanes of contacts:
 * what contact_slip.h does for any slide, without its branches and calls, for steps that stay in
 * contact, turn little, and slide by less than a fifth of the slip distance while fn changes by
 * less than an eighth. Nearly all sliding steps of a run are such. A template like
 * contact_elastic.h, which is included before it, with TW_SELECT(mask, yes, no) and TW_SQRT defined
 * as well.
 */

typedef struct TW_NAME(slide) {
    TW_VEC ft; /* tangential force at the end of the step */
    TW_REAL work, change, alpha;
    TW_MASK holds; /* it was a short slide */
} TW_NAME(slide);

/* Eqs. 14, 15. */
TW_INLINE TW_REAL TW_NAME(slide_instant)(double kt, TW_VEC ft0, TW_VEC dxi, TW_REAL limit,
                                         TW_REAL growth)
{
    const TW_REAL zero = TW_SPLAT(0.0), one = TW_SPLAT(1.0);
    const TW_REAL b = limit * growth - kt * TW_VEC_NAME(dot)(ft0, dxi);
    const TW_REAL gap = limit * limit - TW_VEC_NAME(dot)(ft0, ft0);
    const TW_REAL c = TW_SELECT(gap > 0.0, gap, zero);
    const TW_REAL a = growth * growth - kt * kt * TW_VEC_NAME(dot)(dxi, dxi);
    const TW_REAL disc = b * b - a * c;
    const TW_REAL s = TW_SQRT(TW_SELECT(disc > 0.0, disc, zero));
    const TW_MASK outwards = b <= 0.0;
    const TW_REAL num = TW_SELECT(outwards, c, -(b + s));
    const TW_REAL den = TW_SELECT(outwards, s - b, a);
    /* A numerator of 0 is a root at 0 whatever the denominator. */
    const TW_REAL root = num / TW_SELECT(num == 0.0, one, den);
    const TW_REAL low = TW_SELECT(root > 0.0, root, zero);
    return TW_SELECT(low < 1.0, low, one);
}

/* exp(-q log1p(x)/x) for 0 <= q <= 0.2 and |x| <= 1/8, to rounding: log1p as 2 artanh(x/(2 + x)).
 */
TW_INLINE TW_REAL TW_NAME(slide_factor)(TW_REAL q, TW_REAL x)
{
    const TW_REAL inv = 1.0 / (2.0 + x), z = x * inv, z2 = z * z;
    const TW_REAL series =
        1.0 +
        z2 * (1.0 / 3 +
              z2 * (1.0 / 5 + z2 * (1.0 / 7 + z2 * (1.0 / 9 + z2 * (1.0 / 11 + z2 * (1.0 / 13))))));
    const TW_REAL y = -2.0 * q * inv * series;
    const TW_REAL high =
        1.0 / 5040 +
        y * (1.0 / 40320 + y * (1.0 / 362880 + y * (1.0 / 3628800 +
                                                    y * (1.0 / 39916800 + y * (1.0 / 479001600)))));
    return 1.0 +
           y * (1.0 +
                y * (1.0 / 2 + y * (1.0 / 6 + y * (1.0 / 24 +
                                                   y * (1.0 / 120 + y * (1.0 / 720 + y * high))))));
}

/* Eqs. 16 to 21 in the form without the perpendicular: with C = cos(theta) at the start and D the
 * factor of tan(theta/2), sin(theta) shrinks by 2D/S and the cosine becomes (1 + C - (1 - C)
 * D^2)/S, S = 1 + C + (1 - C) D^2. Near 180 degrees 1 + C has lost its digits: not for here.
 * `t` is a trial that ended beyond the limit, its twist done. */
TW_INLINE TW_NAME(slide) TW_NAME(slide_try)(const tw_contact_law *law, const TW_NAME(step) * step,
                                            const TW_NAME(trial) * t)
{
    TW_NAME(slide) out;
    const double kt = law->kt, mu = law->mu;
    const TW_REAL fn0 = law->kn * step->zeta0, fn1 = law->kn * step->zeta1;
    const TW_REAL limit1 = mu * fn1;
    out.alpha = TW_NAME(slide_instant)(kt, t->ft0, t->dxi, mu * fn0, mu * (fn1 - fn0));

    const TW_REAL left = 1.0 - out.alpha, fns = fn0 + out.alpha * (fn1 - fn0);
    const TW_VEC fts = TW_VEC_NAME(add_scaled)(t->ft0, out.alpha * kt, t->dxi);
    const TW_REAL along = TW_VEC_NAME(dot)(fts, t->dxi);
    const TW_REAL xi2 = TW_VEC_NAME(dot)(t->dxi, t->dxi), h2 = TW_VEC_NAME(dot)(fts, fts);
    const TW_REAL xi = TW_SQRT(xi2), h = TW_SQRT(h2);
    const TW_REAL inv = 1.0 / (xi * h), inv_limit = 1.0 / (mu * fns);
    const TW_REAL cos0 = along * inv;
    const TW_REAL q = kt * xi * left * inv_limit, x = (limit1 - mu * fns) * inv_limit;

    const TW_REAL d = TW_NAME(slide_factor)(q, x), back = (1.0 - cos0) * d * d;
    const TW_REAL inv_sum = 1.0 / (1.0 + cos0 + back);
    const TW_REAL cos1 = (1.0 + cos0 - back) * inv_sum, shrink = 2.0 * d * inv_sum;
    out.ft = TW_VEC_NAME(add_scaled)(
        TW_VEC_NAME(scale)(limit1 * (cos1 - cos0 * shrink) * inv * h, t->dxi),
        limit1 * shrink * inv * xi, fts);
    out.work = 0.5 * out.alpha * (TW_VEC_NAME(dot)(t->ft0, t->dxi) + along) +
               mu * fns * xi * left * TW_NAME(slip_mean)(x, q, cos0, cos1);
    out.change = TW_NAME(change)(t->ft0, out.ft);

    const TW_REAL scale = limit1 * limit1 + h2 + kt * kt * xi2;
    out.holds = t->small & (step->zeta0 > 0.0) & (step->zeta1 > 0.0) & (q <= 0.2) & (x <= 0.125) &
                (x >= -0.125) & (cos0 >= 0.0) & (out.alpha < 1.0) &
                (limit1 * limit1 > TW_CONTACT_TINY) & (scale < TW_CONTACT_HUGE) &
                (xi2 > TW_CONTACT_TINY) & (h2 > TW_CONTACT_TINY);
    return out;
}
