/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair in general motion, with rolling and twisting resistance, linear and Hertz: the error of
 * the exact law falls with the square of the step, to the limit that the rate equations have; that
 * of the conventional law with the step. */
#include "journey.h"

enum { HALVINGS = 5, COARSEST = 32, FINEST = 1 << 14 };

/* Rolling sticks first and slides later, as sliding does; twisting sticks. */
static tw_contact_law soft_law(int32_t kind, int32_t normal, int rescale)
{
    tw_contact_law law = support_resisting_law(support_law(1e6, 1e5, 0.5));
    law.kind = kind;
    law.mu_r = 0.05;
    law.mu_w = 0.6;
    if (!rescale) law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
    return normal == TW_CONTACT_HERTZ ? support_hertz_like(law, 0.04) : law;
}

enum { FT, FR, FW, WORK_T, WORK_R, WORK_W, LOST, NUMBERS };
static const char *const number_name[NUMBERS] = {"ft",     "fr",     "fw",  "work_t",
                                                 "work_r", "work_w", "lost"};

/* Relative differences of what came out. */
static void errors_of(const journey_end *a, const journey_end *right, double error[NUMBERS])
{
    const double lost_a = a->work_dissipated + a->work_micro + a->lost_rolling + a->lost_twisting;
    const double lost =
        right->work_dissipated + right->work_micro + right->lost_rolling + right->lost_twisting;
    error[FT] = support_distance(a->memory.ft, right->memory.ft) / tw_vec3_norm(right->memory.ft);
    error[FR] = support_distance(a->extra.fr, right->extra.fr) / tw_vec3_norm(right->extra.fr);
    error[FW] = fabs(a->extra.fw / right->extra.fw - 1.0);
    error[WORK_T] = fabs(a->work_tangential / right->work_tangential - 1.0);
    error[WORK_R] = fabs(a->work_rolling / right->work_rolling - 1.0);
    error[WORK_W] = fabs(a->work_twisting / right->work_twisting - 1.0);
    error[LOST] = fabs(lost_a / lost - 1.0);
}

/* The order over all halvings: instants at which something starts to slide, or the overlap starts
 * to shrink, fall anywhere inside a step, which makes single ones uneven. */
static void orders_of(const journey *way, const tw_contact_law *law, const journey_end *right,
                      double order[NUMBERS])
{
    double first[NUMBERS], last[NUMBERS];
    for (int i = 0; i <= HALVINGS; i++) {
        const journey_end end = journey_run(way, law, COARSEST << i);
        errors_of(&end, right, i == 0 ? first : last);
    }
    for (int k = 0; k < NUMBERS; k++) {
        order[k] = log2(first[k] / last[k]) / HALVINGS;
        print_message("  %s %.2e -> %.2e: order %.2f\n", number_name[k], first[k], last[k],
                      order[k]);
    }
}

static void the_exact_law_converges_with_second_order(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    for (int i = 0; i < 3; i++) {
        const tw_contact_law law =
            soft_law(TW_CONTACT_EXACT, i > 0 ? TW_CONTACT_HERTZ : TW_CONTACT_LINEAR, i != 2);
        const journey_end right = journey_run(&way, &law, FINEST);
        double order[NUMBERS];
        assert_true(right.sliding > FINEST / 4 && right.sliding < FINEST - FINEST / 4);
        assert_true(right.lost_rolling > 0.1 * right.work_rolling);
        print_message("%s%s\n", tw_contact_normal_name(law.normal), i == 2 ? ", not rescaled" : "");
        orders_of(&way, &law, &right, order);
        for (int k = 0; k < NUMBERS; k++)
            expect_at_least(order[k], 1.8);
    }
}

/* Its own limit, extrapolated from two fine runs of first order: it has no twirl. */
static void the_conventional_law_converges_with_first_order(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    for (int i = 0; i < 3; i++) {
        const tw_contact_law law =
            soft_law(TW_CONTACT_CONVENTIONAL, i > 0 ? TW_CONTACT_HERTZ : TW_CONTACT_LINEAR, i != 2);
        const journey_end fine = journey_run(&way, &law, FINEST);
        journey_end right = journey_run(&way, &law, 2 * FINEST);
        double order[NUMBERS];
        right.memory.ft = tw_vec3_sub(tw_vec3_scale(2.0, right.memory.ft), fine.memory.ft);
        right.extra.fr = tw_vec3_sub(tw_vec3_scale(2.0, right.extra.fr), fine.extra.fr);
        right.extra.fw = 2.0 * right.extra.fw - fine.extra.fw;
        print_message("conventional %s%s\n", tw_contact_normal_name(law.normal),
                      i == 2 ? ", not rescaled" : "");
        orders_of(&way, &law, &right, order);
        for (int k = FT; k <= FW; k++) {
            expect_at_least(order[k], 0.85);
            expect_at_most(order[k], 1.3);
        }
    }
}

/* Touch, stick, slide, part: forces are gone at the end, work is not. */
static void the_work_of_a_whole_life_converges_with_second_order(void **state)
{
    (void)state;
    const journey way = journey_life();
    tw_contact_law law = soft_law(TW_CONTACT_EXACT, TW_CONTACT_HERTZ, 1);
    law.mu_w = 0.1; /* slides too */
    const journey_end right = journey_run(&way, &law, FINEST);
    double order[NUMBERS];
    assert_true(right.memory.zeta < 0.0 && right.lost_rolling > 0.0 && right.lost_twisting > 0.0);
    assert_true(tw_vec3_norm(right.extra.fr) == 0.0 && right.extra.fw == 0.0);
    orders_of(&way, &law, &right, order);
    for (int k = WORK_T; k < NUMBERS; k++)
        expect_at_least(order[k], 1.8);
    /* nothing was stored before, nothing is after */
    const double lost = right.work_dissipated + right.work_micro;
    expect_at_most(fabs(right.work_tangential - lost), 1e-11 * lost);
    expect_at_most(fabs(right.work_rolling - right.lost_rolling), 1e-11 * right.lost_rolling);
    expect_at_most(fabs(right.work_twisting - right.lost_twisting), 1e-11 * right.lost_twisting);
}

/* Forces of a contact that sticks. */
typedef struct springs {
    tw_vec3 ft, fr;
    double fw;
} springs;

/* Rate of the springs: stiffness times relative velocity, turned with the contact, and rescaled
 * with the stiffness. Velocities by central differences, good to 1e-9. */
static springs rate(const journey *way, const tw_contact_law *law, double t, const springs *now)
{
    const double h = 2e-5, radius_p = way->radius_p, radius_q = way->radius_q;
    const double reduced = radius_p * radius_q / (radius_p + radius_q);
    const journey_pose a = way->pose(way->context, t - h), b = way->pose(way->context, t + h);
    const tw_vec3 branch = way->pose(way->context, t).branch;
    const double length = tw_vec3_norm(branch), zeta = radius_p + radius_q - length;
    const tw_vec3 n = tw_vec3_scale(1.0 / length, branch);
    const tw_vec3 db = tw_vec3_scale(0.5 / h, tw_vec3_sub(b.branch, a.branch));
    const tw_vec3 wp = tw_vec3_scale(0.5 / h, support_spin_between(a.spin_p, b.spin_p));
    const tw_vec3 wq = tw_vec3_scale(0.5 / h, support_spin_between(a.spin_q, b.spin_q));
    const tw_vec3 spin =
        tw_vec3_add_scaled(tw_vec3_scale(0.5 * tw_vec3_dot(tw_vec3_add(wp, wq), n), n),
                           1.0 / length, tw_vec3_cross(n, db));
    /* velocity of q's surface relative to p's, and of the rotations times the radius */
    tw_vec3 v = tw_vec3_add_scaled(db, -(radius_p - 0.5 * zeta), tw_vec3_cross(wp, n));
    v = tw_vec3_add_scaled(v, -(radius_q - 0.5 * zeta), tw_vec3_cross(wq, n));
    v = tw_vec3_add_scaled(v, -tw_vec3_dot(v, n), n);
    const tw_vec3 w = tw_vec3_scale(reduced, tw_vec3_sub(wq, wp));
    const int hertz = law->normal == TW_CONTACT_HERTZ;
    const double root = hertz ? sqrt(zeta) : 1.0, opening = tw_vec3_dot(db, n);
    const int rescales = hertz && opening > 0.0 && (law->refine & TW_CONTACT_RESCALE) != 0;
    const double fade = rescales ? -0.5 * opening / zeta : 0.0;
    springs out;
    out.ft = tw_vec3_add_scaled(tw_vec3_cross(spin, now->ft), law->kt * root, v);
    out.ft = tw_vec3_add_scaled(out.ft, fade, now->ft);
    out.fr = tw_vec3_add_scaled(tw_vec3_cross(spin, now->fr), law->k_r * root, tw_vec3_cross(n, w));
    out.fr = tw_vec3_add_scaled(out.fr, fade, now->fr);
    out.fw = law->k_w * root * tw_vec3_dot(n, w) + fade * now->fw;
    return out;
}

static springs add_scaled(springs a, double s, springs b)
{
    const springs sum = {tw_vec3_add_scaled(a.ft, s, b.ft), tw_vec3_add_scaled(a.fr, s, b.fr),
                         a.fw + s * b.fw};
    return sum;
}

/* The classical Runge-Kutta scheme. */
static springs integrate(const journey *way, const tw_contact_law *law, int steps)
{
    const double h = (way->end - way->begin) / steps;
    springs f = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0};
    for (int i = 0; i < steps; i++) {
        const double t = way->begin + h * i;
        springs k[4], at = f, sum = f;
        const double reach[4] = {0.0, 0.5 * h, 0.5 * h, h};
        const double weight[4] = {h / 6.0, h / 3.0, h / 3.0, h / 6.0};
        for (int j = 0; j < 4; j++) {
            if (j > 0) at = add_scaled(f, reach[j], k[j - 1]);
            k[j] = rate(way, law, t + reach[j], &at);
            sum = add_scaled(sum, weight[j], k[j]);
        }
        f = sum;
    }
    return f;
}

static void judge_limit(const journey *way, const tw_contact_law *law)
{
    const springs right = integrate(way, law, 512);
    const journey_end a = journey_run(way, law, 1024), b = journey_run(way, law, 2048);
    assert_true(a.sliding == 0 && b.sliding == 0);
    /* second order taken out by extrapolation; what is left is of fourth order, (1.6/1024)^4 */
    springs limit = {b.memory.ft, b.extra.fr, b.extra.fw};
    const springs coarse = {a.memory.ft, a.extra.fr, a.extra.fw};
    limit = add_scaled(add_scaled(limit, 1.0 / 3.0, limit), -1.0 / 3.0, coarse);
    const double ft = support_distance(limit.ft, right.ft) / tw_vec3_norm(right.ft);
    const double fr = support_distance(limit.fr, right.fr) / tw_vec3_norm(right.fr);
    const double fw = fabs(limit.fw / right.fw - 1.0);
    print_message("%s: ft %.2g, fr %.2g, fw %.2g\n", tw_contact_normal_name(law->normal), ft, fr,
                  fw);
    /* the differences of the rates: h^2 = 4e-10 times third derivatives of order one */
    expect_at_most(ft, 2e-9);
    expect_at_most(fr, 2e-9);
    expect_at_most(fw, 2e-9);
}

/* The limit of small steps is the right one, kinematics included. */
static void small_steps_tend_to_the_rate_equations_of_a_rolling_pair(void **state)
{
    (void)state;
    const journey ways[3] = {journey_rolling(), journey_loading(), journey_unloading()};
    for (int i = 0; i < 5; i++) {
        tw_contact_law law =
            soft_law(TW_CONTACT_EXACT, i < 2 ? TW_CONTACT_LINEAR : TW_CONTACT_HERTZ, i != 4);
        law.mu = law.mu_r = law.mu_w = 50.0;
        judge_limit(&ways[i == 0 ? 0 : i == 2 ? 1 : 2], &law);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_law_converges_with_second_order),
        cmocka_unit_test(the_conventional_law_converges_with_first_order),
        cmocka_unit_test(the_work_of_a_whole_life_converges_with_second_order),
        cmocka_unit_test(small_steps_tend_to_the_rate_equations_of_a_rolling_pair),
    };
    return cmocka_run_group_tests_name("contact_convergence", tests, NULL, NULL);
}
