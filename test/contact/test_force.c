/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact law against the integrated rate equations, over the whole domain of a step. */
#include "reference.h"
#include "shape.h"

/* Where random steps fell: a test that no longer visits a regime says so. */
typedef struct tally {
    int elastic, onset, at_once, against;
    double force, work, work_mean, plane, residual;
} tally;

/* A touching contact in a random plane; du has a part along n in every other step. */
static reference_step draw_step(support_random *random)
{
    const shape s = shape_draw(random);
    reference_step step;
    step.kn = support_log_uniform(random, 1.0, 1e9);
    step.kt = step.kn * support_log_uniform(random, 1e-4, 1e4);
    step.mu = support_log_uniform(random, 1e-2, 3.0);
    step.zeta0 = support_log_uniform(random, 1e-9, 1e-2);
    step.zeta1 = step.zeta0 * (1.0 + s.growth);
    step.n = support_unit(random);
    const double limit = step.mu * step.kn * step.zeta0;
    const double length = s.size * limit / step.kt;
    const tw_vec3 along = support_tangent(random, step.n);
    const tw_vec3 across = tw_vec3_cross(step.n, along);
    step.ft0 = tw_vec3_scale(s.use * limit * cos(s.angle), along);
    step.ft0 = tw_vec3_add_scaled(step.ft0, s.use * limit * sin(s.angle), across);
    step.du = tw_vec3_scale(length, along);
    if (support_bits(random) & 1) {
        step.du = tw_vec3_add_scaled(step.du, support_uniform(random, -length, length), step.n);
    }
    return step;
}

static tw_contact_load advance(const reference_step *step, tw_contact_memory *memory)
{
    const tw_contact_law law = support_law(step->kn, step->kt, step->mu);
    const tw_contact_motion motion = support_motion(step->n, step->zeta1, step->du);
    tw_contact_load load;
    *memory = support_memory(step->n, step->zeta0, step->ft0);
    tw_contact_advance(&law, &motion, 1.0, memory, NULL, &load);
    return load;
}

static double tangential_length(const reference_step *step)
{
    return tw_vec3_norm(tw_vec3_add_scaled(step->du, -tw_vec3_dot(step->du, step->n), step->n));
}

static void raise_to(double *most, double value)
{
    if (!(value <= *most)) *most = value;
}

static void count_regime(tally *t, const reference_result *right)
{
    t->elastic += !right->sliding;
    t->onset += right->sliding && right->alpha_s > 1e-6;
    t->at_once += right->sliding && right->alpha_s <= 1e-6;
    t->against += right->sliding && right->cosine < -0.1;
}

/* How far the elastic force is from the circle at the reported instant, in units of mu fn0. */
static double onset_residual(const reference_step *step, double alpha)
{
    const double limit = step->mu * step->kn;
    const tw_vec3 dxi = tw_vec3_add_scaled(step->du, -tw_vec3_dot(step->du, step->n), step->n);
    const tw_vec3 ft = tw_vec3_add_scaled(step->ft0, alpha * step->kt, dxi);
    const double zeta = step->zeta0 + alpha * (step->zeta1 - step->zeta0);
    return fabs(tw_vec3_norm(ft) - limit * zeta) / (limit * fmax(step->zeta0, zeta));
}

static void judge(const reference_step *step, tally *t)
{
    tw_contact_memory memory;
    const tw_contact_load load = advance(step, &memory);
    const reference_result right = reference_integrate(step, REFERENCE_TOLERANCE);
    const double length = tangential_length(step);
    const double limit0 = step->mu * step->kn * step->zeta0;
    const double limit1 = step->mu * step->kn * step->zeta1;
    count_regime(t, &right);
    raise_to(&t->force, support_distance(memory.ft, right.ft1) / limit1);
    raise_to(&t->plane, fabs(tw_vec3_dot(memory.ft, step->n)) / fmax(limit0, limit1));
    raise_to(&t->work, fabs(load.work_tangential - right.work) / (fmax(limit0, limit1) * length));
    raise_to(&t->work_mean,
             fabs(load.work_tangential - right.work) / (0.5 * (limit0 + limit1) * length));
    if (load.sliding) raise_to(&t->residual, onset_residual(step, load.alpha_s));
    /* the friction limit, to the rounding of one square root */
    expect_at_most(tw_vec3_norm(memory.ft), limit1 * (1.0 + 1e-15));
    const tw_vec3 f = tw_vec3_add_scaled(memory.ft, -load.fn, step->n);
    expect_at_most(support_distance(load.f, f), 1e-15 * (limit1 + load.fn));
    assert_true(load.fn == step->kn * step->zeta1);
    assert_true(load.touching == 1 && load.alpha_o == 0.0);
}

static void random_steps_agree_with_the_rate_equations(void **state)
{
    (void)state;
    support_random random = {20250101};
    tally t = {0};
    const int count = support_count(20000);
    for (int i = 0; i < count; i++) {
        const reference_step step = draw_step(&random);
        judge(&step, &t);
    }
    print_message("%d steps: %d elastic, %d reach the limit, %d slide at once, %d against dxi\n",
                  count, t.elastic, t.onset, t.at_once, t.against);
    print_message("force %.2g of mu fn1, work %.2g of mu max(fn) |dxi|, %.2g of mu mean(fn) |dxi|, "
                  "onset %.2g, plane %.2g\n",
                  t.force, t.work, t.work_mean, t.residual, t.plane);
    assert_true(t.elastic > count / 20 && t.onset > count / 20);
    assert_true(t.at_once > count / 20 && t.against > count / 20);
    /* the contract: also met where fn falls to 1e-6 of its start, which costs 1e-10 in rounding */
    expect_at_most(t.force, 1e-9);
    expect_at_most(t.work, 1e-8);
    expect_at_most(t.work_mean, 1e-8);
    /* B^2 - A C cancels to (kt |dxi| mu fn0)^2 where ft0 is small: 1e-16 / 1e-6, the smallest step
     */
    expect_at_most(t.residual, 1e-9);
    /* two projected vectors, each of the size of mu fn at most, and their sum */
    expect_at_most(t.plane, 1e-15);
}

static void fresh_contacts_agree_with_the_rate_equations(void **state)
{
    (void)state;
    support_random random = {42};
    double force = 0.0, work = 0.0;
    int slid = 0;
    const int count = support_count(1000);
    for (int i = 0; i < count; i++) {
        reference_step step = draw_step(&random);
        step.zeta0 = -step.zeta1 * support_log_uniform(&random, 1e-6, 1e3);
        step.ft0 = tw_vec3_make(0.0, 0.0, 0.0);
        tw_contact_memory memory;
        const tw_contact_load load = advance(&step, &memory);
        const reference_result right = reference_integrate(&step, REFERENCE_TOLERANCE);
        const double limit = step.mu * step.kn * step.zeta1;
        const double touch = -step.zeta0 / (step.zeta1 - step.zeta0);
        const double moved = (1.0 - touch) * tangential_length(&step);
        slid += load.sliding;
        raise_to(&force, support_distance(memory.ft, right.ft1) / limit);
        raise_to(&work, fabs(load.work_tangential - right.work) / (limit * moved));
        expect_at_most(fabs(load.alpha_o - touch), 1e-15);
        assert_true(load.alpha_s == (load.sliding ? load.alpha_o : 1.0));
    }
    print_message("%d fresh contacts, %d slide: force %.2g, work %.2g\n", count, slid, force, work);
    assert_true(slid > count / 10 && slid < count - count / 10);
    /* the reference starts at 1e-12 of fn1; 1 - alpha_o is 1e-3 at least: rounding 1e-13 */
    expect_at_most(force, 1e-11);
    expect_at_most(work, 1e-11);
}

static void judge_opening(const reference_step *step, double *work)
{
    tw_contact_memory memory;
    const tw_contact_load load = advance(step, &memory);
    const reference_result right = reference_integrate(step, REFERENCE_TOLERANCE);
    const tw_contact_law law = support_law(step->kn, step->kt, step->mu);
    const double shut = step->zeta0 / (step->zeta0 - step->zeta1);
    const double scale = step->mu * step->kn * step->zeta0 * tangential_length(step) * shut;
    const double stored = support_stored(&law, step->ft0);
    raise_to(work, fabs(load.work_tangential - right.work) / scale);
    assert_true(memory.ft.x == 0.0 && memory.ft.y == 0.0 && memory.ft.z == 0.0);
    assert_true(load.f.x == 0.0 && load.f.y == 0.0 && load.f.z == 0.0);
    assert_true(load.fn == 0.0 && load.touching == 0 && load.sliding == 0);
    assert_true(load.work_normal == 0.0);
    /* all that was stored is given back: rounding of one square */
    expect_at_most(fabs(load.work_reversible + stored), 1e-14 * stored);
    const double rest = load.work_tangential - load.work_reversible - load.work_dissipated;
    expect_at_most(fabs(rest), 1e-14 * (fabs(load.work_tangential) + stored));
    expect_at_least(load.work_dissipated, -1e-14 * (scale + stored));
}

static void opening_contacts_work_until_they_part(void **state)
{
    (void)state;
    support_random random = {7};
    double work = 0.0;
    const int count = support_count(5000);
    for (int i = 0; i < count; i++) {
        reference_step step = draw_step(&random);
        step.zeta1 = -step.zeta0 * support_log_uniform(&random, 1e-6, 1e3);
        if (i % 10 == 0) step.zeta1 = 0.0;
        judge_opening(&step, &work);
    }
    print_message("%d opening contacts: work %.2g of mu fn0 |dxi| alpha_c\n", count, work);
    /* the contract */
    expect_at_most(work, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_agree_with_the_rate_equations),
        cmocka_unit_test(fresh_contacts_agree_with_the_rate_equations),
        cmocka_unit_test(opening_contacts_work_until_they_part),
    };
    return cmocka_run_group_tests_name("contact_force", tests, NULL, NULL);
}
