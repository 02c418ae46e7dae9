/* SPDX-License-Identifier: BSD-3-Clause */
/* A contact with all its sliders never creates energy: in single steps, and in closed cycles of
 * loading and shearing. Without rescaling a Hertz contact does, which is why it is there. */
#include "trial.h"

static double stored_of(const trial *t, trial_part part, double zeta, tw_vec3 force)
{
    return rates_stored(&t->part[part], zeta, tw_vec3_norm(force), 0.0);
}

/* Work of one part of a step, and what became of it. */
typedef struct balance {
    double work, lost;
    double before, after; /* stored */
} balance;

/* Roundings are of the size of the works and energies that make up the sums. */
static double scale_of(const trial *t, trial_part part, const balance *b)
{
    const rates_step *p = &t->part[part];
    const double fn = rates_normal_force(p, fmax(t->zeta0, t->zeta1));
    return p->mu * fn * p->length + b->before + b->after;
}

static void expect_balance(const trial *t, trial_part part, const balance *b, double *least)
{
    const double scale = scale_of(t, part, b);
    *least = -support_most(-*least, -b->lost / scale);
    expect_at_most(fabs(b->work - b->lost - (b->after - b->before)), 1e-14 * scale);
}

static void judge(const trial *t, double least[TRIAL_PARTS], double *least_micro)
{
    const tw_contact_memory m0 = trial_memory(t);
    const tw_contact_parts x0 = trial_extra(t);
    tw_contact_memory m1;
    tw_contact_parts x1;
    const tw_contact_load load = trial_advance(t, &m1, &x1);
    const tw_vec3 twist0 = tw_vec3_scale(x0.fw, t->n), twist1 = tw_vec3_scale(x1.fw, t->n);
    const double slid = load.work_dissipated + load.work_micro;
    const balance b[TRIAL_PARTS] = {
        {load.work_tangential, slid, stored_of(t, TRIAL_SLIDING, t->zeta0, m0.ft),
         stored_of(t, TRIAL_SLIDING, t->zeta1, m1.ft)},
        {load.work_rolling, load.lost_rolling, stored_of(t, TRIAL_ROLLING, t->zeta0, x0.fr),
         stored_of(t, TRIAL_ROLLING, t->zeta1, x1.fr)},
        {load.work_twisting, load.lost_twisting, stored_of(t, TRIAL_TWISTING, t->zeta0, twist0),
         stored_of(t, TRIAL_TWISTING, t->zeta1, twist1)}};
    for (trial_part i = TRIAL_SLIDING; i < TRIAL_PARTS; i++)
        expect_balance(t, i, &b[i], &least[i]);
    const double scale = scale_of(t, TRIAL_SLIDING, &b[TRIAL_SLIDING]);
    const double sum = load.work_reversible + load.work_dissipated + load.work_micro;
    expect_at_most(fabs(load.work_tangential - sum), 2e-15 * scale);
    least[TRIAL_SLIDING] = -support_most(-least[TRIAL_SLIDING], -load.work_dissipated / scale);
    *least_micro = -support_most(-*least_micro, -load.work_micro / scale);
    /* what sticks loses nothing by sliding, exactly */
    if (load.touching && !load.sliding) assert_true(load.work_dissipated == 0.0);
}

/* Some marginal: the circle shrinks as fast as the spring unloads, and almost nothing is lost. */
static void make_marginal(trial *t)
{
    if (!(t->zeta1 > 0.0 && t->zeta1 < t->zeta0 && t->zeta0 > 0.0)) return;
    rates_step *p = &t->part[TRIAL_SLIDING];
    const double limit = p->mu * rates_normal_force(p, t->zeta0);
    const double share = rates_normal_force(p, t->zeta1) / rates_normal_force(p, t->zeta0);
    p->along = -limit;
    p->across = 0.0;
    p->length = (1.0 - share) * limit / rates_stiffness(p, t->zeta0);
}

static void no_step_creates_energy(void **state)
{
    (void)state;
    support_random random = {61};
    double least[TRIAL_PARTS] = {0}, least_micro = 0.0;
    const int count = support_count(60000);
    for (int i = 0; i < count; i++) {
        const int32_t normal = i & 1 ? TW_CONTACT_HERTZ : TW_CONTACT_LINEAR;
        trial t = trial_draw(&random, normal, 1, (trial_kind)(i / 2 % 3));
        if (i % 5 == 0) make_marginal(&t);
        judge(&t, least, &least_micro);
    }
    print_message("least losses: sliding %.2g, micro %.2g, rolling %.2g, twisting %.2g of mu fn "
                  "|dxi| + stored\n",
                  least[TRIAL_SLIDING], least_micro, least[TRIAL_ROLLING], least[TRIAL_TWISTING]);
    /* differences of works and energies of that size: some ten roundings */
    for (trial_part i = TRIAL_SLIDING; i < TRIAL_PARTS; i++)
        expect_at_least(least[i], -2e-15);
    expect_at_least(least_micro, -2e-15);
}

static const tw_vec3 ez = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};

/* Load from `low` to `high`, shear by x there, unload, shear back, load again. Small x: it sticks.
 * Returns the work in the tangential spring, and its force at the end. */
static double elastic_cycle(const tw_contact_law *law, double low, double high, double x,
                            tw_contact_memory *memory, double *micro)
{
    const double overlap[5] = {high, high, low, low, high}, move[5] = {0.0, x, 0.0, -x, 0.0};
    double work = 0.0;
    *memory = support_memory(ez, low, zero);
    *micro = 0.0;
    for (int i = 0; i < 5; i++) {
        const tw_contact_motion motion =
            support_motion(ez, overlap[i], tw_vec3_make(move[i], 0.0, 0.0));
        tw_contact_load load;
        tw_contact_advance(law, &motion, 1.0, memory, NULL, &load);
        assert_int_equal(load.sliding, 0);
        work += load.work_tangential;
        *micro += load.work_micro;
    }
    return work;
}

/* With stiffnesses k0 < k1 at the two overlaps: rescaled, the force k1 x shrinks to k0 x and is
 * taken back in full, at a loss of (k1 - k0) x^2/2 in micro-slip. Not rescaled, (k1 - k0) x^2/2 is
 * gained, and there is a force left over that stores more. */
static void rescaling_is_what_keeps_unloading_from_creating_energy(void **state)
{
    (void)state;
    const double low = 1e-5, high = 4e-5, x = 1e-6;
    tw_contact_law law = support_law(1e9, 0.8e9, 5.0);
    law.normal = TW_CONTACT_HERTZ;
    const double k0 = law.kt * sqrt(low), k1 = law.kt * sqrt(high), half = 0.5 * (k1 - k0) * x * x;
    tw_contact_memory memory;
    double micro;
    double work = elastic_cycle(&law, low, high, x, &memory, &micro);
    expect_at_most(fabs(work / half - 1.0), 1e-13);
    expect_at_most(fabs(micro / half - 1.0), 1e-13);
    expect_at_most(tw_vec3_norm(memory.ft), 1e-13 * k1 * x);
    law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
    work = elastic_cycle(&law, low, high, x, &memory, &micro);
    expect_at_most(fabs(work / half + 1.0), 1e-13); /* comes out of nothing */
    expect_at_most(fabs(memory.ft.x / ((k1 - k0) * x) - 1.0), 1e-13);
    const double left = 0.5 * memory.ft.x * memory.ft.x / k1;
    expect_at_most(fabs(micro / -(half + left) - 1.0), 1e-13);
}

/* A closed path of loading, shearing, rolling and twisting from no contact to no contact. */
static double whole_life(support_random *random, const tw_contact_law *law, double reach,
                         double *size)
{
    enum { LEGS = 12 };
    tw_contact_memory memory = support_memory(ez, -1e-6, zero);
    tw_contact_parts extra = {.fw = 0.0};
    tw_vec3 at = zero, turned = zero;
    double work = 0.0;
    *size = 0.0;
    for (int i = 0; i < LEGS; i++) {
        const int last = i == LEGS - 1;
        const double far = support_log_uniform(random, 0.01 * reach, reach);
        const tw_vec3 to = last ? zero : tw_vec3_scale(far, support_tangent(random, ez));
        const tw_vec3 turn = last ? zero : support_vector(random, 0.1 * reach, reach);
        const double zeta = last ? -1e-6 : support_log_uniform(random, 1e-6, 1e-4);
        tw_contact_motion motion = support_motion(ez, zeta, tw_vec3_sub(to, at));
        tw_contact_load load;
        motion.radius = 0.5;
        motion.turn_q = tw_vec3_sub(turn, turned);
        motion.turn_p = tw_vec3_scale(-1.0, motion.turn_q);
        support_advance(law, &motion, 1.0, &memory, &extra, &load);
        work += load.work_tangential + load.work_rolling + load.work_twisting;
        *size += fabs(load.work_tangential) + fabs(load.work_rolling) + fabs(load.work_twisting);
        at = to;
        turned = turn;
    }
    return work;
}

static void no_closed_cycle_creates_energy(void **state)
{
    (void)state;
    support_random random = {62};
    double least = 1.0;
    int cheap = 0;
    for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++) {
        tw_contact_law law = support_resisting_law(support_law(1e6, 0.8e6, 0.5));
        if (normal == TW_CONTACT_HERTZ) law = support_hertz_like(law, 1e-4);
        for (int i = 0; i < support_count(3000); i++) {
            double size;
            /* from hardly any slip to nothing else */
            const double reach = support_log_uniform(&random, 1e-8, 1e-3);
            const double work = whole_life(&random, &law, reach, &size);
            least = -support_most(-least, -work / size);
            cheap += work < 0.3 * size;
        }
    }
    print_message("closed cycles: least work %.2g of the sum of its terms, %d cheap ones\n", least,
                  cheap);
    assert_true(cheap > 100); /* close calls were among them */
    expect_at_least(least, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_creates_energy),
        cmocka_unit_test(rescaling_is_what_keeps_unloading_from_creating_energy),
        cmocka_unit_test(no_closed_cycle_creates_energy),
    };
    return cmocka_run_group_tests_name("contact_energy", tests, NULL, NULL);
}
