/* SPDX-License-Identifier: BSD-3-Clause */
/* The corners of a step, each with the outcome that mechanics gives in closed form. */
#include "support.h"

static const tw_vec3 ez = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};

/* kn = 1e6, mu = 0.5, zeta = 2e-4: the limit is exactly representable enough for "exactly at it".
 */
static const double kn = 1e6, kt = 0.5e6, mu = 0.5, zeta = 2e-4;

/* A step in the plane of z from force ft0 and overlap zeta0, along x. */
static tw_contact_load along_x(const tw_contact_law *law, double zeta0, double zeta1, tw_vec3 ft0,
                               double dx, tw_contact_memory *memory)
{
    const tw_contact_motion motion = support_motion(ez, zeta1, tw_vec3_make(dx, 0.0, 0.0));
    tw_contact_load load;
    *memory = support_memory(ez, zeta0, ft0);
    tw_contact_advance(law, &motion, 1.0, memory, NULL, &load);
    return load;
}

static void expect_force(tw_vec3 ft, double x, double y, double tolerance)
{
    expect_at_most(support_distance(ft, tw_vec3_make(x, y, 0.0)), tolerance);
}

static void without_friction_there_is_no_tangential_force(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, 0.0);
    tw_contact_memory memory;
    for (int i = -1; i < 2; i++) {
        const double zeta1 = zeta * (1.0 + 0.5 * i);
        const tw_contact_load load = along_x(&law, zeta, zeta1, zero, 1e-3, &memory);
        expect_force(memory.ft, 0.0, 0.0, 0.0);
        assert_true(load.f.x == 0.0 && load.f.y == 0.0 && load.f.z == -kn * zeta1);
        assert_true(load.work_tangential == 0.0 && load.work_dissipated == 0.0);
    }
}

static void without_tangential_stiffness_no_force_arises(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, 0.0, mu);
    tw_contact_memory memory;
    tw_contact_load load = along_x(&law, zeta, 0.1 * zeta, zero, 1e-3, &memory);
    expect_force(memory.ft, 0.0, 0.0, 0.0);
    assert_true(load.work_tangential == 0.0 && load.work_reversible == 0.0);
    /* a force that is there keeps its direction as the circle shrinks onto it */
    load = along_x(&law, zeta, 0.1 * zeta, tw_vec3_make(30.0, 40.0, 0.0), 1e-3, &memory);
    expect_force(memory.ft, 6.0, 8.0, 1e-14); /* rounding of forces of order 10 */
    assert_true(load.sliding == 1 && isfinite(load.work_tangential));
    /* 50 of 100, shrinking by 90: reached at 5/9 */
    expect_at_most(fabs(load.alpha_s - 5.0 / 9.0), 1e-15);
}

static void a_shrinking_circle_pushes_a_resting_force_inwards(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    tw_contact_memory memory;
    const tw_vec3 ft0 = {30.0, 40.0, 0.0};
    const tw_contact_load load = along_x(&law, zeta, 0.1 * zeta, ft0, 0.0, &memory);
    expect_force(memory.ft, 6.0, 8.0, 1e-14); /* rounding of forces of order 10 */
    assert_true(load.sliding == 1 && load.work_tangential == 0.0);
    expect_at_most(fabs(load.alpha_s - 5.0 / 9.0), 1e-15);
    /* (10^2 - 50^2) / (2 kt) comes out of the spring and goes into friction */
    expect_at_most(fabs(load.work_reversible + 2400.0 / (2.0 * kt)), 1e-17);
    expect_at_most(fabs(load.work_dissipated - 2400.0 / (2.0 * kt)), 1e-17);
}

/* From 90 degrees at constant fn: cos = tanh q, sin = 1/cosh q, work = (mu fn)^2/kt ln cosh q. */
static void at_constant_fn_the_force_turns_by_the_gudermannian(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const double limit = mu * kn * zeta;
    tw_contact_memory memory;
    for (double q = 1e-6; q < 700.0; q *= 1.3) {
        const tw_vec3 ft0 = {0.0, limit, 0.0};
        const tw_contact_load load = along_x(&law, zeta, zeta, ft0, q * limit / kt, &memory);
        const double half = sinh(0.5 * q); /* ln cosh q = log1p(2 sinh^2(q/2)) */
        const double work = limit * limit / kt * log1p(2.0 * half * half);
        assert_true(load.sliding == 1 && load.alpha_s == 0.0);
        /* q itself is known to 2e-16 relative, q sech q below 1: a few roundings */
        expect_force(memory.ft, limit * tanh(q), limit / cosh(q), 1e-14 * limit);
        /* the contract of the work */
        expect_at_most(fabs(load.work_tangential - work), 1e-8 * limit * q * limit / kt);
    }
}

static void a_contact_that_starts_at_almost_no_force_is_like_a_fresh_one(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const double limit = mu * kn * zeta;
    tw_contact_memory memory;
    for (double zeta0 = 1e-18; zeta0 >= 0.0; zeta0 = zeta0 > 0.0 ? zeta0 * 1e-60 : -1.0) {
        tw_contact_load load = along_x(&law, zeta0, zeta, zero, 3.0 * limit / kt, &memory);
        expect_force(memory.ft, limit, 0.0, 2e-14 * limit); /* fn0 is at most 1e-14 of fn1 */
        expect_at_most(fabs(load.work_tangential - 1.5 * limit * limit / kt),
                       2e-14 * limit * limit / kt);
        load = along_x(&law, zeta0, zeta, zero, 0.3 * limit / kt, &memory);
        expect_force(memory.ft, 0.3 * limit, 0.0, 2e-14 * limit);
        assert_true(load.sliding == 0 && load.alpha_s == 1.0);
    }
}

static void slip_straight_against_the_movement_keeps_its_direction(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const double limit = mu * kn * zeta, move = 0.2 * limit / kt;
    const tw_vec3 ft0 = {-limit, 0.0, 0.0};
    tw_contact_memory memory;
    /* the circle shrinks by 0.6 of its radius, the spring unloads by 0.2 only: it slides at once */
    const tw_contact_load load = along_x(&law, zeta, 0.4 * zeta, ft0, move, &memory);
    expect_force(memory.ft, -0.4 * limit, 0.0, 1e-15 * limit);
    assert_true(load.sliding == 1 && load.alpha_s == 0.0);
    /* mean of a force that falls linearly: rounding, or the contract where it is integrated */
    expect_at_most(fabs(load.work_tangential + 0.7 * limit * move), 1e-8 * limit * move);
    const double stored = (0.16 - 1.0) * limit * limit / (2.0 * kt);
    expect_at_most(fabs(load.work_dissipated - (-0.7 * limit * move - stored)),
                   1e-8 * limit * move);
}

static void a_force_without_direction_takes_that_of_the_movement(void **state)
{
    (void)state;
    tw_contact_law law = support_law(kn, kt, mu);
    law.refine &= ~(uint32_t)TW_CONTACT_INSTANT; /* it slides from the start, from no force */
    const double limit = mu * kn * zeta;
    tw_contact_memory memory;
    const tw_contact_load load = along_x(&law, zeta, 1.5 * zeta, zero, 10.0 * limit / kt, &memory);
    expect_force(memory.ft, 1.5 * limit, 0.0, 1e-15 * limit);
    assert_true(load.alpha_s == 0.0 && load.sliding == 1);
    expect_at_most(fabs(load.work_tangential / (12.5 * limit * limit / kt) - 1.0), 1e-8);
}

static void a_very_long_slide_ends_along_the_movement(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const double limit = mu * kn * zeta;
    tw_contact_memory memory;
    for (double q = 1e4; q < 1e120; q *= 1e10) {
        for (int i = -1; i < 2; i++) {
            const double zeta1 = zeta * (1.0 + 0.5 * i), turn = i < 0 ? 3.14159 : 1.0;
            const tw_vec3 ft0 = {limit * cos(turn), limit * sin(turn), 0.0};
            const tw_contact_load load = along_x(&law, zeta, zeta1, ft0, q * limit / kt, &memory);
            expect_force(memory.ft, mu * kn * zeta1, 0.0, 1e-15 * limit);
            /* all but a few radii of the way against the full force; the contract is relative */
            const double full = 0.5 * (limit + mu * kn * zeta1) * q * limit / kt;
            expect_at_most(fabs(load.work_tangential / full - 1.0), 20.0 / q + 1e-8);
        }
    }
}

static void an_overlap_of_exactly_zero_is_no_contact(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const tw_vec3 ft0 = {0.0, 0.4 * mu * kn * zeta, 0.0};
    tw_contact_memory memory;
    const tw_contact_load load = along_x(&law, zeta, 0.0, ft0, 1e-5, &memory);
    expect_force(memory.ft, 0.0, 0.0, 0.0);
    assert_true(load.touching == 0 && load.sliding == 0 && load.fn == 0.0);
    assert_true(memory.zeta == 0.0);
    expect_at_most(fabs(load.work_reversible + support_stored(&law, ft0)), 1e-17);
    /* and from there it is fresh, touching at the start of the step */
    const tw_contact_load next = along_x(&law, 0.0, zeta, memory.ft, 1e-5, &memory);
    assert_true(next.alpha_o == 0.0 && next.touching == 1);
    expect_force(memory.ft, kt * 1e-5, 0.0, 1e-15);
}

/* From no force, the spring is loaded until it meets the shrinking circle at 1/(1 + q), then gives
 * all of it to friction, however short that slide is. */
static void an_opening_contact_leaves_nothing_stored(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const double limit = mu * kn * zeta;
    tw_contact_memory memory;
    for (double q = 1e-18; q < 1e3; q *= 10.0) {
        const double move = q * limit / kt, work = 0.5 * limit * move * q / (1.0 + q);
        const tw_contact_load load = along_x(&law, zeta, 0.0, zero, move, &memory);
        expect_force(memory.ft, 0.0, 0.0, 0.0);
        assert_true(load.work_reversible == 0.0);
        assert_true(load.work_dissipated == load.work_tangential);
        /* the contract of the work */
        expect_at_most(fabs(load.work_tangential - work), 1e-8 * limit * move);
    }
}

static void a_contact_that_opened_closes_as_a_fresh_one(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const tw_vec3 ft0 = {0.0, 0.9 * mu * kn * zeta, 0.0};
    tw_contact_memory old, fresh;
    along_x(&law, zeta, -0.5 * zeta, ft0, 1e-5, &old);
    expect_force(old.ft, 0.0, 0.0, 0.0);
    const tw_contact_motion closing = support_motion(ez, zeta, tw_vec3_make(1e-5, 2e-5, 0.0));
    tw_contact_load a, b;
    fresh = support_memory(ez, -0.5 * zeta, zero);
    tw_contact_advance(&law, &closing, 1.0, &old, NULL, &a);
    tw_contact_advance(&law, &closing, 1.0, &fresh, NULL, &b);
    assert_memory_equal(&a, &b, sizeof a);
    expect_at_most(fabs(a.alpha_o - 1.0 / 3.0), 1e-15);
    expect_force(old.ft, kt * 1e-5 * 2.0 / 3.0, kt * 2e-5 * 2.0 / 3.0, 1e-14);
}

static void a_pair_that_never_touches_does_nothing(void **state)
{
    (void)state;
    tw_contact_law law = support_law(kn, kt, mu);
    law.nu_n = 10.0;
    tw_contact_memory memory;
    const tw_contact_load load = along_x(&law, -zeta, -2.0 * zeta, zero, 1e-2, &memory);
    assert_true(load.touching == 0 && load.sliding == 0 && load.fn == 0.0);
    assert_true(load.f.x == 0.0 && load.f.y == 0.0 && load.f.z == 0.0);
    assert_true(load.work_normal == 0.0 && load.work_tangential == 0.0);
    assert_true(load.work_viscous == 0.0 && load.work_dissipated == 0.0);
}

/* Rests at the limit, to the last bit or one ulp beyond it: it must not creep. */
static void a_force_at_the_limit_stays_there(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    tw_contact_memory memory = support_memory(ez, zeta, tw_vec3_make(60.0, -80.0, 0.0));
    const tw_contact_motion rest = support_motion(ez, zeta, zero);
    tw_contact_load load;
    for (int i = 0; i < 1000; i++)
        tw_contact_advance(&law, &rest, 1.0, &memory, NULL, &load);
    expect_force(memory.ft, 60.0, -80.0, 1e-13); /* at most one rounding, not one a step */
    assert_true(load.work_tangential == 0.0);
}

/* Already at the limit, but the movement leads inwards: elastic until it meets the far side. */
static void a_movement_into_the_circle_is_elastic_first(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kt, mu);
    const double limit = mu * kn * zeta;
    tw_contact_memory memory;
    const tw_vec3 ft0 = {-0.6 * limit, 0.8 * limit, 0.0};
    const tw_contact_load load = along_x(&law, zeta, zeta, ft0, 2.4 * limit / kt, &memory);
    /* leaves the circle at x = +0.6, after 1.2 of 2.4; then slides by q = 1.2 from atan(0.8/0.6) */
    const double t = 0.5 * exp(-1.2); /* tan of half that angle is 0.8/(1 + 0.6) */
    assert_true(load.sliding == 1);
    expect_at_most(fabs(load.alpha_s - 0.5), 1e-15);
    expect_force(memory.ft, limit * (1.0 - t * t) / (1.0 + t * t), limit * 2.0 * t / (1.0 + t * t),
                 1e-14 * limit); /* rounding */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_friction_there_is_no_tangential_force),
        cmocka_unit_test(without_tangential_stiffness_no_force_arises),
        cmocka_unit_test(a_shrinking_circle_pushes_a_resting_force_inwards),
        cmocka_unit_test(at_constant_fn_the_force_turns_by_the_gudermannian),
        cmocka_unit_test(a_contact_that_starts_at_almost_no_force_is_like_a_fresh_one),
        cmocka_unit_test(slip_straight_against_the_movement_keeps_its_direction),
        cmocka_unit_test(a_force_without_direction_takes_that_of_the_movement),
        cmocka_unit_test(a_very_long_slide_ends_along_the_movement),
        cmocka_unit_test(an_overlap_of_exactly_zero_is_no_contact),
        cmocka_unit_test(an_opening_contact_leaves_nothing_stored),
        cmocka_unit_test(a_contact_that_opened_closes_as_a_fresh_one),
        cmocka_unit_test(a_pair_that_never_touches_does_nothing),
        cmocka_unit_test(a_force_at_the_limit_stays_there),
        cmocka_unit_test(a_movement_into_the_circle_is_elastic_first),
    };
    return cmocka_run_group_tests_name("contact_corners", tests, NULL, NULL);
}
