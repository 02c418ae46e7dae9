/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading paths on 512 spheres: stresses are held within 0.1 % of p on all paths, with and without
 * friction and contact damping. The inertial number is 1e-3, at the upper end of the quasi-static
 * range. Stresses are measured with tw_sim_measure. */
#include "pressed.h"

#include "../must.h"
#include "packing.h"

static const double inertial = 1e-3;
static double hold = 1e-3;
static tw_sim *stock;

static int make_stock(void **state)
{
    (void)state;
    /* With 64 grains, in quick tests, a slipping contact weighs eight times as much. */
    if (!scene_thorough()) hold = 8e-3;
    stock = pressed_make(0.1, 1);
    return 0;
}

static int free_stock(void **state)
{
    (void)state;
    tw_sim_free(stock);
    return 0;
}

static tw_sim *set_out(double mu, double damping)
{
    return pressed_copy(stock, mu, damping);
}

/* Steps for a strain at the rate of the tests. */
static uint64_t steps_for(const tw_sim *sim, double strain)
{
    return (uint64_t)(strain / (pressed_rate(inertial) * tw_sim_dt(sim)));
}

static tw_control_row sum_of(int32_t mode, double xx, double yy, double zz, double target)
{
    const tw_control_row row = {mode, {xx, yy, zz}, target, 0.0};
    return row;
}

/* Mean stress p, equal lateral strains, axial rate prescribed. */
static tw_control constant_p(void)
{
    tw_control control = tw_control_default();
    control.row[0] = sum_of(TW_CONTROL_STRESS, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, pressed_p);
    control.row[1] = sum_of(TW_CONTROL_RATE, 1.0, -1.0, 0.0, 0.0);
    control.row[2] = tw_control_rate(TW_ZZ, -pressed_rate(inertial));
    return control;
}

static tw_control drained(void)
{
    tw_control control = tw_control_default();
    control.row[TW_XX] = tw_control_stress(TW_XX, pressed_p);
    control.row[TW_YY] = tw_control_stress(TW_YY, pressed_p);
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -pressed_rate(inertial));
    return control;
}

/* Runs along the path and requires 0.1 % from the first step on. The engine's own report, which
 * covers every step, must agree with the samples of the test, to the rounding of sums over some
 * thousand contacts. Damping of a contact that ends in a step acts on its bodies for the last time
 * and is in the stress of the report, but not in that of the contacts that are left. */
static void expect_held(tw_sim *sim, const tw_control *control, uint64_t steps, const char *name)
{
    tw_control asked = *control;
    asked.tolerance = hold;
    pressed_control(sim, &asked);
    const pressed_seen seen = pressed_watch(sim, control, steps);
    const tw_control_report report = tw_sim_get_control_report(sim);
    print_message("%s: off by %.1e p at most, %.1e at the end\n", name, report.worst,
                  report.deviation);
    expect_at_most(seen.worst, hold);
    expect_at_most(report.worst, hold);
    assert_true(seen.compared > 0);
    expect_at_most(seen.differs, 1e-12);
    expect_at_least(report.worst, seen.confirmed - 1e-12);
    assert_int_equal(report.status, TW_CONTROL_HOLDING);
    assert_int_equal(report.steps, steps);
    assert_int_equal(report.missed, 0);
    assert_int_equal(report.limited, 0);
}

static void p_is_held_in_triaxial_compression(void **state)
{
    (void)state;
    const tw_control control = constant_p();
    static const struct {
        double mu, damping;
        const char *name;
    } kind[] = {{0.5, 0.0, "constant p, no damping"},
                {0.5, 0.05, "constant p, damped"},
                {0.0, 0.2, "constant p, no friction"}};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        tw_sim *sim = set_out(kind[k].mu, kind[k].damping);
        /* Without friction the specimen settles first, and contacts damp their normal motion alone:
         * the bodies need damping of their own. */
        if (kind[k].mu == 0.0) {
            scene_set_damping(sim, 1e4, 0.0, 0.0);
            scene_run(sim, 8000);
        }
        const tw_mat3 before = tw_sim_cell(sim);
        const uint64_t steps = steps_for(sim, 0.004);
        const double strain = pressed_rate(inertial) * (double)steps * tw_sim_dt(sim);
        expect_held(sim, &control, steps, kind[k].name);
        const tw_mat3 stretch = tensor_mul(tw_sim_cell(sim), tensor_inverse(before));
        /* The prescribed strain is logarithmic; the lateral strains are equal. */
        expect_at_most(fabs(log(stretch.m[8]) + strain), 1e-9);
        expect_at_most(fabs(stretch.m[0] / stretch.m[4] - 1.0), 1e-12);
        const tw_mat3 s = pressed_stress(sim);
        const double q = s.m[8] - 0.5 * (s.m[0] + s.m[4]);
        print_message("q/p %.3f\n", q / pressed_p);
        /* Shear did occur. Without friction q is some hundredths of p, with either sign for few
         * grains. */
        if (kind[k].mu > 0.0) expect_at_least(q / pressed_p, 0.6);
        tw_sim_free(sim);
    }
}

static void lateral_stress_is_held_in_triaxial_compression(void **state)
{
    (void)state;
    const tw_control control = drained();
    for (int damped = 0; damped < 2; damped++) {
        tw_sim *sim = set_out(0.5, 0.05 * damped);
        expect_held(sim, &control, steps_for(sim, 0.004), damped ? "drained, damped" : "drained");
        print_message("s_zz/p %.3f\n", pressed_stress(sim).m[8] / pressed_p);
        expect_at_least(pressed_stress(sim).m[8], 1.7 * pressed_p);
        tw_sim_free(sim);
    }
}

static void principal_stresses_follow_a_path_of_p_q_and_lode_angle(void **state)
{
    (void)state;
    const double q = 0.4 * pressed_p, lode = 0.6;
    const tw_vec3 s = tw_control_principal(pressed_p, q, lode);
    /* The definition: q = sqrt(3 J2), cos 3 lode = 27/2 det(deviator)/q^3. */
    const double d[3] = {s.x - pressed_p, s.y - pressed_p, s.z - pressed_p};
    const double j2 = 0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    expect_at_most(fabs(d[0] + d[1] + d[2]), 1e-12 * pressed_p);
    expect_at_most(fabs(sqrt(3.0 * j2) / q - 1.0), 1e-12);
    expect_at_most(fabs(13.5 * d[0] * d[1] * d[2] / (q * q * q) - cos(3.0 * lode)), 1e-12);
    tw_sim *sim = set_out(0.5, 0.05);
    tw_control control = pressed_isotropic(pressed_p);
    const double target[3] = {s.x, s.y, s.z}, time = 2000.0 * tw_sim_dt(sim);
    for (int k = 0; k < 3; k++) {
        control.row[k].target = target[k];
        control.row[k].ramp = fabs(target[k] - pressed_p) / time;
    }
    expect_held(sim, &control, 2500, "true triaxial");
    assert_int_equal(tw_sim_get_control_report(sim).ramping, 0);
    const tw_mat3 end = pressed_stress(sim);
    for (int k = 0; k < 3; k++)
        expect_at_most(fabs(end.m[4 * k] - target[k]), hold * pressed_p);
    tw_sim_free(sim);
}

static void volume_is_kept_to_rounding_in_undrained_compression(void **state)
{
    (void)state;
    tw_control control = drained();
    control.row[0] = sum_of(TW_CONTROL_RATE, 1.0, 1.0, 1.0, 0.0);
    control.row[1] = sum_of(TW_CONTROL_STRESS, 1.0, -1.0, 0.0, 0.0); /* equal lateral stresses */
    tw_sim *sim = set_out(0.5, 0.05);
    const double before = must_measure(sim).volume;
    expect_held(sim, &control, steps_for(sim, 0.004), "undrained");
    const double change = must_measure(sim).volume / before - 1.0;
    print_message("volume changed by %.1e\n", change);
    expect_at_most(fabs(change), 1e-14);
    tw_sim_free(sim);
}

/* Shear along x of planes normal to y, under constant normal stress. */
static void normal_stress_is_held_in_simple_shear(void **state)
{
    (void)state;
    tw_control control = tw_control_default();
    control.simple_shear = 1;
    control.row[TW_YY] = tw_control_stress(TW_YY, pressed_p);
    control.row[TW_XY] = tw_control_rate(TW_XY, pressed_rate(inertial));
    for (int damped = 0; damped < 2; damped++) {
        tw_sim *sim = set_out(0.5, 0.05 * damped);
        const tw_mat3 before = tw_sim_cell(sim);
        const uint64_t part = steps_for(sim, 0.0005);
        const double strain = pressed_rate(inertial) * 8.0 * (double)part * tw_sim_dt(sim);
        tw_mat3 f = tensor_zero();
        double dilation = 0.0;
        for (int k = 0; k < 8; k++) {
            expect_held(sim, &control, part, damped ? "simple shear, damped" : "simple shear");
            f = tensor_mul(tw_sim_cell(sim), tensor_inverse(before));
            dilation = support_most(dilation, fabs(f.m[4] - 1.0));
        }
        static const int fixed[] = {2, 3, 5, 6, 7}; /* planes and directions are kept */
        for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
            expect_at_most(fabs(f.m[fixed[k]]), 1e-14);
        expect_at_most(fabs(f.m[0] - 1.0) + fabs(f.m[8] - 1.0), 1e-12);
        /* The xy component includes the dilation: f_xy = strain f_yy, with an f_yy along the path.
         */
        expect_at_most(fabs(f.m[1] / strain - 1.0), 2.0 * dilation);
        print_message("-s_xy/p %.3f\n", -pressed_stress(sim).m[1] / pressed_p);
        expect_at_least(-pressed_stress(sim).m[1], 0.15 * pressed_p); /* 0.29 to 0.36 */
        tw_sim_free(sim);
    }
}

static void a_shear_stress_is_reached_and_held(void **state)
{
    (void)state;
    tw_sim *sim = set_out(0.5, 0.0);
    tw_control control = pressed_isotropic(pressed_p);
    control.row[TW_XY].target = 0.2 * pressed_p;
    control.row[TW_XY].ramp = 0.2 * pressed_p / (1000.0 * tw_sim_dt(sim));
    const tw_mat3 before = tw_sim_cell(sim);
    expect_held(sim, &control, 3000, "shear stress of 0.2 p");
    expect_at_most(fabs(pressed_stress(sim).m[1] - 0.2 * pressed_p), hold * pressed_p);
    /* Symmetric gradient: the rotation of the cell is at most the square of its shear. */
    const tw_mat3 f = tensor_mul(tw_sim_cell(sim), tensor_inverse(before));
    expect_at_least(fabs(f.m[1]), 1e-5);
    expect_at_most(fabs(f.m[1] - f.m[3]), f.m[1] * f.m[1]);
    tw_sim_free(sim);
}

static void pressure_follows_a_ramp(void **state)
{
    (void)state;
    tw_sim *sim = set_out(0.5, 0.0);
    tw_control control = pressed_isotropic(2.0 * pressed_p);
    const double time = 2000.0 * tw_sim_dt(sim);
    for (int k = 0; k < 3; k++)
        control.row[k].ramp = pressed_p / time;
    pressed_control(sim, &control);
    expect_at_most(pressed_watch(sim, &control, 1000).worst, hold);
    assert_int_equal(tw_sim_get_control_report(sim).ramping, 1);
    const tw_mat3 half = pressed_stress(sim);
    for (int k = 0; k < 9; k += 4)
        expect_at_most(fabs(half.m[k] / (1.5 * pressed_p) - 1.0), hold);
    expect_at_most(pressed_watch(sim, &control, 1100).worst, hold);
    assert_int_equal(tw_sim_get_control_report(sim).ramping, 0);
    expect_at_most(tw_sim_get_control_report(sim).worst, hold);
    tw_sim_free(sim);
}

/* Reversals during flow, and changes between paths. */
static void stresses_are_held_across_changes_of_path(void **state)
{
    (void)state;
    tw_sim *sim = set_out(0.5, 0.05);
    tw_control control = constant_p();
    const uint64_t steps = steps_for(sim, 0.002);
    expect_held(sim, &control, steps, "loading");
    control.row[2].target *= -1.0;
    expect_held(sim, &control, steps, "turned round");
    control.row[2].target *= -1.0;
    expect_held(sim, &control, steps, "and again");
    tw_control other = drained();
    const tw_mat3 s = pressed_stress(sim);
    other.row[TW_XX].target = s.m[0];
    other.row[TW_YY].target = s.m[4];
    expect_held(sim, &other, steps, "lateral stresses from here on");
    other.row[TW_ZZ].target = 0.0;
    expect_held(sim, &other, 500, "stopped");
    tw_sim_free(sim);
}

static void stresses_of_bumpy_grains_are_held(void **state)
{
    (void)state;
    packing_def def = packing_def_default();
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    tw_control control = tw_control_default();
    const tw_measure m = must_measure(sim);
    tw_sim_set_threads(sim, 1);
    control.row[TW_XX] = tw_control_stress(TW_XX, m.stress.m[0]);
    control.row[TW_YY] = tw_control_stress(TW_YY, m.stress.m[4]);
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -packing_slow_rate());
    scene_set_damping(sim, 0.0, 0.0, 0.2);
    expect_held(sim, &control, scene_thorough() ? 3000 : 500, "bumpy grains, drained");
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_is_held_in_triaxial_compression),
        cmocka_unit_test(lateral_stress_is_held_in_triaxial_compression),
        cmocka_unit_test(principal_stresses_follow_a_path_of_p_q_and_lode_angle),
        cmocka_unit_test(volume_is_kept_to_rounding_in_undrained_compression),
        cmocka_unit_test(normal_stress_is_held_in_simple_shear),
        cmocka_unit_test(a_shear_stress_is_reached_and_held),
        cmocka_unit_test(pressure_follows_a_ramp),
        cmocka_unit_test(stresses_are_held_across_changes_of_path),
        cmocka_unit_test(stresses_of_bumpy_grains_are_held),
    };
    return cmocka_run_group_tests(tests, make_stock, free_stock);
}
