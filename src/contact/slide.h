/* SPDX-License-Identifier: BSD-3-Clause */
/* Short slides of the exact law, TW_LANES at once: what contact_slip.h does for any slide, without
 * its branches and calls, for steps that stay in contact, turn little, and slide by less than a
 * fifth of the slip distance while fn changes by less than an eighth. Nearly all sliding steps of a
 * run are such. */
#ifndef TW_CONTACT_SLIDE_H
#define TW_CONTACT_SLIDE_H

#include "contact/lanes.h"

typedef struct tw_slide {
    tw_lanes3 ft; /* tangential force at the end of the step */
    tw_lanes work, change, alpha;
    tw_lanes_mask holds; /* it was a short slide */
} tw_slide;

TW_INLINE tw_lanes tw_slide_select(tw_lanes_mask mask, tw_lanes yes, tw_lanes no)
{
    return (tw_lanes)((mask & (tw_lanes_mask)yes) | (~mask & (tw_lanes_mask)no));
}

TW_INLINE tw_lanes tw_slide_sqrt(tw_lanes v)
{
    tw_lanes root;
    for (int l = 0; l < TW_LANES; l++) {
        root[l] = sqrt(v[l]);
    }
    return root;
}

/* Eqs. 14, 15. */
TW_INLINE tw_lanes tw_slide_instant(double kt, tw_lanes3 ft0, tw_lanes3 dxi, tw_lanes limit,
                                    tw_lanes growth)
{
    const tw_lanes zero = TW_SPLAT_LANES(0.0), one = TW_SPLAT_LANES(1.0);
    const tw_lanes b = limit * growth - kt * tw_lanes3_dot(ft0, dxi);
    const tw_lanes gap = limit * limit - tw_lanes3_dot(ft0, ft0);
    const tw_lanes c = tw_slide_select(gap > 0.0, gap, zero);
    const tw_lanes a = growth * growth - kt * kt * tw_lanes3_dot(dxi, dxi);
    const tw_lanes disc = b * b - a * c;
    const tw_lanes s = tw_slide_sqrt(tw_slide_select(disc > 0.0, disc, zero));
    const tw_lanes_mask outwards = b <= 0.0;
    const tw_lanes num = tw_slide_select(outwards, c, -(b + s));
    const tw_lanes den = tw_slide_select(outwards, s - b, a);
    /* A numerator of 0 is a root at 0 whatever the denominator. */
    const tw_lanes root = num / tw_slide_select(num == 0.0, one, den);
    const tw_lanes low = tw_slide_select(root > 0.0, root, zero);
    return tw_slide_select(low < 1.0, low, one);
}

/* exp(-q log1p(x)/x) for 0 <= q <= 0.2 and |x| <= 1/8, to rounding: log1p as 2 artanh(x/(2 + x)).
 */
TW_INLINE tw_lanes tw_slide_factor(tw_lanes q, tw_lanes x)
{
    const tw_lanes inv = 1.0 / (2.0 + x), z = x * inv, z2 = z * z;
    const tw_lanes series =
        1.0 +
        z2 * (1.0 / 3 +
              z2 * (1.0 / 5 + z2 * (1.0 / 7 + z2 * (1.0 / 9 + z2 * (1.0 / 11 + z2 * (1.0 / 13))))));
    const tw_lanes y = -2.0 * q * inv * series;
    const tw_lanes high =
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
 * D^2)/S, S = 1 + C + (1 - C) D^2. Near 180 degrees 1 + C has lost its digits: not for here. */
/* `trials` ended beyond the limit. */
TW_INLINE tw_slide tw_slide_try(const tw_contact_law *law, const tw_lanes_step *step,
                                const tw_lanes_trial *trials)
{
    tw_slide out;
    const double kt = law->kt, mu = law->mu;
    const tw_lanes fn0 = law->kn * step->zeta0, fn1 = law->kn * step->zeta1;
    const tw_lanes limit1 = mu * fn1;
    out.alpha = tw_slide_instant(kt, trials->ft0, trials->dxi, mu * fn0, mu * (fn1 - fn0));

    const tw_lanes left = 1.0 - out.alpha, fns = fn0 + out.alpha * (fn1 - fn0);
    const tw_lanes3 fts = tw_lanes3_add_scaled(trials->ft0, out.alpha * kt, trials->dxi);
    const tw_lanes along = tw_lanes3_dot(fts, trials->dxi);
    const tw_lanes xi2 = tw_lanes3_dot(trials->dxi, trials->dxi), h2 = tw_lanes3_dot(fts, fts);
    const tw_lanes xi = tw_slide_sqrt(xi2), h = tw_slide_sqrt(h2);
    const tw_lanes inv = 1.0 / (xi * h), inv_limit = 1.0 / (mu * fns);
    const tw_lanes cos0 = along * inv;
    const tw_lanes q = kt * xi * left * inv_limit, x = (limit1 - mu * fns) * inv_limit;

    const tw_lanes d = tw_slide_factor(q, x), back = (1.0 - cos0) * d * d;
    const tw_lanes inv_sum = 1.0 / (1.0 + cos0 + back);
    const tw_lanes cos1 = (1.0 + cos0 - back) * inv_sum, shrink = 2.0 * d * inv_sum;
    out.ft = tw_lanes3_add_scaled(
        tw_lanes3_scale(limit1 * (cos1 - cos0 * shrink) * inv * h, trials->dxi),
        limit1 * shrink * inv * xi, fts);
    out.work = 0.5 * out.alpha * (tw_lanes3_dot(trials->ft0, trials->dxi) + along) +
               mu * fns * xi * left * tw_lanes_slip_mean(x, q, cos0, cos1);
    out.change = tw_lanes_change(trials->ft0, out.ft);

    const tw_lanes scale = limit1 * limit1 + h2 + kt * kt * xi2;
    out.holds = trials->small & (step->zeta0 > 0.0) & (step->zeta1 > 0.0) & (q <= 0.2) &
                (x <= 0.125) & (x >= -0.125) & (cos0 >= 0.0) & (out.alpha < 1.0) &
                (limit1 * limit1 > TW_CONTACT_TINY) & (scale < TW_CONTACT_HUGE) &
                (xi2 > TW_CONTACT_TINY) & (h2 > TW_CONTACT_TINY);
    return out;
}

#endif
