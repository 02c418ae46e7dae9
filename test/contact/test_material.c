/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials: rules of mixing, against closed forms, and the checks. */
#include "support.h"

#include <string.h>

#include <twirl/material.h>

static const double pi = 3.14159265358979323846;

static tw_material glass(void)
{
    tw_material m = tw_material_default();
    m.normal = TW_CONTACT_HERTZ;
    m.young = 70e9;
    m.poisson = 0.22;
    m.friction = 0.3;
    return m;
}

static tw_material spring(double kn, double kt)
{
    tw_material m = tw_material_default();
    m.kn = kn;
    m.kt = kt;
    m.friction = 0.5;
    return m;
}

static tw_contact_law law_of(const tw_material *a, const tw_material *b)
{
    tw_contact_law law;
    const char *why = tw_material_pair_law(a, b, &law);
    if (why) fail_msg("%s", why);
    return law;
}

static void is_close(double a, double b)
{
    if (!(fabs(a - b) <= 1e-14 * fabs(b))) fail_msg("%.17g is not %.17g", a, b);
}

/* Two grains of one linear material have its constants, to the bit. */
static void linear_material_keeps_its_constants(void **state)
{
    (void)state;
    tw_material m = spring(1.0 / 3.0 * 1e6, 7.0e5 / 9.0);
    m.nu_n = 0.1;
    m.nu_t = 0.7;
    const tw_contact_law law = law_of(&m, &m);
    assert_true(law.kn == m.kn && law.kt == m.kt && law.nu_n == m.nu_n && law.nu_t == m.nu_t);
    assert_true(law.mu == 0.5 && law.flags == 0 && law.normal == TW_CONTACT_LINEAR);
    assert_int_equal(law.kind, TW_CONTACT_EXACT);
    assert_int_equal(law.refine, TW_CONTACT_ALL);
}

/* The compliance of the pair is the mean of both; a rigid partner doubles the stiffness. */
static void linear_springs_are_in_series(void **state)
{
    (void)state;
    tw_material a = spring(1e6, 2e6), b = spring(3e6, 5e5), rigid = spring(1e30, 1e30);
    b.friction = 0.2;
    b.no_tension = 1;
    const tw_contact_law law = law_of(&a, &b), back = law_of(&b, &a);
    is_close(1.0 / law.kn, 0.5 * (1.0 / a.kn + 1.0 / b.kn));
    is_close(1.0 / law.kt, 0.5 * (1.0 / a.kt + 1.0 / b.kt));
    is_close(law_of(&a, &rigid).kn, 2e6);
    assert_true(law.mu == 0.2);
    assert_int_equal(law.flags, TW_CONTACT_NO_TENSION);
    assert_memory_equal(&law, &back, sizeof law);
}

/* Two equal spheres: 2 E* (1 - nu^2) = E, 4 G* (2 - nu) (1 + nu) = E; at a rigid body twice that.
 */
static void hertz_constants_are_those_of_the_textbook(void **state)
{
    (void)state;
    const tw_material m = glass();
    tw_material rigid = m;
    rigid.young = 1e40;
    const double nu = m.poisson, radius = 0.5e-3;
    const double e = m.young / (2.0 * (1.0 - nu * nu));
    const double g = m.young / (4.0 * (2.0 - nu) * (1.0 + nu));
    const tw_contact_law law = law_of(&m, &m), wall = law_of(&m, &rigid);
    assert_int_equal(law.flags, TW_CONTACT_BY_RADIUS);
    const tw_contact_law at = tw_contact_law_at(&law, radius, 1.0, 1.0);
    is_close(at.kn, 4.0 / 3.0 * e * sqrt(radius));
    is_close(at.kt, 8.0 * g * sqrt(radius));
    is_close(at.kt / at.kn, 6.0 * g / e);
    is_close(at.k_r, at.kt);
    assert_int_equal(at.flags, 0);
    is_close(wall.kn, 2.0 * law.kn);
    is_close(wall.kt, 2.0 * law.kt);
}

/* Restitution 0.5 and 0.8: that of the pair is their geometric mean; e^(-pi z/sqrt(1 - z^2)) is the
 * restitution of a damped oscillator with damping ratio z. */
static void damping_follows_from_restitution(void **state)
{
    (void)state;
    tw_material a = spring(1e6, 1e6), b = spring(4e6, 4e6);
    a.restitution = 0.5;
    b.restitution = 0.8;
    a.tangential_damping = 0.2;
    b.rolling_friction = a.rolling_friction = 0.1;
    b.rolling_damping = 0.4;
    a.kr_ratio = 3.0;
    const tw_contact_law law = law_of(&a, &b);
    const double z = law.nu_n;
    is_close(exp(-pi * z / sqrt(1.0 - z * z)), sqrt(0.5 * 0.8));
    is_close(law.nu_t, 0.1);
    is_close(law.nu_r, 0.2);
    is_close(law.k_r, 2.0 * law.kt);
    assert_int_equal(law.flags, TW_CONTACT_BY_MASS);
    const tw_contact_law at = tw_contact_law_at(&law, 1.0, 0.03, 1.0);
    is_close(at.nu_n, 2.0 * z * sqrt(0.03 * law.kn));
    is_close(at.nu_t, 2.0 * 0.1 * sqrt(0.03 * law.kt));
    is_close(at.nu_r, 2.0 * 0.2 * sqrt(0.03 * law.k_r));
    assert_true(tw_contact_law_damping_ratio(1.0, 0) == 0.0);
}

/* Hertz: nu_n zeta^(1/4) = 2 sqrt(5/6) ratio sqrt(mass (3/2) kn zeta^(1/2)). */
static void damping_of_hertz_uses_the_tangent(void **state)
{
    (void)state;
    tw_material m = glass();
    m.restitution = 0.9;
    m.tangential_damping = 0.3;
    const tw_contact_law law = law_of(&m, &m), at = tw_contact_law_at(&law, 1e-3, 2e-5, 1.0);
    const double zeta = 1e-6, root = sqrt(zeta), z = tw_contact_law_damping_ratio(0.9, 0);
    is_close(at.nu_n * sqrt(root), 2.0 * sqrt(5.0 / 6.0) * z * sqrt(2e-5 * 1.5 * at.kn * root));
    is_close(at.nu_t * sqrt(root), 2.0 * sqrt(5.0 / 6.0) * 0.3 * sqrt(2e-5 * at.kt * root));
    assert_int_equal(law.flags, TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS);
}

static void refuses(tw_material m, const char *text)
{
    const char *why = tw_material_check(&m);
    if (!why || !strstr(why, text)) fail_msg("'%s', not '%s'", why ? why : "accepted", text);
}

static void bad_materials_are_refused(void **state)
{
    (void)state;
    const double nan_value = (double)NAN, infinite = (double)INFINITY;
    tw_material m = spring(1e6, 1e6), h = glass();
    assert_null(tw_material_check(&m));
    assert_null(tw_material_check(&h));
#define BAD(base, member, value, text)                                                             \
    do {                                                                                           \
        tw_material bad = base;                                                                    \
        bad.member = value;                                                                        \
        refuses(bad, text);                                                                        \
    } while (0)
    BAD(m, kn, 0.0, "kn must be");
    BAD(m, kn, nan_value, "kn must be");
    BAD(m, kt, -1.0, "kt must be");
    BAD(m, friction, infinite, "friction must be");
    BAD(m, restitution, 0.0, "restitution must be");
    BAD(m, restitution, 1.5, "restitution must be");
    BAD(m, kr_ratio, -1.0, "kr_ratio must be");
    BAD(m, twisting_damping, nan_value, "twisting_damping must be");
    BAD(m, normal, 2, "normal must be");
    BAD(h, young, 0.0, "young must be");
    BAD(h, poisson, 0.6, "poisson must be");
    BAD(h, nu_t, 1.0, "for linear springs");
#undef BAD
    m.nu_n = 1.0;
    m.restitution = 0.5;
    refuses(m, "not both");
}

static void pairs_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    tw_contact_law law;
    tw_material a = spring(1e6, 1e6), b = a;
    const tw_material h = glass();
    assert_non_null(strstr(tw_material_pair_law(&a, &h, &law), "same normal law"));
    a.nu_n = 1.0;
    assert_null(tw_material_pair_law(&a, &b, &law)); /* one without damping goes with both */
    assert_true(law.nu_n == 0.0);                    /* no dashpot in a series: none at all */
    b.restitution = 0.5;
    assert_non_null(strstr(tw_material_pair_law(&a, &b, &law), "same form"));
    a = b = spring(1e6, 1e6);
    b.kn = b.kt = 0.0;
    b.modulus = 1e8;
    assert_non_null(strstr(tw_material_pair_law(&a, &b, &law), "modulus, or kn and kt"));
    a = b;
    b.yade_levers = 1;
    assert_non_null(strstr(tw_material_pair_law(&a, &b, &law), "same levers"));
}

/* Two equal grains of radius R: kn = E R. */
static void a_modulus_gives_the_stiffness_by_radius(void **state)
{
    (void)state;
    tw_material a = spring(0.0, 0.0), b;
    a.modulus = 3e8;
    a.kt_ratio = 0.25;
    b = a;
    b.modulus = 1e8;
    const double radius = 2e-3;
    const tw_contact_law law = law_of(&a, &a), mixed = law_of(&a, &b);
    const tw_contact_law at = tw_contact_law_at(&law, 0.5 * radius, 0.0, 1.0);
    assert_int_equal(law.flags, TW_CONTACT_BY_RADIUS);
    is_close(at.kn, 3e8 * radius);
    is_close(at.kt, 0.25 * 3e8 * radius);
    is_close(mixed.kn, 2.0 * 1.5e8);
    a.kn = 1.0;
    refuses(a, "takes the place of kn and kt");
    a.kn = 0.0;
    a.modulus = -1.0;
    refuses(a, "modulus must be");
    a = glass();
    a.modulus = 1.0;
    refuses(a, "for linear springs");
}

/* The parts of a contact's memory follow from what acts. */
static void extras_follow_from_the_law(void **state)
{
    (void)state;
    tw_contact_law law = tw_contact_law_default();
    law.kn = law.kt = law.k_r = law.k_w = 1.0;
    law.nu_r = law.nu_w = 1.0;
    assert_int_equal(tw_contact_law_extras(&law), 0);
    law.mu_r = 0.1;
    assert_int_equal(tw_contact_law_extras(&law),
                     TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_ROLLING_DAMPING);
    law.mu_r = 0.0;
    law.mu_w = 0.1;
    law.nu_w = 0.0;
    law.nu_t = 1.0;
    assert_int_equal(tw_contact_law_extras(&law),
                     TW_CONTACT_EXTRA_TWISTING | TW_CONTACT_EXTRA_DAMPING);
}

static void bad_laws_are_refused(void **state)
{
    (void)state;
    tw_contact_law good = tw_contact_law_default(), law;
    good.kn = 1.0;
    assert_null(tw_contact_law_check(&good));
    double *numbers[] = {&law.kn,   &law.kt,   &law.mu,  &law.nu_n, &law.nu_t, &law.k_r,
                         &law.mu_r, &law.nu_r, &law.k_w, &law.mu_w, &law.nu_w};
    static const char *const names[] = {"kn must",   "kt must",   "mu must",   "nu_n must",
                                        "nu_t must", "k_r must",  "mu_r must", "nu_r must",
                                        "k_w must",  "mu_w must", "nu_w must"};
    const double bad[] = {-1.0, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            law = good;
            *numbers[k] = bad[i];
            const char *why = tw_contact_law_check(&law);
            assert_non_null(why);
            assert_non_null(strstr(why, names[k]));
        }
    }
    law = good;
    law.normal = 2;
    assert_non_null(strstr(tw_contact_law_check(&law), "normal must"));
    law = good;
    law.flags = 16;
    assert_non_null(strstr(tw_contact_law_check(&law), "flags must"));
    law = good;
    law.flags = TW_CONTACT_BY_RADIUS;
    assert_null(tw_contact_law_check(&law));
    law.normal = TW_CONTACT_HERTZ;
    assert_null(tw_contact_law_check(&law));
    law.kind = TW_CONTACT_PAPER;
    assert_non_null(strstr(tw_contact_law_check(&law), "paper"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_material_keeps_its_constants),
        cmocka_unit_test(linear_springs_are_in_series),
        cmocka_unit_test(hertz_constants_are_those_of_the_textbook),
        cmocka_unit_test(a_modulus_gives_the_stiffness_by_radius),
        cmocka_unit_test(damping_follows_from_restitution),
        cmocka_unit_test(damping_of_hertz_uses_the_tangent),
        cmocka_unit_test(bad_materials_are_refused),
        cmocka_unit_test(pairs_that_do_not_fit_are_refused),
        cmocka_unit_test(extras_follow_from_the_law),
        cmocka_unit_test(bad_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
