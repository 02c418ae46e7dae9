/* SPDX-License-Identifier: BSD-3-Clause */
/* Sliding along a straight path in the contact plane: its start, the rotation of the force, and the
 * work done (refinements 1 to 3). A part of twirl/contact_inline.h. */
#ifndef TWIRL_DETAIL_CONTACT_SLIP_H
#define TWIRL_DETAIL_CONTACT_SLIP_H

#include <twirl/detail/contact_turn.h>

/* The straight path of a step, or of the rest of it: fn, the force that presses
 * (tw_contact_law_pressing), goes from fn0 to fn1 while the contact moves by dxi, starting from the
 * tangential force ft0. */
typedef struct tw_contact_path {
    double fn0, fn1;
    tw_vec3 ft0, dxi;
    double zeta0, zeta1; /* overlaps at both ends, 0 or above; for Hertz contacts */
} tw_contact_path;

typedef struct tw_contact_slip {
    tw_vec3 ft;   /* tangential force at the end of the path */
    double work;  /* tangential work over the path */
    double alpha; /* fraction of the path at which sliding starts, 1: none */
    double micro; /* Hertz: lost while it stuck */
} tw_contact_slip;

/* First root in [0, 1] of |ft0 + a kt dxi| = mu fn(a), for a path known to end beyond the limit
 * (Eqs. 14, 15). The form of the root is stable for A -> 0 and C -> 0 alike. */
TW_INLINE double tw_contact_slip_instant(const tw_contact_law *law, const tw_contact_path *path)
{
    const double limit = law->mu * path->fn0;
    const double growth = law->mu * (path->fn1 - path->fn0);
    const double b = limit * growth - law->kt * tw_vec3_dot(path->ft0, path->dxi);
    const double c = limit * limit - tw_vec3_dot(path->ft0, path->ft0);
    const int at_limit = !(c > 0.0);
    /* At the limit it slides at once, unless the path first leads inwards. */
    if (at_limit && b <= 0.0) return 0.0;
    const double a = growth * growth - law->kt * law->kt * tw_vec3_dot(path->dxi, path->dxi);
    const double disc = at_limit ? b * b : b * b - a * c;
    const double s = disc > 0.0 ? sqrt(disc) : 0.0;
    const double root = b <= 0.0 ? c / (s - b) : -(b + s) / a;
    return root < 1.0 ? (root > 0.0 ? root : 0.0) : 1.0;
}

/* The rotation of the force during a slide. */
typedef struct tw_contact_turning {
    double x;        /* relative growth of fn over the slide, >= -1 */
    double q;        /* kt |dxi| / (mu fn) at its start */
    double y;        /* integral of q over the slide: exp(-y) is the factor of tan(theta/2) */
    double num, den; /* tan(theta/2) at its start, as a fraction; num^2 + den^2 is of order 1 */
} tw_contact_turning;

/* log1p(x)/x */
TW_INLINE double tw_contact_log1p_ratio(double x)
{
    if (fabs(x) < 0.01) {
        return 1.0 +
               x * (-1.0 / 2 +
                    x * (1.0 / 3 +
                         x * (-1.0 / 4 + x * (1.0 / 5 + x * (-1.0 / 6 + x * (1.0 / 7 - x / 8))))));
    }
    return tw_math_log1p(x) / x;
}

TW_INLINE double tw_contact_turning_cos(double num, double den)
{
    const double sum = den * den + num * num;
    return sum > 0.0 ? (den - num) * (den + num) / sum : -1.0;
}

/* Integral over [a, b] within [0, 1] of exp(-decay u) cos(theta(y0 + slope u)), in intervals over
 * which the exponential changes by e^3 and y by 1 at most: the poles of cos(theta) at a distance of
 * pi/2 then leave an error below 1e-13. */
typedef struct tw_contact_quadrature {
    double num, den; /* of the slide */
    double decay, y0, slope, a, half;
    int count; /* intervals: TW_CONTACT_INTERVALS or fewer, 0: the integral is 0 */
} tw_contact_quadrature;

enum { TW_CONTACT_INTERVALS = 101 };

TW_INLINE tw_contact_quadrature tw_contact_quadrature_of(const tw_contact_turning *turning,
                                                         double decay, double y0, double slope,
                                                         double a, double b)
{
    tw_contact_quadrature q = {turning->num, turning->den, decay, y0, slope, a, 0.0, 0};
    if (!(b > a)) return q;
    const double need = tw_math_max(decay / 3.0, fabs(slope)) * (b - a);
    q.count = 1 + (int)tw_math_min(need, (double)TW_CONTACT_INTERVALS - 1.0);
    q.half = 0.5 * (b - a) / q.count;
    return q;
}

/* Two nodes of the Gauss-Legendre rule of eight points, with their weights: the exponentials of
 * both, relative to the middle of an interval. The same in every interval. */
TW_INLINE void tw_contact_quadrature_nodes(const tw_contact_quadrature *q, double node,
                                           double weight, double turn[2], double fade[2])
{
    turn[0] = tw_math_exp(-q->slope * q->half * node);
    fade[0] = weight * tw_math_exp(-q->decay * q->half * node);
    turn[1] = 1.0 / turn[0];
    fade[1] = weight * weight / fade[0];
}

/* The nodes of all pairs. */
TW_INLINE double tw_contact_quadrature_node(int pair)
{
    return pair == 0   ? 0.1834346424956498
           : pair == 1 ? 0.5255324099163290
           : pair == 2 ? 0.7966664774136267
                       : 0.9602898564975363;
}

TW_INLINE double tw_contact_quadrature_weight(int pair)
{
    return pair == 0   ? 0.3626837833783620
           : pair == 1 ? 0.3137066458778873
           : pair == 2 ? 0.2223810344533745
                       : 0.1012285362903763;
}

/* Interval number i. */
TW_INLINE double tw_contact_quadrature_part(const tw_contact_quadrature *q, const double turn[8],
                                            const double fade[8], int i)
{
    const double mid = q->a + (2 * i + 1) * q->half;
    const double num = q->num * tw_math_exp(-(q->y0 + q->slope * mid));
    double part = 0.0;
    for (int k = 0; k < 8; k++)
        part += fade[k] * tw_contact_turning_cos(num * turn[k], q->den);
    return tw_math_exp(-q->decay * mid) * part;
}

TW_CONTACT_RARE double tw_contact_quadrature_sum(const tw_contact_quadrature *q)
{
    double turn[8], fade[8], sum = 0.0;
    if (q->count == 0) return 0.0;
    for (int k = 0; k < 4; k++)
        tw_contact_quadrature_nodes(q, tw_contact_quadrature_node(k),
                                    tw_contact_quadrature_weight(k), turn + 2 * k, fade + 2 * k);
    for (int i = 0; i < q->count; i++)
        sum += tw_contact_quadrature_part(q, turn, fade, i);
    return sum * q->half;
}

/* A mean over a slide: factor (flat + integral). */
typedef struct tw_contact_mean {
    double factor, flat;
    tw_contact_quadrature integral;
} tw_contact_mean;

/* Mean of fn(a) cos(theta(a)) / fn_big over the slide, fn_big being the larger of the two end
 * forces (Eq. 25). The integration variable is the logarithm of the overlap, counted from the
 * larger end: there the integrand is a decaying exponential times the cosine, which is +1 or -1
 * outside a short window. fn goes with this power of the overlap. */
TW_INLINE tw_contact_mean tw_contact_mean_of(const tw_contact_turning *turning, double power)
{
    tw_contact_mean mean;
    const double x = turning->x;
    const int rising = x > 0.0;
    const double range_whole = x > -1.0 ? fabs(tw_math_log1p(x)) : 1e300;
    const double range = range_whole < 18.0 ? range_whole : 18.0; /* exp(-2*18) is below rounding */
    const double rate = fabs(x) > 1e-8 ? turning->q / fabs(x) : 0.0;
    const double span = range_whole < 18.0 ? turning->y : rate * 18.0; /* change of y over it */
    mean.factor = range_whole < 18.0 ? tw_contact_log1p_ratio(x) * (rising ? 1.0 + x : 1.0)
                                     : 18.0 / (rising ? x / (1.0 + x) : -x);
    const double decay = (1.0 + power) * range;
    const double y0 = rising ? turning->y : 0.0;
    const double slope = rising ? -span : span;

    /* The cosine changes sign at y = middle; 19 away from there it is +-1 to rounding. */
    const double middle = turning->num != 0.0 && turning->den != 0.0
                              ? tw_math_log(fabs(turning->num)) - tw_math_log(fabs(turning->den))
                              : (turning->num == 0.0 ? -1e9 : 1e9);
    double a = 0.0, b = 1.0;
    if (fabs(slope) > 1.0) {
        const double e1 = (middle - 19.0 - y0) / slope, e2 = (middle + 19.0 - y0) / slope;
        a = tw_math_min(tw_math_max(tw_math_min(e1, e2), 0.0), 1.0);
        b = tw_math_min(tw_math_max(tw_math_max(e1, e2), a), 1.0);
    }
    /* Before and after the window: +1 where y is past the middle. */
    const double sign_a = y0 + 0.5 * slope * a > middle ? 1.0 : -1.0;
    const double sign_b = y0 + 0.5 * slope * (b + 1.0) > middle ? 1.0 : -1.0;
    const double flat_a = decay > 0.0 ? -tw_math_expm1(-decay * a) / decay : a;
    const double flat_b = decay > 0.0
                              ? -tw_math_exp(-decay * b) * tw_math_expm1(-decay * (1.0 - b)) / decay
                              : 1.0 - b;
    mean.flat = sign_a * flat_a + sign_b * flat_b;
    mean.integral = tw_contact_quadrature_of(turning, decay, y0, slope, a, b);
    return mean;
}

TW_CONTACT_RARE double tw_contact_slip_mean_large(const tw_contact_turning *turning, double power)
{
    const tw_contact_mean mean = tw_contact_mean_of(turning, power);
    return mean.factor * (mean.flat + tw_contact_quadrature_sum(&mean.integral));
}

/* The work of a slide that is still to be added: scale times the mean. */
typedef struct tw_contact_deferred_work {
    int open; /* there is any */
    double scale;
    tw_contact_turning turning;
} tw_contact_deferred_work;

TW_INLINE double tw_contact_slip_floor(const tw_contact_path *path)
{
    return tw_math_max(path->fn0, 1e-60 * path->fn1);
}

/* Sliding along the whole path with the force turning towards the movement (Eqs. 16 to 21). ft0 is
 * at the limit or, without the refinement "instant", anywhere: its direction alone counts. The path
 * of a Hertz contact is given with its stiffness where the slide starts: fn1 is that of a linear
 * law. If `deferred` is not NULL the work of a long slide is left to the caller. */
TW_INLINE tw_vec3 tw_contact_slip_turning(const tw_contact_law *law, const tw_contact_path *path,
                                          double move, tw_vec3 n, double *work,
                                          tw_contact_deferred_work *deferred)
{
    const tw_vec3 m = tw_vec3_scale(1.0 / move, path->dxi);
    const tw_vec3 mp = tw_vec3_cross(n, m);
    const double c = tw_vec3_dot(m, path->ft0), s = tw_vec3_dot(mp, path->ft0);
    const double h = sqrt(c * c + s * s);
    const double inv = h > 0.0 ? 1.0 / h : 0.0;
    const double cos0 = h > 0.0 ? c * inv : 1.0, sin0 = s * inv;

    tw_contact_turning turning;
    /* The initial normal force has a lower bound, where it cannot matter: such a slide needs about
     * kt |dxi| > mu (fn1 - fn0), and then the initial force decays as fn0/fn1 or faster. */
    const double fn0 = tw_contact_slip_floor(path);
    const double rise = path->fn1 - fn0;
    const double inv_limit = 1.0 / (law->mu * fn0);
    turning.x = law->mu * rise * inv_limit;
    turning.q = law->kt * move * inv_limit;
    if (fabs(turning.x) < 0.5) {
        turning.y = turning.q * tw_contact_log1p_ratio(turning.x);
    } else if (path->fn1 > 0.0) {
        turning.y = law->kt * move / (law->mu * rise) * tw_math_log(path->fn1 / fn0);
    } else {
        turning.y = DBL_MAX;
    }
    /* tan(theta/2) = sin/(1 + cos) = (1 - cos)/sin: the form without cancellation. */
    turning.num = cos0 >= 0.0 ? sin0 : 1.0 - cos0;
    turning.den = cos0 >= 0.0 ? 1.0 + cos0 : sin0;

    const double num = turning.num * tw_math_exp(-turning.y), den = turning.den;
    const double sum = den * den + num * num;
    const double inv_sum = sum > 0.0 ? 1.0 / sum : 0.0;
    const double cos1 = sum > 0.0 ? (den - num) * (den + num) * inv_sum : -1.0;
    const double sin1 = 2.0 * den * num * inv_sum;
    const double limit = law->mu * path->fn1;

    const int hertz = tw_contact_normal_stiffens(law->normal);
    const double root = hertz ? sqrt(tw_math_max(1.0 + turning.x, 0.0)) : 1.0;
    if (turning.q <= 0.1 && fabs(turning.x) <= 0.125) {
        *work = law->mu * fn0 * move *
                (hertz ? tw_contact_slip_mean_hertz(turning.x, turning.q, root, cos0, cos1)
                       : tw_contact_slip_mean(turning.x, turning.q, cos0, cos1));
    } else {
        const double scale = law->mu * tw_math_max(path->fn0, path->fn1 * root) * move;
        if (deferred) {
            deferred->open = 1;
            deferred->scale = scale;
            deferred->turning = turning;
            *work = -0.0; /* a sum with it stays as it is */
        } else {
            *work = scale * tw_contact_slip_mean_large(&turning, hertz ? 1.5 : 1.0);
        }
    }
    return tw_vec3_add_scaled(tw_vec3_scale(limit * cos1, m), limit * sin1, mp);
}

TW_INLINE double tw_contact_trapezoid(tw_vec3 ft0, tw_vec3 ft1, tw_vec3 dxi)
{
    return 0.5 * tw_vec3_dot(tw_vec3_add(ft0, ft1), dxi);
}

/* A path that ends beyond the friction limit. `deferred` as above. */
TW_INLINE tw_contact_slip tw_contact_slip_along(int32_t kind, uint32_t refine,
                                                const tw_contact_law *law, tw_contact_path path,
                                                tw_vec3 n, tw_vec3 trial,
                                                tw_contact_deferred_work *deferred)
{
    tw_contact_slip slip;
    const tw_vec3 start = path.ft0;
    const double whole = tw_vec3_norm(path.dxi);
    slip.alpha = refine & TW_CONTACT_INSTANT ? tw_contact_slip_instant(law, &path) : 0.0;
    /* It ends beyond the limit, so it slides, even if only at the very end: for example if the old
     * force was beyond the limit (friction was lowered) and the movement leads back. */
    if (!(slip.alpha < 1.0)) slip.alpha = 1.0 - 0.5 * DBL_EPSILON;
    slip.micro = 0.0;
    const double move = (1.0 - slip.alpha) * whole;

    path.fn0 += slip.alpha * (path.fn1 - path.fn0);
    path.ft0 = tw_vec3_add_scaled(start, slip.alpha * law->kt, path.dxi);
    slip.work = slip.alpha * tw_contact_trapezoid(start, path.ft0, path.dxi);
    path.dxi = tw_vec3_scale(1.0 - slip.alpha, path.dxi);

    const double limit = law->mu * path.fn1;
    if ((refine & TW_CONTACT_TURNING) && law->kt * move > 0.0 &&
        law->mu * tw_contact_slip_floor(&path) > 0.0) {
        double work;
        slip.ft = tw_contact_slip_turning(law, &path, move, n, &work, deferred);
        if (kind != TW_CONTACT_EXACT) work = tw_contact_trapezoid(path.ft0, slip.ft, path.dxi);
        slip.work += work;
    } else {
        /* The force keeps its direction, or the law has no turning: scale the trial back. */
        const double length = tw_vec3_norm(trial);
        slip.ft = tw_vec3_scale(limit, tw_vec3_scale(length > 0.0 ? 1.0 / length : 0.0, trial));
        slip.work += tw_contact_trapezoid(path.ft0, slip.ft, path.dxi);
    }
    return slip;
}

/* Whether a force is within the limit of a contact that touches. */
TW_INLINE int tw_contact_slip_inside(tw_vec3 ft, double limit)
{
    return limit * limit > TW_CONTACT_TINY && limit * limit < TW_CONTACT_HUGE
               ? tw_vec3_dot(ft, ft) <= limit * limit
               : tw_vec3_norm_scaled(ft) <= limit;
}

/* The springs along a path. An overlap that comes from zero or goes to zero is bounded from below,
 * where it cannot matter. */
TW_INLINE tw_contact_springs tw_contact_hertz_springs(int32_t kind, uint32_t refine,
                                                      const tw_contact_law *law,
                                                      const tw_contact_path *path)
{
    const double z0 = tw_math_max(path->zeta0, 1e-40 * path->zeta1);
    const double z1 = tw_math_max(path->zeta1, 1e-40 * path->zeta0);
    return tw_contact_springs_of(kind, refine, law, z0, z1);
}

/* A Hertz path that ends beyond the limit. Until the slide starts it is that of a linear law in the
 * clock of the springs; from there on it is that of a linear law with the stiffness at its start,
 * except for the length of the force and the work (Eqs. 41 to 51). */
TW_CONTACT_LONG tw_contact_slip tw_contact_hertz_slip(int32_t kind, uint32_t refine,
                                                      const tw_contact_law *law,
                                                      tw_contact_path path,
                                                      const tw_contact_springs *c, tw_vec3 n,
                                                      tw_vec3 trial)
{
    tw_contact_slip slip;
    const tw_vec3 start = path.ft0;
    const double whole = tw_vec3_norm(path.dxi), compliance = tw_contact_law_compliance(law->kt);
    tw_contact_law same = *law;
    tw_contact_path even = path;
    same.kt = law->kt * (c->shrinks ? c->r0 : c->mean);
    even.fn0 = c->p0;
    even.fn1 = c->shrinks ? c->p0 * (c->t * c->t) : c->p1;
    double clock = refine & TW_CONTACT_INSTANT ? tw_contact_slip_instant(&same, &even) : 0.0;
    if (!(clock < 1.0)) clock = 1.0 - 0.5 * DBL_EPSILON;

    const double level = 1.0 + clock * (even.fn1 - even.fn0) / even.fn0;
    const double rise = c->shrinks ? sqrt(level) : tw_contact_slide_cbrt(level);
    const double alpha = tw_contact_slide_hertz_alpha(c, clock, rise);
    slip.alpha = tw_math_min(alpha, 1.0 - 0.5 * DBL_EPSILON);
    path.ft0 = tw_vec3_scale(c->shrinks ? rise : 1.0,
                             tw_vec3_add_scaled(start, clock * same.kt, path.dxi));
    const double a = tw_vec3_dot(start, start), b = tw_vec3_dot(path.ft0, path.ft0);
    slip.micro =
        tw_contact_slide_hertz_micro(c, law->kt, compliance, rise, slip.alpha, a, b, whole * whole);
    slip.work = slip.micro + compliance * c->i0 * (b / rise - a);
    const double move = (1.0 - slip.alpha) * whole;
    path.dxi = tw_vec3_scale(1.0 - slip.alpha, path.dxi);
    path.fn0 = c->p0 * (rise * rise * rise);
    const double limit = law->mu * path.fn1;
    if ((refine & TW_CONTACT_TURNING) && law->kt * move > 0.0 && law->mu * path.fn0 > 0.0) {
        const double drop = c->t / rise;
        double work;
        same.kt = law->kt * (c->r0 * rise);
        even = path;
        even.fn1 = path.fn0 * (drop * drop);
        const tw_vec3 end = tw_contact_slip_turning(&same, &even, move, n, &work, NULL);
        const double length = tw_vec3_norm(end);
        slip.ft = tw_vec3_scale(length > 0.0 ? limit / length : 0.0, end);
        if (kind != TW_CONTACT_EXACT) work = tw_contact_trapezoid(path.ft0, slip.ft, path.dxi);
        slip.work += work;
    } else {
        const double length = tw_vec3_norm(trial);
        slip.ft = tw_vec3_scale(limit, tw_vec3_scale(length > 0.0 ? 1.0 / length : 0.0, trial));
        slip.work += tw_contact_trapezoid(path.ft0, slip.ft, path.dxi);
    }
    return slip;
}

/* A Hertz path that starts in contact. */
TW_INLINE tw_contact_slip tw_contact_hertz_follow(int32_t kind, uint32_t refine,
                                                  const tw_contact_law *law,
                                                  const tw_contact_path *path, tw_vec3 n)
{
    tw_contact_slip slip;
    const tw_contact_springs c = tw_contact_hertz_springs(kind, refine, law, path);
    const double compliance = tw_contact_law_compliance(law->kt);
    slip.ft = tw_contact_elastic_end(law, &c, path->ft0, path->dxi);
    slip.alpha = 1.0;
    const int idle = tw_vec3_max_abs(slip.ft) == 0.0 && tw_vec3_max_abs(path->ft0) == 0.0;
    if (!idle && !(path->fn1 > 0.0 && tw_contact_slip_inside(slip.ft, law->mu * path->fn1)))
        return tw_contact_hertz_slip(kind, refine, law, *path, &c, n, slip.ft);
    const double a = tw_vec3_dot(path->ft0, path->ft0), b = tw_vec3_dot(slip.ft, slip.ft);
    const double stored = compliance * (b * c.i1 - a * c.i0);
    if (kind == TW_CONTACT_EXACT) {
        slip.micro = tw_contact_springs_lost(&c, law->kt, compliance, a, b,
                                             tw_vec3_dot(path->dxi, path->dxi));
        slip.work = slip.micro + stored;
    } else {
        slip.work = tw_contact_trapezoid(path->ft0, slip.ft, path->dxi);
        slip.micro = slip.work - stored;
    }
    return slip;
}

/* A path that starts in contact (Eqs. 12 to 21). If it ends at fn1 = 0 it slides, unless there is
 * no force. n is the normal of the plane. `deferred` as above, for a linear law. */
TW_INLINE tw_contact_slip tw_contact_follow(int32_t kind, uint32_t refine,
                                            const tw_contact_law *law, const tw_contact_path *path,
                                            tw_vec3 n, tw_contact_deferred_work *deferred)
{
    tw_contact_slip slip;
    if (tw_contact_normal_stiffens(law->normal))
        return tw_contact_hertz_follow(kind, refine, law, path, n);
    slip.ft = tw_vec3_add_scaled(path->ft0, law->kt, path->dxi);
    slip.work = tw_contact_trapezoid(path->ft0, slip.ft, path->dxi);
    slip.alpha = 1.0;
    slip.micro = 0.0;
    const double limit = law->mu * path->fn1;
    const int idle = tw_vec3_max_abs(slip.ft) == 0.0 && tw_vec3_max_abs(path->ft0) == 0.0;
    const int inside = path->fn1 > 0.0 && tw_contact_slip_inside(slip.ft, limit);
    if (idle || inside) return slip;
    return tw_contact_slip_along(kind, refine, law, *path, n, slip.ft, deferred);
}

/* A path that starts at fn = 0: force and limit grow in proportion (Eq. 13). */
TW_INLINE tw_contact_slip tw_contact_begin(int32_t kind, const tw_contact_law *law,
                                           const tw_contact_path *path)
{
    tw_contact_slip slip;
    const int hertz = tw_contact_normal_stiffens(law->normal);
    double k = law->kt;
    if (hertz) k *= sqrt(path->zeta1) * (kind == TW_CONTACT_EXACT ? 2.0 / 3 : 1.0);
    slip.ft = tw_vec3_scale(k, path->dxi);
    slip.alpha = 1.0;
    slip.micro = 0.0;
    const double limit = law->mu * path->fn1;
    const double length = tw_vec3_norm_scaled(slip.ft);
    if (length > limit) {
        slip.ft = tw_vec3_scale(limit, tw_vec3_scale(1.0 / length, slip.ft));
        slip.alpha = 0.0;
    }
    slip.work = (hertz && kind == TW_CONTACT_EXACT ? 0.4 : 0.5) * tw_vec3_dot(slip.ft, path->dxi);
    if (hertz && !(length > limit))
        slip.micro = slip.work - tw_contact_law_stored_tangential(law, path->zeta1, slip.ft);
    return slip;
}

#endif
