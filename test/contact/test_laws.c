/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between the laws, and the effect of switching off each refinement. */
#include "support.h"

static const tw_vec3 ez = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};
static const double zeta = 1e-4;

/* The two laws that know all refinements. */
static const int32_t refined[] = {TW_CONTACT_EXACT, TW_CONTACT_PAPER};
enum { REFINED = 2 };

static tw_contact_law without(int32_t kind, uint32_t refinement)
{
    tw_contact_law law = support_law_of(kind);
    law.refine &= ~refinement;
    return law;
}

static double limit_of(const tw_contact_law *law)
{
    return law->mu * law->kn * zeta;
}

/* A step of q radii of the circle along x in the plane of z, from ft0 in such units. */
static tw_contact_load slide(const tw_contact_law *law, tw_vec3 ft0, double q, double zeta1,
                             tw_vec3 *ft)
{
    const double limit = limit_of(law);
    const tw_vec3 du = {q * limit / law->kt, 0.0, 0.0};
    const tw_contact_motion motion = support_motion(ez, zeta1, du);
    tw_contact_memory memory = support_memory(ez, zeta, tw_vec3_scale(limit, ft0));
    tw_contact_load load;
    tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
    *ft = tw_vec3_scale(1.0 / limit, memory.ft);
    return load;
}

static void expect_units(tw_vec3 ft, double x, double y)
{
    /* forces in units of the limit: rounding */
    expect_at_most(support_distance(ft, tw_vec3_make(x, y, 0.0)), 2e-15);
}

static void without_fresh_the_whole_movement_counts(void **state)
{
    (void)state;
    const tw_vec3 du = {1e-6, 2e-6, 0.0};
    const tw_contact_motion motion = support_motion(ez, zeta, du);
    for (int i = 0; i < REFINED; i++) {
        for (int off = 0; off < 2; off++) {
            const tw_contact_law law = without(refined[i], off ? TW_CONTACT_FRESH : 0);
            tw_contact_memory memory = support_memory(ez, -zeta, zero);
            tw_contact_load load;
            tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
            /* it touches halfway */
            const double share = off ? 1.0 : 0.5;
            assert_true(load.alpha_o == 1.0 - share);
            expect_at_most(support_distance(memory.ft, tw_vec3_scale(share * law.kt, du)), 1e-15);
        }
    }
}

/* From half the limit, straight across: reaches the circle when q = sqrt(3)/2. */
static void without_instant_it_slides_from_the_start(void **state)
{
    (void)state;
    const tw_vec3 half = {0.0, 0.5, 0.0};
    for (int i = 0; i < REFINED; i++) {
        tw_contact_law law = support_law_of(refined[i]);
        tw_vec3 ft;
        tw_contact_load load = slide(&law, half, 1.5, zeta, &ft);
        expect_at_most(fabs(load.alpha_s - sqrt(0.75) / 1.5), 1e-15); /* rounding */
        /* then at 30 degrees, tan(15 degrees) = 2 - sqrt(3) */
        const double t = (2.0 - sqrt(3.0)) * exp(-(1.5 - sqrt(0.75)));
        expect_units(ft, (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
        law = without(refined[i], TW_CONTACT_INSTANT);
        load = slide(&law, half, 1.5, zeta, &ft);
        assert_true(load.sliding == 1 && load.alpha_s == 0.0);
        /* at 90 degrees all the way of 1.5 */
        expect_units(ft, tanh(1.5), 1.0 / cosh(1.5));
    }
}

static void without_turning_the_force_is_the_trial_scaled_back(void **state)
{
    (void)state;
    const tw_vec3 start = {0.0, 0.8, 0.0};
    for (int i = 0; i < REFINED; i++) {
        const tw_contact_law law = without(refined[i], TW_CONTACT_TURNING);
        tw_vec3 ft;
        const tw_contact_load load = slide(&law, start, 1.5, 2.0 * zeta, &ft);
        assert_int_equal(load.sliding, 0); /* 1.7 of 2 */
        expect_units(ft, 1.5, 0.8);
        const tw_contact_load far = slide(&law, start, 1.5, 0.5 * zeta, &ft);
        assert_true(far.sliding == 1 && far.alpha_s > 0.0 && far.alpha_s < 1.0);
        expect_units(ft, 0.5 * 1.5 / 1.7, 0.5 * 0.8 / 1.7);
    }
}

/* The normal tilts by `angle` about x; nothing else moves. The force was across the axis. */
static tw_vec3 tilted(const tw_contact_law *law, double angle)
{
    const tw_vec3 n = {0.0, -sin(angle), cos(angle)};
    const tw_contact_motion motion = support_motion(n, zeta, zero);
    tw_contact_memory memory = support_memory(ez, zeta, tw_vec3_make(0.0, 1.0, 0.0));
    tw_contact_load load;
    tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
    return memory.ft;
}

/* Small angles may be computed by series: below, at and beyond where those end. */
static const double angles[] = {1e-8, 1e-4, 1.9e-3, 2.1e-3, 0.01, 0.05, 0.3, 1.5};
enum { ANGLES = sizeof angles / sizeof angles[0] };

static void without_tilt_the_force_stands_still_in_space(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        for (int i = 0; i < ANGLES; i++) {
            const double angle = angles[i];
            tw_contact_law law = without(kind, TW_CONTACT_TILT);
            const tw_vec3 fixed = tilted(&law, angle);
            assert_true(fixed.x == 0.0 && fixed.y == 1.0 && fixed.z == 0.0);
            law = support_law_of(kind);
            const tw_vec3 carried = tilted(&law, angle);
            /* turned with the plane by the exact law, projected onto it by the others */
            const double length = kind == TW_CONTACT_EXACT ? 1.0 : cos(angle);
            const tw_vec3 right = {0.0, length * cos(angle), length * sin(angle)};
            expect_at_most(support_distance(carried, right), 1e-15); /* rounding */
        }
    }
}

/* Body p twists by a and body q by b about the normal. */
static tw_vec3 twisted(const tw_contact_law *law, double a, double b)
{
    tw_contact_motion motion = support_motion(ez, zeta, zero);
    tw_contact_memory memory = support_memory(ez, zeta, tw_vec3_make(1.0, 0.0, 0.0));
    tw_contact_load load;
    motion.turn_p.z = a;
    motion.turn_q.z = b;
    tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
    return memory.ft;
}

static void without_twirl_the_force_is_not_turned_about_the_normal(void **state)
{
    (void)state;
    for (int i = 0; i < REFINED; i++) {
        const tw_contact_law law = without(refined[i], TW_CONTACT_TWIRL);
        const tw_vec3 ft = twisted(&law, 0.5, 0.1);
        assert_true(ft.x == 1.0 && ft.y == 0.0 && ft.z == 0.0);
    }
    const tw_contact_law conventional = support_law_of(TW_CONTACT_CONVENTIONAL);
    const tw_vec3 still = twisted(&conventional, 0.5, 0.1);
    assert_true(still.x == 1.0 && still.y == 0.0 && still.z == 0.0);
    /* with it, by the mean of the two: as a rotation, or by its linear part; to rounding */
    const tw_contact_law exact = support_law_of(TW_CONTACT_EXACT);
    const tw_contact_law paper = support_law_of(TW_CONTACT_PAPER);
    for (int i = 0; i < ANGLES; i++) {
        const double p = angles[i], q = 0.2 * angles[i], mean = 0.6 * angles[i];
        const tw_vec3 turned = {cos(mean), sin(mean), 0.0}, linear = {1.0, mean, 0.0};
        expect_at_most(support_distance(twisted(&exact, p, q), turned), 1e-15);
        expect_at_most(support_distance(twisted(&paper, p, q), linear), 1e-15);
    }
    /* opposite twists leave the force where it is */
    expect_at_most(support_distance(twisted(&exact, 0.4, -0.4), tw_vec3_make(1.0, 0.0, 0.0)),
                   1e-15);
}

/* The movement is met halfway: of two bodies that twist by 0.6 each, it turns by 0.3. */
static void the_exact_law_turns_the_movement_by_half(void **state)
{
    (void)state;
    const tw_contact_law law = support_law_of(TW_CONTACT_EXACT);
    tw_contact_motion motion = support_motion(ez, zeta, tw_vec3_make(1e-6, 0.0, 0.0));
    tw_contact_memory memory = support_memory(ez, zeta, zero);
    tw_contact_load load;
    motion.turn_p.z = motion.turn_q.z = 0.6;
    tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
    const tw_vec3 right = {1e-6 * law.kt * cos(0.3), 1e-6 * law.kt * sin(0.3), 0.0};
    expect_at_most(support_distance(memory.ft, right), 1e-15); /* rounding */
}

typedef struct outcome {
    tw_contact_memory memory;
    tw_contact_load load;
} outcome;

/* The same random step, with tilt and twirl, under any law. */
static outcome random_outcome(const tw_contact_law *law, uint64_t seed)
{
    support_random random = {seed};
    const double limit = limit_of(law);
    const tw_vec3 n = support_unit(&random);
    outcome out;
    out.memory = support_memory(n, zeta, zero);
    out.memory.zeta *= support_bits(&random) % 4 ? 1.0 : -1.0;
    if (out.memory.zeta > 0.0) {
        const double ft = support_uniform(&random, 0.0, limit);
        out.memory.ft = tw_vec3_scale(ft, support_tangent(&random, n));
    }
    tw_contact_motion motion = support_motion(n, zeta, zero);
    motion.n = support_rotate(n, tw_vec3_scale(0.05, support_unit(&random)));
    motion.zeta *= support_bits(&random) % 8 ? support_uniform(&random, 0.2, 2.0) : -0.5;
    motion.du = tw_vec3_scale(limit / law->kt, support_vector(&random, 1e-3, 1e1));
    motion.turn_p = tw_vec3_scale(0.1, support_unit(&random));
    motion.turn_q = tw_vec3_scale(0.1, support_unit(&random));
    tw_contact_advance(law, &motion, 1.0, &out.memory, NULL, &out.load);
    return out;
}

static void expect_same(const outcome *a, const outcome *b, double limit)
{
    const double work = limit * limit / support_law_of(0).kt;
    /* the same formulas, perhaps compiled apart: rounding */
    expect_at_most(support_distance(a->memory.ft, b->memory.ft), 1e-14 * limit);
    expect_at_most(support_distance(a->load.f, b->load.f), 1e-14 * (limit + a->load.fn));
    expect_at_most(fabs(a->load.work_tangential - b->load.work_tangential), 1e-13 * work);
    expect_at_most(fabs(a->load.work_dissipated - b->load.work_dissipated), 1e-13 * work);
    assert_int_equal(a->load.sliding, b->load.sliding);
    assert_true(a->load.alpha_o == b->load.alpha_o && a->load.alpha_s == b->load.alpha_s);
}

static void conventional_is_paper_without_four_refinements(void **state)
{
    (void)state;
    const uint32_t four =
        TW_CONTACT_FRESH | TW_CONTACT_INSTANT | TW_CONTACT_TURNING | TW_CONTACT_TWIRL;
    const tw_contact_law paper = without(TW_CONTACT_PAPER, four);
    const tw_contact_law bare = without(TW_CONTACT_CONVENTIONAL, four);
    const tw_contact_law conventional = support_law_of(TW_CONTACT_CONVENTIONAL);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        const outcome a = random_outcome(&paper, seed), b = random_outcome(&conventional, seed);
        const outcome c = random_outcome(&bare, seed);
        expect_same(&a, &b, limit_of(&paper));
        expect_same(&b, &c, limit_of(&paper)); /* bits it does not know change nothing */
    }
}

/* With nothing tilting or twirling, the paper's law with its misprints corrected is the exact one
 * in force; its work is the trapezoid. */
static void paper_is_exact_in_a_plane_that_stands_still_but_for_the_work(void **state)
{
    (void)state;
    const tw_contact_law exact = support_law_of(TW_CONTACT_EXACT);
    const tw_contact_law paper = support_law_of(TW_CONTACT_PAPER);
    const double unit = limit_of(&exact) * limit_of(&exact) / exact.kt;
    const tw_vec3 start = {0.0, 1.0, 0.0};
    for (double q = 1e-3; q < 50.0; q *= 1.7) {
        for (int i = 0; i < 3; i++) {
            const double zeta1 = zeta * (0.5 + 0.5 * i);
            tw_vec3 a, b;
            const tw_contact_load right = slide(&exact, start, q, zeta1, &a);
            const tw_contact_load load = slide(&paper, start, q, zeta1, &b);
            expect_at_most(support_distance(a, b), 1e-14); /* rounding */
            assert_int_equal(right.sliding, load.sliding);
            if (i != 1) continue;
            expect_at_most(fabs(load.work_tangential / unit - 0.5 * q * tanh(q)), 1e-13 * q);
        }
    }
    /* which is far off in long steps: q/2 where ln cosh q is due */
    tw_vec3 ft;
    const double trapezoid = slide(&paper, start, 10.0, zeta, &ft).work_tangential / unit;
    const double due = slide(&exact, start, 10.0, zeta, &ft).work_tangential / unit;
    expect_at_most(fabs(trapezoid - 5.0), 1e-7);         /* 10 (1 - tanh 10) / 2 */
    expect_at_most(fabs(due - (10.0 - log(2.0))), 1e-7); /* the contract, times q */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_fresh_the_whole_movement_counts),
        cmocka_unit_test(without_instant_it_slides_from_the_start),
        cmocka_unit_test(without_turning_the_force_is_the_trial_scaled_back),
        cmocka_unit_test(without_tilt_the_force_stands_still_in_space),
        cmocka_unit_test(without_twirl_the_force_is_not_turned_about_the_normal),
        cmocka_unit_test(the_exact_law_turns_the_movement_by_half),
        cmocka_unit_test(conventional_is_paper_without_four_refinements),
        cmocka_unit_test(paper_is_exact_in_a_plane_that_stands_still_but_for_the_work),
    };
    return cmocka_run_group_tests_name("contact_laws", tests, NULL, NULL);
}
