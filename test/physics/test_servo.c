/* SPDX-License-Identifier: BSD-3-Clause */
/* The servo: exact where the answer is known, stable without contacts, and correct in reporting
 * unreachable targets. */
#include "pressed.h"

#include <string.h>

#include "../must.h"
#include "lattice.h"

static tw_control_row sum_of(int32_t mode, double xx, double yy, double zz, double target)
{
    const tw_control_row row = {mode, {xx, yy, zz}, target, 0.0};
    return row;
}

/* ---- Lattices ---- */

static lattice lattice_of(double ratio, double nu, uint64_t seed)
{
    support_random random = {seed};
    /* As in test_lattice.c: overlaps of 2e-7 R change the moduli by about the same. */
    lattice def = {1e-3, 2e-10, 2, {0.0, 0.0, 0.0}, 0, support_law(1e6, ratio * 1e6, 2.0),
                   1e-7, 0.0};
    def.law.nu_n = def.law.nu_t = nu;
    if (seed > 0) def.turn = tensor_random_turn(&random);
    return def;
}

static const int first_of[TW_COMPONENTS] = {0, 1, 2, 1, 0, 0};
static const int second_of[TW_COMPONENTS] = {0, 1, 2, 2, 2, 1};

static double component(const tw_mat3 *s, int k)
{
    return 0.5 * (s->m[3 * first_of[k] + second_of[k]] + s->m[3 * second_of[k] + first_of[k]]);
}

static tw_mat3 random_strain(uint64_t seed)
{
    support_random random = {seed};
    tw_mat3 e = tensor_zero();
    for (int k = 0; k < TW_COMPONENTS; k++)
        e.m[3 * first_of[k] + second_of[k]] = e.m[3 * second_of[k] + first_of[k]] =
            support_uniform(&random, -2e-8, 2e-8);
    return e;
}

/* The targets of all six stresses of a lattice in a rotated cell jump by the response to a known
 * strain. The stiffness is exact, so one step reaches them with that strain. With dashpots the
 * first step is smaller, and the strain develops as they yield. */
static void
a_lattice_reaches_its_stress_in_one_step_with_the_strain_of_the_closed_form(void **state)
{
    (void)state;
    static const double ratios[] = {1.0, 0.2, 0.8, 0.0}, damping[] = {0.0, 0.0, 0.3, 0.0};
    for (uint64_t seed = 0; seed < 4; seed++) {
        const lattice def = lattice_of(ratios[seed], damping[seed], seed);
        const tw_mat3 r = tensor_rotation(def.turn), strain = random_strain(seed + 10);
        const tw_mat3 change = tensor_turned(lattice_stress(&def, &strain), r);
        tw_sim *sim = lattice_make(&def);
        scene_run(sim, 1);
        const tw_mat3 before = must_measure(sim).stress, cell = tw_sim_cell(sim);
        tw_control control = tw_control_default();
        for (int k = 0; k < TW_COMPONENTS; k++)
            control.row[k] = tw_control_stress(k, component(&before, k) + component(&change, k));
        pressed_control(sim, &control);
        scene_run(sim, 1);
        tw_mat3 now = tensor_add_scaled(must_measure(sim).stress, -1.0, before);
        expect_at_most(tensor_distance(now, change), 1e-6 * tensor_norm(change));
        scene_run(sim, 400);
        now = tensor_add_scaled(must_measure(sim).stress, -1.0, before);
        expect_at_most(tensor_distance(now, change), 1e-6 * tensor_norm(change));
        const tw_mat3 f = tensor_mul(tw_sim_cell(sim), tensor_inverse(cell));
        const tw_mat3 found = tensor_add_scaled(f, -1.0, tensor_diagonal(1.0, 1.0, 1.0));
        const tw_mat3 right = tensor_turned(strain, r);
        expect_at_most(tensor_distance(found, right), 1e-6 * tensor_norm(right));
        tw_sim_free(sim);
    }
}

/* Compressed along z at constant lateral stress, the lattice expands laterally by C12/(C11 + C12);
 * at constant p by the ratio that follows from the same moduli. */
static void the_lateral_strain_of_a_lattice_follows_from_its_moduli(void **state)
{
    (void)state;
    const lattice def = lattice_of(0.2, 0.0, 0);
    const double c11 = 1.2, c12 = 0.4; /* over kn/(sqrt2 R) */
    for (int constant_p = 0; constant_p < 2; constant_p++) {
        tw_sim *sim = lattice_make(&def);
        scene_run(sim, 1);
        const tw_mat3 s = must_measure(sim).stress, cell = tw_sim_cell(sim);
        tw_control control = tw_control_default();
        control.row[TW_XX] = tw_control_stress(TW_XX, s.m[0]);
        control.row[TW_YY] = tw_control_stress(TW_YY, s.m[4]);
        if (constant_p) {
            control.row[0] = sum_of(TW_CONTROL_RATE, 1.0, -1.0, 0.0, 0.0);
            control.row[1] = sum_of(TW_CONTROL_STRESS, 1.0, 1.0, 1.0, s.m[0] + s.m[4] + s.m[8]);
        }
        control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -2e-8 / (100.0 * def.dt));
        pressed_control(sim, &control);
        scene_run(sim, 100);
        const tw_mat3 f = tensor_mul(tw_sim_cell(sim), tensor_inverse(cell));
        const double axial = f.m[8] - 1.0, sideways = f.m[0] - 1.0;
        expect_at_most(fabs(axial / -2e-8 - 1.0), 1e-6);
        expect_at_most(fabs(sideways / axial + (constant_p ? 0.5 : c12 / (c11 + c12))), 1e-6);
        tw_sim_free(sim);
    }
}

/* ---- From loose to dense ---- */

typedef struct approach {
    double highest; /* mean stress so far */
    int met;
} approach;

static int follow(tw_sim *sim, void *context)
{
    approach *a = context;
    const tw_control_report report = tw_sim_get_control_report(sim);
    a->highest =
        support_most(a->highest, (report.value[0] + report.value[1] + report.value[2]) / 3.0);
    a->met |= report.status == TW_CONTROL_HOLDING;
    return a->met && must_measure(sim).unbalanced < 0.05;
}

/* From a gas of moving grains to a packing under p: the mean stress overshoots by at most 2 %, and
 * no strain rate exceeds an inertial number of 1e-2. */
static void a_loose_cell_reaches_its_pressure_without_overshoot(void **state)
{
    (void)state;
    static const struct {
        double mu, damping;
    } kind[] = {{0.1, 0.05}, {0.5, 0.0}, {0.3, 0.5}};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        tw_sim *sim = pressed_loose(5, kind[k].mu, 3 + k);
        tw_contact_law law = pressed_law(kind[k].mu);
        law.nu_n = law.nu_t = pressed_nu(kind[k].damping);
        scene_set_law(sim, &law);
        const tw_control control = pressed_isotropic(pressed_p);
        approach a = {0.0, 0};
        tw_error error = {TW_STATUS_OK, ""};
        pressed_control(sim, &control);
        const tw_control_report start = tw_sim_get_control_report(sim);
        assert_int_equal(start.status, TW_CONTROL_APPROACHING);
        /* Mean diameter: 0.95 of the nominal one, up to the scatter of 125 random sizes. */
        expect_at_most(fabs(start.rate_max * 0.95 / pressed_rate(1e-2) - 1.0), 0.02);
        const tw_mat3 before = tw_sim_cell(sim);
        scene_run(sim, 1);
        const tw_mat3 f = tensor_mul(tw_sim_cell(sim), tensor_inverse(before));
        const tw_mat3 e = tensor_add_scaled(f, -1.0, tensor_diagonal(1.0, 1.0, 1.0));
        expect_at_most(fabs(tensor_norm(e) / (start.rate_max * tw_sim_dt(sim)) - 1.0), 1e-3);
        assert_int_equal(tw_sim_run_hooked(sim, 160000, follow, &a, &error), TW_STATUS_INTERRUPTED);
        const tw_control_report end = tw_sim_get_control_report(sim);
        print_message("mu %.1f, damping %.2f: %llu steps, highest p %.4f of the target\n",
                      kind[k].mu, kind[k].damping, (unsigned long long)end.steps,
                      a.highest / pressed_p);
        assert_true(a.met);
        expect_at_most(a.highest, 1.02 * pressed_p);
        expect_at_least((double)end.limited, 1000.0);
        tw_sim_free(sim);
    }
}

static tw_sim *two_bodies(double radius)
{
    tw_sim_def def = tw_sim_def_default();
    const tw_vec3 none = {0.0, 0.0, 0.0};
    def.cell = tensor_diagonal(0.01, 0.01, 0.01);
    def.law = pressed_law(0.5);
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    const tw_body_def a = scene_sphere(radius, tw_vec3_make(2e-3, 2e-3, 2e-3), none, none);
    const tw_body_def b = scene_sphere(radius, tw_vec3_make(7e-3, 7e-3, 7e-3), none, none);
    scene_add(sim, &a);
    scene_add(sim, &b);
    return sim;
}

/* Nothing touches or moves. With a target of zero stress nothing happens. With a target of tension
 * the cell expands at its rate limit, and the report says that the target is missed. */
static void an_empty_cell_stays_or_moves_at_its_rate_limit(void **state)
{
    (void)state;
    tw_sim *sim = two_bodies(1e-3);
    tw_control control = pressed_isotropic(0.0);
    pressed_control(sim, &control);
    scene_run(sim, 100);
    assert_true(tw_sim_cell(sim).m[0] == 0.01 && tw_sim_cell(sim).m[1] == 0.0);
    assert_int_equal(tw_sim_get_control_report(sim).status, TW_CONTROL_HOLDING);
    control = pressed_isotropic(-pressed_p);
    control.rate_max = 3.0;
    pressed_control(sim, &control);
    const double start = tw_sim_time(sim);
    scene_run(sim, 1000);
    const double strain = 3.0 / sqrt(3.0) * (tw_sim_time(sim) - start);
    expect_at_most(fabs(log(tw_sim_cell(sim).m[0] / 0.01) / strain - 1.0), 1e-9);
    const tw_control_report report = tw_sim_get_control_report(sim);
    assert_int_equal(report.status, TW_CONTROL_APPROACHING);
    assert_int_equal(report.limited, 1000);
    tw_sim_free(sim);
}

/* A volume rate prescribes the volume itself, not the trace of the gradient: for strain steps of
 * 1e-3 these differ by 2 det(grad v dt/2) = 6e-11 per step. */
static void volume_is_exact_at_large_strains(void **state)
{
    (void)state;
    enum { STEPS = 2000 };
    for (int growing = 0; growing < 2; growing++) {
        tw_sim *sim = two_bodies(1e-4);
        tw_error error = {TW_STATUS_OK, ""};
        const double dt = 1e-7, rate = 1e-3 / dt, growth = growing ? 1e-4 / dt : 0.0;
        assert_int_equal(tw_sim_set_dt(sim, dt, 0, &error), TW_STATUS_OK);
        tw_control control = tw_control_default();
        control.row[0] = sum_of(TW_CONTROL_RATE, 2.0, 2.0, 2.0, 2.0 * growth);
        control.row[1] = sum_of(TW_CONTROL_RATE, 1.0, -1.0, 0.0, 0.0);
        control.row[2] = tw_control_rate(TW_ZZ, -rate);
        control.row[TW_XY] = tw_control_rate(TW_XY, 0.3 * rate);
        pressed_control(sim, &control);
        const double before = tensor_det(tw_sim_cell(sim));
        scene_run(sim, STEPS);
        const double change = tensor_det(tw_sim_cell(sim)) / before;
        expect_at_most(fabs(change / exp(growth * dt * STEPS) - 1.0), 1e-12);
        expect_at_most(fabs(log(tw_sim_cell(sim).m[8] / 0.01) + rate * dt * STEPS), 1e-6);
        tw_sim_free(sim);
    }
}

/* ---- Unreachable and invalid targets ---- */

static void a_stress_beyond_strength_is_reported_as_missed(void **state)
{
    (void)state;
    tw_sim *stock = pressed_make(0.1, 2), *sim = pressed_copy(stock, 0.5, 0.05);
    tw_control control = pressed_isotropic(pressed_p);
    control.row[TW_XY].target = 2.0 * pressed_p;
    control.row[TW_XY].ramp = 2.0 * pressed_p / (4000.0 * tw_sim_dt(sim));
    if (!scene_thorough()) control.tolerance = 8e-3; /* as in test_control.c */
    pressed_control(sim, &control);
    scene_run(sim, 500);
    assert_int_equal(tw_sim_get_control_report(sim).status,
                     TW_CONTROL_HOLDING); /* a quarter of it can be carried */
    scene_run(sim, 3500);
    const tw_control_report report = tw_sim_get_control_report(sim);
    print_message("shear stress of 2 p: off by %.2f p after %llu steps at the limit\n",
                  report.deviation, (unsigned long long)report.limited);
    assert_int_equal(report.status, TW_CONTROL_MISSING);
    expect_at_least(report.deviation, 0.5);
    expect_at_least(report.worst, report.deviation);
    assert_true(report.missed > 1000 && report.limited > 1000);
    tw_sim_free(sim);
    tw_sim_free(stock);
}

static void refuse(tw_sim *sim, const tw_control *control, const char *words)
{
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_set_control(sim, control, &error), TW_STATUS_INPUT);
    if (!strstr(error.text, words)) fail_msg("\"%s\" is not in \"%s\"", words, error.text);
    assert_int_equal(tw_sim_get_control_report(sim).steps, 0);
}

static void invalid_controls_are_refused_by_name(void **state)
{
    (void)state;
    tw_sim *sim = two_bodies(1e-3);
    tw_control good = pressed_isotropic(pressed_p), bad = good;
    bad.row[3].mode = 2;
    refuse(sim, &bad, "row 3: mode");
    bad = good;
    bad.row[4].weight[4] = 0.0;
    refuse(sim, &bad, "row 4: weight");
    bad = good;
    bad.row[5].weight[1] = (double)NAN;
    refuse(sim, &bad, "row 5: weight");
    bad = good;
    bad.row[0].target = (double)INFINITY;
    refuse(sim, &bad, "row 0: target");
    bad = good;
    bad.row[1].ramp = -1.0;
    refuse(sim, &bad, "row 1: ramp");
    bad = good;
    bad.rate_max = -1.0;
    refuse(sim, &bad, "rate_max");
    bad = good;
    bad.tolerance = 0.0;
    refuse(sim, &bad, "tolerance");
    bad = good;
    bad.simple_shear = 2;
    refuse(sim, &bad, "simple_shear");
    bad = good;
    bad.row[TW_YY] = tw_control_rate(TW_XX, 1.0); /* xx twice, yy not at all */
    refuse(sim, &bad, "independent");
    bad = tw_control_default();
    bad.row[0] = sum_of(TW_CONTROL_STRESS, 1.0, -1.0, 0.0, 0.0);
    bad.row[2] = sum_of(TW_CONTROL_STRESS, 0.0, 1.0, -1.0, 0.0);
    bad.row[1] = sum_of(TW_CONTROL_STRESS, 1.0, 0.0, -1.0, 0.0);
    refuse(sim, &bad, "independent");
    tw_sim_free(sim);
    tw_sim_def def = tw_sim_def_default();
    def.law = pressed_law(0.5);
    sim = scene_create(&def);
    refuse(sim, &good, "no bodies");
    tw_sim_free(sim);
    def.periodic[1] = 0;
    sim = scene_create(&def);
    const tw_vec3 at = {0.5, 0.5, 0.5}, none = {0.0, 0.0, 0.0};
    const tw_body_def body = scene_sphere(0.1, at, none, none);
    scene_add(sim, &body);
    refuse(sim, &good, "periodic");
    const tw_control rates = tw_control_default(); /* these need no stress rows */
    pressed_control(sim, &rates);
    scene_run(sim, 1);
    assert_int_equal(tw_sim_get_control_report(sim).status, TW_CONTROL_OFF);
    tw_sim_free(sim);
}

static void a_velocity_gradient_ends_a_control(void **state)
{
    (void)state;
    tw_sim *sim = two_bodies(1e-3);
    const tw_control control = pressed_isotropic(pressed_p);
    pressed_control(sim, &control);
    scene_run(sim, 10);
    assert_int_equal(tw_sim_get_control_report(sim).steps, 10);
    const tw_mat3 still = tensor_zero(), before = tw_sim_cell(sim);
    tw_sim_set_velocity_gradient(sim, &still);
    scene_run(sim, 10);
    const tw_mat3 after = tw_sim_cell(sim);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(tw_sim_get_control_report(sim).steps, 0);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_lattice_reaches_its_stress_in_one_step_with_the_strain_of_the_closed_form),
        cmocka_unit_test(the_lateral_strain_of_a_lattice_follows_from_its_moduli),
        cmocka_unit_test(a_loose_cell_reaches_its_pressure_without_overshoot),
        cmocka_unit_test(an_empty_cell_stays_or_moves_at_its_rate_limit),
        cmocka_unit_test(volume_is_exact_at_large_strains),
        cmocka_unit_test(a_stress_beyond_strength_is_reported_as_missed),
        cmocka_unit_test(invalid_controls_are_refused_by_name),
        cmocka_unit_test(a_velocity_gradient_ends_a_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
