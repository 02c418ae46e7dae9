/* SPDX-License-Identifier: BSD-3-Clause */
/* Check of the integrated rate equations: against themselves at a sharper tolerance, against the
 * older integration of the linear law, against a first-order scheme as that is refined, and the
 * energy balance. */
#include "rates.h"
#include "reference.h"
#include "shape.h"

/* A random step: `kind` 0 touching, 1 fresh, 2 parting. */
static rates_step draw(support_random *random, int hertz, int kind)
{
    const shape s = shape_draw(random);
    rates_step step = {.hertz = hertz, .rescale = support_bits(random) & 1};
    step.kn = support_log_uniform(random, 1.0, 1e9);
    step.k = step.kn * support_log_uniform(random, 1e-4, 1e4);
    step.mu = support_log_uniform(random, 1e-2, 3.0);
    step.zeta0 = support_log_uniform(random, 1e-9, 1e-2);
    step.zeta1 = step.zeta0 * (1.0 + fmax(s.growth, -1.0 + 1e-4));
    const double limit = step.mu * rates_normal_force(&step, step.zeta0);
    step.length = s.size * limit / rates_stiffness(&step, step.zeta0);
    step.along = s.use * limit * cos(s.angle);
    step.across = s.use * limit * sin(s.angle);
    if (kind == 1) {
        step.zeta0 = -step.zeta1 * support_log_uniform(random, 1e-6, 1e3);
        step.along = step.across = 0.0;
    } else if (kind == 2) {
        step.zeta1 = -step.zeta0 * support_log_uniform(random, 1e-6, 1e3);
    }
    return step;
}

/* The limit at the end, or at the start of a parting contact. */
static double end_limit(const rates_step *s)
{
    return s->mu * rates_normal_force(s, s->zeta1 > 0.0 ? s->zeta1 : s->zeta0);
}

static double work_scale(const rates_step *s)
{
    return s->mu * rates_normal_force(s, fmax(s->zeta0, s->zeta1)) * s->length;
}

static double force_error(const rates_step *s, const rates_result *a, const rates_result *b)
{
    return hypot(a->along - b->along, a->across - b->across) / end_limit(s);
}

static void a_sharper_tolerance_changes_nothing(void **state)
{
    (void)state;
    support_random random = {501};
    double force = 0.0, work = 0.0;
    long steps = 0, again = 0;
    const int count = support_count(600);
    for (int i = 0; i < count; i++) {
        const rates_step step = draw(&random, i & 1, i / 2 % 3);
        const rates_result a = rates_integrate(&step, RATES_TOLERANCE);
        const rates_result b = rates_integrate(&step, 0.03 * RATES_TOLERANCE);
        force = support_most(force, force_error(&step, &a, &b));
        work = support_most(work, fabs(a.work - b.work) / work_scale(&step));
        steps += a.steps;
        again += a.slides > 1;
    }
    print_message("against itself: force %.2g of mu fn1, work %.2g of mu fn |dxi|; %ld steps each, "
                  "%ld slid twice\n",
                  force, work, steps / count, again);
    /* a tenth of what the kernel is judged by */
    expect_at_most(force, 1e-10);
    expect_at_most(work, 1e-11);
}

static void the_linear_law_is_that_of_the_older_integration(void **state)
{
    (void)state;
    support_random random = {502};
    double force = 0.0, work = 0.0;
    const int count = support_count(600);
    for (int i = 0; i < count; i++) {
        const rates_step s = draw(&random, 0, i % 3);
        const reference_step r = {.kn = s.kn,
                                  .kt = s.k,
                                  .mu = s.mu,
                                  .zeta0 = s.zeta0,
                                  .zeta1 = s.zeta1,
                                  .n = tw_vec3_make(0.0, 0.0, 1.0),
                                  .ft0 = tw_vec3_make(s.along, s.across, 0.0),
                                  .du = tw_vec3_make(s.length, 0.0, 0.0)};
        const rates_result a = rates_integrate(&s, RATES_TOLERANCE);
        const reference_result b = reference_integrate(&r, REFERENCE_TOLERANCE);
        force = support_most(force, hypot(a.along - b.ft1.x, a.across - b.ft1.y) / end_limit(&s));
        work = support_most(work, fabs(a.work - b.work) / work_scale(&s));
    }
    print_message("against the older one: force %.2g, work %.2g\n", force, work);
    expect_at_most(force, 1e-10);
    expect_at_most(work, 1e-11);
}

/* What is not stored is lost: three integrals, and the stored energies of the ends. */
static void energy_balances(void **state)
{
    (void)state;
    support_random random = {503};
    double rest = 0.0;
    for (int i = 0; i < support_count(600); i++) {
        const rates_step s = draw(&random, i & 1, i / 2 % 3);
        const rates_result a = rates_integrate(&s, RATES_TOLERANCE);
        const double before = rates_stored(&s, s.zeta0, s.along, s.across);
        const double after = s.zeta1 > 0.0 ? rates_stored(&s, s.zeta1, a.along, a.across) : 0.0;
        const double sum = a.work - (after - before) - a.lost - a.micro;
        rest = support_most(rest, fabs(sum) / (work_scale(&s) + before + after));
        if (s.rescale) expect_at_least(fmin(a.lost, a.micro), -1e-15 * (work_scale(&s) + before));
        if (!s.hertz) assert_true(a.micro == 0.0);
    }
    print_message("energy balance: %.2g of mu fn |dxi| + stored\n", rest);
    expect_at_most(rest, 1e-11);
}

static void catching_up_in_small_increments_tends_to_it(void **state)
{
    (void)state;
    support_random random = {504};
    int judged = 0;
    for (int i = 0; i < support_count(200); i++) {
        rates_step s = draw(&random, 1, i % 3);
        s.zeta1 =
            s.zeta1 > 0.0 ? fmin(fmax(s.zeta1, 0.05 * s.zeta0), 10.0 * fabs(s.zeta0)) : s.zeta1;
        const double q = rates_stiffness(&s, fmax(s.zeta0, s.zeta1)) * s.length / end_limit(&s);
        if (q > 20.0 || s.zeta0 < -10.0 * s.zeta1) continue; /* needs too many increments */
        const rates_result right = rates_integrate(&s, RATES_TOLERANCE);
        double error[2];
        for (int k = 0; k < 2; k++) {
            const rates_result rough = rates_catch_up(&s, k ? 1L << 14 : 1L << 11);
            error[k] =
                force_error(&s, &rough, &right) + fabs(rough.work - right.work) / work_scale(&s);
        }
        judged++;
        /* first order: 8 times the increments, 1/8 of the error, down to rounding */
        expect_at_most(error[1], error[0] / 5.0 + 1e-8);
        expect_at_most(error[1], 5e-3);
    }
    assert_true(judged > support_count(200) / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sharper_tolerance_changes_nothing),
        cmocka_unit_test(the_linear_law_is_that_of_the_older_integration),
        cmocka_unit_test(energy_balances),
        cmocka_unit_test(catching_up_in_small_increments_tends_to_it),
    };
    return cmocka_run_group_tests_name("contact_rates", tests, NULL, NULL);
}
