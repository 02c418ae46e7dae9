/* SPDX-License-Identifier: BSD-3-Clause */
/* The formulas of the law (twirl/contact_law.h) against each other and against what the kernel
 * does. */
#include <string.h>

#include "support.h"

#include <twirl/contact_law.h>

static tw_contact_law draw_law(support_random *random)
{
    const double kn = support_log_uniform(random, 1e3, 1e9);
    const double kt = support_log_uniform(random, 1e3, 1e9);
    const double mu = support_uniform(random, 0.1, 1.0);
    return support_law(kn, kt, mu);
}

/* Every other one a Hertz law. */
static tw_contact_law draw_any_law(support_random *random, int i)
{
    const tw_contact_law law = draw_law(random);
    return i & 1 ? support_hertz_like(law, 1e-4) : law;
}

static tw_contact_memory draw_memory(support_random *random, const tw_contact_law *law)
{
    const tw_vec3 n = support_unit(random);
    const double zeta = support_log_uniform(random, 1e-6, 1e-3);
    const double ft = support_uniform(random, 0.0, 1.0) * tw_contact_law_friction_limit(law, zeta);
    const tw_vec3 tangent = support_tangent(random, n);
    return support_memory(n, zeta, tw_vec3_scale(ft, tangent));
}

/* To the last bit: what is remembered must act as what was computed. */
static void the_load_of_a_step_is_that_of_its_memory(void **state)
{
    (void)state;
    support_random random = {71};
    for (int i = 0; i < support_count(1000); i++) {
        const tw_contact_law law = draw_any_law(&random, i);
        tw_contact_memory memory = draw_memory(&random, &law);
        const double zeta = memory.zeta * support_uniform(&random, 0.5, 2.0);
        const tw_contact_motion motion =
            support_motion(memory.n, zeta, support_vector(&random, 1e-9, 1e-3));
        tw_contact_load load;
        tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
        const tw_vec3 f = tw_contact_law_elastic_force(&law, &memory);
        const double fn = tw_contact_law_normal_force(&law, memory.zeta);
        const double stored = tw_contact_law_stored_normal(&law, memory.zeta);
        assert_memory_equal(&f, &load.f, sizeof f);
        assert_memory_equal(&fn, &load.fn, sizeof fn);
        assert_memory_equal(&stored, &load.work_normal, sizeof stored);
    }
}

/* Force and stiffness as derivatives of the energy, by central differences: exact for quadratics
 * but for rounding; for other powers off by about a tenth of the square of their relative width. */
static void forces_and_stiffnesses_are_derivatives_of_the_energy(void **state)
{
    (void)state;
    support_random random = {72};
    for (int i = 0; i < support_count(1000); i++) {
        const tw_contact_law law = draw_any_law(&random, i);
        const tw_contact_memory m = draw_memory(&random, &law);
        const int hertz = law.normal == TW_CONTACT_HERTZ;
        const double h = (hertz ? 1e-4 : 0.25) * m.zeta, off = hertz ? 2e-9 : 1e-14;
        const double fn = tw_contact_law_normal_force(&law, m.zeta);
        const double rise = tw_contact_law_stored_normal(&law, m.zeta + h) -
                            tw_contact_law_stored_normal(&law, m.zeta - h);
        expect_at_most(fabs(rise / (2.0 * h) - fn), off * fn);
        const tw_contact_stiffness k = tw_contact_law_stiffness(&law, &m);
        const double steep = tw_contact_law_normal_force(&law, m.zeta + h) -
                             tw_contact_law_normal_force(&law, m.zeta - h);
        expect_at_most(fabs(steep / (2.0 * h) - k.kn), off * k.kn);
        /* A spring of stiffness kt that was stretched by ft/kt. */
        const double ft = tw_vec3_norm(m.ft);
        expect_at_most(
            fabs(tw_contact_law_stored_tangential(&law, m.zeta, m.ft) - 0.5 * ft * (ft / k.kt)),
            1e-14 * ft * ft / k.kt);
    }
}

static void sums_of_terms_give_the_stored_energies(void **state)
{
    (void)state;
    support_random random = {73};
    const tw_contact_law law = draw_law(&random);
    double normal = 0.0, tangential = 0.0, stored = 0.0;
    for (int i = 0; i < 100; i++) {
        const tw_contact_memory m = draw_memory(&random, &law);
        normal += tw_contact_law_normal_term(m.zeta);
        tangential += tw_contact_law_tangential_term(m.ft);
        stored += tw_contact_law_stored(&law, &m);
    }
    const double sum = tw_contact_law_normal_factor(&law) * normal +
                       tw_contact_law_tangential_factor(&law) * tangential;
    expect_at_most(fabs(sum - stored), 1e-13 * stored);
    expect_at_most(fabs(tw_contact_law_stored_change(&law, tangential) -
                        tw_contact_law_tangential_factor(&law) * tangential),
                   1e-15 * stored);
}

static void the_friction_limit_is_mu_times_the_normal_force(void **state)
{
    (void)state;
    support_random random = {74};
    for (int i = 0; i < support_count(1000); i++) {
        const tw_contact_law law = draw_any_law(&random, i);
        const double zeta = support_log_uniform(&random, 1e-6, 1e-3);
        const double limit = tw_contact_law_friction_limit(&law, zeta);
        expect_at_most(fabs(limit - law.mu * tw_contact_law_normal_force(&law, zeta)),
                       1e-15 * limit);
        if (law.normal == TW_CONTACT_HERTZ) continue;
        expect_at_most(fabs(tw_contact_law_limit_overlap(&law, limit) - zeta), 1e-15 * zeta);
    }
}

static void without_a_tangential_spring_nothing_is_stored_in_it(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e6, 0.0, 0.5);
    const tw_vec3 ft = {1.0, 2.0, 3.0};
    assert_true(tw_contact_law_stored_tangential(&law, 1.0, ft) == 0.0);
    assert_true(tw_contact_law_stored_change(&law, 1.0) == 0.0);
    assert_true(tw_contact_law_tangential_factor(&law) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_load_of_a_step_is_that_of_its_memory),
        cmocka_unit_test(forces_and_stiffnesses_are_derivatives_of_the_energy),
        cmocka_unit_test(sums_of_terms_give_the_stored_energies),
        cmocka_unit_test(the_friction_limit_is_mu_times_the_normal_force),
        cmocka_unit_test(without_a_tangential_spring_nothing_is_stored_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
