/* SPDX-License-Identifier: BSD-3-Clause */
/* Hertz contacts: their limit for small changes of overlap is a linear law, and the conventional
 * law does what it says. */
#include "support.h"

static const tw_vec3 ez = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};

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
    const double z = 1e-4, limit = 50.0;
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
        const double limit = law.mu * law.kn * z1 * sqrt(z1), kt = law.kt * sqrt(z1);
        tw_vec3 ft = tw_vec3_add_scaled(tw_vec3_scale(shrink, ft0), kt, du);
        const double size = tw_vec3_norm(ft);
        if (size > limit) ft = tw_vec3_scale(limit / size, ft);
        slides += out.load.sliding;
        assert_true(out.load.sliding == (size > limit));
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
        for (int k = 0; k < 2; k++) {
            const int steps = k ? 8000 : 1000;
            tw_vec3 ft = ft0;
            for (int j = 0; j < steps; j++)
                ft = advance(&law, z0 + (z1 - z0) * j / steps, z0 + (z1 - z0) * (j + 1) / steps, ft,
                             tw_vec3_scale(1.0 / steps, du))
                         .memory.ft;
            error[k] = support_most(error[k], support_distance(ft, right.memory.ft) / 50.0);
        }
    }
    print_message("conventional in 1000 and 8000 steps: %.2e, %.2e\n", error[0], error[1]);
    expect_at_most(error[0], 5e-3);
    expect_at_most(fabs(log2(error[0] / error[1]) - 3.0), 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_constant_overlap_it_is_linear),
        cmocka_unit_test(a_small_change_of_overlap_is_that_of_the_tangent_law),
        cmocka_unit_test(the_conventional_law_adds_and_cuts_back),
        cmocka_unit_test(in_small_steps_the_conventional_law_tends_to_the_exact_one),
    };
    return cmocka_run_group_tests_name("contact_hertz", tests, NULL, NULL);
}
