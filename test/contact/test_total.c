/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel is total: with a valid law, any finite motion gives a finite load within the limits of
 * friction. And geometry without a unique answer. */
#include <string.h>

#include "support.h"

static const tw_vec3 ex = {1.0, 0.0, 0.0}, ez = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};

/* Any finite double, every bit pattern alike: denormals, zeros of both signs, 1e308. */
static double raw(support_random *random)
{
    for (;;) {
        const uint64_t bits = support_bits(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (support_bits(random) % 32 == 0) value *= 0.0;
        if (isfinite(value)) return value;
    }
}

/* Half of them raw, half of ordinary size: extremes must also meet ordinary numbers. */
static double wild(support_random *random)
{
    const double value = raw(random);
    return support_bits(random) & 1 ? value : support_uniform(random, -2.0, 2.0);
}

static tw_vec3 wild3(support_random *random)
{
    const double x = wild(random), y = wild(random);
    return tw_vec3_make(x, y, wild(random));
}

/* Zero, an ordinary number, or anything. */
static double wild_constant(support_random *random)
{
    const uint64_t choice = support_bits(random) % 4;
    const double value = fabs(wild(random));
    return choice == 0 ? 0.0 : choice == 1 ? 0.5 : value;
}

static tw_contact_law wild_law(support_random *random)
{
    for (;;) {
        const double kn = fabs(wild(random)), kt = fabs(wild(random));
        tw_contact_law law = support_law(kn, kt, 0.5);
        double *const others[] = {&law.nu_n, &law.nu_t, &law.k_r,  &law.mu_r,
                                  &law.nu_r, &law.k_w,  &law.mu_w, &law.nu_w};
        if (support_bits(random) & 1) law.mu = fabs(wild(random));
        for (size_t i = 0; support_bits(random) % 4 != 0 && i < sizeof others / sizeof *others; i++)
            *others[i] = wild_constant(random);
        law.kind = (int32_t)(support_bits(random) % TW_CONTACT_KINDS);
        law.normal = (int32_t)(support_bits(random) % TW_CONTACT_NORMALS);
        law.flags = support_bits(random) & 15;
        if (support_bits(random) & 1) law.refine = support_bits(random) & TW_CONTACT_ALL;
        if (tw_contact_law_check(&law) == NULL) return law;
    }
}

/* Radius and mass are those of the pair, for all its steps. */
static tw_contact_motion wild_motion(support_random *random, tw_vec3 n0, double radius, double mass)
{
    tw_contact_motion motion = {.radius = radius, .mass = mass};
    motion.n = support_unit(random);
    switch (support_bits(random) % 4) {
    case 0:
        motion.n = n0;
        break;
    case 1:
        motion.n = tw_vec3_scale(-1.0, n0);
        break;
    default:
        break;
    }
    motion.zeta = support_bits(random) & 1 ? fabs(wild(random)) : wild(random);
    motion.du = wild3(random);
    motion.turn_p = wild3(random);
    motion.turn_q = wild3(random);
    return motion;
}

static int finite_load(const tw_contact_load *load)
{
    return support_finite(load->f) && support_finite(load->couple) && isfinite(load->fn) &&
           isfinite(load->work_normal) && isfinite(load->work_tangential) &&
           isfinite(load->work_reversible) && isfinite(load->work_dissipated) &&
           isfinite(load->work_micro) && isfinite(load->work_rolling) &&
           isfinite(load->lost_rolling) && isfinite(load->work_twisting) &&
           isfinite(load->lost_twisting) && isfinite(load->work_viscous);
}

static int finite_extra(const tw_contact_parts *extra)
{
    return support_finite(extra->fr) && isfinite(extra->fw) && support_finite(extra->drag) &&
           support_finite(extra->rate) && support_finite(extra->drag_r) &&
           support_finite(extra->rate_r) && isfinite(extra->drag_w) && isfinite(extra->rate_w);
}

static int sound_fractions(const tw_contact_load *load)
{
    return load->alpha_o >= 0.0 && load->alpha_o <= 1.0 && load->alpha_s >= 0.0 &&
           load->alpha_s <= 1.0 && (load->touching == 0 || load->touching == 1) &&
           (load->sliding == 0 || load->sliding == 1);
}

static void print_case(const tw_contact_law *law, const tw_contact_motion *motion,
                       const tw_contact_memory *before, const tw_contact_memory *after,
                       const tw_contact_parts *extra, double dt)
{
    print_error("after: fr (%a %a %a) fw %a, drag (%a %a %a) %a\n", extra->fr.x, extra->fr.y,
                extra->fr.z, extra->fw, extra->drag.x, extra->drag.y, extra->drag.z, extra->drag_w);
    print_error("kind %d normal %d refine %u flags %u kn %a kt %a mu %a nu_n %a nu_t %a dt %a\n",
                law->kind, law->normal, law->refine, law->flags, law->kn, law->kt, law->mu,
                law->nu_n, law->nu_t, dt);
    print_error("k_r %a mu_r %a nu_r %a k_w %a mu_w %a nu_w %a, radius %a mass %a\n", law->k_r,
                law->mu_r, law->nu_r, law->k_w, law->mu_w, law->nu_w, motion->radius, motion->mass);
    print_error("zeta %a -> %a, n (%a %a %a) -> (%a %a %a)\n", before->zeta, motion->zeta,
                before->n.x, before->n.y, before->n.z, motion->n.x, motion->n.y, motion->n.z);
    print_error("du (%a %a %a), ft (%a %a %a) -> (%a %a %a)\n", motion->du.x, motion->du.y,
                motion->du.z, before->ft.x, before->ft.y, before->ft.z, after->ft.x, after->ft.y,
                after->ft.z);
    print_error("turn_p (%a %a %a), turn_q (%a %a %a)\n", motion->turn_p.x, motion->turn_p.y,
                motion->turn_p.z, motion->turn_q.x, motion->turn_q.y, motion->turn_q.z);
}

/* The normal force, beyond the range of double if need be. Both forces have the absolute accuracy
 * of the smallest numbers besides their relative one, and a large mu passes that of fn on. */
static long double normal_force(const tw_contact_law *law, const tw_contact_motion *motion)
{
    if (!(motion->zeta > 0.0)) return 0.0L;
    const long double zeta = (long double)motion->zeta;
    const tw_contact_law at = tw_contact_law_at(law, motion->radius, motion->mass, motion->ratio);
    long double fn = (long double)at.kn * zeta;
    if (law->normal == TW_CONTACT_HERTZ) fn *= sqrtl(zeta);
    return fn + (long double)DBL_TRUE_MIN;
}

static int within(double force, double mu, long double fn)
{
    return (long double)force <= (long double)mu * fn * (1.0L + 1e-12L) + (long double)DBL_MIN;
}

/* Of laws whose twirl cannot stretch a force afterwards, as that of the paper can. */
static const char *wrong_limit(const tw_contact_law *law, const tw_contact_motion *motion,
                               const tw_contact_memory *memory, const tw_contact_parts *extra,
                               const tw_contact_load *load, double old_rate)
{
    /* powers of overlaps beyond 1e205 overflow before they meet kn: then it is the largest number
     */
    const long double fn = fmaxl(normal_force(law, motion), (long double)load->fn);
    const tw_vec3 drag =
        tw_vec3_add_scaled(extra->drag, -tw_vec3_dot(extra->drag, motion->n), motion->n);
    /* parts of the damping as it is without limits */
    const double rounding = 4e-15 * tw_vec3_norm_scaled(extra->rate) + 4e-15 * old_rate +
                            4e-15 * tw_vec3_norm_scaled(extra->drag);
    if (law->kind == TW_CONTACT_PAPER) return NULL;
    /* damping that does not pull changes the force that friction follows */
    long double acting = fn;
    if ((law->flags & TW_CONTACT_NO_TENSION) != 0)
        acting += (long double)rounding - (long double)tw_vec3_dot(extra->drag, motion->n);
    if (!within(tw_vec3_norm_scaled(memory->ft), law->mu, acting)) return "ft beyond the limit";
    if (!within(tw_vec3_norm_scaled(extra->fr), law->mu_r, fn)) return "fr beyond the limit";
    if (!within(fabs(extra->fw), law->mu_w, fn)) return "fw beyond the limit";
    if (!within(tw_vec3_norm_scaled(tw_vec3_add(extra->fr, extra->drag_r)), law->mu_r, fn))
        return "rolling damping beyond the limit";
    if (!within(fabs(extra->fw + extra->drag_w), law->mu_w, fn))
        return "twisting damping beyond the limit";
    if (load->touching &&
        !within(tw_vec3_norm_scaled(tw_vec3_add(memory->ft, drag)) - rounding, law->mu, acting))
        return "damping beyond the limit";
    if ((law->flags & TW_CONTACT_NO_TENSION) != 0 &&
        !within(tw_vec3_dot(extra->drag, motion->n) - rounding, 1.0, fn))
        return "tension";
    return NULL;
}

static void step_wildly(support_random *random, const tw_contact_law *law, const double pair[2],
                        tw_contact_memory *memory, tw_contact_parts *extra)
{
    const tw_contact_motion motion = wild_motion(random, memory->n, pair[0], pair[1]);
    const tw_contact_memory before = *memory;
    const double dt = support_bits(random) & 1 ? fabs(wild(random)) : 1e-3;
    const double old_rate = tw_vec3_norm_scaled(extra->rate);
    tw_contact_load load;
    support_advance(law, &motion, dt, memory, extra, &load);
    const char *wrong = wrong_limit(law, &motion, memory, extra, &load, old_rate);
    if (!finite_load(&load)) wrong = "load not finite";
    if (!support_finite(memory->ft)) wrong = "force not finite";
    if (!finite_extra(extra)) wrong = "rolling, twisting or damping not finite";
    if (!sound_fractions(&load)) wrong = "a fraction outside [0, 1]";
    if (wrong != NULL) {
        print_case(law, &motion, &before, memory, extra, dt);
        print_error("f (%a %a %a), couple (%a %a %a), fn %a\n", load.f.x, load.f.y, load.f.z,
                    load.couple.x, load.couple.y, load.couple.z, load.fn);
        print_error("work normal %a, tangential %a %a %a %a, rolling %a %a, twisting %a %a, "
                    "viscous %a\n",
                    load.work_normal, load.work_tangential, load.work_reversible,
                    load.work_dissipated, load.work_micro, load.work_rolling, load.lost_rolling,
                    load.work_twisting, load.lost_twisting, load.work_viscous);
        fail_msg("%s", wrong);
    }
    assert_true(memory->zeta == motion.zeta);
}

static void any_finite_motion_gives_a_finite_load_within_the_limit(void **state)
{
    (void)state;
    support_random random = {99};
    const int count = support_count(200000);
    for (int i = 0; i < count; i++) {
        const tw_contact_law law = wild_law(&random);
        const tw_vec3 n = support_unit(&random);
        tw_contact_memory memory = support_memory(n, wild(&random), zero);
        tw_contact_parts extra = {.fw = 0.0};
        double pair[2];                             /* radius and mass */
        pair[0] = fmin(fabs(wild(&random)), 1e280); /* times a Gibbs vector, up to 1e16: finite */
        pair[1] = fabs(wild(&random));
        for (int k = 0; k < 4; k++)
            step_wildly(&random, &law, pair, &memory, &extra);
    }
}

/* Forces whose squares underflow obey the same law as ordinary ones. */
static void tiny_contacts_slide_like_ordinary_ones(void **state)
{
    (void)state;
    for (double scale = 1.0; scale > 1e-290; scale *= 1e-10) {
        const tw_contact_law law = support_law(1.0, 1.0, 0.5);
        const tw_vec3 du = tw_vec3_make(scale, 0.0, 0.0);
        const tw_contact_motion motion = support_motion(ez, scale, du);
        tw_contact_memory memory = support_memory(ez, scale, tw_vec3_make(0.0, 0.5 * scale, 0.0));
        tw_contact_load load;
        tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
        /* from 90 degrees by q = 2 */
        const tw_vec3 right = {0.5 * tanh(2.0) * scale, 0.5 / cosh(2.0) * scale, 0.0};
        assert_int_equal(load.sliding, 1);
        expect_at_most(support_distance(memory.ft, right), 1e-14 * scale); /* rounding */
    }
}

/* The tilt has no axis then; the force must still keep its length and lie in the plane. */
static void a_normal_that_turns_around_keeps_the_length_of_the_force(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e6, 1e6, 0.5);
    support_random random = {3};
    for (int i = 0; i < 1000; i++) {
        const tw_vec3 n = support_unit(&random), t = support_tangent(&random, n);
        const tw_vec3 back = tw_vec3_scale(-1.0, n);
        const tw_contact_motion motion = support_motion(back, 1e-4, zero);
        tw_contact_memory memory = support_memory(n, 1e-4, tw_vec3_scale(20.0, t));
        tw_contact_load load;
        tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
        /* rounding of a vector of length 20 */
        expect_at_most(fabs(tw_vec3_norm(memory.ft) - 20.0), 1e-13);
        expect_at_most(fabs(tw_vec3_dot(memory.ft, back)), 1e-13);
    }
}

/* tan(pi/2) is the largest Gibbs vector there is: about 1.6e16. */
static void both_bodies_turn_by_exactly_pi(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e6, 1e6, 0.5);
    support_random random = {4};
    for (int i = 0; i < 1000; i++) {
        const tw_vec3 n = support_unit(&random);
        const tw_vec3 axis = i % 2 ? n : support_unit(&random);
        const tw_vec3 turn = tw_vec3_scale(SUPPORT_PI, axis);
        if (fabs(tw_vec3_dot(axis, n)) < 0.1) continue; /* n turns around: the test above */
        const tw_vec3 ft0 = tw_vec3_scale(20.0, support_tangent(&random, n));
        tw_contact_motion motion = support_motion(support_rotate(n, turn), 1e-4, zero);
        tw_contact_memory memory = support_memory(n, 1e-4, ft0);
        tw_contact_load load;
        motion.turn_p = motion.turn_q = turn;
        tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
        /* the contract of rigid rotation */
        expect_at_most(support_distance(memory.ft, support_rotate(ft0, turn)), 1e-12 * 20.0);
    }
}

static void coincident_centres_keep_the_old_normal(void **state)
{
    (void)state;
    const tw_contact_pair pair = {zero, ez, ex, 0.5, 0.25, 0.0};
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        const tw_contact_memory memory = support_memory(ex, 1e-3, zero);
        const tw_contact_motion motion = tw_contact_pair_motion(kind, &pair, &memory);
        assert_memory_equal(&motion.n, &ex, sizeof ex);
        assert_true(motion.zeta == 0.75);
        assert_true(support_finite(motion.du));
    }
    const tw_contact_memory fresh = tw_contact_memory_fresh(zero, 0.5, 0.25);
    expect_at_most(fabs(tw_vec3_norm(fresh.n) - 1.0), 1e-15); /* some unit vector */
    assert_true(fresh.zeta == 0.75);
}

static void the_normal_of_any_branch_is_a_unit_vector(void **state)
{
    (void)state;
    support_random random = {5};
    for (int i = 0; i < 1000; i++) {
        const double size = support_log_uniform(&random, 1e-300, 1e300);
        const tw_vec3 direction = support_unit(&random);
        const tw_vec3 branch = tw_vec3_scale(size, direction);
        const tw_contact_pair pair = {branch, ez, ex, 0.5 * size, 0.6 * size, 0.0};
        const tw_contact_memory memory = tw_contact_memory_fresh(branch, 0.5 * size, 0.6 * size);
        const tw_contact_motion motion = tw_contact_pair_motion(0, &pair, &memory);
        expect_at_most(support_distance(motion.n, direction), 1e-15); /* rounding */
        expect_at_most(support_distance(memory.n, direction), 1e-15);
        expect_at_most(fabs(motion.zeta / size - 0.1), 1e-14);
        assert_true(support_finite(motion.du));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_finite_motion_gives_a_finite_load_within_the_limit),
        cmocka_unit_test(tiny_contacts_slide_like_ordinary_ones),
        cmocka_unit_test(a_normal_that_turns_around_keeps_the_length_of_the_force),
        cmocka_unit_test(both_bodies_turn_by_exactly_pi),
        cmocka_unit_test(coincident_centres_keep_the_old_normal),
        cmocka_unit_test(the_normal_of_any_branch_is_a_unit_vector),
    };
    return cmocka_run_group_tests_name("contact_total", tests, NULL, NULL);
}
