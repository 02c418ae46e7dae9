/* SPDX-License-Identifier: BSD-3-Clause */
/* Hertz contacts: their limit for small changes of overlap is a linear law, the conventional law
 * does what it says, and corners have the outcome that mechanics gives in closed form. */
#include "support.h"

static const tw_vec3 ez = {0.0, 0.0, 1.0};

/* kt = 0.8e6 and fn = 100 N, so a limit of 50 N, at zeta = 1e-4. */
static const double z = 1e-4, k = 0.8e6, limit = 50.0;

static tw_contact_law hertz_law(void)
{
    return support_hertz_like(support_law(1e6, 0.8e6, 0.5), 1e-4);
}

typedef struct outcome {
    tw_contact_memory memory;
    tw_contact_load load;
} outcome;

static outcome advance(const tw_contact_law *law, double zeta0, double zeta1, tw_vec3 ft0,
                       tw_vec3 du)
{
    const tw_contact_motion motion = support_motion(ez, zeta1, du);
    outcome out = {.memory = support_memory(ez, zeta0, ft0)};
    tw_contact_advance(law, &motion, 1.0, &out.memory, NULL, &out.load);
    return out;
}

static tw_vec3 draw_tangent(support_random *random, double size)
{
    return tw_vec3_scale(size, support_tangent(random, ez));
}

/* At constant overlap a Hertz contact is a linear one. */
static void at_constant_overlap_it_is_linear(void **state)
{
    (void)state;
    support_random random = {91};
    const tw_contact_law hertz = hertz_law(), linear = support_law(1e6, 0.8e6, 0.5);
    int slides = 0;
    for (int i = 0; i < 1000; i++) {
        const tw_vec3 ft0 = draw_tangent(&random, support_uniform(&random, 0.0, 50.0));
        const tw_vec3 du = draw_tangent(&random, support_log_uniform(&random, 1e-8, 1e-3));
        const outcome a = advance(&hertz, 1e-4, 1e-4, ft0, du);
        const outcome b = advance(&linear, 1e-4, 1e-4, ft0, du);
        slides += b.load.sliding;
        /* rounding, a thousandfold against the movement */
        expect_at_most(support_distance(a.memory.ft, b.memory.ft), 1e-12 * 50.0);
        expect_at_most(fabs(a.load.work_tangential - b.load.work_tangential),
                       1e-8 * 50.0 * tw_vec3_norm(du));
        assert_true(a.load.sliding == b.load.sliding && a.load.work_micro == 0.0);
    }
    assert_true(slides > 200 && slides < 900);
}

/* A small change dz of overlap: the tangent of the normal law is a linear one with kn = 1.5 fn/z,
 * in which the same force is reached at 2/3 of the overlap. The difference is of the size dz/z. */
static void a_small_change_of_overlap_is_that_of_the_tangent_law(void **state)
{
    (void)state;
    const tw_contact_law hertz = hertz_law();
    const tw_contact_law tangent = support_law(1.5e6, 0.8e6, 0.5);
    for (double small = 1e-3; small > 1e-8; small *= 0.1) {
        support_random random = {92};
        double worst = 0.0, linear = 0.0;
        for (int i = 0; i < 400; i++) {
            const double dz = z * small * support_uniform(&random, -1.0, 1.0);
            const tw_vec3 ft0 = draw_tangent(&random, support_uniform(&random, 0.0, limit));
            const tw_vec3 du = draw_tangent(&random, support_log_uniform(&random, 1e-7, 1e-4));
            const outcome a = advance(&hertz, z, z + dz, ft0, du);
            const outcome b = advance(&tangent, z / 1.5, z / 1.5 + dz, ft0, du);
            worst = support_most(worst, support_distance(a.memory.ft, b.memory.ft) / limit);
            linear = support_most(linear, fabs(a.load.fn - b.load.fn) / a.load.fn);
        }
        print_message("dz/z %.0e: force %.2g, normal %.2g\n", small, worst, linear);
        /* stiffness changes by half of dz/z, a rescaled force too */
        expect_at_most(worst, 1.1 * small + 1e-12);
        expect_at_least(worst, 0.1 * small);
        /* the next term of (1 + dz/z)^(3/2) */
        expect_at_most(linear, 0.4 * small * small + 1e-15);
    }
}

/* The force shrinks with the stiffness while the overlap shrinks, then k(zeta1) dxi is added, then
 * it is cut back to the limit. */
static void the_conventional_law_adds_and_cuts_back(void **state)
{
    (void)state;
    support_random random = {93};
    int slides = 0;
    for (int i = 0; i < 2000; i++) {
        tw_contact_law law = hertz_law();
        law.kind = TW_CONTACT_CONVENTIONAL;
        if (i & 1) law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
        const double z0 = 1e-4, z1 = z0 * support_uniform(&random, 0.1, 2.0);
        const tw_vec3 ft0 = draw_tangent(&random, support_uniform(&random, 0.0, 50.0));
        const tw_vec3 du = draw_tangent(&random, support_log_uniform(&random, 1e-7, 1e-4));
        const outcome out = advance(&law, z0, z1, ft0, du);
        const double shrink = z1 < z0 && !(i & 1) ? sqrt(z1 / z0) : 1.0;
        const double most = law.mu * law.kn * z1 * sqrt(z1), kt = law.kt * sqrt(z1);
        tw_vec3 ft = tw_vec3_add_scaled(tw_vec3_scale(shrink, ft0), kt, du);
        const double size = tw_vec3_norm(ft);
        if (size > most) ft = tw_vec3_scale(most / size, ft);
        slides += out.load.sliding;
        assert_true(out.load.sliding == (size > most));
        expect_at_most(support_distance(out.memory.ft, ft), 1e-14 * (size + 50.0));
        const double stored0 = 0.5 * tw_vec3_dot(ft0, ft0) / (law.kt * sqrt(z0));
        const double stored1 = 0.5 * tw_vec3_dot(ft, ft) / kt;
        const double parts =
            out.load.work_reversible + out.load.work_dissipated + out.load.work_micro;
        const double scale = stored0 + stored1 + 50.0 * tw_vec3_norm(du);
        expect_at_most(fabs(out.load.work_reversible - (stored1 - stored0)), 1e-14 * scale);
        expect_at_most(fabs(out.load.work_tangential - parts), 1e-14 * scale);
    }
    assert_true(slides > 300 && slides < 1700);
}

/* Steps of the conventional law that become shorter tend to the exact law's single step: with and
 * without rescaling, in a plane that stands still. First order. */
static void in_small_steps_the_conventional_law_tends_to_the_exact_one(void **state)
{
    (void)state;
    support_random random = {94};
    double error[2] = {0.0, 0.0};
    for (int i = 0; i < 60; i++) {
        tw_contact_law law = hertz_law();
        if (i & 1) law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
        const double z0 = 1e-4, z1 = z0 * support_uniform(&random, 0.3, 2.0);
        const tw_vec3 ft0 = draw_tangent(&random, support_uniform(&random, 0.0, 50.0));
        const tw_vec3 du = draw_tangent(&random, support_log_uniform(&random, 1e-5, 3e-4));
        const outcome right = advance(&law, z0, z1, ft0, du);
        law.kind = TW_CONTACT_CONVENTIONAL;
        for (int fine = 0; fine < 2; fine++) {
            const int steps = fine ? 8000 : 1000;
            tw_vec3 ft = ft0;
            for (int j = 0; j < steps; j++)
                ft = advance(&law, z0 + (z1 - z0) * j / steps, z0 + (z1 - z0) * (j + 1) / steps, ft,
                             tw_vec3_scale(1.0 / steps, du))
                         .memory.ft;
            error[fine] = support_most(error[fine], support_distance(ft, right.memory.ft) / 50.0);
        }
    }
    print_message("conventional in 1000 and 8000 steps: %.2e, %.2e\n", error[0], error[1]);
    expect_at_most(error[0], 5e-3);
    expect_at_most(fabs(log2(error[0] / error[1]) - 3.0), 0.2);
}

static void expect_force(tw_vec3 ft, double x, double y)
{
    expect_at_most(support_distance(ft, tw_vec3_make(x, y, 0.0)), 1e-14 * limit); /* rounding */
}

/* Half of the limit and no movement. Rescaled, the displacement ft/kt stays, and the limit of it
 * goes with zeta: it slides from half of the overlap on. Not rescaled, the force stays: from
 * (1/2)^(2/3) on. */
static void a_shrinking_circle_pushes_a_resting_force_inwards(void **state)
{
    (void)state;
    const tw_vec3 ft0 = {15.0, 20.0, 0.0}, rest = {0.0, 0.0, 0.0};
    const double end = 0.1 * sqrt(0.1), stored0 = 25.0 * 25.0 / (2.0 * k);
    const double stored1 = pow(end * limit, 2.0) / (2.0 * k * sqrt(0.1));
    tw_contact_law law = hertz_law();
    for (int rescale = 1; rescale >= 0; rescale--) {
        if (!rescale) law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
        const outcome out = advance(&law, z, 0.1 * z, ft0, rest);
        const double onset = rescale ? 0.5 : pow(0.5, 2.0 / 3.0);
        const double stiff = sqrt(onset), force = rescale ? 25.0 * stiff : 25.0;
        const double stored = force * force / (2.0 * k * stiff);
        expect_force(out.memory.ft, 0.6 * end * limit, 0.8 * end * limit);
        assert_int_equal(out.load.sliding, 1);
        expect_at_most(fabs(out.load.work_tangential), 1e-15 * stored0);
        expect_at_most(fabs(out.load.alpha_s - (1.0 - onset) / 0.9), 1e-14);
        /* rescaled, micro-slip takes energy; not rescaled, it makes some */
        expect_at_most(fabs(out.load.work_micro - (stored0 - stored)), 1e-14 * stored0);
        expect_at_most(fabs(out.load.work_dissipated - (stored - stored1)), 1e-14 * stored0);
        expect_at_most(fabs(out.load.work_reversible - (stored1 - stored0)), 1e-14 * stored0);
    }
}

/* A new contact that touches halfway: a stiffness of 2/3 of that at the end, in the mean. */
static void a_new_contact_starts_from_nothing(void **state)
{
    (void)state;
    const tw_contact_law law = hertz_law();
    const tw_vec3 none = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        const double dx = i == 0 ? 1e-5 : 1e-3;
        const outcome out = advance(&law, -z, z, none, tw_vec3_make(dx, 0.0, 0.0));
        const double stick = 2.0 / 3.0 * k * 0.5 * dx, ft = fmin(stick, limit);
        expect_force(out.memory.ft, ft, 0.0);
        assert_true(out.load.alpha_o == 0.5 && out.load.sliding == i);
        /* grows as zeta^(3/2): 2/5 of the end value in the mean */
        expect_at_most(fabs(out.load.work_tangential - 0.4 * ft * 0.5 * dx), 1e-8 * limit * dx);
        const double stored = ft * ft / (2.0 * k);
        expect_at_most(fabs(out.load.work_reversible - stored), 1e-14 * stored);
    }
}

static void without_friction_or_stiffness_no_force_arises(void **state)
{
    (void)state;
    const tw_vec3 none = {0.0, 0.0, 0.0}, du = {1e-3, 0.0, 0.0};
    for (int i = -1; i < 3; i++) {
        tw_contact_law law = hertz_law();
        law.mu = 0.0;
        outcome out = advance(&law, z, z * (1.0 + 0.5 * i), none, du);
        expect_force(out.memory.ft, 0.0, 0.0);
        assert_true(out.load.work_tangential == 0.0 && out.load.work_micro == 0.0);
        law = hertz_law();
        law.kt = 0.0;
        out = advance(&law, z, z * (1.0 + 0.5 * i), none, du);
        expect_force(out.memory.ft, 0.0, 0.0);
        assert_true(out.load.work_tangential == 0.0 && out.load.work_micro == 0.0);
        /* a force that is there stays within the limit and keeps its direction */
        out = advance(&law, z, z * (1.0 + 0.5 * i), tw_vec3_make(30.0, 40.0, 0.0), du);
        const double ft = tw_vec3_norm(out.memory.ft);
        expect_at_most(ft, law.mu * out.load.fn * (1.0 + 1e-15));
        expect_force(out.memory.ft, 0.6 * ft, 0.8 * ft);
        assert_true(isfinite(out.load.work_tangential) && isfinite(out.load.work_dissipated));
    }
}

/* Rests at the limits of all three sliders, to the last bit: it must not creep. */
static void forces_at_their_limits_stay_there(void **state)
{
    (void)state;
    const tw_contact_law law = support_resisting_law(hertz_law());
    tw_contact_memory memory = support_memory(ez, z, tw_vec3_make(30.0, -40.0, 0.0));
    tw_contact_parts extra = {.fr = {18.0, 24.0, 0.0}, .fw = -20.0};
    tw_contact_motion rest = support_motion(ez, z, tw_vec3_make(0.0, 0.0, 0.0));
    tw_contact_load load;
    rest.radius = 0.01;
    for (int i = 0; i < 1000; i++)
        support_advance(&law, &rest, 1.0, &memory, &extra, &load);
    expect_force(memory.ft, 30.0, -40.0); /* some roundings, not one a step */
    expect_force(extra.fr, 18.0, 24.0);
    expect_at_most(fabs(extra.fw + 20.0), 1e-14 * limit);
    assert_true(load.work_tangential == 0.0 && load.work_rolling == 0.0);
    assert_true(load.work_twisting == 0.0);
}

static void a_contact_that_parts_forgets_all(void **state)
{
    (void)state;
    const tw_contact_law law = support_resisting_law(hertz_law());
    const double ends[] = {0.0, -1e-300, -z, -1e3 * z};
    for (int i = 0; i < 4; i++) {
        tw_contact_memory memory = support_memory(ez, z, tw_vec3_make(30.0, -40.0, 0.0));
        tw_contact_parts extra = {.fr = {18.0, 24.0, 0.0}, .fw = -20.0};
        tw_contact_motion motion = support_motion(ez, ends[i], tw_vec3_make(1e-5, 0.0, 0.0));
        tw_contact_load load;
        motion.radius = 0.01;
        motion.turn_p = tw_vec3_make(1e-4, 2e-4, 3e-4);
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        assert_true(tw_vec3_norm(memory.ft) == 0.0 && tw_vec3_norm(extra.fr) == 0.0);
        assert_true(extra.fw == 0.0 && load.fn == 0.0 && load.touching == 0 && load.sliding == 0);
        assert_true(tw_vec3_norm(load.f) == 0.0 && tw_vec3_norm(load.couple) == 0.0);
        /* what was stored is returned as work or lost */
        const double stored = limit * limit / (2.0 * k);
        const double lost = load.work_dissipated + load.work_micro;
        expect_at_most(fabs(load.work_reversible + stored), 1e-14 * stored);
        expect_at_most(fabs(load.work_tangential + stored - lost), 1e-14 * stored);
        const double rolled = 30.0 * 30.0 / (2.0 * 0.9 * k);
        expect_at_most(fabs(load.work_rolling + rolled - load.lost_rolling), 1e-14 * rolled);
        const double twisted = 20.0 * 20.0 / (2.0 * 0.7 * k);
        expect_at_most(fabs(load.work_twisting + twisted - load.lost_twisting), 1e-14 * twisted);
    }
}

/* Overlaps whose powers underflow obey the same law as ordinary ones: scaled in length and force,
 * a step has the same shape. */
static void tiny_overlaps_slide_like_ordinary_ones(void **state)
{
    (void)state;
    const tw_vec3 du = {3e-4, 0.0, 0.0}, ft0 = {0.0, 40.0, 0.0};
    const tw_contact_law law = hertz_law();
    for (int grow = 0; grow < 2; grow++) {
        const double zeta1 = grow ? 2.0 * z : 0.5 * z;
        const outcome right = advance(&law, z, zeta1, ft0, du);
        assert_int_equal(right.load.sliding, 1);
        for (double s = 1e-8; s > 1e-180; s *= 1e-8) {
            const double force = s * sqrt(s);
            const outcome out =
                advance(&law, s * z, s * zeta1, tw_vec3_scale(force, ft0), tw_vec3_scale(s, du));
            const tw_vec3 ft = tw_vec3_scale(1.0 / force, out.memory.ft);
            assert_int_equal(out.load.sliding, 1);
            expect_at_most(support_distance(ft, right.memory.ft), 1e-12 * limit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_constant_overlap_it_is_linear),
        cmocka_unit_test(a_small_change_of_overlap_is_that_of_the_tangent_law),
        cmocka_unit_test(the_conventional_law_adds_and_cuts_back),
        cmocka_unit_test(in_small_steps_the_conventional_law_tends_to_the_exact_one),
        cmocka_unit_test(a_shrinking_circle_pushes_a_resting_force_inwards),
        cmocka_unit_test(a_new_contact_starts_from_nothing),
        cmocka_unit_test(without_friction_or_stiffness_no_force_arises),
        cmocka_unit_test(forces_at_their_limits_stay_there),
        cmocka_unit_test(a_contact_that_parts_forgets_all),
        cmocka_unit_test(tiny_overlaps_slide_like_ordinary_ones),
    };
    return cmocka_run_group_tests_name("contact_hertz", tests, NULL, NULL);
}
