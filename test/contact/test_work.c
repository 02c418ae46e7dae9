/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy balance of a contact: work is stored or dissipated, and friction never generates
 * energy. */
#include "journey.h"

/* Random steps of any kind in a random plane: touching, fresh, opening; some marginal, so that the
 * circle shrinks exactly as fast as the spring unloads and almost nothing is dissipated. */
static tw_contact_load random_step(support_random *random, tw_contact_law *law, double *scale,
                                   double *stored0, double *stored1)
{
    const double kn = support_log_uniform(random, 1.0, 1e9);
    *law = support_law(kn, 0.0, support_uniform(random, 0.01, 2));
    law->kt = law->kn * support_log_uniform(random, 1e-4, 1e4);
    const tw_vec3 n = support_unit(random), t = support_tangent(random, n);
    double zeta0 = 1e-4, zeta1 = zeta0 * (1.0 + support_uniform(random, -1.2, 1.2));
    const double limit = law->mu * law->kn * zeta0;
    double size = support_log_uniform(random, 1e-6, 1e2);
    double use = support_bits(random) & 1 ? 1.0 : support_uniform(random, 0.0, 1.0);
    tw_vec3 way = support_tangent(random, n);
    if (support_bits(random) % 4 == 0) {
        size = fmin(size, 0.9);
        zeta1 = zeta0 * (1.0 - size);
        way = tw_vec3_add_scaled(tw_vec3_scale(-1.0, t), support_log_uniform(random, 1e-9, 1.0),
                                 tw_vec3_cross(n, t));
        way = tw_vec3_scale(1.0 / tw_vec3_norm(way), way);
    } else if (support_bits(random) % 4 == 0) {
        zeta0 = -zeta0;
        use = 0.0;
    }
    tw_contact_memory memory = support_memory(n, zeta0, tw_vec3_scale(use * limit, t));
    const tw_vec3 du = tw_vec3_scale(size * limit / law->kt, way);
    const tw_contact_motion motion = support_motion(n, zeta1, du);
    tw_contact_load load;
    *stored0 = support_stored(law, memory.ft);
    tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
    *stored1 = support_stored(law, memory.ft);
    *scale = law->mu * law->kn * fmax(fabs(zeta0), zeta1) * tw_vec3_norm(du);
    return load;
}

static void friction_takes_and_never_gives(void **state)
{
    (void)state;
    support_random random = {21};
    double least = 0.0;
    const int count = support_count(100000);
    for (int i = 0; i < count; i++) {
        tw_contact_law law;
        double scale, before, after;
        const tw_contact_load load = random_step(&random, &law, &scale, &before, &after);
        least = -support_most(-least, -load.work_dissipated / (scale + before));
        /* what is not sliding dissipates nothing, exactly */
        if (load.touching && !load.sliding) assert_true(load.work_dissipated == 0.0);
    }
    print_message("least dissipation %.2g of mu fn |dxi| + stored energy\n", least);
    /* a difference of two works of that size: some ten roundings */
    expect_at_least(least, -2e-15);
}

static void total_work_is_stored_and_dissipated(void **state)
{
    (void)state;
    support_random random = {22};
    const int count = support_count(20000);
    for (int i = 0; i < count; i++) {
        tw_contact_law law;
        double scale, before, after;
        const tw_contact_load load = random_step(&random, &law, &scale, &before, &after);
        const double rest = load.work_tangential - load.work_reversible - load.work_dissipated;
        /* roundings of the terms of the sum */
        expect_at_most(fabs(rest), 1e-15 * (scale + before + after));
        expect_at_most(fabs(load.work_reversible - (after - before)),
                       4e-15 * (scale + before + after));
        const double zeta = load.fn / law.kn;
        expect_at_most(fabs(load.work_normal - 0.5 * load.fn * zeta), 1e-15 * load.fn * zeta);
    }
}

/* A closed polygon of movements inside the circle, fn rising and falling on the way. */
static void an_elastic_cycle_costs_nothing(void **state)
{
    (void)state;
    const tw_contact_law law = support_law_of(TW_CONTACT_EXACT);
    support_random random = {23};
    const double zeta = 1e-4, reach = 0.2 * law.mu * law.kn * zeta / law.kt;
    for (int cycle = 0; cycle < 100; cycle++) {
        const tw_vec3 n = support_unit(&random);
        tw_contact_memory memory = support_memory(n, zeta, tw_vec3_make(0.0, 0.0, 0.0));
        tw_vec3 at = {0.0, 0.0, 0.0};
        double work = 0.0, size = 0.0;
        for (int i = 0; i < 20; i++) {
            const double far = i == 19 ? 0.0 : support_uniform(&random, 0.0, reach);
            const tw_vec3 to = tw_vec3_scale(far, support_tangent(&random, n));
            const double next = i == 19 ? zeta : zeta * support_uniform(&random, 0.5, 2.0);
            const tw_contact_motion motion = support_motion(n, next, tw_vec3_sub(to, at));
            tw_contact_load load;
            tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
            assert_true(load.sliding == 0 && load.work_dissipated == 0.0);
            work += load.work_tangential;
            size += fabs(load.work_tangential);
            at = to;
        }
        expect_at_most(fabs(work), 1e-14 * size); /* rounding of 20 sums */
        expect_at_most(tw_vec3_norm(memory.ft), 1e-14 * law.kt * reach);
    }
}

static void a_cycle_that_slides_costs_what_the_circle_says(void **state)
{
    (void)state;
    /* There and back by far more than the circle: fully mobilised both ways. Each way the force
     * first crosses the circle elastically, 2 mu fn/kt, and slides for the rest. */
    const tw_contact_law law = support_law_of(TW_CONTACT_EXACT);
    const tw_vec3 n = {0.0, 0.0, 1.0};
    const double zeta = 1e-4, limit = law.mu * law.kn * zeta, reach = 7.0 * limit / law.kt;
    tw_contact_memory memory = support_memory(n, zeta, tw_vec3_make(-limit, 0.0, 0.0));
    double dissipated = 0.0, reversible = 0.0;
    for (int i = 0; i < 2; i++) {
        const double dx = i == 0 ? reach : -reach;
        const tw_contact_motion motion = support_motion(n, zeta, tw_vec3_make(dx, 0.0, 0.0));
        tw_contact_load load;
        tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
        dissipated += load.work_dissipated;
        reversible += load.work_reversible;
        expect_at_most(fabs(load.alpha_s - 2.0 / 7.0), 1e-15);
    }
    expect_at_most(fabs(dissipated / (2.0 * limit * 5.0 * limit / law.kt) - 1.0), 1e-13);
    expect_at_most(fabs(reversible), 1e-14 * limit * limit / law.kt); /* rounding */
}

static void over_a_whole_life_all_work_is_dissipated(void **state)
{
    (void)state;
    for (int steps = 3; steps <= 3000; steps *= 10) {
        const journey way = journey_life();
        const tw_contact_law law = support_law(1e6, 1e5, 0.5);
        const journey_end end = journey_run(&way, &law, steps);
        assert_true(end.memory.zeta < 0.0 && end.touching > 0);
        assert_true(tw_vec3_norm(end.memory.ft) == 0.0);
        expect_at_least(end.work_dissipated, 1.0); /* it did slide */
        const double left = end.work_tangential - end.work_dissipated;
        /* nothing stored before, nothing after: rounding of the sums */
        expect_at_most(fabs(left), 1e-12 * end.work_dissipated);
        expect_at_most(fabs(end.work_reversible), 1e-12 * end.work_dissipated);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_takes_and_never_gives),
        cmocka_unit_test(total_work_is_stored_and_dissipated),
        cmocka_unit_test(an_elastic_cycle_costs_nothing),
        cmocka_unit_test(a_cycle_that_slides_costs_what_the_circle_says),
        cmocka_unit_test(over_a_whole_life_all_work_is_dissipated),
    };
    return cmocka_run_group_tests_name("contact_work", tests, NULL, NULL);
}
