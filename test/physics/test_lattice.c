/* SPDX-License-Identifier: BSD-3-Clause */
/* Elastic moduli and strength of face-centred cubic lattices against their closed forms, in
 * randomly rotated cells. All forces of an affinely strained lattice balance, so nothing has to
 * relax. */
#include <string.h>

#include "../must.h"
#include "lattice.h"

static const double radius = 1e-3;

/* The prestress changes the moduli by about overlap/R, 2e-7. The strain is a tenth of that, so that
 * no contact opens; the rounding of positions, 1e-15 R, is 4e-8 of the change of overlap. Together
 * below 1e-6. */
static const double overlap = 2e-7, strain_size = 2e-8, modulus_tolerance = 1e-6;

static lattice lattice_of(double kn, double kt, double mu, uint64_t seed)
{
    support_random random = {seed};
    lattice def = {radius, overlap * radius,        2,    {0.0, 0.0, 0.0},
                   0,      support_law(kn, kt, mu), 1e-7, 0.0};
    if (seed > 0) def.turn = tensor_random_turn(&random);
    return def;
}

static void check_moduli(const lattice *def)
{
    for (int k = 0; k < 6; k++) {
        const tw_mat3 strain = lattice_strain(k, strain_size);
        const tw_mat3 right = lattice_stress(def, &strain);
        const tw_mat3 found = lattice_respond(def, &strain);
        expect_at_most(tensor_distance(found, right) / tensor_norm(right), modulus_tolerance);
    }
}

static void moduli_agree_with_the_closed_form_in_any_cell(void **state)
{
    (void)state;
    static const double ratios[] = {1.0, 0.2, 0.8, 0.0};
    for (uint64_t seed = 0; seed < 8; seed++) {
        lattice def = lattice_of(1e6, ratios[seed % 4] * 1e6, 2.0, seed);
        check_moduli(&def);
        def.primitive = 1;
        def.cells = 3;
        check_moduli(&def);
    }
}

/* The bulk modulus is C11/3 + 2 C12/3 = 2 kn/(3 sqrt2 R): with kn = 2 E R/2 it does not depend on
 * the size of the grains. */
static void the_bulk_modulus_follows_the_modulus_of_the_contacts(void **state)
{
    (void)state;
    const double e = 3e8, ratio = 0.3;
    for (int i = 0; i < 3; i++) {
        lattice def = lattice_of(2.0 * e, 2.0 * e * ratio, 2.0, (uint64_t)i);
        def.radius = radius * pow(4.0, i);
        def.overlap = overlap * def.radius;
        def.dt = 1e-8;
        def.law.flags |= TW_CONTACT_BY_RADIUS;
        check_moduli(&def);
        tw_mat3 strain = tensor_diagonal(-strain_size, -strain_size, -strain_size);
        const tw_mat3 found = lattice_respond(&def, &strain);
        const double p = (found.m[0] + found.m[4] + found.m[8]) / 3.0,
                     bulk = p / (3.0 * strain_size);
        expect_at_most(fabs(bulk / (sqrt(2.0) / 3.0 * e) - 1.0), modulus_tolerance);
    }
}

/* One cubic cell, 1.4 diameters wide: a pair of spheres touches through several images. */
static void moduli_do_not_depend_on_the_size_of_the_cell(void **state)
{
    (void)state;
    for (int cells = 1; cells <= 4; cells++) {
        lattice def = lattice_of(1e6, 0.5e6, 2.0, 77);
        def.cells = cells;
        check_moduli(&def);
    }
    lattice def = lattice_of(1e6, 0.5e6, 2.0, 78);
    def.primitive = 1;
    def.cells = 1; /* one sphere that touches twelve images of itself */
    check_moduli(&def);
}

/* Stress ratio of a lattice compressed along z that slips on its eight inclined contacts and has
 * lost the four horizontal ones. The force of p on q is N n + T t, with T = f N against the motion
 * of q, down and outward: s_z is 4 bonds of (N n_z + T n_x) b_z, s_x is 2 bonds of (N n_x - T n_z)
 * b_x, per sphere. With n_x = n_z it is Thornton's (1979) 2 (1 + f)/(1 - f). */
static double strength_of(double f, const tw_mat3 *cell)
{
    const double tangent = cell->m[8] / cell->m[0]; /* n_z/n_x = b_z/b_x */
    return 2.0 * tangent * (tangent + f) / (1.0 - f * tangent);
}

typedef struct press {
    tw_mat3 r;      /* from the frame of the cube to space */
    double rate;    /* of compression along z [1/s] */
    double lateral; /* target lateral stress [Pa]; 0: constant volume */
    double highest; /* ratio so far */
} press;

static int press_on(tw_sim *sim, void *context)
{
    press *p = context;
    const tw_mat3 s = tensor_turned(must_measure(sim).stress, tensor_transpose(p->r));
    p->highest = support_most(p->highest, s.m[8] / s.m[0]);
    double out = 0.5 * p->rate;
    if (p->lateral > 0.0) out = p->rate * 3.0 * (s.m[0] / p->lateral - 1.0);
    const tw_mat3 gradient = tensor_turned(tensor_diagonal(out, out, -p->rate), p->r);
    tw_sim_set_velocity_gradient(sim, &gradient);
    return 0;
}

static void check_strength(double f, uint64_t seed, int constant_stress)
{
    lattice def = lattice_of(1e6, 1e6, f, seed);
    def.overlap = 1e-4 * radius;
    def.dt = 2e-7;
    /* At high friction the uniform state of larger cells is unstable: rolling in rows grows from
     * rounding until half of the contacts stick. One cubic cell is too small for that. */
    if (f > 0.3) def.cells = 1;
    press p = {tensor_rotation(def.turn), 0.0, 0.0, 0.0};
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    const tw_measure start = must_measure(sim);
    if (constant_stress) p.lateral = start.p;
    /* Slip needs a strain of about overlap/R; the horizontal contacts open at the same scale. */
    const double whole = 4e-4;
    const uint64_t steps = 4000;
    p.rate = whole / ((double)steps * def.dt);
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_run_hooked(sim, steps, press_on, &p, &error), TW_STATUS_OK);
    const tw_measure m = must_measure(sim);
    const tw_mat3 back = tensor_transpose(p.r);
    const tw_mat3 s = tensor_turned(m.stress, back), cell = tensor_mul(back, m.cell);
    const double ratio = s.m[8] / s.m[0], limit = 2.0 * (1.0 + f) / (1.0 - f);
    assert_int_equal(m.contacts, start.contacts * 2 / 3);
    assert_int_equal(m.sliding, m.contacts);
    /* Rounding of overlaps, 1e-15 R of 1e-4 R, and of the balance of the lattice since. */
    expect_at_most(fabs(ratio / strength_of(f, &cell) - 1.0), 1e-8);
    /* The cell is distorted by 1.5 times the strain, which changes the ratio by a factor of (3 +
     * ...) times that. */
    expect_at_most(fabs(ratio / limit - 1.0), 8.0 * whole);
    expect_at_most(p.highest, limit * (1.0 + 8.0 * whole));
    expect_at_most(fabs(s.m[4] / s.m[0] - 1.0), 1e-8);
    tw_sim_free(sim);
}

static void strength_agrees_with_thornton(void **state)
{
    (void)state;
    for (int path = 0; path < 2; path++) {
        check_strength(0.3, 0, path);
        check_strength(0.3, 5, path);
        check_strength(0.1, 6, path);
        check_strength(0.5, 7, path);
    }
}

/* All contacts of a kind start to slide, or open, in the same step. */
static void the_servo_holds_the_stress_of_a_slipping_lattice(void **state)
{
    (void)state;
    lattice def = lattice_of(1e6, 1e6, 0.3, 0);
    def.overlap = 1e-4 * radius;
    def.dt = 2e-7;
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    const double lateral = must_measure(sim).p, whole = 4e-4;
    const uint64_t steps = 4000;
    tw_control control = tw_control_default();
    control.row[TW_XX] = tw_control_stress(TW_XX, lateral);
    control.row[TW_YY] = tw_control_stress(TW_YY, lateral);
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -whole / ((double)steps * def.dt));
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_set_control(sim, &control, &error), TW_STATUS_OK);
    scene_run(sim, steps);
    const tw_measure m = must_measure(sim);
    const tw_control_report servo = tw_sim_get_control_report(sim);
    assert_int_equal(m.sliding, m.contacts);
    expect_at_most(fabs(m.stress.m[8] / m.stress.m[0] / strength_of(0.3, &m.cell) - 1.0), 1e-8);
    expect_at_most(servo.deviation, 1e-6);
    assert_int_equal(servo.missed, 0);
    tw_sim_free(sim);
}

/* From a state in which every contact slides back to isotropic stress: all contacts stick again in
 * one step. */
static void the_servo_returns_a_slipping_lattice_to_isotropic_stress(void **state)
{
    (void)state;
    lattice def = lattice_of(1e6, 1e6, 0.1, 0);
    def.overlap = 1e-4 * radius;
    def.dt = 2e-7;
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    const double p = must_measure(sim).p, rate = 4e-5 / (400 * def.dt);
    const tw_mat3 gradient = tensor_diagonal(0.0, rate, -rate);
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 400);
    const tw_measure slid = must_measure(sim);
    assert_int_equal(slid.contacts, 6 * 32);
    assert_int_equal(slid.sliding, slid.contacts);
    tw_control control = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        control.row[k] = tw_control_stress(k, k < TW_YZ ? p : 0.0);
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_set_control(sim, &control, &error), TW_STATUS_OK);
    scene_run(sim, 300);
    expect_at_most(tw_sim_get_control_report(sim).deviation, 1e-9);
    tw_sim_free(sim);
}

/* Skempton's B = 1/(1 + n K/Kf): the part of an increment of total stress that a fluid in the pores
 * takes over, with the porosity n and the closed form of the bulk stiffness K of the lattice. */
static void expect_skempton(double bulk_ratio)
{
    lattice def = lattice_of(1e6, 0.5e6, 2.0, 9);
    def.overlap = 1e-5 * radius;
    def.dt = 2e-7;
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    const tw_measure start = must_measure(sim);
    const tw_mat3 strain = tensor_diagonal(-1.0, -1.0, -1.0);
    const tw_mat3 stress = lattice_stress(&def, &strain);
    const double bulk = (stress.m[0] + stress.m[4] + stress.m[8]) / 9.0;
    const double back = 2.0 * start.p, total = back + start.p, more = 0.1 * start.p;
    tw_control control = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        control.row[k] = tw_control_stress(k, k < TW_YZ ? total + more : 0.0);
    control.fluid = (tw_control_fluid){bulk_ratio * bulk, back, start.volume,
                                       (1.0 - start.porosity) * start.volume};
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_set_control(sim, &control, &error), TW_STATUS_OK);
    scene_run(sim, 50);
    const tw_measure m = must_measure(sim);
    const tw_control_report servo = tw_sim_get_control_report(sim);
    expect_at_most(fabs(m.p + servo.pore_pressure - total - more), 1e-9 * total);
    const double b = (servo.pore_pressure - back) / more, n = start.porosity;
    print_message("B %.6f with a fluid of %g times the stiffness of the lattice\n", b, bulk_ratio);
    /* The prestress changes the moduli by about overlap/R, 1e-5. */
    expect_at_most(fabs((1.0 / b - 1.0) * bulk_ratio / n - 1.0), 1e-4);
    expect_at_most(fabs(m.p - start.p - (1.0 - b) * more), 1e-9 * total);
    tw_sim_free(sim);
}

static void the_pore_pressure_is_that_of_skempton(void **state)
{
    (void)state;
    expect_skempton(0.01);
    expect_skempton(1.0);
    expect_skempton(30.0);
}

/* If all contacts form in one step without a search, an automatic step automatic before would be
 * too long. */
static void the_automatic_step_follows_contacts_that_form_together(void **state)
{
    (void)state;
    lattice def = lattice_of(1e6, 1e6, 0.3, 0);
    def.overlap = -1e-7 * radius;
    def.dt = 0.0; /* automatic */
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    assert_int_equal(must_measure(sim).contacts, 0);
    const double loose = tw_sim_dt(sim), rate = 1e-6 / loose;
    const tw_mat3 gradient = tensor_diagonal(-rate, -rate, -rate);
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 2);
    assert_int_equal(must_measure(sim).contacts, 6 * 32);
    expect_at_most(tw_sim_dt(sim), must_stable_step(sim).dt);
    assert_true(loose > must_stable_step(sim).dt);
    tw_sim_free(sim);
}

/* Eight of twelve neighbours touch when the lattice is compressed along z; the others touch when it
 * is compressed laterally. The stable step falls by less than the margin of the automatic step, but
 * a step at the stability limit must follow. */
static void a_step_at_the_stability_limit_follows_every_contact(void **state)
{
    (void)state;
    lattice def = lattice_of(1e6, 1e6, 0.3, 0);
    def.overlap = -1e-7 * radius;
    def.turn = (tw_vec3){0.0, 0.0, 0.0};
    def.dt = 0.0;
    def.dt_fraction = 1.0;
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    double rate = 1e-6 / tw_sim_dt(sim);
    tw_mat3 gradient = tensor_diagonal(0.0, 0.0, -rate);
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 2);
    assert_int_equal(must_measure(sim).contacts, 4 * 32);
    const double eight = tw_sim_dt(sim);
    rate = 1e-6 / eight;
    gradient = tensor_diagonal(-rate, -rate, 0.0);
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 2);
    assert_int_equal(must_measure(sim).contacts, 6 * 32);
    const double twelve = must_stable_step(sim).dt;
    assert_true(eight > twelve && eight < 1.6 * twelve);
    expect_at_most(tw_sim_dt(sim), twelve);
    tw_sim_free(sim);
}

/* Four times the stiffness halves the step; a given step must not become too long. */
static void a_change_of_stiffness_updates_the_step(void **state)
{
    (void)state;
    lattice def = lattice_of(1e6, 1e6, 0.3, 0);
    def.dt = 0.0; /* automatic */
    tw_sim *sim = lattice_make(&def);
    scene_run(sim, 1);
    tw_sim *copy = scene_copy(sim);
    const double soft = tw_sim_dt(sim);
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.kn *= 4.0;
    law.kt *= 4.0;
    scene_set_law(sim, &law);
    expect_at_most(fabs(tw_sim_dt(sim) - 0.5 * soft), 1e-12 * soft);
    scene_set_law(copy, &law);
    scene_run(copy, 1);
    expect_at_most(fabs(tw_sim_dt(copy) - 0.5 * soft), 1e-12 * soft);

    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_set_dt(copy, 0.9 * must_stable_step(copy).dt, 0, &error), TW_STATUS_OK);
    law.kn *= 4.0;
    law.kt *= 4.0;
    assert_int_equal(tw_sim_set_law(copy, &law, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "above the stable step"));
    assert_true(tw_sim_get_definition(copy).law.kn ==
                0.25 * law.kn); /* a refused change has no effect */
    tw_sim_free(copy);
    tw_sim_free(sim);
}

/* The twelve normals of the lattice have the fabric 1/3; a single contact has n (x) n, whose
 * deviator is 1 in any direction. */
static void the_fabric_of_a_lattice_is_isotropic_and_of_a_contact_uniaxial(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        const lattice def = lattice_of(1e6, 1e6, 0.5, seed);
        tw_sim *sim = lattice_make(&def);
        scene_run(sim, 1);
        const tw_measure m = must_measure(sim);
        const tw_mat3 third = {{1.0 / 3.0, 0.0, 0.0, 0.0, 1.0 / 3.0, 0.0, 0.0, 0.0, 1.0 / 3.0}};
        /* Overlaps are 2e-7 of the radius, positions exact to 1e-16 of the cell. */
        expect_at_most(tensor_distance(m.fabric, third), 1e-14);
        expect_at_most(m.fabric_deviator, 1e-14);
        assert_int_equal(m.rattlers, 0);
        tw_sim_free(sim);
    }
    tw_sim_def def = tw_sim_def_default();
    def.law = support_law(1e6, 1e6, 0.5);
    tw_sim *sim = scene_create(&def);
    tw_body_def body = tw_body_def_default();
    body.size = 0.1;
    body.x = tw_vec3_make(0.5, 0.5, 0.5);
    scene_add(sim, &body);
    expect_at_most(must_measure(sim).fabric_deviator, 0.0);
    assert_true(isinf(must_measure(sim).unbalanced));
    body.x = tw_vec3_make(0.61, 0.37, 0.45);
    scene_add(sim, &body);
    const tw_measure m = must_measure(sim);
    assert_int_equal(m.contacts, 1);
    assert_int_equal(m.rattlers, 2);
    expect_at_most(fabs(m.fabric_deviator - 1.0), 1e-15);
    expect_at_most(fabs(m.fabric.m[1] - 0.11 * -0.13 / 0.0315), 1e-15);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moduli_agree_with_the_closed_form_in_any_cell),
        cmocka_unit_test(the_bulk_modulus_follows_the_modulus_of_the_contacts),
        cmocka_unit_test(moduli_do_not_depend_on_the_size_of_the_cell),
        cmocka_unit_test(strength_agrees_with_thornton),
        cmocka_unit_test(the_servo_holds_the_stress_of_a_slipping_lattice),
        cmocka_unit_test(the_servo_returns_a_slipping_lattice_to_isotropic_stress),
        cmocka_unit_test(the_pore_pressure_is_that_of_skempton),
        cmocka_unit_test(the_automatic_step_follows_contacts_that_form_together),
        cmocka_unit_test(a_step_at_the_stability_limit_follows_every_contact),
        cmocka_unit_test(a_change_of_stiffness_updates_the_step),
        cmocka_unit_test(the_fabric_of_a_lattice_is_isotropic_and_of_a_contact_uniaxial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
