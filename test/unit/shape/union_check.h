/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of tw_union_measure. */
#ifndef TWIRL_TEST_UNIT_UNION_CHECK_H
#define TWIRL_TEST_UNIT_UNION_CHECK_H

#include "check.h"

#include "shape/shape.h"

/* Closed forms summed over a dozen arcs of order 1: about ten roundings each. */
#define UNION_ROUNDING 1e-13

static inline tw_union measure(const tw_sphere *spheres, size_t count)
{
    tw_union u;
    tw_error error;
    assert_int_equal(tw_union_measure(spheres, count, &u, &error), TW_STATUS_OK);
    check_at_most(u.residual, UNION_ROUNDING);
    return u;
}

static inline tw_sphere sphere(double x, double y, double z, double radius)
{
    const tw_sphere s = {{x, y, z}, radius};
    return s;
}

/* `count` overlapping spheres about the origin, radii 0.2 to 0.7. */
static inline void random_cluster(tw_random *random, tw_sphere *spheres, int count)
{
    for (int i = 0; i < count; i++) {
        spheres[i].centre = check_vector(random, -0.5, 0.5);
        spheres[i].radius = check_between(random, 0.2, 0.7);
    }
}

/* Fails unless both agree to within `tolerance` times the size of the shape, which is of order 1.
 */
static inline void check_same(const tw_union *a, const tw_union *b, double tolerance)
{
    check_at_most(fabs(a->volume - b->volume), tolerance * b->volume);
    check_at_most(check_distance(a->centre, b->centre), tolerance * cbrt(b->volume));
    check_at_most(check_mat3_distance(a->inertia, b->inertia),
                  tolerance * tw_mat3_max_abs(b->inertia));
}

static inline double biggest_slice(const tw_sphere *s, int count, double x)
{
    double best = 0.0;
    for (int i = 0; i < count; i++) {
        const double d = x - s[i].centre.x;
        best = fmax(best, s[i].radius * s[i].radius - d * d);
    }
    return best;
}

/* Spheres with centres on the x axis make a solid of revolution whose squared radius is, between
 * the planes in which two spheres meet and the ends, a parabola. Three Gauss points integrate its
 * square (degree 4) without error. */
static inline tw_union revolve(const tw_sphere *s, int count)
{
    double cut[400], v = 0.0, first = 0.0, axial = 0.0, second = 0.0;
    int cuts = 0;
    for (int i = 0; i < count; i++) {
        cut[cuts++] = s[i].centre.x - s[i].radius;
        cut[cuts++] = s[i].centre.x + s[i].radius;
        for (int k = 0; k < i; k++) {
            const double a = s[i].centre.x, b = s[k].centre.x, r = s[i].radius, t = s[k].radius;
            if (fabs(a - b) > 0.0) cut[cuts++] = 0.5 * (a + b - (r - t) * (r + t) / (a - b));
        }
    }
    for (int i = 1; i < cuts; i++)
        for (int k = i; k > 0 && cut[k] < cut[k - 1]; k--) {
            const double swap = cut[k];
            cut[k] = cut[k - 1];
            cut[k - 1] = swap;
        }
    for (int i = 0; i + 1 < cuts; i++)
        for (int g = -1; g < 2; g++) {
            const double half = 0.5 * (cut[i + 1] - cut[i]);
            const double x = 0.5 * (cut[i] + cut[i + 1]) + g * half * sqrt(0.6);
            const double w = half * (g == 0 ? 8.0 / 9.0 : 5.0 / 9.0);
            const double area = CHECK_PI * biggest_slice(s, count, x);
            v += w * area;
            first += w * area * x;
            second += w * area * x * x;
            axial += w * area * area / (2.0 * CHECK_PI); /* of a disc about its axis */
        }
    const double across = 0.5 * axial + second - first * first / v;
    const tw_union u = {v, {first / v, 0.0, 0.0}, tw_mat3_diagonal(axial, across, across), 0.0};
    return u;
}

#endif
