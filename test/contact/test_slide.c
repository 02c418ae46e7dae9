/* SPDX-License-Identifier: BSD-3-Clause */
/* Slides without a branch (twirl/detail/contact_slide.inc) against the equation of the slide,
 * integrated in long double: d theta/d a = -q sin(theta)/(1 + x a), where a goes from 0 to 1, fn is
 * 1 + x a, and the work is the mean of fn cos(theta). */
#include <math.h>
#include <stdlib.h>

#include <twirl/contact_inline.h>

#include "support.h"

/* The mean of (1 + x a) cos(theta(a)): over y = q log(1 + x a)/x, in which tan(theta/2) fades as
 * exp(-y), by Gauss' rule of five points in panels of 1/8 or less. Beyond y = 25 the cosine is 1.
 */
static long double mean_of(long double x, long double q, long double tangent)
{
    static const long double node[3] = {0.0L, 0.5384693101056830910363144207002L,
                                        0.9061798459386639927976268782994L};
    static const long double weight[3] = {0.5688888888888888888888888888889L,
                                          0.4786286704993664680412915148356L,
                                          0.2369268850561890875142640407200L};
    const long double whole = x == 0.0L ? q : q * log1pl(x) / x, c = 2.0L * x / q;
    const long double end = whole < 25.0L ? whole : 25.0L;
    const int panels = 1 + (int)((8.0L + 2.0L * fabsl(c)) * end);
    const long double half = 0.5L * end / panels;
    long double sum = 0.0L;
    for (int k = 0; k < panels; k++) {
        for (int j = -2; j <= 2; j++) {
            const long double side = j < 0 ? -1.0L : 1.0L;
            const long double y = half * (2 * k + 1 + side * node[abs(j)]);
            const long double t = tangent * expl(-y), cosine = (1.0L - t * t) / (1.0L + t * t);
            sum += half * weight[abs(j)] * expl(c * y) * cosine;
        }
    }
    if (whole > end) {
        const long double from = expl(c * end);
        sum += x == 0.0L ? whole - end : (expl(c * whole) - from) / c;
    }
    return sum / q;
}

typedef struct slide {
    tw_contact_law law;
    tw_contact_step step;
    tw_contact_trial trial;
    double theta, x, q;
} slide;

/* A contact at its limit, in the plane z = 0, that slides along the x axis from the first. */
static slide make_slide(double x, double q, double theta)
{
    slide s = {0};
    s.law = support_law_of(TW_CONTACT_EXACT);
    const double fn = s.law.kn * 1e-5, limit = s.law.mu * fn;
    s.theta = theta;
    s.x = x;
    s.q = q;
    s.step.n0 = s.step.n1 = tw_vec3_make(0.0, 0.0, 1.0);
    s.step.zeta0 = 1e-5;
    s.step.zeta1 = 1e-5 * (1.0 + x);
    s.trial.ft0 = tw_vec3_make(limit * cos(theta), limit * sin(theta), 0.0);
    s.trial.dxi = tw_vec3_make(q * limit / s.law.kt, 0.0, 0.0);
    s.trial.small = 1;
    return s;
}

static tw_contact_slide slide_of(const tw_contact_law *law, const tw_contact_step *step,
                                 const tw_contact_trial *trial)
{
    const tw_contact_springs springs =
        tw_contact_springs_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, law, step->zeta0, step->zeta1);
    return tw_contact_slide_try(law, &springs, step, trial);
}

/* Returns 1 if it was for the code without branches. */
static int check(const slide *s)
{
    const tw_contact_slide out = slide_of(&s->law, &s->step, &s->trial);
    if (!out.holds) return 0;
    const long double fn0 = (long double)s->law.kn * (long double)s->step.zeta0;
    const long double limit = (long double)s->law.mu * fn0, x = (long double)s->x;
    /* The instant at which it starts comes from the square of the limit: rounding there moves it by
     * 1e-16 of the step at 0, and by its root where the path runs along the circle. */
    if (out.alpha > 1e-13) return 0;
    const long double tangent = tanl(0.5L * (long double)s->theta);
    const long double y = (long double)s->q * (s->x == 0.0 ? 1.0L : log1pl(x) / x),
                      t = tangent * expl(-y);
    const long double cosine = (1.0L - t * t) / (1.0L + t * t), sine = 2.0L * t / (1.0L + t * t);
    const long double end = limit * (1.0L + x);
    const long double work =
        limit * (long double)tw_vec3_norm(s->trial.dxi) * mean_of(x, (long double)s->q, tangent);
    /* A dozen roundings, the largest of 1 - cos(theta) beside 1. */
    const double force_off = (double)(fabsl((long double)out.ft.x - end * cosine) +
                                      fabsl((long double)out.ft.y - end * sine)) /
                             (double)end;
    const double work_off = (double)fabsl((long double)out.work / work - 1.0L);
    /* Eq. 26 leaves g^(8)/(8! 630), and the eighth derivative is at most some 3000 q^8. */
    const double rule = s->q <= 0.1 && fabs(s->x) <= 0.125 ? 1.5e-12 : 1e-13;
    if (!(force_off < 4e-15) || !(work_off < rule))
        fail_msg("x %.17g, q %.17g, theta %.17g: force off by %g, work by %g", s->x, s->q, s->theta,
                 force_off, work_off);
    return 1;
}

/* q from 1e-3 to 1e4, fn that falls to a tenth or grows to thirty times, any angle up to 90
 * degrees. */
static void slides_follow_their_equation(void **state)
{
    (void)state;
    support_random random = {11};
    const int count = support_count(2000);
    int held = 0, brief = 0, falling = 0, rising = 0, across = 0;
    for (int k = 0; k < count; k++) {
        const double q = pow(10.0, support_uniform(&random, -3.0, 4.0));
        const double bend = support_uniform(&random, -1.0, 1.0);
        const double x = bend < 0.0 ? -pow(10.0, support_uniform(&random, -3.0, -0.05))
                                    : pow(10.0, support_uniform(&random, -3.0, 1.5));
        const double small = pow(10.0, support_uniform(&random, -9.0, -1.0));
        const double large = support_uniform(&random, 0.1, 1.5);
        const double theta = k % 2 ? small : large;
        const slide s = make_slide(x, q, theta);
        if (!check(&s)) continue;
        held++;
        brief += q <= 0.1;
        falling += x < -0.125;
        rising += x > 0.125;
        across += theta > 1.2;
    }
    /* Every kind has occurred. */
    print_message("%d of %d: %d brief, %d falling, %d rising, %d across\n", held, count, brief,
                  falling, rising, across);
    assert_true(held > count / 4 && brief > count / 50 && falling > count / 50 &&
                rising > count / 50 && across > count / 50);
}

/* What is typical of slow shear and of preparation must not need the general code. */
static void common_slides_need_no_branch(void **state)
{
    (void)state;
    for (double q = 0.01; q < 1000.0; q *= 1.7) {
        for (double x = -0.12; x < 0.13; x += 0.04) {
            if (x > 0.5 * q || x < -8.0 * q) continue;
            for (double theta = 0.0; theta < 1.5; theta += 0.1) {
                const slide s = make_slide(x, q, theta);
                const tw_contact_slide out = slide_of(&s.law, &s.step, &s.trial);
                /* At an angle a path may first lead inwards. */
                if (!out.holds && out.alpha < 1.0) fail_msg("q %g, x %g, theta %g", q, x, theta);
            }
        }
    }
}

/* Where one way of computing gives over to the next nothing jumps. */
static void borders_cannot_be_seen(void **state)
{
    (void)state;
    for (double theta = 0.05; theta < 1.5; theta += 0.2) {
        const slide below = make_slide(-0.02, 0.1 * (1.0 - 1e-15), theta);
        const slide above = make_slide(-0.02, 0.1 * (1.0 + 1e-14), theta);
        const tw_contact_slide a = slide_of(&below.law, &below.step, &below.trial);
        const tw_contact_slide b = slide_of(&above.law, &above.step, &above.trial);
        assert_true(a.holds && b.holds);
        /* As much as Eq. 26 leaves. */
        expect_at_most(fabs(a.work / b.work - 1.0), 1.5e-12);
        assert_true(tw_vec3_norm(tw_vec3_sub(a.ft, b.ft)) < 1e-13 * tw_vec3_norm(a.ft));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_follow_their_equation),
        cmocka_unit_test(common_slides_need_no_branch),
        cmocka_unit_test(borders_cannot_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
