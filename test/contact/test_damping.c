/* SPDX-License-Identifier: BSD-3-Clause */
/* Damping of a contact: the force delivered at the end of a step, its work, the limits of friction
 * and of tension, and the impulse over a collision. */
#include "support.h"

static const tw_vec3 ez = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};
static const double dt = 1e-5, radius = 0.01;

static tw_contact_law damped_law(int32_t normal)
{
    tw_contact_law law = support_resisting_law(support_law(1e6, 0.8e6, 0.5));
    if (normal == TW_CONTACT_HERTZ) law = support_hertz_like(law, 1e-4);
    law.nu_n = 300.0;
    law.nu_t = 10.0;
    law.nu_r = 12.0;
    law.nu_w = 14.0;
    return law;
}

/* Potential of the normal damping: nu_n z, or (4/5) nu_n z^(5/4). */
static double potential(const tw_contact_law *law, double zeta)
{
    if (!(zeta > 0.0)) return 0.0;
    return law->normal == TW_CONTACT_HERTZ ? 0.8 * law->nu_n * zeta * sqrt(sqrt(zeta))
                                           : law->nu_n * zeta;
}

/* A step in the plane of z; the bodies turn against each other. */
typedef struct step {
    double zeta0, zeta1;
    tw_vec3 dxi, roll; /* in the plane */
    double twist;
    tw_vec3 ft; /* before */
    tw_contact_parts extra;
} step;

static tw_contact_motion motion_of(const step *s)
{
    tw_vec3 du = s->dxi;
    du.z = s->zeta0 - s->zeta1;
    tw_contact_motion motion = support_motion(ez, s->zeta1, du);
    tw_vec3 turn = tw_vec3_cross(s->roll, ez);
    turn.z = s->twist;
    motion.radius = radius;
    motion.turn_q = tw_vec3_scale(0.5 / radius, turn);
    motion.turn_p = tw_vec3_scale(-0.5 / radius, turn);
    return motion;
}

static tw_contact_load advance(const tw_contact_law *law, const step *s, tw_contact_memory *memory,
                               tw_contact_parts *extra)
{
    const tw_contact_motion motion = motion_of(s);
    tw_contact_load load;
    *memory = support_memory(ez, s->zeta0, s->ft);
    *extra = s->extra;
    support_advance(law, &motion, dt, memory, extra, &load);
    return load;
}

/* A step that sticks, small enough that no limit is near: drag of up to a newton, forces of some,
 * limits of tens. Rotations are of 1e-6: their Gibbs vectors are half of them to 1e-13. */
static step draw_step(support_random *random)
{
    step s = {.zeta0 = 1e-4};
    s.zeta1 = s.zeta0 * (1.0 + support_uniform(random, -1e-2, 1e-2));
    s.dxi = tw_vec3_scale(1e-7, support_tangent(random, ez));
    s.roll = tw_vec3_scale(1e-8, support_tangent(random, ez));
    s.twist = support_uniform(random, -1e-8, 1e-8);
    s.ft = tw_vec3_scale(5.0, support_tangent(random, ez));
    s.extra.fr = tw_vec3_scale(3.0, support_tangent(random, ez));
    s.extra.fw = 2.0;
    s.extra.rate = support_vector(random, 0.1, 1.0);
    s.extra.drag = support_vector(random, 0.1, 1.0);
    s.extra.rate_r = tw_vec3_scale(0.2, support_tangent(random, ez));
    s.extra.drag_r = tw_vec3_scale(0.3, support_tangent(random, ez));
    s.extra.rate_w = 0.1;
    s.extra.drag_w = -0.2;
    return s;
}

/* 1.5 of the mean of this step less 0.5 of that of the last one: the force at its end, to second
 * order. */
static tw_vec3 ahead(tw_vec3 now, tw_vec3 before)
{
    return tw_vec3_add_scaled(tw_vec3_scale(1.5, now), -0.5, before);
}

static void the_drag_is_extrapolated_to_the_end_of_the_step(void **state)
{
    (void)state;
    support_random random = {101};
    for (int i = 0; i < 400; i++) {
        const tw_contact_law law = damped_law(i & 1);
        step s = draw_step(&random);
        if (i % 4 < 2) s.zeta1 = s.zeta0;
        tw_contact_memory memory;
        tw_contact_parts extra;
        const tw_contact_load load = advance(&law, &s, &memory, &extra);
        /* Hertz: coefficients go with zeta^(1/4), some value between those of the ends */
        const double power = i & 1 ? 0.25 : 0.0, c = pow(s.zeta0, power);
        const double spread = fabs(pow(s.zeta1, power) - c) / c + 1e-12;
        tw_vec3 rate = tw_vec3_scale(law.nu_t * c / dt, s.dxi);
        rate.z = -(potential(&law, s.zeta1) - potential(&law, s.zeta0)) / dt;
        const tw_vec3 rate_r = tw_vec3_scale(law.nu_r * c / dt, s.roll);
        const double rate_w = law.nu_w * c * s.twist / dt;
        assert_int_equal(load.sliding, 0);
        expect_at_most(fabs(extra.rate.z - rate.z), 1e-11 * law.nu_n * s.zeta0 / dt * c);
        expect_at_most(support_distance(extra.rate, rate),
                       1e-11 * law.nu_n * s.zeta0 / dt * c + spread * tw_vec3_norm(rate));
        expect_at_most(support_distance(extra.rate_r, rate_r), spread * tw_vec3_norm(rate_r));
        expect_at_most(fabs(extra.rate_w - rate_w), spread * tw_vec3_norm(rate_r));
        /* what is delivered follows from the rates to rounding */
        const tw_vec3 drag = ahead(extra.rate, s.extra.rate);
        const tw_vec3 drag_r = ahead(extra.rate_r, s.extra.rate_r);
        expect_at_most(support_distance(extra.drag, drag), 1e-14 * tw_vec3_norm(drag) + 1e-14);
        expect_at_most(support_distance(extra.drag_r, drag_r), 1e-14);
        expect_at_most(fabs(extra.drag_w - (1.5 * extra.rate_w - 0.5 * s.extra.rate_w)), 1e-14);
        tw_vec3 f = tw_vec3_add(memory.ft, extra.drag);
        f.z -= load.fn;
        expect_at_most(support_distance(load.f, f), 1e-14 * load.fn);
        const tw_vec3 roll = tw_vec3_add(extra.fr, extra.drag_r);
        tw_vec3 couple = tw_vec3_scale(-radius, tw_vec3_cross(ez, roll));
        couple.z += radius * (extra.fw + extra.drag_w);
        expect_at_most(support_distance(load.couple, couple), 1e-14 * radius * load.fn);
        /* trapezoid of the forces delivered */
        const tw_vec3 du = motion_of(&s).du;
        const double work = 0.5 * tw_vec3_dot(tw_vec3_add(s.extra.drag, extra.drag), du) +
                            0.5 * tw_vec3_dot(tw_vec3_add(s.extra.drag_r, extra.drag_r), s.roll) +
                            0.5 * (s.extra.drag_w + extra.drag_w) * s.twist;
        const double size = tw_vec3_norm(extra.drag) * tw_vec3_norm(du) + 1e-8;
        expect_at_most(fabs(load.work_viscous - work), 1e-11 * size);
    }
}

/* Springs, their energies and the sliding are those of the law without damping, to the bit. */
static void damping_is_not_stored(void **state)
{
    (void)state;
    support_random random = {102};
    for (int i = 0; i < 400; i++) {
        const tw_contact_law law = damped_law(i & 1);
        tw_contact_law bare = law;
        bare.nu_n = bare.nu_t = bare.nu_r = bare.nu_w = 0.0;
        step s = draw_step(&random);
        s.zeta1 = s.zeta0 * support_uniform(&random, -0.1, 2.0);
        if (i % 3 == 0) s.dxi = tw_vec3_scale(1e3, s.dxi); /* slides */
        tw_contact_memory a, b;
        tw_contact_parts xa, xb;
        const tw_contact_load with = advance(&law, &s, &a, &xa);
        const tw_contact_load without = advance(&bare, &s, &b, &xb);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&xa.fr, &xb.fr, sizeof xa.fr);
        assert_true(xa.fw == xb.fw && with.fn == without.fn && with.sliding == without.sliding);
        assert_true(with.work_tangential == without.work_tangential);
        assert_true(with.work_dissipated == without.work_dissipated);
        assert_true(with.work_micro == without.work_micro);
        assert_true(with.work_rolling == without.work_rolling);
        assert_true(with.lost_twisting == without.lost_twisting);
        assert_true(with.work_normal == without.work_normal && without.work_viscous == 0.0);
    }
}

/* No contact has more damping than the limit allows: one that slides has none along its force, and
 * what there is against it; the same for rolling and twisting. */
static void friction_limits_spring_and_damping_together(void **state)
{
    (void)state;
    support_random random = {103};
    int slides = 0, backs = 0, capped = 0, rolls = 0, twists = 0;
    const int count = support_count(4000);
    for (int i = 0; i < count; i++) {
        tw_contact_law law = damped_law(i & 1);
        const double strong = support_log_uniform(&random, 1e-2, 1e4);
        law.nu_t *= strong;
        law.nu_r *= strong;
        law.nu_w *= strong;
        step s = draw_step(&random);
        s.zeta1 = s.zeta0 * support_uniform(&random, -0.1, 2.0);
        s.dxi = tw_vec3_scale(support_log_uniform(&random, 1e-3, 1e4), s.dxi);
        s.roll = tw_vec3_scale(support_log_uniform(&random, 1e-3, 1e4), s.roll);
        s.twist *= support_log_uniform(&random, 1e-3, 1e5);
        s.ft = tw_vec3_scale(support_uniform(&random, 0.0, 10.0), s.ft);
        tw_contact_memory memory;
        tw_contact_parts extra;
        const tw_contact_load load = advance(&law, &s, &memory, &extra);
        const tw_vec3 drag = {extra.drag.x, extra.drag.y, 0.0};
        const double limit = law.mu * load.fn;
        expect_at_most(tw_vec3_norm(tw_vec3_add(memory.ft, drag)), limit * (1.0 + 1e-14));
        expect_at_most(hypot(load.f.x, load.f.y), limit * (1.0 + 1e-14));
        expect_at_most(tw_vec3_norm(tw_vec3_add(extra.fr, extra.drag_r)),
                       law.mu_r * load.fn * (1.0 + 1e-14));
        expect_at_most(fabs(extra.fw + extra.drag_w), law.mu_w * load.fn * (1.0 + 1e-14));
        expect_at_most(fabs(tw_vec3_dot(extra.fr, ez)) + fabs(extra.drag_r.z), 0.0);
        if (tw_vec3_norm(extra.fr) > law.mu_r * load.fn * (1.0 - 1e-12)) {
            expect_at_most(tw_vec3_dot(extra.fr, extra.drag_r),
                           1e-12 * pow(law.mu_r * load.fn, 2.0));
            rolls += load.touching;
        }
        if (fabs(extra.fw) > law.mu_w * load.fn * (1.0 - 1e-12)) {
            expect_at_most(extra.fw * extra.drag_w, 1e-12 * pow(law.mu_w * load.fn, 2.0));
            twists += load.touching;
        }
        slides += load.sliding;
        if (load.sliding) expect_at_most(tw_vec3_dot(memory.ft, drag), 1e-12 * limit * limit);
        if (load.touching) {
            const tw_vec3 free = ahead(extra.rate, s.extra.rate);
            const double size = hypot(memory.ft.x + free.x, memory.ft.y + free.y);
            backs += load.sliding && tw_vec3_norm(drag) > 0.1 * limit;
            if (size <= limit * (1.0 - 1e-14))
                expect_at_most(hypot(drag.x - free.x, drag.y - free.y), 1e-13 * limit);
            else /* as much as the limit allows */
                expect_at_most(fabs(hypot(load.f.x, load.f.y) / limit - 1.0), 1e-12), capped++;
        }
    }
    print_message("%d slide, %d of them against the movement, %d are capped, %d roll, %d twist\n",
                  slides, backs, capped, rolls, twists);
    assert_true(slides > count / 20 && capped > count / 20);
    assert_true(rolls > count / 20 && twists > count / 20);
}

static void without_tension_damping_takes_no_more_than_the_normal_force(void **state)
{
    (void)state;
    int pulls = 0;
    for (int i = 0; i < 2; i++) {
        for (double share = -0.5; share < 1.0; share += 0.1) {
            tw_contact_law law = damped_law(i);
            law.nu_n *= 100.0;
            step s = {.zeta0 = 1e-4, .zeta1 = 1e-4 * share};
            s.extra.rate.z = 1.0;
            tw_contact_memory memory;
            tw_contact_parts extra;
            tw_contact_load load = advance(&law, &s, &memory, &extra);
            const double pull = load.f.z; /* on p, along the outward normal */
            pulls += pull > 0.0;
            law.flags = TW_CONTACT_NO_TENSION;
            load = advance(&law, &s, &memory, &extra);
            /* where the contact ends nothing remains: the force was zero before */
            if (pull > 0.0 || !load.touching)
                assert_true(load.f.z == 0.0);
            else
                assert_true(load.f.z == pull);
        }
    }
    assert_true(pulls > 20);
}

/* Movement before the bodies touch is not damped; a new contact has no last step. */
static void a_new_contact_is_damped_from_its_touch(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tw_contact_law law = damped_law(i);
        step s = {.zeta0 = -1e-4, .zeta1 = 3e-4};
        tw_contact_memory memory;
        tw_contact_parts extra;
        const tw_contact_load load = advance(&law, &s, &memory, &extra);
        const double mean = potential(&law, s.zeta1) / dt;
        expect_at_most(fabs(-extra.rate.z / mean - 1.0), 1e-14);
        expect_at_most(fabs(-extra.drag.z / (1.5 * mean) - 1.0), 1e-14);
        expect_at_most(fabs(-load.f.z / (load.fn + 1.5 * mean) - 1.0), 1e-14);
        assert_true(load.touching == 1);
    }
}

/* In the step in which the contact ends, the rest of the impulse: J - J_before/2. */
static void a_contact_that_ends_delivers_the_rest_of_its_impulse(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tw_contact_law law = damped_law(i);
        step s = {.zeta0 = 1e-6, .zeta1 = -3e-6};
        s.extra.rate.z = 0.4;
        s.extra.drag.z = 0.7;
        tw_contact_memory memory;
        tw_contact_parts extra;
        const tw_contact_load load = advance(&law, &s, &memory, &extra);
        const double mean = potential(&law, s.zeta0) / dt; /* pulls p along n */
        assert_true(load.touching == 0 && load.fn == 0.0);
        expect_at_most(fabs(load.f.z - (mean - 0.2)), 1e-14 * (mean + 0.2));
        expect_at_most(hypot(load.f.x, load.f.y), 0.0);
        /* drag_before/2 + drag_now: in leap-frog the force acts half a step longer */
        const double work = (0.35 + load.f.z) * (s.zeta0 - s.zeta1);
        expect_at_most(fabs(load.work_viscous - work), 1e-14 * fabs(work));
        /* and no more: the next step knows nothing of it */
        step next = {.zeta0 = -3e-6, .zeta1 = -6e-6, .extra = extra};
        const tw_contact_load after = advance(&law, &next, &memory, &extra);
        assert_true(tw_vec3_norm(after.f) == 0.0 && after.work_viscous == 0.0);
    }
}

/* A prescribed collision: overlap depth sin(pi t), velocity not zero at touch and parting, `late`
 * of a step after the last one without contact. */
typedef struct collision {
    double impulse; /* of the damping, on p along -n */
    double work;
} collision;

static collision collide(const tw_contact_law *law, int steps, double late)
{
    const double depth = 1e-4, h = 1.0 / steps;
    collision c = {0.0, 0.0};
    tw_contact_memory memory = support_memory(ez, depth * sin(SUPPORT_PI * (late - 1.0) * h), zero);
    tw_contact_parts extra = {.fw = 0.0};
    for (int i = 0; i <= steps + 1; i++) {
        const double zeta = depth * sin(SUPPORT_PI * (i + late) * h), before = memory.zeta;
        const tw_contact_motion motion =
            support_motion(ez, zeta, tw_vec3_make(0.0, 0.0, before - zeta));
        tw_contact_load load;
        support_advance(law, &motion, h, &memory, &extra, &load);
        c.impulse -= h * (load.f.z + load.fn);
        c.work += load.work_viscous;
    }
    return c;
}

/* Velocity times coefficient integrates to nothing from touch to parting, however long the step;
 * the work tends to the integral of nu z^(1/4) z'^2 with the square of the step. */
static void over_a_collision_the_impulse_is_exact_and_the_work_of_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tw_contact_law law = damped_law(i);
        law.kn *= 1e-3; /* so that the rounding of fn is not all of the impulse */
        double right = 0.0, size = 0.0;
        /* composite midpoint rule with 10^5 points; z^(1/4) at the ends costs 1e-6 */
        for (int k = 0; k < 100000; k++) {
            const double t = (k + 0.5) * 1e-5, z = 1e-4 * sin(SUPPORT_PI * t);
            const double v = 1e-4 * SUPPORT_PI * cos(SUPPORT_PI * t);
            const double nu = law.nu_n * (i ? pow(z, 0.25) : 1.0);
            right += 1e-5 * nu * v * v;
            size += 1e-5 * nu * fabs(v);
        }
        double worst[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            for (double late = 0.05; late < 1.0; late += 0.1) {
                const collision c = collide(&law, 50 << k, late);
                expect_at_most(fabs(c.impulse), 1e-13 * size);
                worst[k] = support_most(worst[k], fabs(c.work / right - 1.0));
            }
        }
        print_message("%s: work off by %.2e, %.2e, %.2e in 50, 100, 200 steps\n",
                      tw_contact_normal_name(law.normal), worst[0], worst[1], worst[2]);
        expect_at_most(worst[0], 0.02);
        expect_at_least(log2(worst[0] / worst[2]) / 2.0, 1.7);
    }
}

/* A quasi-static caller may pass dt = 0. */
static void without_time_there_is_no_damping(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tw_contact_law law = damped_law(i);
        const step s = {.zeta0 = 1e-4, .zeta1 = 1.1e-4, .dxi = {1e-7, 0.0, 0.0}};
        const tw_contact_motion motion = motion_of(&s);
        tw_contact_memory memory = support_memory(ez, s.zeta0, zero);
        tw_contact_parts extra = {.fw = 0.0};
        tw_contact_load load;
        support_advance(&law, &motion, 0.0, &memory, &extra, &load);
        assert_true(load.work_viscous == 0.0 && load.f.z == -load.fn);
        assert_true(tw_vec3_norm(extra.drag) == 0.0 && tw_vec3_norm(extra.rate) == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_drag_is_extrapolated_to_the_end_of_the_step),
        cmocka_unit_test(damping_is_not_stored),
        cmocka_unit_test(friction_limits_spring_and_damping_together),
        cmocka_unit_test(without_tension_damping_takes_no_more_than_the_normal_force),
        cmocka_unit_test(a_new_contact_is_damped_from_its_touch),
        cmocka_unit_test(a_contact_that_ends_delivers_the_rest_of_its_impulse),
        cmocka_unit_test(over_a_collision_the_impulse_is_exact_and_the_work_of_second_order),
        cmocka_unit_test(without_time_there_is_no_damping),
    };
    return cmocka_run_group_tests_name("contact_damping", tests, NULL, NULL);
}
