/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel is total: with a valid law, any finite motion gives a finite load. And the
 * check itself, the names, and geometry without a unique answer. */
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

static tw_contact_law wild_law(support_random *random)
{
    for (;;) {
        const double kn = fabs(wild(random)), kt = fabs(wild(random));
        tw_contact_law law = support_law(kn, kt, 0.5);
        if (support_bits(random) & 1) law.mu = fabs(wild(random));
        if (support_bits(random) & 1) law.nu_n = fabs(wild(random));
        law.kind = (int32_t)(support_bits(random) % TW_CONTACT_KINDS);
        if (support_bits(random) & 1) law.refine = support_bits(random) & TW_CONTACT_ALL;
        if (tw_contact_law_check(&law) == NULL) return law;
    }
}

static tw_contact_motion wild_motion(support_random *random, tw_vec3 n0)
{
    tw_contact_motion motion;
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
    return support_finite(load->f) && isfinite(load->fn) && isfinite(load->work_normal) &&
           isfinite(load->work_tangential) && isfinite(load->work_reversible) &&
           isfinite(load->work_dissipated) && isfinite(load->work_viscous);
}

static int sound_fractions(const tw_contact_load *load)
{
    return load->alpha_o >= 0.0 && load->alpha_o <= 1.0 && load->alpha_s >= 0.0 &&
           load->alpha_s <= 1.0 && (load->touching == 0 || load->touching == 1) &&
           (load->sliding == 0 || load->sliding == 1);
}

static void print_case(const tw_contact_law *law, const tw_contact_motion *motion,
                       const tw_contact_memory *before, const tw_contact_memory *after, double dt)
{
    print_error("kind %d refine %u kn %a kt %a mu %a nu %a dt %a\n", law->kind, law->refine,
                law->kn, law->kt, law->mu, law->nu_n, dt);
    print_error("zeta %a -> %a, n (%a %a %a) -> (%a %a %a)\n", before->zeta, motion->zeta,
                before->n.x, before->n.y, before->n.z, motion->n.x, motion->n.y, motion->n.z);
    print_error("du (%a %a %a), ft (%a %a %a) -> (%a %a %a)\n", motion->du.x, motion->du.y,
                motion->du.z, before->ft.x, before->ft.y, before->ft.z, after->ft.x, after->ft.y,
                after->ft.z);
}

/* The limit holds for every law that cannot stretch the force afterwards; a paper law's twirl can.
 * Both forces have the absolute accuracy of the smallest numbers besides their relative one, and a
 * large mu passes that of fn on; long double so that none of this overflows. */
static int within_limit(const tw_contact_law *law, const tw_contact_memory *after)
{
    const long double zeta = (long double)fmax(after->zeta, 0.0);
    const long double least = zeta > 0.0L ? (long double)DBL_TRUE_MIN : 0.0L;
    const long double fn = (long double)law->kn * zeta + least;
    const long double limit = (long double)law->mu * fn * (1.0L + 1e-12L) + (long double)DBL_MIN;
    if (law->kind == TW_CONTACT_PAPER) return 1;
    return (long double)tw_vec3_norm_scaled(after->ft) <= limit;
}

static void step_wildly(support_random *random, const tw_contact_law *law,
                        tw_contact_memory *memory)
{
    const tw_contact_motion motion = wild_motion(random, memory->n);
    const tw_contact_memory before = *memory;
    const double dt = support_bits(random) & 1 ? fabs(wild(random)) : 1e-3;
    tw_contact_load load;
    tw_contact_advance(law, &motion, dt, memory, NULL, &load);
    const char *wrong = NULL;
    if (!finite_load(&load)) wrong = "load not finite";
    if (!support_finite(memory->ft)) wrong = "force not finite";
    if (!sound_fractions(&load)) wrong = "a fraction outside [0, 1]";
    if (!within_limit(law, memory)) wrong = "force beyond the limit";
    if (wrong != NULL) {
        print_case(law, &motion, &before, memory, dt);
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
        for (int k = 0; k < 4; k++)
            step_wildly(&random, &law, &memory);
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

static void expect_refusal(tw_contact_law law, const char *key)
{
    const char *why = tw_contact_law_check(&law);
    assert_non_null(why);
    assert_non_null(strstr(why, key));
}

static void a_law_that_cannot_be_is_refused_by_the_name_of_its_key(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1.0, -5e-324};
    const tw_contact_law good = support_law(1.0, 1.0, 0.5);
    assert_null(tw_contact_law_check(&good));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_contact_law law = good;
        law.kn = bad[i];
        expect_refusal(law, "kn");
        law = good;
        law.kt = bad[i];
        expect_refusal(law, "kt");
        law = good;
        law.mu = bad[i];
        expect_refusal(law, "mu");
        law = good;
        law.nu_n = bad[i];
        expect_refusal(law, "nu");
    }
    expect_refusal(support_law(0.0, 1.0, 0.5), "kn");
    expect_refusal(tw_contact_law_default(), "kn");
    tw_contact_law law = good;
    for (int32_t kind = -1; kind <= TW_CONTACT_KINDS; kind += TW_CONTACT_KINDS + 1) {
        law.kind = kind;
        expect_refusal(law, "kind");
    }
    law = good;
    law.refine = TW_CONTACT_ALL + 1u;
    expect_refusal(law, "refine");
    law.refine = 0x80000000u;
    expect_refusal(law, "refine");
}

static void zero_is_allowed_where_it_means_something(void **state)
{
    (void)state;
    tw_contact_law law = support_law(5e-324, 0.0, 0.0);
    law.refine = 0;
    assert_null(tw_contact_law_check(&law));
    law = support_law(DBL_MAX, DBL_MAX, DBL_MAX);
    assert_null(tw_contact_law_check(&law));
}

static void names_round_trip(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++)
        assert_int_equal(tw_contact_kind_named(tw_contact_kind_name(kind)), kind);
    assert_string_equal(tw_contact_kind_name(TW_CONTACT_EXACT), "exact");
    assert_string_equal(tw_contact_kind_name(TW_CONTACT_PAPER), "paper");
    assert_string_equal(tw_contact_kind_name(TW_CONTACT_CONVENTIONAL), "conventional");
    assert_int_equal(tw_contact_kind_named("exac"), -1);
    assert_int_equal(tw_contact_kind_named("Exact"), -1);
    assert_int_equal(tw_contact_kind_named(""), -1);
    uint32_t all = 0;
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        const char *name = tw_contact_refinement_name(bit);
        if (name == NULL) continue;
        assert_int_equal(tw_contact_refinement_named(name), bit);
        all |= bit;
    }
    assert_int_equal(all, TW_CONTACT_ALL);
    assert_string_equal(tw_contact_refinement_name(TW_CONTACT_TWIRL), "twirl");
    assert_null(tw_contact_refinement_name(0));
    assert_null(tw_contact_refinement_name(3));
    assert_int_equal(tw_contact_refinement_named("twist"), 0);
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
        cmocka_unit_test(a_law_that_cannot_be_is_refused_by_the_name_of_its_key),
        cmocka_unit_test(zero_is_allowed_where_it_means_something),
        cmocka_unit_test(names_round_trip),
        cmocka_unit_test(a_normal_that_turns_around_keeps_the_length_of_the_force),
        cmocka_unit_test(both_bodies_turn_by_exactly_pi),
        cmocka_unit_test(coincident_centres_keep_the_old_normal),
        cmocka_unit_test(the_normal_of_any_branch_is_a_unit_vector),
    };
    return cmocka_run_group_tests_name("contact_total", tests, NULL, NULL);
}
