/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolling and twisting resistance: the same slider as that of sliding, the sign of the couple, and
 * what they do not touch. */
#include "support.h"

static const tw_vec3 zero = {0.0, 0.0, 0.0};

static tw_vec3 gibbs(tw_vec3 turn)
{
    const double angle = tw_vec3_norm(turn);
    return angle > 0.0 ? tw_vec3_scale(tan(0.5 * angle) / angle, turn) : turn;
}

/* R (n0 + n1) x (g_q - g_p). */
static tw_vec3 rolled(tw_vec3 n0, const tw_contact_motion *motion)
{
    const tw_vec3 g = tw_vec3_sub(gibbs(motion->turn_q), gibbs(motion->turn_p));
    return tw_vec3_scale(motion->radius, tw_vec3_cross(tw_vec3_add(n0, motion->n), g));
}

static double twisted(tw_vec3 n0, const tw_contact_motion *motion)
{
    const tw_vec3 g = tw_vec3_sub(gibbs(motion->turn_q), gibbs(motion->turn_p));
    return motion->radius * tw_vec3_dot(tw_vec3_add(n0, motion->n), g);
}

/* A law with rolling resistance like that of sliding. */
static tw_contact_law twin_law(int32_t kind, int32_t normal)
{
    tw_contact_law law = support_law(1e6, 0.8e6, 0.3);
    law.kind = kind;
    if (normal == TW_CONTACT_HERTZ) law = support_hertz_like(law, 1e-4);
    law.k_r = law.kt;
    law.mu_r = law.mu;
    return law;
}

/* Turns of all sizes about all axes, tilt and twirl included; overlaps that grow and shrink, touch
 * and part. */
static tw_contact_motion draw_motion(support_random *random, tw_vec3 n0)
{
    tw_contact_motion motion =
        support_motion(support_rotate(n0, support_vector(random, 1e-6, 1e-1)), 1e-4, zero);
    motion.n = tw_vec3_scale(1.0 / tw_vec3_norm(motion.n), motion.n);
    motion.zeta *= support_uniform(random, -0.1, 2.0);
    motion.radius = support_log_uniform(random, 1e-3, 1.0);
    motion.turn_p = tw_vec3_scale(1e-4 / motion.radius, support_vector(random, 1e-2, 1e1));
    motion.turn_q = tw_vec3_scale(1e-4 / motion.radius, support_vector(random, 1e-2, 1e1));
    return motion;
}

/* The movement of rolling given to sliding: the two sliders must do the same, in the exact law with
 * tilt and twirl, in the conventional one with its projection. */
static void a_rolling_slider_is_one_of_sliding(void **state)
{
    (void)state;
    support_random random = {81};
    double force = 0.0, work = 0.0;
    int slides = 0;
    for (int i = 0; i < support_count(4000); i++) {
        const int32_t kind = i % 3 == 2 ? TW_CONTACT_CONVENTIONAL : TW_CONTACT_EXACT;
        const tw_contact_law law = twin_law(kind, i / 3 % 2);
        tw_contact_memory memory = support_memory(support_unit(&random), 1e-4, zero);
        if (support_bits(&random) % 8 == 0) memory.zeta *= -0.3;
        const double size = support_uniform(&random, 0.0, 30.0);
        const tw_vec3 ft = tw_vec3_scale(size, support_tangent(&random, memory.n));
        if (memory.zeta > 0.0) memory.ft = ft;
        tw_contact_parts extra = {.fr = memory.ft};
        tw_contact_motion motion = draw_motion(&random, memory.n);
        motion.du = rolled(memory.n, &motion);
        if (kind == TW_CONTACT_CONVENTIONAL) { /* 2 n1 x (half turns) */
            const tw_vec3 turn = tw_vec3_sub(motion.turn_q, motion.turn_p);
            motion.du = tw_vec3_scale(motion.radius, tw_vec3_cross(motion.n, turn));
        }
        tw_contact_load load;
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        const double limit = 0.3 * 1e6 * 2e-4;
        const double scale = limit * tw_vec3_norm(motion.du) + limit * limit / 0.8e6;
        const double lost = load.work_dissipated + load.work_micro;
        slides += load.sliding;
        force = support_most(force, support_distance(memory.ft, extra.fr) / limit);
        work = support_most(work, fabs(load.work_tangential - load.work_rolling) / scale);
        work = support_most(work, fabs(lost - load.lost_rolling) / scale);
        assert_true(load.touching == (motion.zeta > 0.0));
    }
    print_message("rolling against sliding: force %.2g, work %.2g, %d slide\n", force, work,
                  slides);
    assert_true(slides > support_count(4000) / 10);
    /* movements of up to a hundred slip distances, known to rounding */
    expect_at_most(force, 1e-13);
    expect_at_most(work, 1e-12);
}

/* Couples resist: the work that they take from the bodies is that which goes into the contact. At
 * constant n and overlap, sticking, from a force that is large beside its change. */
static void couples_take_the_work_that_goes_into_the_contact(void **state)
{
    (void)state;
    support_random random = {82};
    for (int i = 0; i < 200; i++) {
        tw_contact_law law = support_resisting_law(support_law(1e6, 0.8e6, 0.5));
        if (i & 1) law = support_hertz_like(law, 1e-4);
        const tw_vec3 n = support_unit(&random);
        tw_contact_memory memory = support_memory(n, 1e-4, zero);
        tw_contact_parts extra = {.fr = tw_vec3_scale(5.0, support_tangent(&random, n))};
        extra.fw = support_uniform(&random, -5.0, 5.0);
        tw_contact_motion motion = support_motion(n, 1e-4, zero);
        tw_contact_load load;
        motion.radius = 0.01;
        motion.turn_p = support_vector(&random, 1e-7, 1e-6);
        motion.turn_q = support_vector(&random, 1e-7, 1e-6);
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        /* on p; on q its opposite */
        const double taken = -tw_vec3_dot(load.couple, tw_vec3_sub(motion.turn_p, motion.turn_q));
        const double work = load.work_rolling + load.work_twisting;
        /* the forces change by k dxi = 1e6 * 1e-8 of 5; half of that between mean and end */
        const double size = tw_vec3_norm(load.couple) * 2e-6;
        expect_at_most(fabs(taken - work), 5e-3 * size);
        /* the definition */
        tw_vec3 couple = tw_vec3_scale(-motion.radius, tw_vec3_cross(n, extra.fr));
        couple = tw_vec3_add_scaled(couple, motion.radius * extra.fw, n);
        expect_at_most(support_distance(couple, load.couple), 1e-15 * tw_vec3_norm(couple));
    }
}

/* From rest and without a force, a rotation of q against p is resisted: fr and fw follow the
 * movement. */
static void springs_follow_their_movement(void **state)
{
    (void)state;
    support_random random = {83};
    for (int i = 0; i < 200; i++) {
        tw_contact_law law = support_resisting_law(support_law(1e6, 0.8e6, 0.5));
        const tw_vec3 n = support_unit(&random);
        tw_contact_memory memory = support_memory(n, 1e-4, zero);
        tw_contact_parts extra = {.fw = 0.0};
        tw_contact_motion motion = support_motion(n, 1e-4, zero);
        tw_contact_load load;
        motion.radius = 0.01;
        motion.turn_p = support_vector(&random, 1e-7, 1e-5);
        motion.turn_q = tw_vec3_scale(-0.4, motion.turn_p); /* twirl of 0.6 of 1e-5 */
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        const tw_vec3 fr = tw_vec3_scale(law.k_r, rolled(n, &motion));
        const double fw = law.k_w * twisted(n, &motion);
        expect_at_most(support_distance(extra.fr, fr), 1e-5 * tw_vec3_norm(fr));
        expect_at_most(fabs(extra.fw - fw), 1e-14 * tw_vec3_norm(fr) + 1e-14 * fabs(fw));
        assert_true(load.lost_rolling == 0.0 && load.lost_twisting == 0.0);
    }
}

/* The conventional law: rescale, add k_w(zeta1) dxi with the normal at the end, cut back. */
static void conventional_twisting_adds_and_cuts_back(void **state)
{
    (void)state;
    support_random random = {85};
    int slides = 0;
    for (int i = 0; i < 400; i++) {
        tw_contact_law law = twin_law(TW_CONTACT_CONVENTIONAL, i & 1);
        const int hertz = law.normal == TW_CONTACT_HERTZ, rescale = i % 4 < 2;
        law.k_w = 0.5 * law.kt;
        law.mu_w = 0.2;
        if (!rescale) law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
        const tw_vec3 n = support_unit(&random);
        tw_contact_memory memory = support_memory(n, 1e-4, zero);
        tw_contact_parts extra = {.fw = support_uniform(&random, -20.0, 20.0)};
        const double fw0 = extra.fw;
        const tw_contact_motion motion = draw_motion(&random, n);
        if (!(motion.zeta > 0.0)) continue;
        tw_contact_load load;
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        const tw_vec3 turn = tw_vec3_sub(motion.turn_q, motion.turn_p);
        const double dxi = motion.radius * tw_vec3_dot(motion.n, turn);
        const double root0 = hertz ? sqrt(1e-4) : 1.0, root1 = hertz ? sqrt(motion.zeta) : 1.0;
        const double shrink = rescale && root1 < root0 ? root1 / root0 : 1.0;
        const double trial = shrink * fw0 + law.k_w * root1 * dxi, limit = law.mu_w * load.fn;
        const double fw = fmax(-limit, fmin(trial, limit));
        slides += fw != trial;
        expect_at_most(fabs(extra.fw - fw), 1e-13 * (limit + fabs(trial)));
        /* work by the trapezoid; what is not stored is lost */
        const double stored =
            0.5 * fw * fw / (law.k_w * root1) - 0.5 * fw0 * fw0 / (law.k_w * root0);
        const double size = 20.0 * fabs(dxi) + 400.0 / (law.k_w * root0);
        expect_at_most(fabs(load.work_twisting - 0.5 * (fw0 + fw) * dxi), 1e-13 * size);
        expect_at_most(fabs(load.work_twisting - load.lost_twisting - stored), 1e-13 * size);
    }
    assert_true(slides > 50 && slides < 350);
}

/* A law without a spring or a limit resists nothing, and needs no memory for it. */
static void without_stiffness_or_friction_nothing_is_resisted(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        tw_contact_law law = twin_law(i & 4 ? TW_CONTACT_CONVENTIONAL : TW_CONTACT_EXACT, i & 1);
        law.k_w = law.k_r;
        law.mu_w = law.mu_r;
        *(i & 2 ? &law.k_r : &law.mu_r) = 0.0;
        *(i & 2 ? &law.k_w : &law.mu_w) = 0.0;
        tw_contact_memory memory = support_memory(tw_vec3_make(0.0, 0.0, 1.0), 1e-4, zero);
        tw_contact_parts extra = {.fw = 0.0};
        tw_contact_motion motion = support_motion(memory.n, 1.2e-4, zero);
        tw_contact_load load;
        motion.radius = 0.01;
        motion.turn_q = tw_vec3_make(1e-2, 2e-2, 3e-2);
        support_advance(&law, &motion, 1.0, &memory, &extra, &load);
        assert_int_equal(tw_contact_law_extras(&law), 0);
        assert_true(tw_vec3_norm(load.couple) == 0.0 && load.work_rolling == 0.0);
        assert_true(load.work_twisting == 0.0 && tw_vec3_norm(extra.fr) == 0.0 && extra.fw == 0.0);
    }
}

/* Resistance to rotation does not change the rest of the contact, to the bit. */
static void the_force_does_not_know_of_the_couple(void **state)
{
    (void)state;
    support_random random = {84};
    for (int i = 0; i < support_count(2000); i++) {
        const int32_t kind = i % 3 == 2 ? TW_CONTACT_CONVENTIONAL : TW_CONTACT_EXACT;
        tw_contact_law law = twin_law(kind, i / 3 % 2), bare = law;
        law.k_w = law.kt;
        law.mu_w = 0.1;
        bare.k_r = bare.mu_r = 0.0;
        const tw_vec3 n = support_unit(&random);
        const tw_vec3 ft = tw_vec3_scale(20.0, support_tangent(&random, n));
        tw_contact_memory a = support_memory(n, 1e-4, ft), b = a;
        tw_contact_parts extra = {.fr = tw_vec3_scale(0.5, ft), .fw = 3.0};
        tw_contact_motion motion = draw_motion(&random, n);
        motion.du = support_vector(&random, 1e-7, 1e-3);
        tw_contact_load with, without;
        support_advance(&law, &motion, 1.0, &a, &extra, &with);
        tw_contact_advance(&bare, &motion, 1.0, &b, NULL, &without);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&with.f, &without.f, sizeof with.f);
        assert_true(with.fn == without.fn && with.work_tangential == without.work_tangential);
        assert_true(with.work_dissipated == without.work_dissipated);
        assert_true(with.work_micro == without.work_micro && with.sliding == without.sliding);
        assert_true(tw_vec3_norm(without.couple) == 0.0 && without.work_rolling == 0.0);
        assert_true(without.lost_rolling == 0.0 && without.work_twisting == 0.0);
        assert_true(without.lost_twisting == 0.0);
    }
}

/* It does work in rolling, none in sliding; the reduced radius at a plane is that of the sphere. */
static void a_sphere_rolling_on_a_plane_rolls_by_its_radius(void **state)
{
    (void)state;
    const double radius = 0.02, angle = 1e-4;
    tw_contact_law law = support_resisting_law(support_law(1e6, 0.8e6, 0.5));
    tw_contact_plane plane = {.normal = {0.0, 0.0, 1.0}, .distance = radius - 1e-6};
    plane.radius = radius;
    tw_contact_memory memory = tw_contact_plane_memory_fresh(&plane);
    /* a turn about y moves the contact point of the sphere by -angle x: the centre goes by +x */
    plane.turn_p = tw_vec3_make(0.0, angle, 0.0);
    plane.moved = tw_vec3_make(-angle * (radius - 0.5e-6), 0.0, 0.0);
    const tw_contact_motion motion = tw_contact_plane_motion(TW_CONTACT_EXACT, &plane, &memory);
    tw_contact_parts extra = {.fw = 0.0};
    tw_contact_load load;
    support_advance(&law, &motion, 1.0, &memory, &extra, &load);
    assert_true(motion.radius == radius);
    /* limit mu_r fn = 0.3 * 1 N, reached: the couple is against the turn */
    expect_at_most(fabs(load.couple.y + 0.3 * radius), 1e-12 * radius);
    expect_at_most(hypot(load.couple.x, load.couple.z), 1e-12 * radius);
    /* no sliding, to the third power of the angle */
    expect_at_most(tw_vec3_norm(memory.ft), law.kt * radius * angle * angle * angle);
    /* radius * angle = 2e-6 of movement; the first 0.3/0.72e6 elastic */
    const double elastic = 0.3 / law.k_r;
    expect_at_most(fabs(load.lost_rolling - 0.3 * (radius * angle - elastic)), 1e-8 * 0.3 * 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rolling_slider_is_one_of_sliding),
        cmocka_unit_test(couples_take_the_work_that_goes_into_the_contact),
        cmocka_unit_test(springs_follow_their_movement),
        cmocka_unit_test(conventional_twisting_adds_and_cuts_back),
        cmocka_unit_test(without_stiffness_or_friction_nothing_is_resisted),
        cmocka_unit_test(the_force_does_not_know_of_the_couple),
        cmocka_unit_test(a_sphere_rolling_on_a_plane_rolls_by_its_radius),
    };
    return cmocka_run_group_tests_name("contact_rolling", tests, NULL, NULL);
}
