/* SPDX-License-Identifier: BSD-3-Clause */
/* Slides of the exact law, written once for one contact and once more for lanes of contacts: what
 * contact_slip.h does for any slide, without its branches and calls, for steps that stay in contact
 * and turn little, with a force that does not point far against the movement. Nearly all sliding
 * steps of a run are such. A template like contact_elastic.h, which is included before it, with
 * TW_SELECT(mask, yes, no), TW_SQRT, TW_ANY(mask), TW_NOT(mask) and TW_MATH_NAME (twirl/math_ops.h)
 * defined as well. Each contact chooses by its own numbers, so that its bits do not depend on its
 * neighbours.
 */

typedef struct TW_NAME(slide) {
    TW_VEC ft; /* tangential force at the end of the step */
    TW_REAL work, change, alpha;
    TW_MASK holds; /* it was such a slide */
} TW_NAME(slide);

/* Eqs. 14, 15. A force that is at the limit to rounding slides at once, unless the path leads
 * inwards first: then, as in most steps of a long slide, no root is needed. */
TW_INLINE TW_REAL TW_NAME(slide_instant)(double kt, TW_VEC ft0, TW_VEC dxi, TW_REAL xi2,
                                         TW_REAL limit, TW_REAL growth)
{
    const TW_REAL zero = TW_SPLAT(0.0), one = TW_SPLAT(1.0), limit2 = limit * limit;
    const TW_REAL b = limit * growth - kt * TW_VEC_NAME(dot)(ft0, dxi);
    const TW_REAL gap = limit2 - TW_VEC_NAME(dot)(ft0, ft0);
    const TW_REAL c = TW_SELECT(gap > 1e-14 * limit2, gap, zero);
    const TW_MASK outwards = b <= 0.0;
    if (!TW_ANY((c > 0.0) | TW_NOT(outwards))) return zero;
    const TW_REAL a = growth * growth - kt * kt * xi2;
    const TW_REAL disc = b * b - a * c;
    const TW_REAL s = TW_SQRT(TW_SELECT(disc > 0.0, disc, zero));
    const TW_REAL num = TW_SELECT(outwards, c, -(b + s));
    const TW_REAL den = TW_SELECT(outwards, s - b, a);
    /* A numerator of 0 is a root at 0 whatever the denominator. */
    const TW_REAL root = num / TW_SELECT(num == 0.0, one, den);
    const TW_REAL low = TW_SELECT(root > 0.0, root, zero);
    return TW_SELECT(low < 1.0, low, one);
}

/* log1p(x)/x for |x| <= 1/8, to rounding, from inv = 1/(2 + x): log1p as 2 artanh(x/(2 + x)). */
TW_INLINE TW_REAL TW_NAME(slide_rate)(TW_REAL x, TW_REAL inv)
{
    const TW_REAL z = x * inv, z2 = z * z, z4 = z2 * z2;
    const TW_REAL low = (1.0 + z2 * (1.0 / 3)) + z4 * (1.0 / 5 + z2 * (1.0 / 7));
    return 2.0 * inv * (low + z4 * z4 * ((1.0 / 9 + z2 * (1.0 / 11)) + z4 * (1.0 / 13)));
}

/* exp(-y) for 0 <= y <= 0.11, to rounding. */
TW_INLINE TW_REAL TW_NAME(slide_fade)(TW_REAL y)
{
    const TW_REAL y2 = y * y, y4 = y2 * y2;
    const TW_REAL a = (1.0 / 2 - y * (1.0 / 6)) + y2 * (1.0 / 24 - y * (1.0 / 120));
    const TW_REAL b = (1.0 / 720 - y * (1.0 / 5040)) + y2 * (1.0 / 40320 - y * (1.0 / 362880));
    const TW_REAL c = 1.0 / 3628800 - y * (1.0 / 39916800);
    return 1.0 - (y - y2 * (a + y4 * (b + y4 * c)));
}

/* A continued fraction after some of its levels: top/below. */
typedef struct TW_NAME(fraction) {
    TW_REAL top, below, last_top, last_below;
} TW_NAME(fraction);

/* Levels from .. to - 1 of the fraction of the integral over t from 0 to 1 of t^-g/(1 + z t):
 * 1/(1 - g + (1 - g)^2 z/(2 - g + 1^2 z/(3 - g + (2 - g)^2 z/(4 - g + 2^2 z/(5 - g + ... */
TW_INLINE void TW_NAME(fraction_go)(TW_NAME(fraction) * f, TW_REAL z, TW_REAL g, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int m = (k + 1) / 2;
        const TW_REAL root = (double)m - g, level = (double)(k + 1) - g;
        const TW_REAL a = k % 2 == 1 ? root * root * z : (double)(m * m) * z;
        const TW_REAL top = level * f->top + a * f->last_top;
        const TW_REAL below = level * f->below + a * f->last_below;
        f->last_top = f->top;
        f->last_below = f->below;
        f->top = top;
        f->below = below;
    }
}

/* The integral of Eq. 25a, of v^-g/(1 + s v) over v from V to 1, for 0 <= s <= 1 and g between -8
 * and 1/2; w = V^(1 - g). As many levels as s asks for: the error shrinks by (r - 1)/(r + 1) with r
 * = sqrt(1 + s) at every level, as that of Gauss' quadrature with this weight does by its square.
 */
TW_INLINE TW_REAL TW_NAME(slide_integral)(TW_REAL s, TW_REAL v, TW_REAL w, TW_REAL g)
{
    enum { FEW = 6, SOME = 10, MANY = 18 };
    const TW_REAL sv = s * v, one = TW_SPLAT(1.0), zero = TW_SPLAT(0.0);
    TW_NAME(fraction) a = {one, one - g, zero, one}, b = a;
    TW_NAME(fraction_go)(&a, s, g, 1, FEW);
    TW_NAME(fraction_go)(&b, sv, g, 1, FEW);
    TW_REAL out = (a.top * b.below - w * b.top * a.below) / (a.below * b.below);
    const TW_MASK more = s > 0.02, most = s > 0.15;
    if (TW_ANY(more)) {
        TW_NAME(fraction_go)(&a, s, g, FEW, SOME);
        TW_NAME(fraction_go)(&b, sv, g, FEW, SOME);
        const TW_REAL next = (a.top * b.below - w * b.top * a.below) / (a.below * b.below);
        out = TW_SELECT(more, next, out);
    }
    if (TW_ANY(most)) {
        TW_NAME(fraction_go)(&a, s, g, SOME, MANY);
        TW_NAME(fraction_go)(&b, sv, g, SOME, MANY);
        const TW_REAL next = (a.top * b.below - w * b.top * a.below) / (a.below * b.below);
        out = TW_SELECT(most, next, out);
    }
    return out;
}

/* A slide between its stages: each is a chain of dependent operations, and in lanes they are run
 * through one after the other for many contacts, so that the chains overlap. */
typedef struct TW_NAME(slide_state) {
    TW_VEC ft0, dxi,
        fts; /* force at the start of the step, movement, force where the slide starts */
    TW_REAL alpha, limit, limit1, xi, inv_xi, inv_h, cos0;
    TW_REAL x, q, inv; /* of the slide, as in Eq. 18; 1/(2 + x) */
    TW_REAL d;         /* exp(-y), the factor of tan(theta/2) */
    TW_REAL mean;      /* of fn cos(theta), over fn at the start of the slide, if it is not brief */
    TW_MASK brief, holds;
} TW_NAME(slide_state);

/* When it starts and from where (Eqs. 14, 15, 18). `t` is a trial that ended beyond the limit, its
 * twist done. */
TW_INLINE void TW_NAME(slide_start)(const tw_contact_law *law, const TW_NAME(step) * step,
                                    const TW_NAME(trial) * t, TW_NAME(slide_state) * s)
{
    const double kt = law->kt, mu = law->mu;
    const TW_REAL fn0 = law->kn * step->zeta0, fn1 = law->kn * step->zeta1;
    s->ft0 = t->ft0;
    s->dxi = t->dxi;
    s->limit1 = mu * fn1;
    const TW_REAL xi2 = TW_VEC_NAME(dot)(t->dxi, t->dxi);
    s->alpha = TW_NAME(slide_instant)(kt, t->ft0, t->dxi, xi2, mu * fn0, mu * (fn1 - fn0));
    s->limit = mu * (fn0 + s->alpha * (fn1 - fn0));
    s->fts = TW_VEC_NAME(add_scaled)(t->ft0, s->alpha * kt, t->dxi);
    const TW_REAL h2 = TW_VEC_NAME(dot)(s->fts, s->fts);
    s->xi = TW_SQRT(xi2);
    /* One quotient for all. */
    const TW_REAL ends = s->limit + s->limit1, both = s->xi * s->limit;
    const TW_REAL shared = 1.0 / (both * ends), inv_both = shared * ends;
    const TW_REAL inv_limit = inv_both * s->xi;
    s->inv_xi = inv_both * s->limit;
    s->inv = s->limit * (shared * both);
    /* The force is at the limit, but where friction was lowered: its length by the series of a
     * root. */
    const TW_REAL e = h2 * inv_limit * inv_limit - 1.0;
    const TW_MASK near = (e < 1e-4) & (e > -1e-4);
    s->inv_h =
        inv_limit * (1.0 - e * (1.0 / 2 - e * (3.0 / 8 - e * (5.0 / 16 - e * (35.0 / 128)))));
    if (TW_ANY(TW_NOT(near))) s->inv_h = TW_SELECT(near, s->inv_h, 1.0 / TW_SQRT(h2));
    s->cos0 = TW_VEC_NAME(dot)(s->fts, t->dxi) * s->inv_xi * s->inv_h;
    s->q = kt * s->xi * (1.0 - s->alpha) * inv_limit;
    s->x = (s->limit1 - s->limit) * inv_limit;

    const TW_REAL x = s->x, q = s->q, limit2 = s->limit1 * s->limit1;
    s->brief = (x <= 0.125) & (x >= -0.125) & (q <= 0.1);
    const TW_MASK inside = (x >= -0.9) & (x <= 0.5 * q) & (x >= -8.0 * q) & (s->cos0 >= 0.0);
    s->holds = t->small & (step->zeta0 > 0.0) & (step->zeta1 > 0.0) &
               ((s->brief & (s->cos0 >= -0.5)) | inside) & (s->alpha < 1.0) &
               (limit2 > TW_CONTACT_TINY) & (limit2 + h2 + kt * kt * xi2 < TW_CONTACT_HUGE) &
               (xi2 > TW_CONTACT_TINY) & (h2 > TW_CONTACT_TINY);
}

/* How far the force turns. */
TW_INLINE void TW_NAME(slide_turn)(TW_NAME(slide_state) * s)
{
    const TW_REAL x = s->x;
    const TW_MASK tame = (x <= 0.125) & (x >= -0.125);
    TW_REAL rate = TW_NAME(slide_rate)(x, s->inv);
    if (TW_ANY(TW_NOT(tame))) {
        const TW_REAL wild = TW_SELECT(tame, TW_SPLAT(1.0), x);
        rate = TW_SELECT(tame, rate, TW_MATH_NAME(log1p)(wild) / wild);
    }
    const TW_REAL y = s->q * rate;
    s->d = y;
    if (TW_ANY(s->brief)) s->d = TW_NAME(slide_fade)(y);
    if (TW_ANY(TW_NOT(s->brief))) s->d = TW_SELECT(s->brief, s->d, TW_MATH_NAME(exp)(-y));
}

/* The mean of a long slide (Eqs. 25a, 25b): with t = tan^2(theta/2) at the start and v = exp(-2y)
 * as the variable, the cosine is 1 - 2 t v/(1 + t v). */
TW_INLINE void TW_NAME(slide_mean)(TW_NAME(slide_state) * s)
{
    s->mean = s->cos0;
    if (!TW_ANY(TW_NOT(s->brief))) return;
    /* x/q, t and t/q with one quotient; 1 + cos0 is 1 or more where this counts. */
    const TW_REAL sum = 1.0 + s->cos0, shared = 1.0 / (sum * s->q);
    const TW_REAL inv_q = shared * sum, t = (1.0 - s->cos0) * (shared * s->q);
    const TW_REAL v = s->d * s->d, u = 1.0 + s->x;
    s->mean =
        (1.0 + 0.5 * s->x) - t * inv_q * TW_NAME(slide_integral)(t, v, v * u * u, s->x * inv_q);
}

/* Eqs. 16 to 21 in the form without the perpendicular: with C = cos(theta) at the start and D the
 * factor of tan(theta/2), sin(theta) shrinks by 2D/S and the cosine becomes (1 + C - (1 - C)
 * D^2)/S, S = 1 + C + (1 - C) D^2. Near 180 degrees 1 + C has lost its digits: not for here. */
TW_INLINE TW_NAME(slide) TW_NAME(slide_end)(const TW_NAME(slide_state) * s)
{
    TW_NAME(slide) out;
    const TW_REAL cos0 = s->cos0, d = s->d, back = (1.0 - cos0) * d * d;
    const TW_REAL inv_sum = 1.0 / (1.0 + cos0 + back);
    const TW_REAL cos1 = (1.0 + cos0 - back) * inv_sum, shrink = 2.0 * d * inv_sum;
    out.ft = TW_VEC_NAME(add_scaled)(
        TW_VEC_NAME(scale)(s->limit1 * (cos1 - cos0 * shrink) * s->inv_xi, s->dxi),
        s->limit1 * shrink * s->inv_h, s->fts);
    TW_REAL mean = s->mean;
    if (TW_ANY(s->brief))
        mean = TW_SELECT(s->brief, TW_NAME(slip_mean)(s->x, s->q, cos0, cos1), mean);
    const TW_REAL elastic = TW_VEC_NAME(dot)(TW_VEC_NAME(add)(s->ft0, s->fts), s->dxi);
    out.alpha = s->alpha;
    out.work = 0.5 * s->alpha * elastic + s->limit * s->xi * (1.0 - s->alpha) * mean;
    out.change = TW_NAME(change)(s->ft0, out.ft);
    out.holds = s->holds;
    return out;
}

TW_INLINE TW_NAME(slide) TW_NAME(slide_try)(const tw_contact_law *law, const TW_NAME(step) * step,
                                            const TW_NAME(trial) * t)
{
    TW_NAME(slide_state) s;
    TW_NAME(slide_start)(law, step, t, &s);
    TW_NAME(slide_turn)(&s);
    TW_NAME(slide_mean)(&s);
    return TW_NAME(slide_end)(&s);
}
