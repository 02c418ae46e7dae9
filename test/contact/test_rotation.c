/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair that turns as one body carries its force with it; other observers see the same force. */
#include "journey.h"

static const double whole_turn = 130.0 * SUPPORT_PI / 180.0; /* two steps of 65 degrees */

/* Radii 1 and 0.6; kt is low, so that the force is worth a movement of 0.2 radii and the rounding
 * of positions (1e-16) is 1e-15 of it. */
static tw_contact_law rotation_law(int32_t kind)
{
    tw_contact_law law = support_law(1e6, 1e5, 0.5);
    law.kind = kind;
    return law;
}

/* All that a pair can have, with the same forces at an overlap of 0.1. */
static tw_contact_law whole_law(int32_t normal)
{
    tw_contact_law law = support_resisting_law(rotation_law(TW_CONTACT_EXACT));
    return normal == TW_CONTACT_HERTZ ? support_hertz_like(law, 0.1) : law;
}

typedef struct rigid {
    tw_vec3 branch, ft; /* at the start */
    tw_vec3 axis;
    tw_vec3 fr;
    double fw;
} rigid;

/* The forces of a pair that was turned, against those before: the largest error relative to the
 * force that has it. */
static double turned_error(const tw_contact_law *law, const rigid *before, tw_vec3 turn,
                           const tw_contact_memory *memory, const tw_contact_parts *extra)
{
    const tw_vec3 ft = support_rotate(before->ft, turn), fr = support_rotate(before->fr, turn);
    double error = support_distance(memory->ft, ft) / tw_vec3_norm(ft);
    if (law->mu_r > 0.0)
        error = support_most(error, support_distance(extra->fr, fr) / tw_vec3_norm(fr));
    if (law->mu_w > 0.0) error = support_most(error, fabs(extra->fw / before->fw - 1.0));
    return error;
}

/* Turns the pair as one body; the forces must come out turned alike. */
static double turn_with(const rigid *r, const tw_contact_law *law, int steps)
{
    tw_contact_memory memory = tw_contact_memory_fresh(r->branch, 1.0, 0.6);
    tw_contact_parts extra = {.fr = r->fr, .fw = r->fw};
    memory.ft = r->ft;
    const tw_vec3 step = tw_vec3_scale(whole_turn / steps, r->axis);
    for (int i = 1; i <= steps; i++) {
        const tw_vec3 turn = tw_vec3_scale(whole_turn * i / steps, r->axis);
        const tw_contact_pair pair = {support_rotate(r->branch, turn), step, step, 1.0, 0.6, 0.0};
        const tw_contact_motion motion = tw_contact_pair_motion(law->kind, &pair, &memory);
        tw_contact_load load;
        support_advance(law, &motion, 1.0, &memory, &extra, &load);
        assert_int_equal(load.touching, 1);
    }
    return turned_error(law, r, tw_vec3_scale(whole_turn, r->axis), &memory, &extra);
}

static double turn_rigidly(const rigid *r, int32_t kind, int steps)
{
    const tw_contact_law law = rotation_law(kind);
    return turn_with(r, &law, steps);
}

/* A pair with an overlap of 0.1 and half of each limit used. */
static rigid draw_rigid(support_random *random)
{
    rigid r;
    const tw_vec3 n = support_unit(random);
    const tw_contact_law law = whole_law(TW_CONTACT_LINEAR);
    r.branch = tw_vec3_scale(1.5, n);
    r.ft = tw_vec3_scale(0.5 * 0.5 * 1e6 * 0.1, support_tangent(random, n));
    r.axis = support_unit(random);
    r.fr = tw_vec3_scale(0.5 * law.mu_r * law.kn * 0.1, support_tangent(random, n));
    r.fw = -0.5 * law.mu_w * law.kn * 0.1;
    return r;
}

static tw_vec3 unit_of(tw_vec3 v)
{
    return tw_vec3_scale(1.0 / tw_vec3_norm(v), v);
}

/* 1200 steps are of 1.9e-3 rad each: small rotations may be computed by series, and there they are
 * at their worst. */
static const int step_counts[] = {1200, 1000, 10, 2};
enum { STEP_COUNTS = sizeof step_counts / sizeof step_counts[0] };

static double worst_turn(const rigid *r)
{
    double worst = 0.0;
    for (int i = 0; i < STEP_COUNTS; i++) {
        worst = support_most(worst, turn_rigidly(r, TW_CONTACT_EXACT, step_counts[i]));
        for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++) {
            const tw_contact_law law = whole_law(normal);
            worst = support_most(worst, turn_with(r, &law, step_counts[i]));
        }
    }
    return worst;
}

static void the_exact_law_carries_the_force_about_a_skew_axis(void **state)
{
    (void)state;
    support_random random = {11};
    double worst = 0.0;
    int skew = 0;
    for (int i = 0; i < 20; i++) {
        const rigid r = draw_rigid(&random);
        const double lean = fabs(tw_vec3_dot(r.axis, unit_of(r.branch)));
        if (lean < 0.2 || lean > 0.9) continue; /* neither in the plane nor the normal */
        worst = support_most(worst, worst_turn(&r));
        skew++;
    }
    assert_true(skew >= 10);
    print_message("rigid rotation about skew axes in 1200, 1000, 10 and 2 steps: %.2g\n", worst);
    expect_at_most(worst, 1e-12); /* the contract: rounding of a thousand steps */
}

static void the_exact_law_carries_the_force_about_the_normal(void **state)
{
    (void)state;
    support_random random = {12};
    for (int i = 0; i < 10; i++) {
        rigid r = draw_rigid(&random);
        r.axis = unit_of(r.branch);
        expect_at_most(worst_turn(&r), 1e-12); /* as above */
    }
}

static void the_exact_law_carries_the_force_about_axes_in_the_plane(void **state)
{
    (void)state;
    support_random random = {13};
    for (int i = 0; i < 10; i++) {
        rigid r = draw_rigid(&random);
        r.axis = unit_of(r.ft);
        expect_at_most(worst_turn(&r), 1e-12); /* as above, along the force */
        r.axis = tw_vec3_cross(unit_of(r.branch), unit_of(r.ft));
        expect_at_most(worst_turn(&r), 1e-12); /* and across it */
    }
}

/* Projection loses 1 - cos(h) of the force in each step, the linear twirl adds sqrt(1 + h^2) - 1:
 * h^2/2 either way, angle^2/(2 steps) in sum. */
static void the_paper_law_loses_or_gains_half_the_angle_squared_over_the_steps(void **state)
{
    (void)state;
    support_random random = {14};
    rigid r = draw_rigid(&random);
    const tw_vec3 n = unit_of(r.branch);
    for (int i = 0; i < 2; i++) {
        r.axis = i == 0 ? n : tw_vec3_cross(n, unit_of(r.ft));
        for (int steps = 100; steps <= 1600; steps *= 4) {
            const double error = turn_rigidly(&r, TW_CONTACT_PAPER, steps);
            const double ratio = error * steps / (0.5 * whole_turn * whole_turn);
            print_message("paper, axis %d, %4d steps: error %.3e, %.3f of angle^2/(2 steps)\n", i,
                          steps, error, ratio);
            /* the next terms of both series are of relative size angle^2/steps, with factors near 2
             */
            expect_at_most(fabs(ratio - 1.0), 3.0 * whole_turn * whole_turn / steps);
        }
    }
}

/* About a skew axis the first-order movement is not zero either: more error, still first order. */
static void the_paper_law_is_first_order_about_a_skew_axis(void **state)
{
    (void)state;
    support_random random = {15};
    rigid r = draw_rigid(&random);
    r.axis = unit_of(tw_vec3_add(unit_of(r.branch), unit_of(r.ft)));
    double before = turn_rigidly(&r, TW_CONTACT_PAPER, 1000);
    for (int steps = 2000; steps <= 8000; steps *= 2) {
        const double error = turn_rigidly(&r, TW_CONTACT_PAPER, steps);
        expect_at_most(fabs(log2(before / error) - 1.0), 0.1); /* next order: angle/steps, 1e-2 */
        before = error;
    }
}

static void the_conventional_law_does_not_twirl(void **state)
{
    (void)state;
    support_random random = {16};
    rigid r = draw_rigid(&random);
    r.axis = unit_of(r.branch);
    for (int i = 0; i < STEP_COUNTS; i++) {
        const double error = turn_rigidly(&r, TW_CONTACT_CONVENTIONAL, step_counts[i]);
        /* the force stands still: the chord of the angle, to rounding of the steps */
        expect_at_most(fabs(error - 2.0 * sin(0.5 * whole_turn)), 1e-12);
    }
}

static void forces_never_leave_their_plane_or_their_limit(void **state)
{
    (void)state;
    for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++) {
        const tw_contact_law law = whole_law(normal);
        support_random random = {17};
        tw_contact_memory memory = tw_contact_memory_fresh(tw_vec3_make(1.5, 0.0, 0.0), 1.0, 0.6);
        tw_contact_parts extra = {.fw = 0.0};
        for (int i = 0; i < support_count(20000); i++) {
            /* tilts and twists of all sizes, movements that reach the limit now and then */
            const double angle = support_log_uniform(&random, 1e-6, 1.0);
            const tw_vec3 turn = tw_vec3_scale(angle, support_unit(&random));
            tw_contact_motion motion = support_motion(support_rotate(memory.n, turn), 0.1, turn);
            tw_contact_load load;
            motion.n = unit_of(motion.n);
            motion.zeta *= i & 1 ? support_uniform(&random, 0.5, 1.5) : 1.0;
            motion.turn_p = turn;
            motion.turn_q = tw_vec3_scale(0.5, turn);
            motion.radius = 0.375;
            support_advance(&law, &motion, 1.0, &memory, &extra, &load);
            /* rounding of the terms of one step, not of all of them */
            const double out = 4e-15 * law.mu * 1.5e5;
            expect_at_most(fabs(tw_vec3_dot(memory.ft, memory.n)), out);
            expect_at_most(fabs(tw_vec3_dot(extra.fr, memory.n)), out);
            expect_at_most(tw_vec3_norm(memory.ft), law.mu * load.fn * (1.0 + 1e-15));
            expect_at_most(tw_vec3_norm(extra.fr), law.mu_r * load.fn * (1.0 + 1e-15));
            expect_at_most(fabs(extra.fw), law.mu_w * load.fn * (1.0 + 1e-15));
        }
    }
}

/* A motion seen by an observer who turns: spin(t) about a fixed axis, superposed on the rolling
 * pair. */
typedef struct observed {
    journey way;
    tw_vec3 axis;
    double rate, still; /* angle = rate t + still */
} observed;

static journey_pose seen(const void *context, double t)
{
    const observed *o = (const observed *)context;
    return journey_turned(o->way.pose(o->way.context, t),
                          support_spin_about(o->axis, o->rate * t + o->still));
}

/* Relative difference of the forces that the two observers measure at the end. */
static double disagreement(const observed *o, const tw_contact_law *law, int steps)
{
    journey turned = o->way;
    turned.pose = seen;
    turned.context = o;
    const journey_end here = journey_run(&o->way, law, steps);
    const journey_end there = journey_run(&turned, law, steps);
    const rigid before = {.ft = here.memory.ft, .fr = here.extra.fr, .fw = here.extra.fw};
    const double angle = o->rate * o->way.end + o->still;
    return turned_error(law, &before, tw_vec3_scale(angle, unit_of(o->axis)), &there.memory,
                        &there.extra);
}

static void an_observer_who_stands_askew_sees_the_same_force(void **state)
{
    (void)state;
    const observed o = {journey_rolling(), {0.3, -1.0, 0.5}, 0.0, 2.0};
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        const tw_contact_law law = rotation_law(kind);
        /* every formula is made of dot and cross products: rounding of 100 steps of size 1/0.2 */
        expect_at_most(disagreement(&o, &law, 100), 1e-12);
    }
    for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++) {
        const tw_contact_law law = whole_law(normal);
        expect_at_most(disagreement(&o, &law, 100), 1e-12);
    }
}

static void expect_second_order(const observed *o, const tw_contact_law *law)
{
    double before = disagreement(o, law, 32);
    for (int steps = 64; steps <= 1024; steps *= 2) {
        const double now = disagreement(o, law, steps);
        print_message("turning observer, %4d steps: %.3e, order %.3f\n", steps, now,
                      log2(before / now));
        expect_at_least(log2(before / now), 1.9);
        before = now;
    }
}

/* Mid-step rules are exact for a rigid step, but a movement and a rotation within the same step do
 * not commute: the movement is measured with an error of its size times the angle squared. So
 * objectivity under a rotation in step with the motion is of second order, not exact. */
static void an_observer_who_turns_sees_the_same_force_to_second_order(void **state)
{
    (void)state;
    const observed o = {journey_rolling(), {0.3, -1.0, 0.5}, 1.1, 0.0};
    tw_contact_law law = rotation_law(TW_CONTACT_EXACT);
    expect_second_order(&o, &law);
    for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++) {
        const tw_contact_law whole = whole_law(normal);
        expect_second_order(&o, &whole);
    }
    law.kind = TW_CONTACT_CONVENTIONAL; /* sees no twirl: a wrong force however short the step */
    expect_at_least(disagreement(&o, &law, 1024), 1e-2);
}

/* Rotation and motion in steps of their own: then the rigid steps are exact, and so is the whole.
 */
static void rigid_steps_between_the_others_change_nothing(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    const tw_contact_law law = rotation_law(TW_CONTACT_EXACT);
    const tw_vec3 axis = {0.3, -1.0, 0.5};
    const int steps = 100;
    journey_pose at = way.pose(way.context, way.begin);
    tw_contact_memory memory = tw_contact_memory_fresh(at.branch, way.radius_p, way.radius_q);
    tw_contact_parts extra = {.fw = 0.0};
    for (int i = 1; i <= steps; i++) {
        const double t = way.begin + (way.end - way.begin) * i / steps;
        const journey_pose moved =
            journey_turned(way.pose(way.context, t), support_spin_about(axis, 0.4 * (i - 1)));
        const journey_pose turned =
            journey_turned(way.pose(way.context, t), support_spin_about(axis, 0.4 * i));
        journey_step(&way, &law, at, moved, &memory, &extra);
        const tw_contact_load load = journey_step(&way, &law, moved, turned, &memory, &extra);
        /* no work in a rigid step: rounding of kt times positions of order one */
        expect_at_most(fabs(load.work_tangential), 1e-15 * law.kt);
        at = turned;
    }
    const tw_vec3 ft = journey_run(&way, &law, steps).memory.ft;
    const tw_vec3 right = support_rotate(ft, tw_vec3_scale(0.4 * steps, unit_of(axis)));
    expect_at_most(support_distance(memory.ft, right), 1e-12 * tw_vec3_norm(ft));
}

static journey_pose swapped(const void *context, double t)
{
    const journey *way = (const journey *)context;
    const journey_pose pose = way->pose(way->context, t);
    const journey_pose other = {tw_vec3_scale(-1.0, pose.branch), pose.spin_q, pose.spin_p};
    return other;
}

static void the_bodies_may_be_named_either_way(void **state)
{
    (void)state;
    const journey way = journey_rolling();
    const journey other = {swapped, &way, way.radius_q, way.radius_p, way.begin, way.end};
    for (int32_t i = 0; i < TW_CONTACT_KINDS + TW_CONTACT_NORMALS; i++) {
        const tw_contact_law law =
            i < TW_CONTACT_KINDS ? rotation_law(i) : whole_law(i - TW_CONTACT_KINDS);
        const journey_end a = journey_run(&way, &law, 100), b = journey_run(&other, &law, 100);
        /* the force on one is against that on the other: rounding of 100 steps */
        expect_at_most(tw_vec3_norm(tw_vec3_add(a.memory.ft, b.memory.ft)),
                       1e-13 * tw_vec3_norm(a.memory.ft));
        expect_at_most(fabs(a.work_tangential - b.work_tangential), 1e-13 * a.work_tangential);
        /* a couple on p is R n x fr and -R fw n: n and the couple change sign */
        expect_at_most(support_distance(a.extra.fr, b.extra.fr), 1e-13 * tw_vec3_norm(a.extra.fr));
        expect_at_most(fabs(a.extra.fw - b.extra.fw), 1e-13 * fabs(a.extra.fw));
        expect_at_most(fabs(a.work_rolling - b.work_rolling), 1e-13 * a.work_rolling);
        expect_at_most(fabs(a.work_twisting - b.work_twisting), 1e-13 * a.work_twisting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_law_carries_the_force_about_a_skew_axis),
        cmocka_unit_test(the_exact_law_carries_the_force_about_the_normal),
        cmocka_unit_test(the_exact_law_carries_the_force_about_axes_in_the_plane),
        cmocka_unit_test(the_paper_law_loses_or_gains_half_the_angle_squared_over_the_steps),
        cmocka_unit_test(the_paper_law_is_first_order_about_a_skew_axis),
        cmocka_unit_test(the_conventional_law_does_not_twirl),
        cmocka_unit_test(forces_never_leave_their_plane_or_their_limit),
        cmocka_unit_test(an_observer_who_stands_askew_sees_the_same_force),
        cmocka_unit_test(an_observer_who_turns_sees_the_same_force_to_second_order),
        cmocka_unit_test(rigid_steps_between_the_others_change_nothing),
        cmocka_unit_test(the_bodies_may_be_named_either_way),
    };
    return cmocka_run_group_tests_name("contact_rotation", tests, NULL, NULL);
}
