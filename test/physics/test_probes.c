/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes of packings with known response: lattices with closed-form moduli, and packings without
 * sliding, which are elastic. */
#include "lattice.h"
#include "pressed.h"

#include <string.h>

#include "../must.h"
#include "probe/probe.h"

static scene_file saved; /* the state that probes start from */

static int make_file(void **state)
{
    (void)state;
    saved = scene_file_make();
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    scene_file_remove(&saved);
    return 0;
}

static tw_sim *open_state(void *context, tw_error *error)
{
    (void)context;
    return tw_sim_load(saved.path, error);
}

static void save_state(const tw_sim *sim)
{
    tw_error error;
    if (tw_sim_save(sim, saved.path, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
}

static tw_probe_result run_probe(const tw_probe_def *def)
{
    const tw_probe_watch watch = {NULL, open_state, NULL};
    tw_probe_result result;
    tw_error error = {TW_STATUS_OK, ""};
    if (tw_probe_run(def, &watch, &result, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    return result;
}

static void put_direction(tw_probe_def *def, bool sphere, size_t i, size_t count)
{
    const tw_directions directions = {sphere, 0, count};
    tw_directions_at(&directions, i, def->change);
    for (int k = 0; k < TW_COMPONENTS; k++)
        def->change[k] *= def->magnitude;
}

static double size_of(const double *tensor, bool strain)
{
    double kelvin[TW_COMPONENTS];
    if (strain)
        tw_probe_kelvin_strain(tensor, kelvin);
    else
        tw_probe_kelvin_stress(tensor, kelvin);
    return tw_probe_norm(kelvin);
}

/* Scalar product of two strains. */
static double product(const double *a, const double *b)
{
    double x[TW_COMPONENTS], y[TW_COMPONENTS], sum = 0.0;
    tw_probe_kelvin_strain(a, x);
    tw_probe_kelvin_strain(b, y);
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += x[k] * y[k];
    return sum;
}

static double distance(const double *a, const double *b, bool strain)
{
    double off[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++)
        off[k] = a[k] - b[k];
    return size_of(off, strain);
}

/* ---- A lattice ---- */

/* Closed form, compression positive on both sides. */
static void lattice_response(const lattice *def, const double *strain, double *stress)
{
    const tw_mat3 extension = {{-strain[TW_XX], -0.5 * strain[TW_XY], -0.5 * strain[TW_XZ],
                                -0.5 * strain[TW_XY], -strain[TW_YY], -0.5 * strain[TW_YZ],
                                -0.5 * strain[TW_XZ], -0.5 * strain[TW_YZ], -strain[TW_ZZ]}};
    const tw_mat3 s = lattice_stress(def, &extension);
    const double all[TW_COMPONENTS] = {s.m[0], s.m[4], s.m[8], s.m[5], s.m[2], s.m[1]};
    memcpy(stress, all, sizeof all);
}

/* As in test_lattice.c: prestress and rounding change the moduli by less than 1e-6. */
static tw_probe_def lattice_probes(const lattice *def)
{
    tw_sim *sim = lattice_make(def);
    scene_set_damping(sim, 0.0, 0.0, 0.5);
    scene_run(sim, 1);
    save_state(sim);
    tw_sim_free(sim);
    return (tw_probe_def){.kind = def->law.kind,
                          .magnitude = 2e-8,
                          .steps = 4,
                          .rest = 1e-6,
                          .rest_steps = 2000,
                          .load = true,
                          .unload = true,
                          .no_slip = true};
}

static void the_response_of_a_lattice_is_the_closed_form_in_every_direction(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    static const double ratios[] = {1.0, 0.2, 0.6};
    for (int i = 0; i < 3; i++) {
        const tw_contact_law law = support_law(1e6, ratios[i] * 1e6, 2.0);
        const lattice l = {1e-3, 2e-10, 2, {0.0, 0.0, 0.0}, 0, law, 1e-7, 0.0};
        tw_probe_def def = lattice_probes(&l);
        for (size_t k = 0; k < (size_t)scene_cases(2 * COUNT); k++) {
            double right[TW_COMPONENTS];
            put_direction(&def, k % 2 == 1, k / 2, COUNT);
            const tw_probe_result r = run_probe(&def);
            lattice_response(&l, def.change, right);
            expect_at_most(distance(r.strain, def.change, true) / def.magnitude, 1e-12);
            expect_at_most(distance(r.stress, right, false) / size_of(right, false), 1e-6);
            expect_at_most(distance(r.no_slip_stress, right, false) / size_of(right, false), 1e-6);
            /* Unloading ends within a thousandth of the probe's stress. */
            expect_at_most(size_of(r.missed, false) / size_of(right, false), 2.5e-3);
            expect_at_most(size_of(r.left, true) / def.magnitude, 2.5e-3);
            expect_at_most(r.friction_work[TW_PROBE_LOAD] + r.friction_work[TW_PROBE_NO_SLIP], 0.0);
        }
    }
}

/* Six strains give the tensor: C11 = (kn + kt)/(sqrt2 R), C12 = (kn - kt)/(2 sqrt2 R),
 * C44 = (kn + kt)/(2 sqrt2 R). */
static void six_companions_give_the_tensor_of_a_lattice(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e6, 0.4e6, 0.5);
    const lattice l = {1e-3, 2e-10, 2, {0.0, 0.0, 0.0}, 0, law, 1e-7, 0.0};
    tw_probe_def def = lattice_probes(&l);
    double x[36], y[36], c[36], rms;
    def.load = def.unload = false;
    for (int i = 0; i < TW_COMPONENTS; i++) {
        memset(def.change, 0, sizeof def.change);
        def.change[i] = (i < TW_YZ ? 1.0 : sqrt(2.0)) * def.magnitude;
        const tw_probe_result r = run_probe(&def);
        memcpy(x + 6 * i, r.no_slip_strain, sizeof r.no_slip_strain);
        memcpy(y + 6 * i, r.no_slip_stress, sizeof r.no_slip_stress);
        assert_true(isnan(r.stress[0]) && r.steps[TW_PROBE_LOAD] == 0);
    }
    assert_true(tw_fit_matrix(TW_COMPONENTS, TW_COMPONENTS, x, y, c, &rms));
    const double unit = 1.0 / (sqrt(2.0) * l.radius);
    const double c11 = (law.kn + law.kt) * unit, c12 = 0.5 * (law.kn - law.kt) * unit,
                 c44 = 0.5 * (law.kn + law.kt) * unit;
    for (int i = 0; i < 36; i++) {
        const int row = i / 6, column = i % 6;
        const double right =
            row < 3 && column < 3 ? (row == column ? c11 : c12) : (row == column ? c44 : 0.0);
        expect_at_most(fabs(c[i] - right) / c11, 1e-6);
    }
}

/* ---- Packings ---- */

/* Compressed with friction, sheared a little if requested, then damped and settled, so that probes
 * measure only the packing. */
static tw_probe_def packing_probes(double mu, double shear, double magnitude, double rest)
{
    enum { STEPS = 1000 };
    tw_sim *sim = pressed_make(0.1, 11);
    const double rate = shear / (STEPS * tw_sim_dt(sim));
    const tw_mat3 still = {{0.0}}, gradient = tensor_diagonal(-rate, 0.5 * rate, 0.5 * rate);
    const tw_contact_law law = pressed_law(mu);
    scene_set_law(sim, &law);
    /* Local damping does not act on rattlers; mass damping stops them, so that they do not hit
     * their neighbours during the probe. */
    scene_set_damping(sim, 0.01 / tw_sim_dt(sim), 0.01 / tw_sim_dt(sim), 0.3);
    tw_sim_set_velocity_gradient(sim, &gradient);
    if (shear > 0.0) scene_run(sim, STEPS);
    tw_sim_set_velocity_gradient(sim, &still);
    for (int k = 0; k < 400 && must_measure(sim).unbalanced > rest; k++)
        scene_run(sim, 100);
    const tw_measure m = must_measure(sim);
    expect_at_most(m.unbalanced, rest);
    expect_at_most(0.5 * pressed_p, m.p);
    save_state(sim);
    tw_sim_free(sim);
    return (tw_probe_def){.kind = law.kind,
                          .magnitude = magnitude,
                          .steps = 200,
                          .rest = rest,
                          .rest_steps = 50000,
                          .load = true,
                          .unload = true,
                          .no_slip = true};
}

/* Small enough that not even the lightest of some hundred contacts opens: a strain of 1e-7 changes
 * overlaps, of 1e-3 of a grain, by 1e-4 of them. (1e-6 opened one in one of twelve specimens.) */
static const double tiny = 1e-7;

/* Without slip a packing is elastic as long as contacts neither open nor close: linear, the same
 * tensor in every direction, and reversible. Unbalanced forces of 1e-8 are 1e-4 of the probe's, and
 * the softest parts of the packing amplify them: the tolerance is a hundredth. */
static void without_slip_a_packing_is_elastic(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    tw_probe_def def = packing_probes(1e6, 0.0, tiny, 1e-8);
    double x[COUNT * 2], y[COUNT * 2], plane[36], rms;
    const tw_directions directions = {false, 0, COUNT};
    for (size_t k = 0; k < COUNT; k++) {
        double point[TW_DIRECTIONS_MAX];
        put_direction(&def, false, k, COUNT);
        const tw_probe_result r = run_probe(&def);
        assert_true(r.rested[TW_PROBE_LOAD] && r.rested[TW_PROBE_UNLOAD] &&
                    r.rested[TW_PROBE_NO_SLIP]);
        /* The no-slip companion is the same run. */
        assert_memory_equal(r.stress, r.no_slip_stress, sizeof r.stress);
        expect_at_most(size_of(r.left, true) / def.magnitude, 1e-2);
        tw_directions_point(&directions, r.strain, point);
        memcpy(x + 2 * k, point, 2 * sizeof *x);
        tw_directions_point(&directions, r.stress, point);
        memcpy(y + 2 * k, point, 2 * sizeof *y);
    }
    assert_true(tw_fit_matrix(2, COUNT, x, y, plane, &rms));
    expect_at_most(rms, 1e-2);
    /* There is a potential: symmetric, with positive moduli. */
    expect_at_most(fabs(plane[1] - plane[2]) / plane[0], 1e-2);
    assert_true(plane[0] > 0.0 && plane[3] > 0.0);
}

/* With friction it is not elastic, and the no-slip companion shows the difference; both start from
 * the same state. */
static void slip_causes_the_difference_from_the_companion(void **state)
{
    (void)state;
    tw_probe_def def = packing_probes(0.3, 5e-4, 1e-5, 1e-6);
    put_direction(&def, false, 1, 4); /* further shear */
    const tw_probe_result r = run_probe(&def);
    assert_true(r.friction_work[TW_PROBE_LOAD] > 0.0);
    /* The companion dissipates only in contacts that open: at most 1e-4 in thirty specimens. Slip
     * would be of the order of one. */
    expect_at_most(r.friction_work[TW_PROBE_NO_SLIP], 2e-2 * r.friction_work[TW_PROBE_LOAD]);
    /* Slip reduces the stress, by 0.15 to 0.32 in thirty specimens. */
    expect_at_most(size_of(r.stress, false), 0.98 * size_of(r.no_slip_stress, false));
    /* A large part of the strain remains after unloading, within 45 degrees of the loading. */
    expect_at_least(size_of(r.left, true), 0.02 * def.magnitude);
    expect_at_least(product(r.left, def.change), 0.7 * size_of(r.left, true) * def.magnitude);
    /* Bitwise reproducible. */
    const tw_probe_result again = run_probe(&def);
    assert_memory_equal(&r, &again, sizeof r);
}

/* A stress probe imposes its stress to a thousandth in any direction; the strain is the material's
 * response. Strain probes and stress probes are inverse where the response is elastic. */
static void stress_probes_impose_stress(void **state)
{
    (void)state;
    tw_probe_def def = packing_probes(1e6, 0.0, tiny, 1e-8);
    put_direction(&def, true, 3, 7);
    const tw_probe_result by_strain = run_probe(&def);
    def.by_stress = true;
    def.magnitude = size_of(by_strain.stress, false);
    memcpy(def.change, by_strain.stress, sizeof def.change);
    const tw_probe_result by_stress = run_probe(&def);
    expect_at_most(distance(by_stress.stress, def.change, false) / def.magnitude, 2.5e-3);
    expect_at_most(distance(by_stress.strain, by_strain.strain, true) / tiny, 1e-2);
    expect_at_most(size_of(by_stress.left, true) / tiny, 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_response_of_a_lattice_is_the_closed_form_in_every_direction),
        cmocka_unit_test(six_companions_give_the_tensor_of_a_lattice),
        cmocka_unit_test(without_slip_a_packing_is_elastic),
        cmocka_unit_test(slip_causes_the_difference_from_the_companion),
        cmocka_unit_test(stress_probes_impose_stress),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
