/* SPDX-License-Identifier: BSD-3-Clause */
/* The constants of a law: which are valid, what they are called, and those that follow from radius
 * and mass. */
#include <string.h>

#include "support.h"

static const tw_vec3 zero = {0.0, 0.0, 0.0};

static tw_contact_law hertz_law(void)
{
    return support_hertz_like(support_law(1e6, 0.8e6, 0.5), 1e-4);
}

static void expect_refusal(tw_contact_law law, const char *key)
{
    const char *why = tw_contact_law_check(&law);
    assert_non_null(why);
    assert_non_null(strstr(why, key));
}

static void a_law_that_cannot_be_is_refused_by_the_name_of_its_key(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1.0, -5e-324};
    const tw_contact_law good = support_law(1.0, 1.0, 0.5);
    assert_null(tw_contact_law_check(&good));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_contact_law law = good;
        law.kn = bad[i];
        expect_refusal(law, "kn");
        law = good;
        law.kt = bad[i];
        expect_refusal(law, "kt");
        law = good;
        law.mu = bad[i];
        expect_refusal(law, "mu");
        double *const others[] = {&law.nu_n, &law.nu_t, &law.k_r,  &law.mu_r,
                                  &law.nu_r, &law.k_w,  &law.mu_w, &law.nu_w};
        static const char *const keys[] = {"nu_n", "nu_t", "k_r",  "mu_r",
                                           "nu_r", "k_w",  "mu_w", "nu_w"};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            law = good;
            *others[k] = bad[i];
            expect_refusal(law, keys[k]);
        }
    }
    expect_refusal(support_law(0.0, 1.0, 0.5), "kn");
    expect_refusal(tw_contact_law_default(), "kn");
    tw_contact_law law = good;
    for (int32_t kind = -1; kind <= TW_CONTACT_KINDS; kind += TW_CONTACT_KINDS + 1) {
        law.kind = kind;
        expect_refusal(law, "kind");
    }
    law = good;
    law.refine = TW_CONTACT_ALL + 1u;
    expect_refusal(law, "refine");
    law.refine = 0x80000000u;
    expect_refusal(law, "refine");
    law = good;
    for (int32_t normal = -1; normal <= TW_CONTACT_NORMALS; normal += TW_CONTACT_NORMALS + 1) {
        law.normal = normal;
        expect_refusal(law, "normal");
    }
    law = good;
    law.flags = 16;
    expect_refusal(law, "flags");
    law = good;
    law.kind = TW_CONTACT_PAPER;
    law.normal = TW_CONTACT_HERTZ;
    expect_refusal(law, "paper");
}

static void zero_is_allowed_where_it_means_something(void **state)
{
    (void)state;
    tw_contact_law law = support_law(5e-324, 0.0, 0.0);
    law.refine = 0;
    assert_null(tw_contact_law_check(&law));
    law = support_law(DBL_MAX, DBL_MAX, DBL_MAX);
    assert_null(tw_contact_law_check(&law));
}

static void names_round_trip(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++)
        assert_int_equal(tw_contact_kind_named(tw_contact_kind_name(kind)), kind);
    assert_string_equal(tw_contact_kind_name(TW_CONTACT_EXACT), "exact");
    assert_string_equal(tw_contact_kind_name(TW_CONTACT_PAPER), "paper");
    assert_string_equal(tw_contact_kind_name(TW_CONTACT_CONVENTIONAL), "conventional");
    assert_int_equal(tw_contact_kind_named("exac"), -1);
    assert_int_equal(tw_contact_kind_named("Exact"), -1);
    assert_int_equal(tw_contact_kind_named(""), -1);
    for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++)
        assert_int_equal(tw_contact_normal_named(tw_contact_normal_name(normal)), normal);
    assert_string_equal(tw_contact_normal_name(TW_CONTACT_HERTZ), "hertz");
    assert_int_equal(tw_contact_normal_named("Hertz"), -1);
    uint32_t all = 0;
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        const char *name = tw_contact_refinement_name(bit);
        if (name == NULL) continue;
        assert_int_equal(tw_contact_refinement_named(name), bit);
        all |= bit;
    }
    assert_int_equal(all, TW_CONTACT_ALL);
    assert_string_equal(tw_contact_refinement_name(TW_CONTACT_TWIRL), "twirl");
    assert_null(tw_contact_refinement_name(0));
    assert_null(tw_contact_refinement_name(3));
    assert_int_equal(tw_contact_refinement_named("twist"), 0);
}

/* What a law remembers beyond the tangential force. */
static void only_what_a_law_needs_is_remembered(void **state)
{
    (void)state;
    tw_contact_law law = support_law(1.0, 1.0, 0.5);
    assert_int_equal(tw_contact_law_extras(&law), 0);
    law.normal = TW_CONTACT_HERTZ;
    assert_int_equal(tw_contact_law_extras(&law), 0);
    law.mu_r = law.k_r = 1.0;
    assert_int_equal(tw_contact_law_extras(&law), TW_CONTACT_EXTRA_ROLLING);
    law.mu_w = law.k_w = 1.0;
    assert_int_equal(tw_contact_law_extras(&law),
                     TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING);
    law.mu_r = 0.0;
    law.nu_n = 1.0;
    assert_int_equal(tw_contact_law_extras(&law),
                     TW_CONTACT_EXTRA_TWISTING | TW_CONTACT_EXTRA_DAMPING);
}

static tw_contact_law sized_law(uint32_t flags)
{
    tw_contact_law law = support_resisting_law(hertz_law());
    law.nu_n = 0.1;
    law.nu_t = 0.2;
    law.nu_r = 0.3;
    law.nu_w = 0.4;
    law.flags = flags;
    return law;
}

static void expect_ratio(double value, double right)
{
    expect_at_most(fabs(value - right), 4e-16 * right);
}

static void constants_follow_from_radius_and_mass(void **state)
{
    (void)state;
    const double radius = 0.03, mass = 0.7, root = sqrt(radius), hertz = 2.0 * sqrt(5.0 / 6.0);
    const tw_contact_law plain = sized_law(TW_CONTACT_NO_TENSION);
    const tw_contact_law same = tw_contact_law_at(&plain, radius, mass, 1.0);
    assert_memory_equal(&plain, &same, sizeof plain);
    const tw_contact_law law =
        sized_law(TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS | TW_CONTACT_NO_TENSION);
    const tw_contact_law at = tw_contact_law_at(&law, radius, mass, 1.0);
    assert_int_equal(at.flags, TW_CONTACT_NO_TENSION);
    expect_ratio(at.kn, law.kn * root);
    expect_ratio(at.kt, law.kt * root);
    expect_ratio(at.k_r, law.k_r * root);
    expect_ratio(at.k_w, law.k_w * root);
    assert_true(at.mu == law.mu && at.mu_r == law.mu_r && at.mu_w == law.mu_w);
    /* the tangent stiffness is 1.5 fn/zeta */
    expect_at_most(fabs(at.nu_n / (hertz * 0.1 * sqrt(mass * 1.5 * at.kn)) - 1.0), 1e-15);
    expect_at_most(fabs(at.nu_t / (hertz * 0.2 * sqrt(mass * at.kt)) - 1.0), 1e-15);
    expect_at_most(fabs(at.nu_r / (hertz * 0.3 * sqrt(mass * at.k_r)) - 1.0), 1e-15);
    expect_at_most(fabs(at.nu_w / (hertz * 0.4 * sqrt(mass * at.k_w)) - 1.0), 1e-15);
    tw_contact_law linear = law;
    linear.normal = TW_CONTACT_LINEAR;
    linear.flags = TW_CONTACT_BY_MASS;
    const tw_contact_law heavy = tw_contact_law_at(&linear, radius, mass, 1.0);
    expect_at_most(fabs(heavy.nu_n / (0.2 * sqrt(mass * linear.kn)) - 1.0), 1e-15);
    expect_at_most(fabs(heavy.nu_t / (0.4 * sqrt(mass * linear.kt)) - 1.0), 1e-15);
    assert_true(heavy.kn == linear.kn && heavy.k_w == linear.k_w && heavy.flags == 0);
    /* no damping without mass */
    assert_true(tw_contact_law_at(&law, radius, 0.0, 1.0).nu_n == 0.0);
}

/* kn = 2 E R1 R2/(R1 + R2) of two spheres, 2 E R1 at a plane; the factor is rounded as a square. */
static void linear_stiffness_follows_the_reduced_radius(void **state)
{
    (void)state;
    support_random random = {96};
    for (int i = 0; i < 1000; i++) {
        const double e = support_log_uniform(&random, 1e6, 1e11);
        const double r1 = support_log_uniform(&random, 1e-5, 1.0);
        const double r2 = r1 * support_log_uniform(&random, 1e-2, 1e2);
        tw_contact_law law = sized_law(TW_CONTACT_BY_RADIUS);
        law.normal = TW_CONTACT_LINEAR;
        law.kn = 2.0 * e;
        law.kt = 0.1177 * law.kn;
        const tw_contact_pair pair = {{r1 + r2 - 1e-3 * r1, 0.0, 0.0}, zero, zero, r1, r2, 0.0};
        tw_contact_memory memory = tw_contact_memory_fresh(pair.branch, r1, r2);
        const tw_contact_motion motion = tw_contact_pair_motion(law.kind, &pair, &memory);
        tw_contact_parts extra = {.fw = 0.0};
        tw_contact_load load;
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        const double kn = 2.0 * e * r1 * r2 / (r1 + r2);
        expect_at_most(fabs(load.fn - kn * motion.zeta), 2e-15 * kn * motion.zeta);
        const tw_contact_law at = tw_contact_law_at(&law, motion.radius, 0.0, motion.ratio);
        expect_at_most(fabs(at.kt - 0.1177 * kn), 2e-15 * kn);
        const tw_contact_law plane = tw_contact_law_at(&law, r1, 0.0, 0.0);
        expect_at_most(fabs(plane.kn - 2.0 * e * r1), 2e-15 * plane.kn);
    }
}

/* The couple of a rolled and twisted contact: k R1 R2 times the angle until its limit, mu fn
 * min(R1, R2). At a plane the radius of the sphere stands for both. */
static void levers_of_yade_are_the_product_and_the_smaller_radius(void **state)
{
    (void)state;
    support_random random = {97};
    int limited = 0;
    for (int i = 0; i < 2000; i++) {
        const double r1 = support_log_uniform(&random, 1e-3, 1.0);
        const double r2 = r1 * support_log_uniform(&random, 1e-1, 1e1), zeta = 1e-3 * r1;
        const double angle = support_log_uniform(&random, 1e-6, 1e-2);
        const double k = support_uniform(&random, 0.1, 10.0), mu = 0.4;
        const int twists = i % 2, plane = i % 5 == 0;
        tw_contact_law law = support_law(2.0, 1.0, 0.5);
        law.flags = TW_CONTACT_YADE_LEVERS;
        law.k_r = law.k_w = k;
        law.mu_r = law.mu_w = mu;
        const tw_vec3 n = {1.0, 0.0, 0.0};
        tw_contact_motion motion = support_motion(n, zeta, zero);
        motion.turn_q = twists ? tw_vec3_make(angle, 0.0, 0.0) : tw_vec3_make(0.0, angle, 0.0);
        motion.radius = plane ? r1 : r1 * r2 / (r1 + r2);
        motion.ratio = plane ? 0.0 : r1 < r2 ? r1 / r2 : r2 / r1;
        tw_contact_memory memory = support_memory(n, zeta, zero);
        tw_contact_parts extra = {.fw = 0.0};
        tw_contact_load load;
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        const double product = plane ? r1 * r1 : r1 * r2, smaller = plane || r1 < r2 ? r1 : r2;
        const double limit = mu * load.fn * smaller, elastic = k * product * angle;
        const double couple = sqrt(tw_vec3_dot(load.couple, load.couple));
        const double right = elastic < limit ? elastic : limit;
        limited += elastic > limit;
        /* half angles as tangents: a relative angle^2/12 */
        expect_at_most(fabs(couple - right), (1e-13 + angle * angle) * right);
    }
    assert_true(limited > 200 && limited < 1800);
}

/* The kernel takes radius and mass from the motion, to the bit. */
static void a_step_takes_radius_and_mass_from_its_motion(void **state)
{
    (void)state;
    support_random random = {95};
    for (int i = 0; i < 1000; i++) {
        tw_contact_law law = sized_law(TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS);
        if (i % 4 == 0) law.kind = TW_CONTACT_CONVENTIONAL;
        tw_contact_memory a = support_memory(support_unit(&random), 1e-4, zero), b;
        tw_contact_parts extra_a = {.fw = 0.1}, extra_b = extra_a;
        tw_contact_motion motion = support_motion(a.n, 1e-4, support_vector(&random, 1e-7, 1e-4));
        motion.zeta *= support_uniform(&random, -0.2, 2.0);
        motion.radius = support_log_uniform(&random, 1e-3, 1.0);
        motion.mass = support_log_uniform(&random, 1e-3, 1.0);
        motion.turn_p = support_vector(&random, 1e-5, 1e-2);
        b = a;
        const tw_contact_law at = tw_contact_law_at(&law, motion.radius, motion.mass, 1.0);
        tw_contact_load one, two;
        support_advance(&law, &motion, 1e-3, &a, &extra_a, &one);
        support_advance(&at, &motion, 1e-3, &b, &extra_b, &two);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&extra_a, &extra_b, sizeof extra_a);
        assert_memory_equal(&one, &two, sizeof one);
    }
}

/* Velocity at which a collision ends: m z'' + nu z^(1/4) z' + kn z^(3/2) = 0, or without the
 * powers, from z = 0 at velocity 1 until z = 0 again or, without tension, until the force
 * is 0, by Runge-Kutta steps. */
static double restitution(const tw_contact_law *law, double mass)
{
    const int hertz = law->normal == TW_CONTACT_HERTZ;
    const int tension = !(law->flags & TW_CONTACT_NO_TENSION);
    const double unit = hertz ? pow(mass / law->kn, 0.4) : sqrt(mass / law->kn);
    double z = 0.0, v = 1.0;
    for (;;) {
        /* shorter towards z = 0, where z^(1/4) is steep */
        const double h = fmin(1e-5 * unit + 0.02 * z / (fabs(v) + 0.1), 2e-3 * unit);
        double dz[4], dv[4], at_z = z, at_v = v;
        const double reach[3] = {0.5 * h, 0.5 * h, h};
        for (int i = 0; i < 4; i++) {
            const double deep = fmax(at_z, 0.0), root = sqrt(deep);
            const double spring = law->kn * deep * (hertz ? root : 1.0);
            const double drag = law->nu_n * (hertz ? sqrt(root) : 1.0) * at_v;
            dz[i] = at_v;
            dv[i] = -(tension ? spring + drag : fmax(spring + drag, 0.0)) / mass;
            at_z = z + (i < 3 ? reach[i] : 0.0) * dz[i];
            at_v = v + (i < 3 ? reach[i] : 0.0) * dv[i];
        }
        const double old_z = z, old_v = v;
        z += h / 6.0 * (dz[0] + 2.0 * dz[1] + 2.0 * dz[2] + dz[3]);
        v += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
        /* to z = 0 at the mean acceleration */
        if (z <= 0.0) return -(old_v + (v - old_v) * old_z / (old_z - z));
    }
}

static void the_damping_ratio_gives_the_restitution(void **state)
{
    (void)state;
    /* ratios beyond 1 from e = exp(-2) on */
    const double es[] = {0.99, 0.9, 0.5, 0.2, 0.13, 0.02};
    for (int i = 0; i < 24; i++) {
        const uint32_t flags = i < 12 ? 0 : TW_CONTACT_NO_TENSION;
        const double e = es[i / 2 % 6], ratio = tw_contact_law_damping_ratio(e, flags);
        assert_true(tw_contact_law_damping_ratio(1.0, flags) == 0.0);
        if (flags == 0)
            expect_at_most(fabs(ratio + log(e) / sqrt(SUPPORT_PI * SUPPORT_PI + log(e) * log(e))),
                           1e-15);
        tw_contact_law law = i % 2 ? hertz_law() : support_law(1e6, 0.8e6, 0.5);
        law.nu_n = ratio;
        law.flags = TW_CONTACT_BY_MASS | flags;
        const tw_contact_law at = tw_contact_law_at(&law, 0.01, 0.3, 1.0);
        const double found = restitution(&at, 0.3);
        print_message("%s%s: e %g, ratio %.3f, found %.8f\n", tw_contact_normal_name(law.normal),
                      flags ? ", no tension" : "", e, ratio, found);
        /* the shortest step is 1e-5 of the time scale, its error about its 5/4th power */
        expect_at_most(fabs(found - e), 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_that_cannot_be_is_refused_by_the_name_of_its_key),
        cmocka_unit_test(zero_is_allowed_where_it_means_something),
        cmocka_unit_test(names_round_trip),
        cmocka_unit_test(only_what_a_law_needs_is_remembered),
        cmocka_unit_test(constants_follow_from_radius_and_mass),
        cmocka_unit_test(linear_stiffness_follows_the_reduced_radius),
        cmocka_unit_test(levers_of_yade_are_the_product_and_the_smaller_radius),
        cmocka_unit_test(a_step_takes_radius_and_mass_from_its_motion),
        cmocka_unit_test(the_damping_ratio_gives_the_restitution),
    };
    return cmocka_run_group_tests_name("contact_law", tests, NULL, NULL);
}
