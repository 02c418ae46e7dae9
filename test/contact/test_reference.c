/* SPDX-License-Identifier: BSD-3-Clause */
/* Check of the reference: the integrated reference agrees with itself at a sharper tolerance and
 * with an independent first-order scheme as that is refined. */
#include "reference.h"
#include "support.h"

typedef struct scene {
    double q;      /* kt |dxi| / (mu fn0) */
    double x;      /* zeta1 / zeta0 - 1; ignored for a fresh contact */
    double use;    /* |ft0| / (mu fn0) */
    double degree; /* angle of ft0 from the movement */
} scene;

static reference_step scene_step(const scene *s)
{
    const double kn = 3e5, kt = 2e5, mu = 0.6, zeta0 = 1e-4, angle = s->degree * SUPPORT_PI / 180.0;
    const double limit = mu * kn * zeta0;
    reference_step step = {.kn = kn, .kt = kt, .mu = mu, .zeta0 = zeta0};
    step.zeta1 = zeta0 * (1.0 + s->x);
    step.n = tw_vec3_make(0.0, 0.0, 1.0);
    step.du = tw_vec3_make(s->q * limit / kt, 0.0, 0.3 * s->q * limit / kt);
    step.ft0 = tw_vec3_make(s->use * limit * cos(angle), s->use * limit * sin(angle), 0.0);
    return step;
}

static const scene scenes[] = {
    {1e-6, 0.0, 1.0, 60.0},        {0.5, 0.0, 0.7, 90.0},        {1.0, 0.0, 1.0, 90.0},
    {3.0, -0.4, 0.9, 170.0},       {0.1, -0.999999, 1.0, 140.0}, {1e2, -0.999999, 0.2, 100.0},
    {1e2, 1e3, 1.0, 150.0},        {20.0, 5.0, 1.0, 179.0},      {0.9, -0.95, 1.0, 179.99994},
    {1e-3, -0.999999, 1.0, 90.0},  {2.0, -1.5, 0.8, 120.0},      {1e2, -3.0, 0.0, 0.0},
    {0.3, -1.0000001, 1.0, 179.0}, {1e-6, -2.0, 0.5, 33.0},      {0.0, -0.7, 0.9, 77.0},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* Scale of the force at the end: mu fn1, or mu fn0 where the contact opens. */
static double force_scale(const reference_step *s)
{
    return s->mu * s->kn * (s->zeta1 > 0.0 ? s->zeta1 : s->zeta0);
}

static double work_scale(const reference_step *s)
{
    return s->mu * s->kn * fmax(s->zeta0, s->zeta1) * tw_vec3_norm(s->du) + 1e-300;
}

static void a_sharper_tolerance_changes_nothing(void **state)
{
    (void)state;
    double force = 0.0, work = 0.0;
    for (int i = 0; i < SCENES; i++) {
        const reference_step step = scene_step(&scenes[i]);
        const reference_result used = reference_integrate(&step, REFERENCE_TOLERANCE);
        const reference_result sharp = reference_integrate(&step, 1e-2 * REFERENCE_TOLERANCE);
        force = support_most(force, support_distance(used.ft1, sharp.ft1) / force_scale(&step));
        work = support_most(work, fabs(used.work - sharp.work) / work_scale(&step));
        print_message("q %-6g x %-10g: %ld and %ld steps\n", scenes[i].q, scenes[i].x, used.steps,
                      sharp.steps);
    }
    print_message("reference against itself: force %.2g, work %.2g\n", force, work);
    /* 1e-11: a hundredth of the sharpest tolerance (force 1e-9) the reference is used with */
    expect_at_most(force, 1e-11);
    expect_at_most(work, 1e-11);
}

/* Error of the catching-up scheme against the reference. */
static double catch_up_error(const reference_step *step, const reference_result *right, long count)
{
    const reference_result rough = reference_catch_up(step, count);
    const double force = support_distance(rough.ft1, right->ft1) / force_scale(step);
    return fmax(force, fabs(rough.work - right->work) / work_scale(step));
}

static void catching_up_in_small_increments_tends_to_it(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        const reference_step step = scene_step(&scenes[i]);
        if (scenes[i].x < -0.99 && scenes[i].x > -1.0)
            continue; /* needs 1e6 times the increments */
        const reference_result right = reference_integrate(&step, REFERENCE_TOLERANCE);
        const double coarse = catch_up_error(&step, &right, 1L << 12);
        const double fine = catch_up_error(&step, &right, 1L << 16);
        /* first order: 16 times the increments, 1/16 of the error, down to 65536 roundings */
        expect_at_most(fine, coarse / 12.0 + 1e-11);
        /* increments are q / 65536 of the circle's radius, at most 100 / 65536 */
        expect_at_most(fine, 2e-3);
    }
}

static void a_fresh_contact_is_followed_from_its_first_touch(void **state)
{
    (void)state;
    reference_step step = scene_step(&scenes[2]);
    step.ft0 = tw_vec3_make(0.0, 0.0, 0.0);
    step.zeta1 = step.zeta0;
    step.zeta0 = -0.25 * step.zeta1; /* touches at a = 0.2 */
    for (int i = 0; i < 2; i++) {
        step.du.x = i == 0 ? 1e-5 : 1e-2; /* sticks, slides */
        const reference_result right = reference_integrate(&step, REFERENCE_TOLERANCE);
        const double limit = step.mu * step.kn * step.zeta1;
        const double expected = fmin(limit, 0.8 * step.kt * step.du.x);
        /* it starts at 1e-12 of fn1 rather than at zero */
        expect_at_most(fabs(right.ft1.x - expected), 2e-12 * limit);
        expect_at_most(fabs(right.work - 0.4 * expected * step.du.x), 2e-12 * limit * step.du.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sharper_tolerance_changes_nothing),
        cmocka_unit_test(catching_up_in_small_increments_tends_to_it),
        cmocka_unit_test(a_fresh_contact_is_followed_from_its_first_touch),
    };
    return cmocka_run_group_tests_name("contact_reference", tests, NULL, NULL);
}
