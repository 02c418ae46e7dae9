/* SPDX-License-Identifier: BSD-3-Clause */
/* Effect of the length of the step on the result: nothing on a straight path, second order on a
 * smooth one. */
#include "journey.h"

/* A straight path in a fixed plane: overlap and movement in proportion. */
typedef struct straight {
    tw_contact_memory start;
    double zeta1;
    tw_vec3 du;
} straight;

/* kind of path: 0 touching at both ends, 1 fresh, 2 opening. */
static straight draw_straight(support_random *random, const tw_contact_law *law, int kind)
{
    straight s;
    const tw_vec3 n = support_unit(random), t = support_tangent(random, n);
    const double zeta = 1e-4, limit = law->mu * law->kn * zeta;
    const double size = support_log_uniform(random, 1e-3, 1e1) * limit / law->kt;
    const double use = support_bits(random) & 1 ? 1.0 : support_uniform(random, 0.0, 1.0);
    s.du = tw_vec3_scale(size, support_tangent(random, n));
    s.start = support_memory(n, zeta, tw_vec3_scale(use * limit, t));
    s.zeta1 = zeta * support_log_uniform(random, 1e-2, 1e1);
    if (kind == 1) {
        s.start = support_memory(n, -zeta, tw_vec3_make(0.0, 0.0, 0.0));
    } else if (kind == 2) {
        s.zeta1 = -s.zeta1;
    }
    return s;
}

/* The path in one step, or cut in two at a fraction. Work is the sum, memory the end. */
static tw_contact_memory walk(const tw_contact_law *law, const straight *s, double cut,
                              double *work)
{
    tw_contact_memory memory = s->start;
    const double parts[2] = {cut, 1.0 - cut};
    const double overlap[2] = {s->start.zeta + cut * (s->zeta1 - s->start.zeta), s->zeta1};
    *work = 0.0;
    for (int i = cut > 0.0 ? 0 : 1; i < 2; i++) {
        const tw_contact_motion motion =
            support_motion(s->start.n, overlap[i], tw_vec3_scale(parts[i], s->du));
        tw_contact_load load;
        tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
        *work += load.work_tangential;
    }
    return memory;
}

/* Largest difference between one step and two, over many paths. */
static void cut_many(const tw_contact_law *law, int kind, double *force, double *work)
{
    support_random random = {1234};
    *force = *work = 0.0;
    for (int i = 0; i < 2000; i++) {
        const straight s = draw_straight(&random, law, kind);
        const double cut = i % 2 ? 0.5 : support_uniform(&random, 0.01, 0.99);
        const double limit = law->mu * law->kn * fmax(s.start.zeta, s.zeta1);
        double whole, parts;
        const tw_contact_memory one = walk(law, &s, 0.0, &whole);
        const tw_contact_memory two = walk(law, &s, cut, &parts);
        *force = support_most(*force, support_distance(one.ft, two.ft) / limit);
        *work = support_most(*work, fabs(whole - parts) / (limit * tw_vec3_norm(s.du)));
    }
}

static void a_straight_path_may_be_cut_anywhere(void **state)
{
    (void)state;
    const tw_contact_law law = support_law_of(TW_CONTACT_EXACT);
    for (int kind = 0; kind < 3; kind++) {
        double force, work;
        cut_many(&law, kind, &force, &work);
        print_message("exact, path %d: one step against two: force %.2g, work %.2g\n", kind, force,
                      work);
        /* rounding, a hundredfold where the force starts within 1 % of straight against dxi */
        expect_at_most(force, 1e-13);
        /* the contract of the work */
        expect_at_most(work, 1e-8);
    }
}

static void the_conventional_law_depends_on_the_step(void **state)
{
    (void)state;
    const tw_contact_law law = support_law_of(TW_CONTACT_CONVENTIONAL);
    double force, work;
    cut_many(&law, 0, &force, &work);
    print_message("conventional: one step against two: force %.2g, work %.2g\n", force, work);
    expect_at_least(force, 1e-2); /* else the test above would show nothing */
    expect_at_least(work, 1e-2);
}

enum { HALVINGS = 5, COARSEST = 32, FINEST = 1 << 14 };

static tw_contact_law soft_law(int32_t kind)
{
    /* kt is low so that the contact sticks for about half of the way */
    tw_contact_law law = support_law(1e6, 1e5, 0.5);
    law.kind = kind;
    return law;
}

/* Relative errors of the force and the work at HALVINGS + 1 step sizes. */
static void errors_of(const journey *way, const tw_contact_law *law, const journey_end *right,
                      double force[HALVINGS + 1], double work[HALVINGS + 1])
{
    for (int i = 0; i <= HALVINGS; i++) {
        const journey_end end = journey_run(way, law, COARSEST << i);
        force[i] =
            support_distance(end.memory.ft, right->memory.ft) / tw_vec3_norm(right->memory.ft);
        work[i] = fabs(end.work_tangential / right->work_tangential - 1.0);
        print_message("%5d steps: force %.3e, work %.3e", COARSEST << i, force[i], work[i]);
        if (i > 0) print_message(", order %.3f", log2(force[i - 1] / force[i]));
        print_message("\n");
    }
}

/* The finest run is 16 times finer than the last one judged: at second order it is off by 1/256 of
 * that one's error, which moves an observed order by 0.006. */
static void the_exact_law_converges_with_second_order(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    const tw_contact_law law = soft_law(TW_CONTACT_EXACT);
    const journey_end right = journey_run(&way, &law, FINEST);
    double force[HALVINGS + 1], work[HALVINGS + 1];
    assert_true(right.touching == FINEST);
    assert_true(right.sliding > FINEST / 4 && right.sliding < FINEST - FINEST / 4);
    errors_of(&way, &law, &right, force, work);
    for (int i = 1; i <= HALVINGS; i++)
        expect_at_least(log2(force[i - 1] / force[i]), 1.9);
    /* the slip starts somewhere inside a step: the work's error is uneven, its trend is not */
    expect_at_least(log2(work[0] / work[HALVINGS]) / HALVINGS, 1.9);
}

static void the_paper_law_converges_to_the_same_with_first_order(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    const tw_contact_law exact = soft_law(TW_CONTACT_EXACT), law = soft_law(TW_CONTACT_PAPER);
    const journey_end right = journey_run(&way, &exact, FINEST);
    double force[HALVINGS + 1], work[HALVINGS + 1];
    errors_of(&way, &law, &right, force, work);
    for (int i = 1; i <= HALVINGS; i++) {
        expect_at_least(log2(force[i - 1] / force[i]), 0.9);
        expect_at_most(log2(force[i - 1] / force[i]), 1.2);
    }
}

/* Without twirl it has a limit of its own, extrapolated from two fine runs of first order. */
static void the_conventional_law_converges_elsewhere_with_first_order(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    const tw_contact_law exact = soft_law(TW_CONTACT_EXACT);
    const tw_contact_law law = soft_law(TW_CONTACT_CONVENTIONAL);
    const journey_end truth = journey_run(&way, &exact, FINEST);
    const journey_end fine = journey_run(&way, &law, FINEST);
    journey_end right = journey_run(&way, &law, 2 * FINEST);
    right.memory.ft = tw_vec3_sub(tw_vec3_scale(2.0, right.memory.ft), fine.memory.ft);
    double force[HALVINGS + 1], work[HALVINGS + 1];
    errors_of(&way, &law, &right, force, work);
    for (int i = 1; i <= HALVINGS; i++) {
        expect_at_least(log2(force[i - 1] / force[i]), 0.9);
        expect_at_most(log2(force[i - 1] / force[i]), 1.2);
    }
    /* far beyond its error at the finest step: it is the limit that differs */
    const double apart = support_distance(right.memory.ft, truth.memory.ft);
    expect_at_least(apart / tw_vec3_norm(truth.memory.ft), 10.0 * force[HALVINGS]);
}

/* Touch, stick, slide, part: the instants of touching and parting fall anywhere inside a step, so
 * the error is uneven from one halving to the next; the trend over all of them is what counts. */
static void the_work_of_a_whole_life_converges_with_second_order(void **state)
{
    (void)state;
    const journey way = journey_life();
    const tw_contact_law law = soft_law(TW_CONTACT_EXACT);
    const journey_end right = journey_run(&way, &law, FINEST);
    double first = 0.0, last = 0.0;
    assert_true(right.memory.zeta < 0.0 && right.sliding > FINEST / 4);
    for (int i = 0; i <= HALVINGS; i++) {
        const journey_end end = journey_run(&way, &law, COARSEST << i);
        last = fabs(end.work_dissipated / right.work_dissipated - 1.0);
        if (i == 0) first = last;
        print_message("%5d steps: dissipated %.3e\n", COARSEST << i, last);
    }
    expect_at_least(log2(first / last) / HALVINGS, 1.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_path_may_be_cut_anywhere),
        cmocka_unit_test(the_conventional_law_depends_on_the_step),
        cmocka_unit_test(the_exact_law_converges_with_second_order),
        cmocka_unit_test(the_paper_law_converges_to_the_same_with_first_order),
        cmocka_unit_test(the_conventional_law_converges_elsewhere_with_first_order),
        cmocka_unit_test(the_work_of_a_whole_life_converges_with_second_order),
    };
    return cmocka_run_group_tests_name("contact_paths", tests, NULL, NULL);
}
