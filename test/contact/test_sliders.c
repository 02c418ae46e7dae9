/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact law with all its sliders against the integrated rate equations: sliding, rolling and
 * twisting, with linear springs and Hertz contacts, with and without rescaling. */
#include "trial.h"

static const char *const part_name[TRIAL_PARTS] = {"sliding", "rolling", "twisting"};

/* Where steps fell, and the largest errors. */
typedef struct tally {
    int elastic, onset, at_once, against;
    double force, work, work_mean, reversible, lost, micro;
} tally;

static void count_regime(tally *s, const rates_result *right)
{
    s->elastic += right->slides == 0;
    s->onset += right->slides > 0 && right->alpha_s > 1e-6;
    s->at_once += right->slides > 0 && right->alpha_s <= 1e-6;
    s->against += right->slides > 0 && right->cosine < -0.1;
}

/* Energies of one part. Rolling and twisting give the sum of both losses. */
typedef struct energies {
    double work, reversible, lost, micro;
    int joint; /* 1: micro is part of lost */
} energies;

static void judge_part(const trial *t, trial_part i, tw_vec3 force, energies found, tally *s)
{
    const rates_step *p = &t->part[i];
    const rates_result right = rates_integrate(p, RATES_TOLERANCE);
    const int parts = !(t->zeta1 > 0.0);
    const double fn0 = t->zeta0 > 0.0 ? rates_normal_force(p, t->zeta0) : 0.0;
    const double fn1 = parts ? 0.0 : rates_normal_force(p, t->zeta1);
    /* the movement while they touch */
    const double share = fmax(t->zeta0, t->zeta1) / (fabs(t->zeta0) + fabs(t->zeta1));
    const double moved = p->length * (t->zeta0 > 0.0 && t->zeta1 > 0.0 ? 1.0 : share);
    const double most = p->mu * fmax(fn0, fn1) * moved, mean = 0.5 * p->mu * (fn0 + fn1) * moved;
    const double before = rates_stored(p, t->zeta0, p->along, p->across);
    const double after = parts ? 0.0 : rates_stored(p, t->zeta1, right.along, right.across);
    /* stored energies are large beside the work of a short step: their rounding */
    const double rounding = 1e-7 * (before + after);
    const double off = support_distance(force, trial_in_space(t, i, right.along, right.across));
    count_regime(s, &right);
    if (!parts) s->force = support_most(s->force, off / (p->mu * fn1));
    if (parts) assert_true(tw_vec3_norm(force) == 0.0);
    s->work = support_most(s->work, fabs(found.work - right.work) / most);
    s->work_mean = support_most(s->work_mean, fabs(found.work - right.work) / mean);
    s->reversible =
        support_most(s->reversible, fabs(found.reversible - (after - before)) / (most + rounding));
    const double micro = found.joint ? 0.0 : right.micro, lost = right.lost + right.micro - micro;
    s->lost = support_most(s->lost, fabs(found.lost - lost) / (most + rounding));
    s->micro = support_most(s->micro, fabs(found.micro - micro) / (most + rounding));
    if (!parts) expect_at_most(tw_vec3_norm(force), p->mu * fn1 * (1.0 + 4e-15));
}

static energies of_couple(double work, double lost)
{
    const energies e = {work, work - lost, lost, 0.0, 1};
    return e;
}

static void judge(const trial *t, tally s[TRIAL_PARTS])
{
    tw_contact_memory memory;
    tw_contact_parts extra;
    const tw_contact_load load = trial_advance(t, &memory, &extra);
    const energies slid = {load.work_tangential, load.work_reversible, load.work_dissipated,
                           load.work_micro, 0};
    const int hertz = t->law.normal == TW_CONTACT_HERTZ;
    const double zeta = fmax(t->zeta1, 0.0);
    const double fn = rates_normal_force(&t->part[0], zeta);
    judge_part(t, TRIAL_SLIDING, memory.ft, slid, &s[TRIAL_SLIDING]);
    if (t->law.mu_r > 0.0)
        judge_part(t, TRIAL_ROLLING, extra.fr, of_couple(load.work_rolling, load.lost_rolling),
                   &s[TRIAL_ROLLING]);
    if (t->law.mu_w > 0.0)
        judge_part(t, TRIAL_TWISTING, tw_vec3_scale(extra.fw, t->n),
                   of_couple(load.work_twisting, load.lost_twisting), &s[TRIAL_TWISTING]);
    /* the load is that of the memory, to rounding */
    tw_vec3 couple = tw_vec3_scale(-t->radius, tw_vec3_cross(t->n, extra.fr));
    couple = tw_vec3_add_scaled(couple, t->radius * extra.fw, t->n);
    const double size = t->radius * (tw_vec3_norm(extra.fr) + fabs(extra.fw));
    expect_at_most(support_distance(load.couple, couple), 4e-16 * size);
    const tw_vec3 f = tw_vec3_add_scaled(memory.ft, -fn, t->n);
    expect_at_most(support_distance(load.f, f), 1e-15 * (fn + tw_vec3_norm(memory.ft)));
    expect_at_most(fabs(load.fn - fn), 4e-16 * fn);
    const double stored = (hertz ? 0.4 : 0.5) * fn * zeta;
    expect_at_most(fabs(load.work_normal - stored), 1e-15 * stored);
    assert_true(load.touching == (t->zeta1 > 0.0) && load.work_viscous == 0.0);
    assert_true(hertz || load.work_micro == 0.0);
}

static void judge_many(int32_t normal, int rescale, trial_kind kind, int count)
{
    support_random random = {(uint64_t)(1000 + 100 * normal + 10 * rescale + (int)kind)};
    tally s[TRIAL_PARTS] = {{0}};
    static const char *const kinds[TRIAL_KINDS] = {"touching", "fresh", "parting"};
    for (int i = 0; i < count; i++) {
        const trial t = trial_draw(&random, normal, rescale, kind);
        judge(&t, s);
    }
    for (int i = 0; i < TRIAL_PARTS; i++) {
        print_message("%s %s%s, %s: %d elastic, %d reach the limit, %d slide at once, %d against\n",
                      kinds[kind], tw_contact_normal_name(normal),
                      rescale ? "" : " without rescaling", part_name[i], s[i].elastic, s[i].onset,
                      s[i].at_once, s[i].against);
        print_message("    force %.2g of mu fn, work %.2g (%.2g) of mu fn |dxi|, reversible %.2g, "
                      "lost %.2g, micro %.2g\n",
                      s[i].force, s[i].work, s[i].work_mean, s[i].reversible, s[i].lost,
                      s[i].micro);
    }
    for (int i = 0; i < TRIAL_PARTS; i++) {
        /* the contract */
        expect_at_most(s[i].force, 1e-9);
        expect_at_most(s[i].work, 1e-8);
        expect_at_most(s[i].reversible, 1e-8);
        expect_at_most(s[i].lost, 1e-8);
        expect_at_most(s[i].micro, 1e-8);
        if (kind == TRIAL_TOUCHING) {
            expect_at_most(s[i].work_mean, 1e-8);
            assert_true(s[i].onset > count / 100 && s[i].at_once > count / 100);
            assert_true(s[i].elastic > count / 100 && s[i].against > count / 100);
        }
    }
}

static void sliders_agree_with_the_rate_equations(int32_t normal, int rescale)
{
    judge_many(normal, rescale, TRIAL_TOUCHING, support_count(3000));
    judge_many(normal, rescale, TRIAL_FRESH, support_count(600));
    judge_many(normal, rescale, TRIAL_PARTING, support_count(1000));
}

static void linear_sliders_agree_with_the_rate_equations(void **state)
{
    (void)state;
    sliders_agree_with_the_rate_equations(TW_CONTACT_LINEAR, 1);
}

static void hertz_sliders_agree_with_the_rate_equations(void **state)
{
    (void)state;
    sliders_agree_with_the_rate_equations(TW_CONTACT_HERTZ, 1);
}

static void hertz_sliders_without_rescaling_agree_with_theirs(void **state)
{
    (void)state;
    sliders_agree_with_the_rate_equations(TW_CONTACT_HERTZ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_sliders_agree_with_the_rate_equations),
        cmocka_unit_test(hertz_sliders_agree_with_the_rate_equations),
        cmocka_unit_test(hertz_sliders_without_rescaling_agree_with_theirs),
    };
    return cmocka_run_group_tests_name("contact_sliders", tests, NULL, NULL);
}
