/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/mat3.h"
#include "base/memory.h"

/* A patch, the part of the unit sphere outside a set of caps, and its moments. */

/* All directions within `angle` of `axis`. */
typedef struct patch_cap {
    tw_vec3 axis;        /* unit vector */
    double angle;        /* [rad], between 0 and pi */
    double cosine, sine; /* of the angle */
} patch_cap;

/* A covered part of a circle; scratch of patch_measure. */
typedef struct patch_span {
    double begin, end; /* [rad], within [-pi, pi] */
} patch_span;

/* Integrals over the patch, n being the direction. */
typedef struct patch_moments {
    double area;    /* of 1 */
    tw_vec3 first;  /* of n */
    tw_mat3 second; /* of n n */
    tw_mat3 third;  /* of n n (n . c), for the given vector c */
} patch_moments;

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

static double patch_axes_angle(const patch_cap *a, const patch_cap *b)
{
    return 2.0 * tw_math_atan2(tw_vec3_norm(tw_vec3_sub(a->axis, b->axis)),
                               tw_vec3_norm(tw_vec3_add(a->axis, b->axis)));
}

static patch_relation patch_relate(const patch_cap *a, const patch_cap *b)
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
static bool patch_thin(patch_cap *caps, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const patch_cap cap = caps[i];
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
static double patch_half_width(const patch_cap *a, const patch_cap *b)
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
static tw_vec3 patch_towards(const patch_cap *a, const patch_cap *b)
{
    const tw_vec3 small = tw_vec3_dot(a->axis, b->axis) > 0.0 ? tw_vec3_sub(b->axis, a->axis)
                                                              : tw_vec3_add(b->axis, a->axis);
    return tw_vec3_add_scaled(small, -tw_vec3_dot(small, a->axis), a->axis);
}

static int patch_span_order(const void *a, const void *b)
{
    const patch_span *p = a, *q = b;
    if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
    return (p->end > q->end) - (p->end < q->end);
}

/* The parts of circle `i` inside other caps, sorted. */
static size_t patch_spans(const patch_cap *caps, size_t count, size_t i, tw_vec3 u, tw_vec3 v,
                          patch_span *spans)
{
    size_t n = 0;
    for (size_t j = 0; j < count; j++) {
        if (j == i || patch_relate(&caps[i], &caps[j]) != PATCH_CROSS) continue;
        const tw_vec3 towards = patch_towards(&caps[i], &caps[j]);
        const double middle = tw_math_atan2(tw_vec3_dot(towards, v), tw_vec3_dot(towards, u));
        const double half = patch_half_width(&caps[i], &caps[j]);
        patch_span span = {middle - half, middle + half};
        if (span.begin < -TW_MATH_PI) {
            spans[n++] = (patch_span){span.begin + 2.0 * TW_MATH_PI, TW_MATH_PI};
            span.begin = -TW_MATH_PI;
        } else if (span.end > TW_MATH_PI) {
            spans[n++] = (patch_span){-TW_MATH_PI, span.end - 2.0 * TW_MATH_PI};
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
static double patch_arc_turn(const patch_cap *cap, tw_vec3 p, tw_vec3 q, double h, tw_vec3 pole)
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
static void patch_add_arc(patch_edge *edge, const patch_cap *cap, tw_vec3 p, double h, tw_vec3 c,
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
static void patch_add_circle(patch_edge *edge, const patch_cap *caps, size_t count, size_t i,
                             tw_vec3 c, tw_vec3 pole, patch_span *spans)
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
static tw_vec3 patch_pole(const patch_cap *caps, size_t count, bool *outside)
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
static patch_moments moments_of(const patch_edge *edge, double full, tw_vec3 c)
{
    patch_moments m;
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

/* Measures the patch outside `count` caps. Reorders the caps and drops redundant ones; `scratch`
 * holds 2 count spans. */
static patch_moments patch_measure(patch_cap *caps, size_t count, tw_vec3 c, patch_span *scratch)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    patch_edge edge = {0.0, zero, tw_mat3_zero(), tw_mat3_zero()};
    if (!patch_thin(caps, &count)) return moments_of(&edge, 0.0, c);
    bool pole_outside = false;
    const tw_vec3 pole = patch_pole(caps, count, &pole_outside);
    for (size_t i = 0; i < count; i++)
        patch_add_circle(&edge, caps, count, i, c, pole, scratch);
    return moments_of(&edge, pole_outside ? 4.0 * TW_MATH_PI : 0.0, c);
}

/* By the divergence theorem the integrals of 1, x and x x over the union are integrals over its
 * surface, that is over the exposed patch of each sphere:
 *     3 V = |x . n|,  4 |x| = |x (x . n)|,  5 |x x| = |x x (x . n)|,
 * where x = c + r n on a sphere. The integrals over patches have closed forms. The
 * alternative, integrating over slices of the union numerically, takes hundreds of slices and gives
 * fewer digits. */

/* Relative to the size of the union: differences of this order between spheres are rounding. */
static const double union_tiny = 1e-14;

typedef struct union_sums {
    double volume;
    tw_vec3 first;
    tw_mat3 second;
    tw_vec3 normal;  /* integral of n over the surface; 0 if the surface is closed */
    tw_mat3 closure; /* of x n; V times the unit matrix if the surface is closed */
} union_sums;

static bool union_sphere_valid(const tw_sphere *s)
{
    return isfinite(s->centre.x) && isfinite(s->centre.y) && isfinite(s->centre.z) &&
           isfinite(s->radius) && s->radius > 0.0;
}

static tw_status union_check(const tw_sphere *spheres, size_t count, tw_error *error)
{
    if (count == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "a shape needs at least one sphere");
    for (size_t i = 0; i < count; i++)
        if (!union_sphere_valid(&spheres[i]))
            return tw_error_set(
                error, TW_STATUS_INPUT,
                "sphere %zu of the shape has centre (%g, %g, %g) and radius %g; the "
                "centre must be finite and the radius positive",
                i + 1, spheres[i].centre.x, spheres[i].centre.y, spheres[i].centre.z,
                spheres[i].radius);
    return TW_STATUS_OK;
}

/* The centre of the bounding box, and the power of two (so that scaling is exact) that scales the
 * box to a size between 1/2 and 1. */
static tw_sphere union_box(const tw_sphere *s, size_t count)
{
    tw_vec3 low = s[0].centre, high = low;
    for (size_t i = 0; i < count; i++) {
        const double r = s[i].radius;
        low.x = tw_math_min(low.x, s[i].centre.x - r);
        low.y = tw_math_min(low.y, s[i].centre.y - r);
        low.z = tw_math_min(low.z, s[i].centre.z - r);
        high.x = tw_math_max(high.x, s[i].centre.x + r);
        high.y = tw_math_max(high.y, s[i].centre.y + r);
        high.z = tw_math_max(high.z, s[i].centre.z + r);
    }
    int exponent;
    (void)frexp(tw_vec3_max_abs(tw_vec3_sub(high, low)), &exponent);
    const tw_sphere box = {tw_vec3_scale(0.5, tw_vec3_add(low, high)), ldexp(1.0, exponent)};
    return box;
}

/* a is inside b. Of two spheres that are equal up to rounding, the second counts as inside the
 * first. */
static bool union_within(const tw_sphere *spheres, size_t a, size_t b)
{
    const double larger = spheres[b].radius - spheres[a].radius;
    const double d = tw_vec3_norm(tw_vec3_sub(spheres[b].centre, spheres[a].centre));
    return d - larger <= union_tiny && (larger > 0.0 || (larger == 0.0 && b < a));
}

/* Moves the spheres into the scaled box and drops those inside others. */
static size_t union_prepare(const tw_sphere *spheres, size_t count, tw_sphere box, tw_sphere *all,
                            tw_sphere *kept)
{
    for (size_t i = 0; i < count; i++) {
        all[i].centre = tw_vec3_scale(1.0 / box.radius, tw_vec3_sub(spheres[i].centre, box.centre));
        all[i].radius = spheres[i].radius / box.radius;
    }
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool keep = true;
        for (size_t j = 0; j < count && keep; j++)
            keep = j == i || !union_within(all, i, j);
        if (keep) kept[n++] = all[i];
    }
    return n;
}

/* The part of sphere a inside sphere b, as a cap; false if their surfaces do not cross. The factors
 * are 1 -+ cos(angle) by the law of cosines, written without cancellation for nearly tangent and
 * for nearly equal spheres. */
static bool union_cap(const tw_sphere *a, const tw_sphere *b, patch_cap *cap)
{
    const tw_vec3 branch = tw_vec3_sub(b->centre, a->centre);
    const double d = tw_vec3_norm(branch), r = a->radius, s = b->radius;
    const double below = ((r + s) - d) * (d + (s - r)), above = (d + (r - s)) * (d + (r + s));
    if (!(below > 0.0) || !(above > 0.0)) return false;
    cap->axis = tw_vec3_scale(1.0 / d, branch);
    cap->angle = 2.0 * tw_math_atan2(sqrt(below), sqrt(above));
    cap->cosine = tw_math_cos(cap->angle);
    cap->sine = tw_math_sin(cap->angle);
    return true;
}

static void union_add_sphere(union_sums *sums, tw_sphere sphere, const patch_moments *m)
{
    const tw_vec3 c = sphere.centre;
    const double r = sphere.radius, rr = r * r;
    const double height = tw_vec3_dot(c, m->first) + r * m->area; /* of x . n */
    const tw_vec3 w =
        tw_vec3_add_scaled(tw_mat3_mul_vec(m->second, c), r, m->first); /* of n (x . n) */
    const tw_mat3 cw = tw_mat3_outer(c, w);
    tw_mat3 second = tw_mat3_scale(height, tw_mat3_outer(c, c));
    second = tw_mat3_add_scaled(second, r, tw_mat3_add(cw, tw_mat3_transpose(cw)));
    second = tw_mat3_add_scaled(second, rr, tw_mat3_add_scaled(m->third, r, m->second));
    sums->volume += rr / 3.0 * height;
    sums->first = tw_vec3_add_scaled(sums->first, rr / 4.0,
                                     tw_vec3_add_scaled(tw_vec3_scale(height, c), r, w));
    sums->second = tw_mat3_add_scaled(sums->second, rr / 5.0, second);
    sums->normal = tw_vec3_add_scaled(sums->normal, rr, m->first);
    sums->closure = tw_mat3_add_scaled(
        sums->closure, rr, tw_mat3_add_scaled(tw_mat3_outer(c, m->first), r, m->second));
}

/* Sums over n spheres, none of them inside another. `caps` and `spans` hold n and 2 n. */
static union_sums union_surface(const tw_sphere *spheres, size_t n, patch_cap *caps,
                                patch_span *spans)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    union_sums sums = {0.0, zero, tw_mat3_zero(), zero, tw_mat3_zero()};
    for (size_t i = 0; i < n; i++) {
        size_t count = 0;
        for (size_t j = 0; j < n; j++)
            if (j != i && union_cap(&spheres[i], &spheres[j], &caps[count])) count++;
        const patch_moments m = patch_measure(caps, count, spheres[i].centre, spans);
        union_add_sphere(&sums, spheres[i], &m);
    }
    return sums;
}

/* Back to the original scale, about the centre of mass. */
static tw_union union_finish(const union_sums *sums, tw_sphere box)
{
    const double size = box.radius, volume = sums->volume;
    const tw_vec3 centre = tw_vec3_scale(1.0 / volume, sums->first);
    const tw_mat3 spread = tw_mat3_add_scaled(sums->second, -volume, tw_mat3_outer(centre, centre));
    const double trace = tw_mat3_trace(spread), size3 = size * size * size;
    const tw_mat3 gap = tw_mat3_sub(sums->closure, tw_mat3_diagonal(volume, volume, volume));
    tw_union result;
    result.volume = size3 * volume;
    result.centre = tw_vec3_add_scaled(box.centre, size, centre);
    result.inertia = tw_mat3_scale(size3 * size * size,
                                   tw_mat3_sub(tw_mat3_diagonal(trace, trace, trace), spread));
    result.residual = tw_math_max(tw_mat3_max_abs(gap), tw_vec3_max_abs(sums->normal)) / volume;
    return result;
}

tw_status tw_union_measure(const tw_sphere *spheres, size_t count, tw_union *result,
                           tw_error *error)
{
    const tw_status status = union_check(spheres, count, error);
    if (status != TW_STATUS_OK) return status;
    tw_arena scratch = {0};
    tw_sphere *all = tw_arena_take(&scratch, count, sizeof *all);
    tw_sphere *kept = tw_arena_take(&scratch, count, sizeof *kept);
    patch_cap *caps = tw_arena_take(&scratch, count, sizeof *caps);
    patch_span *spans = tw_arena_take(&scratch, count, 2 * sizeof *spans);
    if (!all || !kept || !caps || !spans) {
        tw_arena_free(&scratch);
        return tw_error_set(error, TW_STATUS_MEMORY, "out of memory for a shape of %zu spheres",
                            count);
    }
    const tw_sphere box = union_box(spheres, count);
    const size_t n = union_prepare(spheres, count, box, all, kept);
    const union_sums sums = union_surface(kept, n, caps, spans);
    *result = union_finish(&sums, box);
    tw_arena_free(&scratch);
    return TW_STATUS_OK;
}

/* The union is measured to about 1e-15. Off-diagonal terms and offsets below these limits, relative
 * to the shape, are treated as rounding of the input: following them would rotate or shift
 * symmetric shapes at random. */
static const double shape_offset_tiny = 1e-12;
static const double shape_inertia_tiny = 1e-9;
static const double shape_moments_tiny = 1e-12;
static const double shape_residual_max = 1e-9;

static void shape_choose_frame(tw_shape *shape, const tw_union *measured)
{
    const tw_mat3 inertia = measured->inertia;
    const double off =
        tw_math_max(fabs(inertia.m[1]), tw_math_max(fabs(inertia.m[2]), fabs(inertia.m[5])));
    shape->axes = tw_mat3_identity();
    shape->moments = tw_vec3_make(inertia.m[0], inertia.m[4], inertia.m[8]);
    if (off <= shape_inertia_tiny * tw_mat3_max_abs(inertia)) return;
    double values[3];
    tw_mat3 vectors;
    tw_mat3_eigen_symmetric(inertia, values, &vectors);
    shape->axes = tw_mat3_transpose(vectors);
    shape->moments = tw_vec3_make(values[0], values[1], values[2]);
}

static void shape_level(double *a, double *b)
{
    if (fabs(*a - *b) <= shape_moments_tiny * (*a + *b)) *a = *b = 0.5 * (*a + *b);
}

/* Makes moments that agree up to rounding equal, so that a symmetric top is exactly symmetric. */
static void shape_level_moments(tw_vec3 *m)
{
    shape_level(&m->x, &m->y);
    shape_level(&m->y, &m->z);
    shape_level(&m->z, &m->x);
    /* all three equal: the pairs above may still differ by rounding */
    const double big = tw_vec3_max_abs(*m), small = tw_math_min(m->x, tw_math_min(m->y, m->z));
    if (big - small <= shape_moments_tiny * big) m->x = m->y = m->z = big;
}

static void shape_place_spheres(tw_shape *shape)
{
    shape->radius = 0.0;
    for (size_t i = 0; i < shape->count; i++)
        shape->radius = tw_math_max(
            shape->radius, shape->spheres[i].radius +
                               tw_vec3_norm(tw_vec3_sub(shape->spheres[i].centre, shape->centre)));
    if (tw_vec3_norm(shape->centre) <= shape_offset_tiny * shape->radius)
        shape->centre = tw_vec3_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < shape->count; i++) {
        tw_vec3 *c = &shape->spheres[i].centre;
        *c = tw_mat3_mul_vec(shape->axes, tw_vec3_sub(*c, shape->centre));
    }
}

tw_status tw_shape_make(tw_shape *shape, const tw_sphere *spheres, size_t count, tw_error *error)
{
    memset(shape, 0, sizeof *shape);
    tw_union measured;
    const tw_status status = tw_union_measure(spheres, count, &measured, error);
    if (status != TW_STATUS_OK) return status;
    /* also catches moments outside the range of double */
    const double trace = tw_mat3_trace(measured.inertia);
    if (!(measured.residual <= shape_residual_max) || !(trace >= DBL_MIN && trace <= DBL_MAX))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "cannot measure the volume of the shape: its spheres are too small or "
                            "too large for their "
                            "distances; sizes of order 1 are expected");
    size_t capacity = 0;
    if (tw_buffer_reserve(&shape->spheres, &capacity, count, sizeof *spheres) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "out of memory for a shape of %zu spheres",
                            count);
    memcpy(shape->spheres, spheres, count * sizeof *spheres);
    shape->count = count;
    shape->volume = measured.volume;
    shape->centre = measured.centre;
    shape_choose_frame(shape, &measured);
    shape_level_moments(&shape->moments);
    shape_place_spheres(shape);
    return TW_STATUS_OK;
}

tw_status tw_shape_make_sphere(tw_shape *shape, tw_error *error)
{
    const tw_sphere sphere = {{0.0, 0.0, 0.0}, 1.0};
    return tw_shape_make(shape, &sphere, 1, error);
}

enum { SHAPE_SATELLITES_MAX = 8 };

/* Unit vectors to the satellites; false for an unsupported number. */
static bool shape_bumpy_directions(int satellites, tw_vec3 *direction)
{
    static const double line[2][3] = {{1, 0, 0}, {-1, 0, 0}};
    static const double triangle[3][3] = {
        {1, 0, 0}, {-0.5, 0.86602540378443865, 0}, {-0.5, -0.86602540378443865, 0}};
    static const double tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const double octahedron[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                            {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const double cube[8][3] = {{1, 1, 1},  {-1, 1, 1},  {1, -1, 1},  {-1, -1, 1},
                                      {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
    const double(*table)[3] = satellites == 2   ? line
                              : satellites == 3 ? triangle
                              : satellites == 4 ? tetrahedron
                              : satellites == 6 ? octahedron
                              : satellites == 8 ? cube
                                                : NULL;
    if (!table) return false;
    for (int k = 0; k < satellites; k++) {
        const tw_vec3 v = tw_vec3_make(table[k][0], table[k][1], table[k][2]);
        direction[k] = satellites == 3 ? v : tw_vec3_scale(1.0 / tw_vec3_norm(v), v);
    }
    return true;
}

tw_status tw_shape_make_bumpy(tw_shape *shape, const tw_shape_bumpy *bumpy, tw_error *error)
{
    memset(shape, 0, sizeof *shape);
    tw_vec3 direction[SHAPE_SATELLITES_MAX];
    if (!shape_bumpy_directions(bumpy->satellites, direction))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%d satellites: a bumpy grain must have 2, 3, 4, 6 or 8",
                            bumpy->satellites);
    tw_sphere spheres[SHAPE_SATELLITES_MAX + 1] = {{{0.0, 0.0, 0.0}, bumpy->central_radius}};
    for (int k = 0; k < bumpy->satellites; k++) {
        spheres[k + 1].centre = tw_vec3_scale(bumpy->distance, direction[k]);
        spheres[k + 1].radius = bumpy->satellite_radius;
    }
    return tw_shape_make(shape, spheres, (size_t)bumpy->satellites + 1, error);
}

void tw_shape_free(tw_shape *shape)
{
    size_t capacity = shape->count;
    tw_buffer_free(&shape->spheres, &capacity);
    shape->count = 0;
}
