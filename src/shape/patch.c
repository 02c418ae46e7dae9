/* SPDX-License-Identifier: BSD-3-Clause */
/* Closed forms. The edge of the patch consists of arcs of circles. A polynomial in n that is
 * harmonic and homogeneous of degree l has the surface Laplacian -l(l+1) times itself, so its
 * integral over the patch is -1/(l(l+1)) times the integral of its derivative across the edge,
 * which is elementary for each arc. Only the area (l = 0) needs more: the form (1 - z) dphi, whose
 * exterior derivative is the area everywhere but at the pole z = -1.
 *
 * Robustness: the crossing of two circles is computed for both from the same three arcs (two cap
 * angles and the distance between the axes), by half-angle formulas without cancellation. So the
 * edge closes even where circles nearly coincide, and nearly degenerate arrangements lose no
 * accuracy. */
#include "shape/patch.h"

#include <stdbool.h>
#include <stdlib.h>

#include <twirl/math.h>

/* Circles closer than this count as touching, not crossing; the error in area is of the same order.
 */
static const double patch_angle_tiny = 1e-14;

/* Relation of cap a to cap b. */
typedef enum patch_relation {
    PATCH_APART,
    PATCH_A_WITHIN_B,
    PATCH_B_WITHIN_A,
    PATCH_COVER_ALL, /* together they cover the sphere */
    PATCH_CROSS
} patch_relation;

/* Sums over the arcs of the edge; nu is the unit tangent of the sphere that points across the edge,
 * out of the patch. */
typedef struct patch_edge {
    double turn;    /* integral of (1 - z) dphi, with the patch on the right */
    tw_vec3 first;  /* of nu */
    tw_mat3 second; /* of nu n + n nu */
    tw_mat3 third;  /* of (nu n + n nu)(n . c) + n n (nu . c) */
} patch_edge;

static double patch_axes_angle(const tw_patch_cap *a, const tw_patch_cap *b)
{
    return 2.0 * tw_math_atan2(tw_vec3_norm(tw_vec3_sub(a->axis, b->axis)),
                               tw_vec3_norm(tw_vec3_add(a->axis, b->axis)));
}

static patch_relation patch_relate(const tw_patch_cap *a, const tw_patch_cap *b)
{
    const double apart = patch_axes_angle(a, b);
    const double sum = a->angle + b->angle, difference = a->angle - b->angle;
    if (apart - fabs(difference) <= patch_angle_tiny)
        return difference < 0.0 ? PATCH_A_WITHIN_B : PATCH_B_WITHIN_A;
    if (sum - apart <= patch_angle_tiny) return PATCH_APART;
    if (2.0 * TW_MATH_PI - sum - apart <= patch_angle_tiny) return PATCH_COVER_ALL;
    return PATCH_CROSS;
}

/* Drops caps contained in others; one of several equal caps is kept. False if two caps cover the
 * sphere. */
static bool patch_thin(tw_patch_cap *caps, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const tw_patch_cap cap = caps[i];
        bool keep = true;
        size_t k = 0;
        for (size_t j = 0; j < kept; j++) {
            const patch_relation relation = keep ? patch_relate(&caps[j], &cap) : PATCH_APART;
            if (relation == PATCH_COVER_ALL) return false;
            if (relation == PATCH_B_WITHIN_A) keep = false;
            if (relation != PATCH_A_WITHIN_B) caps[k++] = caps[j];
        }
        if (keep) caps[k++] = cap;
        kept = k;
    }
    *count = kept;
    return true;
}

/* Two unit vectors that make a right-handed frame with the axis, u x v = axis. */
static void patch_frame(tw_vec3 axis, tw_vec3 *u, tw_vec3 *v)
{
    const double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    const tw_vec3 least = tw_vec3_make(x <= y && x <= z, y < x && y <= z, z < x && z < y);
    *u = tw_vec3_cross(axis, least);
    *u = tw_vec3_scale(1.0 / tw_vec3_norm(*u), *u);
    *v = tw_vec3_cross(axis, *u);
}

/* Half the angle, about a's axis, of the part of a's circle inside b: spherical triangle with sides
 * a.angle, b.angle and the distance between the axes. */
static double patch_half_width(const tw_patch_cap *a, const tw_patch_cap *b)
{
    const double apart = patch_axes_angle(a, b);
    const double sum = a->angle + b->angle, difference = a->angle - b->angle;
    const double opposite =
        tw_math_sin(0.5 * (sum - apart)) * tw_math_sin(0.5 * (apart - difference));
    const double adjacent =
        tw_math_sin(0.5 * (sum + apart)) * tw_math_sin(0.5 * (apart + difference));
    return 2.0 * tw_math_atan2(sqrt(tw_math_max(0.0, opposite)), sqrt(tw_math_max(0.0, adjacent)));
}

/* The component of b's axis perpendicular to a's, unnormalised. Using the sum or difference,
 * whichever is smaller, keeps accuracy for nearly parallel axes. */
static tw_vec3 patch_towards(const tw_patch_cap *a, const tw_patch_cap *b)
{
    const tw_vec3 small = tw_vec3_dot(a->axis, b->axis) > 0.0 ? tw_vec3_sub(b->axis, a->axis)
                                                              : tw_vec3_add(b->axis, a->axis);
    return tw_vec3_add_scaled(small, -tw_vec3_dot(small, a->axis), a->axis);
}

static int patch_span_order(const void *a, const void *b)
{
    const tw_patch_span *p = a, *q = b;
    if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
    return (p->end > q->end) - (p->end < q->end);
}

/* The parts of circle `i` inside other caps, sorted. */
static size_t patch_spans(const tw_patch_cap *caps, size_t count, size_t i, tw_vec3 u, tw_vec3 v,
                          tw_patch_span *spans)
{
    size_t n = 0;
    for (size_t j = 0; j < count; j++) {
        if (j == i || patch_relate(&caps[i], &caps[j]) != PATCH_CROSS) continue;
        const tw_vec3 towards = patch_towards(&caps[i], &caps[j]);
        const double middle = tw_math_atan2(tw_vec3_dot(towards, v), tw_vec3_dot(towards, u));
        const double half = patch_half_width(&caps[i], &caps[j]);
        tw_patch_span span = {middle - half, middle + half};
        if (span.begin < -TW_MATH_PI) {
            spans[n++] = (tw_patch_span){span.begin + 2.0 * TW_MATH_PI, TW_MATH_PI};
            span.begin = -TW_MATH_PI;
        } else if (span.end > TW_MATH_PI) {
            spans[n++] = (tw_patch_span){-TW_MATH_PI, span.end - 2.0 * TW_MATH_PI};
            span.end = TW_MATH_PI;
        }
        spans[n++] = span;
    }
    qsort(spans, n, sizeof *spans, patch_span_order);
    return n;
}

/* Integral of (b + g) / (P + Q cos x), where P^2 - Q^2 = (b + g)^2, from 0 to x: 2 atan(...)
 * followed over the branches. `top` is P + Q. */
static double patch_turn_integral(double b_plus_g, double top, double x)
{
    const double turns = rint(x / (2.0 * TW_MATH_PI)), half = 0.5 * x - TW_MATH_PI * turns;
    return 2.0 * tw_math_atan2(b_plus_g * tw_math_sin(half), top * tw_math_cos(half)) +
           copysign(2.0 * TW_MATH_PI * turns, b_plus_g * turns);
}

/* Integral of (1 - z) dphi along the arc from -h to h about p, counter-clockwise about the cap's
 * axis. z = -pole . n. */
static double patch_arc_turn(const tw_patch_cap *cap, tw_vec3 p, tw_vec3 q, double h, tw_vec3 pole)
{
    const double b = -tw_vec3_dot(pole, cap->axis);
    const double pz = -tw_vec3_dot(pole, p), qz = -tw_vec3_dot(pole, q);
    const double top = 1.0 + cap->cosine * b + cap->sine * tw_math_hypot(pz, qz),
                 start = tw_math_atan2(qz, pz);
    return patch_turn_integral(b + cap->cosine, top, h - start) -
           patch_turn_integral(b + cap->cosine, top, -h - start) - 2.0 * h * cap->cosine;
}

/* F L F^T, with the columns of F the axes and L symmetric in them. */
static tw_mat3 patch_to_space(tw_mat3 frame, tw_mat3 local)
{
    return tw_mat3_mul(tw_mat3_mul(frame, local), tw_mat3_transpose(frame));
}

/* The arc from -h to h about the direction p across the cap's axis. In the frame (axis, p, q):
 * n = (g, s cos t, s sin t), nu = (s, -g cos t, -g sin t), ds = s dt; odd powers of sin t vanish.
 */
static void patch_add_arc(patch_edge *edge, const tw_patch_cap *cap, tw_vec3 p, double h, tw_vec3 c,
                          tw_vec3 pole)
{
    const double g = cap->cosine, s = cap->sine, sh = tw_math_sin(h), ch = tw_math_cos(h);
    const tw_vec3 q = tw_vec3_cross(cap->axis, p);
    const tw_mat3 frame = tw_mat3_from_columns(cap->axis, p, q);
    const double k = 2.0 * h, kc = 2.0 * sh, kcc = h + sh * ch, kss = h - sh * ch;
    const double kcss = 2.0 / 3.0 * sh * sh * sh, kccc = kc - kcss; /* of cos sin^2 and cos^3 */
    const double ap = (s * s - g * g) * kc;
    const tw_mat3 second = {
        {2 * s * g * k, ap, 0.0, ap, -2 * g * s * kcc, 0.0, 0.0, 0.0, -2 * g * s * kss}};
    /* non-zero components of the symmetric third-rank tensor nu n n + n nu n + n n nu */
    const double aaa = 3 * s * g * g * k, aap = (2 * s * s - g * g) * g * kc;
    const double app = (s * s - 2 * g * g) * s * kcc, aqq = (s * s - 2 * g * g) * s * kss;
    const double ppp = -3 * g * s * s * kccc, pqq = -3 * g * s * s * kcss;
    const tw_vec3 d = tw_mat3_transpose_mul_vec(frame, c);
    const double t_ap = aap * d.x + app * d.y, t_aq = aqq * d.z, t_pq = pqq * d.z;
    const tw_mat3 third = {{aaa * d.x + aap * d.y, t_ap, t_aq, t_ap, app * d.x + ppp * d.y, t_pq,
                            t_aq, t_pq, aqq * d.x + pqq * d.y}};
    edge->turn += patch_arc_turn(cap, p, q, h, pole);
    edge->first = tw_vec3_add_scaled(edge->first, s * s * k, cap->axis);
    edge->first = tw_vec3_add_scaled(edge->first, -s * g * kc, p);
    edge->second = tw_mat3_add_scaled(edge->second, s, patch_to_space(frame, second));
    edge->third = tw_mat3_add_scaled(edge->third, s, patch_to_space(frame, third));
}

/* Adds the arcs of circle `i` outside all other caps. */
static void patch_add_circle(patch_edge *edge, const tw_patch_cap *caps, size_t count, size_t i,
                             tw_vec3 c, tw_vec3 pole, tw_patch_span *spans)
{
    tw_vec3 u, v;
    patch_frame(caps[i].axis, &u, &v);
    const size_t n = patch_spans(caps, count, i, u, v, spans);
    double free_from = -TW_MATH_PI;
    for (size_t k = 0; k <= n; k++) {
        const double begin = k < n ? spans[k].begin : TW_MATH_PI;
        if (begin > free_from) {
            const double middle = 0.5 * (free_from + begin), half = 0.5 * (begin - free_from);
            const tw_vec3 p =
                tw_vec3_add_scaled(tw_vec3_scale(tw_math_cos(middle), u), tw_math_sin(middle), v);
            patch_add_arc(edge, &caps[i], p, half, c, pole);
        }
        if (k < n) free_from = tw_math_max(free_from, spans[k].end);
    }
}

/* The direction of a fixed set spread over the sphere that is farthest from all circles; `outside`:
 * whether it is in the patch. */
static tw_vec3 patch_pole(const tw_patch_cap *caps, size_t count, bool *outside)
{
    enum { CHOICES = 32 };
    tw_vec3 best = tw_vec3_make(0.0, 0.0, 0.0);
    double best_margin = -1.0;
    for (int k = 0; k < CHOICES; k++) {
        const double z = (2.0 * k + 1.0) / CHOICES - 1.0, r = sqrt(1.0 - z * z);
        const double longitude = 2.399963229728653 * k; /* golden angle */
        const tw_vec3 pole =
            tw_vec3_make(r * tw_math_cos(longitude), r * tw_math_sin(longitude), z);
        double margin = 2.0;
        bool free = true;
        for (size_t i = 0; i < count; i++) {
            const double depth = tw_vec3_dot(caps[i].axis, pole) - caps[i].cosine;
            margin = tw_math_min(margin, fabs(depth));
            free = free && depth < 0.0;
        }
        if (margin <= best_margin) continue;
        best = pole;
        best_margin = margin;
        *outside = free;
    }
    return best;
}

/* Moments from the sums over the edge. n n is a harmonic part plus 1/3, and n n n a harmonic part
 * plus terms linear in n. */
static tw_patch_moments patch_moments(const patch_edge *edge, double full, tw_vec3 c)
{
    tw_patch_moments m;
    m.area = full - edge->turn;
    m.first = tw_vec3_scale(-0.5, edge->first);
    m.second = tw_mat3_scale(-1.0 / 6.0, edge->second);
    const tw_mat3 fc = tw_mat3_outer(m.first, c);
    m.third = tw_mat3_scale(1.0 / 6.0, tw_mat3_add(fc, tw_mat3_transpose(fc)));
    m.third = tw_mat3_add_scaled(m.third, -1.0 / 12.0, edge->third);
    for (int k = 0; k < 9; k += 4) {
        m.second.m[k] += m.area / 3.0;
        m.third.m[k] += tw_vec3_dot(m.first, c) / 6.0;
    }
    return m;
}

tw_patch_moments tw_patch_measure(tw_patch_cap *caps, size_t count, tw_vec3 c,
                                  tw_patch_span *scratch)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    patch_edge edge = {0.0, zero, tw_mat3_zero(), tw_mat3_zero()};
    if (!patch_thin(caps, &count)) return patch_moments(&edge, 0.0, c);
    bool pole_outside = false;
    const tw_vec3 pole = patch_pole(caps, count, &pole_outside);
    for (size_t i = 0; i < count; i++)
        patch_add_circle(&edge, caps, count, i, c, pole, scratch);
    return patch_moments(&edge, pole_outside ? 4.0 * TW_MATH_PI : 0.0, c);
}
