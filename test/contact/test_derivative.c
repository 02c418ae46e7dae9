/* SPDX-License-Identifier: BSD-3-Clause */
/* The derivative of a step against differences of tw_contact_advance, extrapolated. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/contact_law.h>

enum {
    LATER = 256, /* beside the bits of a branch: slides, but not at once */
    LEVELS = 7,
    INPUTS = 3,
    OUTPUTS = 6
};

/* A contact before a step, and the step. */
typedef struct sample {
    tw_contact_law law;
    tw_contact_memory memory;
    tw_contact_parts extra;
    tw_contact_motion motion;
    double scale;          /* of overlaps and movements */
    tw_vec3 along[INPUTS]; /* changes of du, turn_p and turn_q, as unit vectors */
} sample;

/* What kinds of steps were seen. */
typedef struct tally {
    int sticks, slides_later, slides_at_once, slides_unloading, fresh_sticks, fresh_slides, opens;
    int rolls, twists, rolls_elastic, twists_elastic, left_out;
} tally;

static tw_contact_law draw_law(support_random *random, int32_t normal, int resists, uint32_t flags,
                               double scale)
{
    tw_contact_law law = tw_contact_law_default();
    law.normal = normal;
    law.kn = 1e6;
    law.kt = law.kn * support_uniform(random, 0.3, 2.0);
    law.mu = support_uniform(random, 0.1, 1.0);
    if (resists) {
        law.k_r = law.kn * support_uniform(random, 0.3, 2.0);
        law.mu_r = support_uniform(random, 0.1, 0.6);
        law.k_w = law.kn * support_uniform(random, 0.3, 2.0);
        law.mu_w = support_uniform(random, 0.1, 0.6);
    }
    law.flags = flags;
    /* The stiffness of the linear law at this overlap, whose tangent is 3/2 of it. */
    if (normal == TW_CONTACT_HERTZ) law = support_hertz_like(law, scale);
    assert_null(tw_contact_law_check(&law));
    return law;
}

/* From nothing to the limit, one in four at it. */
static double draw_use(support_random *random)
{
    return support_bits(random) % 4 == 0 ? 1.0 : support_uniform(random, 0.0, 1.0);
}

static sample draw(support_random *random, int32_t normal, int resists, uint32_t flags)
{
    sample s = {.scale = support_log_uniform(random, 1e-7, 1e-4)};
    const uint64_t start = support_bits(random) % 6;
    s.law = draw_law(random, normal, resists, flags, s.scale);
    s.motion.radius = s.scale * support_log_uniform(random, 10.0, 300.0);
    s.motion.ratio = support_uniform(random, 0.2, 1.0);
    s.memory.n = support_unit(random);
    s.memory.zeta = s.scale * support_uniform(random, 0.3, 1.0);
    if (start == 0) s.memory.zeta *= -0.5;
    /* A tilt and twists of up to 0.05 rad, and a relative rotation of the size of the overlap. */
    const tw_vec3 tilt = support_vector(random, 1e-6, 0.05);
    s.motion.n = support_rotate(s.memory.n, tilt);
    s.motion.zeta = s.scale * support_uniform(random, 0.05, 1.5);
    if (start == 1) s.motion.zeta *= -0.5;
    s.motion.du = support_vector(random, 0.01 * s.scale, 3.0 * s.scale);
    const tw_vec3 turn = support_vector(random, 1e-6, 0.05);
    const double most = s.scale / s.motion.radius;
    s.motion.turn_p = tw_vec3_add(turn, support_vector(random, 0.01 * most, most));
    s.motion.turn_q = tw_vec3_add(turn, support_vector(random, 0.01 * most, most));
    for (int j = 0; j < INPUTS; j++)
        s.along[j] = support_unit(random);
    if (start != 0) {
        const tw_contact_law at =
            tw_contact_law_at(&s.law, s.motion.radius, s.motion.mass, s.motion.ratio);
        const double fn = tw_contact_law_normal_force(&at, s.memory.zeta);
        const double use = draw_use(random), use_r = draw_use(random), use_w = draw_use(random);
        const tw_vec3 a = support_tangent(random, s.memory.n);
        const tw_vec3 b = support_tangent(random, s.memory.n);
        const double sign = support_bits(random) & 1 ? 1.0 : -1.0;
        s.memory.ft = tw_vec3_scale(use * at.mu * fn, a);
        s.extra.fr = tw_vec3_scale(use_r * at.mu_r * fn, b);
        s.extra.fw = sign * use_w * at.mu_w * fn;
    }
    return s;
}

static double component(tw_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* The step with input `j` changed by h: overlaps go with du. */
static tw_contact_motion changed(const sample *s, int j, double h)
{
    tw_contact_motion motion = s->motion;
    const tw_vec3 along = s->along[j];
    if (j == 0) {
        motion.du = tw_vec3_add_scaled(motion.du, h, along);
        motion.zeta -= h * tw_vec3_dot(motion.n, along);
    } else if (j == 1) {
        motion.turn_p = tw_vec3_add_scaled(motion.turn_p, h, along);
    } else {
        motion.turn_q = tw_vec3_add_scaled(motion.turn_q, h, along);
    }
    return motion;
}

/* The step with input `j` changed by h: force and couple, and what differs on the two sides of a
 * kink. */
static uint32_t advanced(const sample *s, int j, double h, double out[OUTPUTS])
{
    const tw_contact_motion motion = changed(s, j, h);
    tw_contact_memory memory = s->memory;
    tw_contact_parts extra = s->extra;
    tw_contact_tangent tangent;
    tw_contact_load load;
    assert_null(support_derivative(&s->law, &motion, &memory, &extra, &tangent));
    support_advance(&s->law, &motion, 1.0, &memory, &extra, &load);
    for (int i = 0; i < OUTPUTS; i++)
        out[i] = component(i < 3 ? load.f : load.couple, i % 3);
    assert_int_equal((tangent.branch & TW_CONTACT_TOUCHES) != 0, load.touching);
    assert_int_equal((tangent.branch & TW_CONTACT_SLIDES) != 0, load.sliding);
    if (load.sliding && load.alpha_s > 1e-9) tangent.branch |= LATER;
    if (s->law.normal == TW_CONTACT_LINEAR) tangent.branch &= ~(uint32_t)TW_CONTACT_UNLOADS;
    return tangent.branch;
}

/* Central differences with steps that are halved, extrapolated to zero (Ridders): of all estimates
 * the one that differs least from those it was made of. `best` is that difference so far. Returns 0
 * if a step is in another branch. */
static int differences(const sample *s, int j, double largest, uint32_t here, double best[OUTPUTS],
                       double out[OUTPUTS])
{
    double table[LEVELS][LEVELS][OUTPUTS], h = largest;
    for (int k = 0; k < LEVELS; k++, h *= 0.5) {
        double up[OUTPUTS], down[OUTPUTS];
        if (advanced(s, j, h, up) != here || advanced(s, j, -h, down) != here) return 0;
        for (int i = 0; i < OUTPUTS; i++) {
            table[k][0][i] = (up[i] - down[i]) / (2.0 * h);
            double factor = 4.0;
            for (int m = 1; m <= k; m++, factor *= 4.0) {
                const double fine = table[k][m - 1][i], coarse = table[k - 1][m - 1][i];
                const double value = fine + (fine - coarse) / (factor - 1.0);
                const double error = fmax(fabs(value - fine), fabs(value - coarse));
                table[k][m][i] = value;
                if (error < best[i]) {
                    best[i] = error;
                    out[i] = value;
                }
            }
        }
    }
    return 1;
}

/* The same with smaller and smaller steps, clear of kinks, until the estimates are good to 1e-10 of
 * `unit`. Returns 0 if 1e-6 of the overlap, or a rotation that makes as much of a movement, is
 * beyond a kink. */
static int clear_differences(const sample *s, int j, uint32_t here, const double unit[OUTPUTS],
                             double out[OUTPUTS])
{
    const double reach = j == 0 ? s->scale : s->scale / s->motion.radius;
    double best[OUTPUTS];
    int clear = 0;
    for (double h = 0.1; h > 0.9e-6; h *= 0.1) {
        int good = 1;
        if (!clear) {
            for (int i = 0; i < OUTPUTS; i++)
                best[i] = HUGE_VAL; /* nothing that crossed a kink counts */
        }
        clear = differences(s, j, h * reach, here, best, out);
        for (int i = 0; i < OUTPUTS; i++)
            good &= best[i] <= 1e-10 * unit[i];
        if (clear && good) return 1;
    }
    return clear;
}

/* The derivative along the direction of input j. */
static void derivative(const sample *s, int j, double out[OUTPUTS])
{
    tw_contact_tangent t;
    assert_null(support_derivative(&s->law, &s->motion, &s->memory, &s->extra, &t));
    for (int i = 0; i < OUTPUTS; i++) {
        const double *row = i < 3 ? (j == 0   ? t.f_du[i]
                                     : j == 1 ? t.f_turn_p[i]
                                              : t.f_turn_q[i])
                                  : (j == 0   ? t.couple_du[i - 3]
                                     : j == 1 ? t.couple_turn_p[i - 3]
                                              : t.couple_turn_q[i - 3]);
        out[i] = tw_vec3_dot(tw_vec3_make(row[0], row[1], row[2]), s->along[j]);
    }
}

/* The largest difference of a component, by the stiffness of the spring: kn or kt of forces, k_r or
 * k_w of couples, with the reduced radius as lever. Negative: the step is within 1e-6 of a kink. */
static double error_of(const sample *s, int j)
{
    const tw_contact_law at = tw_contact_law_at(&s->law, s->motion.radius, 0.0, s->motion.ratio);
    const double root = tw_contact_law_root(&at, s->scale), arm = s->motion.radius;
    const double k_f = fmin(at.kn, at.kt) * root, k_c = fmin(at.k_r, at.k_w) * root * arm;
    double most = 0.0, a[OUTPUTS], b[OUTPUTS], unit[OUTPUTS];
    const uint32_t here = advanced(s, j, 0.0, a);
    for (int i = 0; i < OUTPUTS; i++)
        unit[i] = (i < 3 ? k_f : k_c) * (j == 0 ? 1.0 : arm);
    derivative(s, j, a);
    if (!clear_differences(s, j, here, unit, b)) return -1.0;
    for (int i = 0; i < OUTPUTS; i++) {
        if (unit[i] > 0.0)
            most = support_most(most, fabs(a[i] - b[i]) / unit[i]);
        else
            assert_true(a[i] == 0.0 && b[i] == 0.0);
    }
    return most;
}

static void count(const sample *s, tally *seen)
{
    double out[OUTPUTS];
    const uint32_t branch = advanced(s, 0, 0.0, out);
    const int fresh = s->memory.zeta <= 0.0, slides = (branch & TW_CONTACT_SLIDES) != 0;
    if (!(branch & TW_CONTACT_TOUCHES)) {
        seen->opens++;
        return;
    }
    if (fresh)
        *(slides ? &seen->fresh_slides : &seen->fresh_sticks) += 1;
    else if (slides)
        *(branch & LATER ? &seen->slides_later : &seen->slides_at_once) += 1;
    else
        seen->sticks++;
    seen->slides_unloading += slides && !fresh && s->motion.zeta < s->memory.zeta;
    *(branch & TW_CONTACT_ROLLS ? &seen->rolls : &seen->rolls_elastic) += 1;
    *(branch & TW_CONTACT_TWISTS ? &seen->twists : &seen->twists_elastic) += 1;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_steps(uint64_t seed, int32_t normal, int resists, uint32_t flags)
{
    support_random random = {seed};
    const int steps = support_count(20000);
    double *errors = malloc((size_t)steps * sizeof *errors);
    tally seen = {0};
    int kept = 0;
    double most = 0.0;
    for (int i = 0; i < steps; i++) {
        const sample s = draw(&random, normal, resists, flags);
        errors[kept] = error_of(&s, i % 4 < 2 ? 0 : i % 4 - 1); /* every other one by du */
        if (errors[kept] < 0.0) {
            seen.left_out++;
            continue;
        }
        if (errors[kept] > fmax(most, 1e-8)) printf("step %d: %.2e\n", i, errors[kept]);
        count(&s, &seen);
        most = support_most(most, errors[kept++]);
    }
    qsort(errors, (size_t)kept, sizeof *errors, ascending);
    const double median = errors[kept / 2];
    printf("%d steps, %d near a kink: median %.2e, largest %.2e\n", steps, seen.left_out, median,
           most);
    free(errors);
    expect_at_most(median, 1e-10);
    expect_at_most(most, 3e-8);
    expect_at_most((double)seen.left_out, 1e-3 * steps);
    const int few = steps / 200;
    assert_true(seen.sticks > few && seen.slides_later > few && seen.slides_at_once > few);
    assert_true(seen.slides_unloading > few && seen.opens > few);
    assert_true(seen.fresh_sticks > few && seen.fresh_slides > few);
    if (resists) {
        assert_true(seen.rolls > few && seen.rolls_elastic > few);
        assert_true(seen.twists > few && seen.twists_elastic > few);
    }
}

static double furthest(double most, double a[3][3], double b[3][3], double unit)
{
    for (int j = 0; j < 9; j++)
        most = support_most(most, fabs(a[j / 3][j % 3] - b[j / 3][j % 3]) / unit);
    return most;
}

/* Steps of 1e-11 of the overlap from states inside their limits, and beyond them by a rounding: a
 * slide then starts at once. The tangent differs by the ratio of the step to the slip distance, of
 * which mu may be 0.1 and the overlap 0.3: a few 1e-9. */
static void short_steps_have_the_tangent_of_the_rates(void **state)
{
    (void)state;
    support_random random = {6};
    int with[32] = {0}, without[32] = {0};
    double most = 0.0;
    for (int i = 0; i < support_count(4000); i++) {
        sample s = draw(&random, (int32_t)(i % 2), 1, 0);
        if (!(s.memory.zeta > 0.0)) continue;
        const double tiny = 1e-11 * s.scale, angle = tiny / s.motion.radius;
        s.motion.n = s.memory.n;
        s.motion.du = support_vector(&random, tiny, 2.0 * tiny);
        s.motion.zeta = s.memory.zeta - tw_vec3_dot(s.motion.du, s.motion.n);
        s.motion.turn_p = support_vector(&random, angle, 2.0 * angle);
        s.motion.turn_q = tw_vec3_scale(-1.0, s.motion.turn_p);
        s.memory.ft = tw_vec3_scale(1.0 + 1e-15, s.memory.ft);
        s.extra.fr = tw_vec3_scale(1.0 + 1e-15, s.extra.fr);
        tw_contact_tangent step, rate;
        assert_null(support_derivative(&s.law, &s.motion, &s.memory, &s.extra, &step));
        assert_null(support_derivative_rate(&s.law, &s.memory, &s.extra, s.motion.radius,
                                            step.branch, &rate));
        assert_int_equal(rate.branch, step.branch);
        for (uint32_t bit = 1; bit < 32; bit *= 2)
            *(step.branch & bit ? &with[bit] : &without[bit]) += 1;
        const double root = tw_contact_law_root(&s.law, s.scale), arm = s.motion.radius;
        const double k_f = s.law.kn * root, k_c = fmin(s.law.k_r, s.law.k_w) * root * arm;
        most = furthest(most, step.f_du, rate.f_du, k_f);
        most = furthest(most, step.f_turn_p, rate.f_turn_p, k_f * s.scale);
        most = furthest(most, step.f_turn_q, rate.f_turn_q, k_f * s.scale);
        most = furthest(most, step.couple_du, rate.couple_du, k_c);
        most = furthest(most, step.couple_turn_p, rate.couple_turn_p, k_c * arm);
        most = furthest(most, step.couple_turn_q, rate.couple_turn_q, k_c * arm);
    }
    expect_at_most(most, 1e-8);
    for (uint32_t bit = 2; bit < 32; bit *= 2)
        assert_true(with[bit] > 10 && without[bit] > 10);
}

/* Sliding takes kt along the force and gives mu kn: the tangent of a contact at its limit. */
static void a_sliding_contact_is_not_symmetric(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(2e6, 1e6, 0.4);
    const tw_contact_memory memory =
        support_memory(tw_vec3_make(0.0, 0.0, 1.0), 1e-5, tw_vec3_make(8.0, 0.0, 0.0));
    const double stick[3][3] = {{1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 2e6}};
    const double slide[3][3] = {{0, 0, -0.4 * 2e6}, {0, 1e6, 0}, {0, 0, 2e6}};
    tw_contact_tangent t;
    assert_null(tw_contact_derivative_rate(&law, &memory, NULL, 1e-3, 0, &t));
    for (int j = 0; j < 9; j++)
        expect_at_most(fabs(t.f_du[j / 3][j % 3] - stick[j / 3][j % 3]), 1e-9);
    assert_null(tw_contact_derivative_rate(&law, &memory, NULL, 1e-3, TW_CONTACT_SLIDES, &t));
    for (int j = 0; j < 9; j++)
        expect_at_most(fabs(t.f_du[j / 3][j % 3] - slide[j / 3][j % 3]), 1e-9);
    /* Each body turns the force by half of its rotation about the normal: n x ft/2. */
    expect_at_most(fabs(t.f_turn_p[1][2] - 4.0), 1e-12);
    expect_at_most(fabs(t.f_turn_q[1][2] - 4.0), 1e-12);
}

static void other_laws_are_refused(void **state)
{
    (void)state;
    const tw_contact_memory memory =
        support_memory(tw_vec3_make(0.0, 0.0, 1.0), 1e-5, tw_vec3_make(1.0, 0.0, 0.0));
    const tw_contact_motion motion =
        support_motion(memory.n, memory.zeta, tw_vec3_make(1e-6, 0.0, 0.0));
    tw_contact_tangent t;
    tw_contact_law law = support_law(1e6, 1e6, 0.5);
    law.refine &= ~(uint32_t)TW_CONTACT_RESCALE; /* means nothing to a linear law */
    assert_null(tw_contact_derivative(&law, &motion, &memory, NULL, &t));
    law.normal = TW_CONTACT_HERTZ;
    assert_non_null(tw_contact_derivative(&law, &motion, &memory, NULL, &t));
    law = support_law(1e6, 1e6, 0.5);
    law.refine &= ~(uint32_t)TW_CONTACT_TURNING;
    assert_non_null(tw_contact_derivative(&law, &motion, &memory, NULL, &t));
    for (int32_t kind = TW_CONTACT_PAPER; kind < TW_CONTACT_KINDS; kind++) {
        law = support_law_of(kind);
        assert_non_null(tw_contact_derivative(&law, &motion, &memory, NULL, &t));
        assert_non_null(tw_contact_derivative_rate(&law, &memory, NULL, 1.0, 0, &t));
    }
}

/* No friction, no spring, no movement, a force straight against the movement, a long slide. */
static void corners_are_finite(void **state)
{
    (void)state;
    const double mus[] = {0.0, 0.5}, kts[] = {0.0, 1e6}, ends[] = {1e-5, 1e-9, 2e-5, 1e-300};
    const double moves[] = {0.0, 1e-300, -1e-9, -1e-3, 1.0, -1e10};
    const tw_vec3 n = tw_vec3_make(0.0, 0.0, 1.0);
    for (int i = 0; i < 2 * 2 * 4 * 6 * 2 * 2; i++) {
        tw_contact_law law = support_law(1e6, kts[i % 2], mus[i / 2 % 2]);
        law.k_r = law.k_w = kts[i % 2];
        law.mu_r = law.mu_w = mus[i / 2 % 2];
        if (i / 96 % 2) law = support_hertz_like(law, 1e-5);
        const double limit = law.mu * tw_contact_law_normal_force(&law, 1e-5);
        const tw_contact_memory memory =
            support_memory(n, i / 192 % 2 ? -1e-5 : 1e-5, tw_vec3_make(limit, 0.0, 0.0));
        const tw_contact_parts extra = {.fr = tw_vec3_make(limit, 0.0, 0.0), .fw = limit};
        tw_contact_motion motion =
            support_motion(n, ends[i / 4 % 4], tw_vec3_make(moves[i / 16 % 6], 0.0, 0.0));
        motion.radius = 1e-3;
        motion.turn_q = tw_vec3_make(0.0, moves[i / 16 % 6], 0.0);
        tw_contact_tangent t;
        assert_null(support_derivative(&law, &motion, &memory, &extra, &t));
        for (int j = 0; j < 9; j++) {
            const int a = j / 3, b = j % 3;
            assert_true(isfinite(t.f_du[a][b]) && isfinite(t.f_turn_p[a][b]));
            assert_true(isfinite(t.f_turn_q[a][b]) && isfinite(t.couple_du[a][b]));
            assert_true(isfinite(t.couple_turn_p[a][b]) && isfinite(t.couple_turn_q[a][b]));
        }
    }
}

static void linear_steps(void **state)
{
    (void)state;
    check_steps(1, TW_CONTACT_LINEAR, 0, 0);
}

static void hertz_steps(void **state)
{
    (void)state;
    check_steps(2, TW_CONTACT_HERTZ, 0, 0);
}

static void linear_steps_that_roll_and_twist(void **state)
{
    (void)state;
    check_steps(3, TW_CONTACT_LINEAR, 1, 0);
}

static void hertz_steps_that_roll_and_twist(void **state)
{
    (void)state;
    check_steps(4, TW_CONTACT_HERTZ, 1, 0);
}

/* As materials with a modulus have it. */
static void stiffnesses_by_radius(void **state)
{
    (void)state;
    check_steps(5, TW_CONTACT_LINEAR, 1, TW_CONTACT_BY_RADIUS | TW_CONTACT_YADE_LEVERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_steps),
        cmocka_unit_test(hertz_steps),
        cmocka_unit_test(linear_steps_that_roll_and_twist),
        cmocka_unit_test(hertz_steps_that_roll_and_twist),
        cmocka_unit_test(stiffnesses_by_radius),
        cmocka_unit_test(short_steps_have_the_tangent_of_the_rates),
        cmocka_unit_test(a_sliding_contact_is_not_symmetric),
        cmocka_unit_test(other_laws_are_refused),
        cmocka_unit_test(corners_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
