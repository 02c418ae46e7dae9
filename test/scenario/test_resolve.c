/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults, and values that depend on other keys. */
#include "support.h"

#include <math.h>
#include <unistd.h>

#define S SUPPORT_SMALL

/* The defaults given in the guide. */
static void defaults_agree_with_the_list(void **state)
{
    (void)state;
    tw_scenario *s = support_read(S, NULL);
    assert_null(s->title);
    assert_int_equal(s->specimen.count, 1000);
    assert_int_equal(s->specimen.seed, 1);
    assert_int_equal(s->specimen.arrangement, TW_SCENARIO_RANDOM);
    assert_int_equal(s->specimen.shape_count, 1);
    assert_int_equal(s->specimen.shapes[0].shape, TW_SCENARIO_SPHERE);
    assert_true(s->specimen.shapes[0].share == 1.0);
    assert_int_equal(s->specimen.sizes.distribution, TW_SCENARIO_MONO);
    assert_true(s->specimen.sizes.d == 1e-3);
    assert_true(isnan(s->specimen.sizes.d_min) && s->specimen.sizes.by == -1);
    for (int i = 0; i < 3; i++)
        assert_true(s->specimen.cell.aspect[i] == 1.0 && s->specimen.cell.tilt[i] == 0.0);
    assert_true(s->specimen.preparation.friction == 0.5);
    assert_true(s->specimen.preparation.inertial_number == 0.01);
    assert_true(isnan(s->specimen.preparation.tolerance)); /* friction is given */
    assert_true(s->material.kt_ratio == 1.0 && s->material.friction == 0.5);
    assert_true(s->material.density == 2650.0 && s->material.contact_damping == 0.0);
    assert_int_equal(s->material.law, TW_CONTACT_EXACT);
    assert_int_equal(s->material.without, 0);
    assert_true(s->damping.local == 0.3 && s->damping.mass == 0.0 && s->damping.spin == 0.0);
    assert_true(s->time_step.fraction == 0.5 && isnan(s->time_step.dt));
    assert_true(s->time_step.mass_scale == 1.0 && s->time_step.force == 0);
    assert_int_equal(s->stage_count, 0);
    assert_true(s->output.history.steps == TW_SCENARIO_NONE && isnan(s->output.history.strain));
    assert_true(s->output.checkpoint.wall_time == 300.0);
    assert_true(s->output.checkpoint.steps == TW_SCENARIO_NONE);
    assert_true(s->output.vtk.steps == TW_SCENARIO_NONE && s->output.vtk.stages == -1);
    tw_scenario_free(s);
}

static void a_stage_replaces_parts_of_the_output(void **state)
{
    (void)state;
    tw_scenario *s = support_read("specimen: {preparation: {pressure: 1e5}}\n"
                                  "material: {kn: 1e5}\n"
                                  "output: {history: {steps: 7, strain: 1 %}, vtk: {stages: yes}, "
                                  "states: {strain: 2 %}}\n"
                                  "stages:\n"
                                  "  - {path: triaxial, end: {strain: 3 %}}\n"
                                  "  - {path: triaxial, end: {strain: 3 %}, output: {history: "
                                  "{steps: 3}, vtk: {stages: no}, lammps: {steps: 9}}}\n",
                                  NULL);
    const tw_scenario_output none = tw_scenario_output_in(s, NULL),
                             all = tw_scenario_output_in(s, &s->stages[0]),
                             own = tw_scenario_output_in(s, &s->stages[1]);
    assert_true(none.history.steps == 7 && none.vtk.stages != 1 && isnan(none.states.strain));
    assert_true(all.history.steps == 7 && all.history.strain == 0.01 && all.vtk.stages == 1);
    assert_true(all.states.strain == 0.02 && all.lammps.steps == TW_SCENARIO_NONE);
    assert_true(own.history.steps == 3 && isnan(own.history.strain) && own.vtk.stages == 0);
    assert_true(own.states.strain == 0.02 && own.lammps.steps == 9);
    tw_scenario_free(s);
}

static void stages_inherit_unset_values(void **state)
{
    (void)state;
    tw_scenario *s = support_read("specimen: {preparation: {pressure: 1e5, porosity: 0.4}}\n"
                                  "material: {kn: 1e5, friction: 0.4, law: paper, without: twirl}\n"
                                  "damping: {local: 0.1, spin: 3}\n"
                                  "stages:\n"
                                  "  - path: triaxial\n"
                                  "    end: {strain: 0.1}\n"
                                  "  - path: simple_shear\n"
                                  "    friction: 0\n"
                                  "    law: exact\n"
                                  "    without: []\n"
                                  "    damping: {local: 0}\n"
                                  "    end: {strain: 0.1}\n"
                                  "  - path: cyclic\n"
                                  "    cycle: {base: constant_p, strain: 1e-3}\n"
                                  "    end: {cycles: 2}\n"
                                  "  - path: cyclic\n"
                                  "    cycle: {base: simple_shear, strain: 1e-3}\n"
                                  "    constant: volume\n"
                                  "    end: {cycles: 2}\n"
                                  "  - path: probes\n"
                                  "    probes: {strain: 1e-6, laws: [paper, conventional]}\n",
                                  NULL);
    const tw_scenario_stage *g = s->stages;
    assert_true(s->specimen.preparation.friction == TW_SCENARIO_AUTO);
    assert_true(s->specimen.preparation.tolerance == 0.002);
    assert_string_equal(g[0].name, "1_triaxial");
    assert_true(g[0].friction == 0.4 && g[0].damping.local == 0.1 && g[0].damping.spin == 3.0);
    assert_int_equal(g[0].law, TW_CONTACT_PAPER);
    assert_int_equal(g[0].without, TW_CONTACT_TWIRL);
    assert_int_equal(g[0].axis, TW_SCENARIO_Z);
    assert_int_equal(g[0].direction, TW_SCENARIO_COMPRESSION);
    assert_true(g[0].lateral_stress == TW_SCENARIO_HOLD && isnan(g[0].pressure) &&
                isnan(g[0].rate));
    assert_true(g[0].inertial_number == 1e-3);
    assert_true(g[1].friction == 0.0 && g[1].damping.local == 0.0 && g[1].damping.spin == 3.0);
    assert_int_equal(g[1].law, TW_CONTACT_EXACT);
    assert_int_equal(g[1].without, 0);
    assert_int_equal(g[1].plane, TW_SCENARIO_XZ);
    assert_int_equal(g[1].direction, TW_SCENARIO_FORWARD);
    assert_int_equal(g[1].constant, TW_SCENARIO_NORMAL_STRESS);
    assert_true(g[1].normal_stress == TW_SCENARIO_HOLD && g[1].axis == -1);
    assert_true(g[2].pressure == TW_SCENARIO_HOLD && g[2].axis == TW_SCENARIO_Z &&
                g[2].plane == -1);
    assert_true(g[3].plane == TW_SCENARIO_XZ && isnan(g[3].normal_stress));
    assert_int_equal(g[4].probes.laws, 1 << TW_CONTACT_PAPER | 1 << TW_CONTACT_CONVENTIONAL);
    assert_int_equal(g[4].law, -1);
    assert_int_equal(g[4].probes.count, 72);
    tw_scenario_free(s);
}

static void unset_keys_keep_the_values_of_a_checkpoint(void **state)
{
    (void)state;
    FILE *file = fopen("state.h5", "w"); /* must exist, is not read */
    assert_non_null(file);
    fclose(file);
    tw_scenario *s = support_read("specimen: {checkpoint: state.h5}\n"
                                  "material: {friction: 0.2}\n"
                                  "stages: [{path: relax}, {path: relax, law: paper}]\n",
                                  NULL);
    assert_true(s->specimen.checkpoint[0] == '/' && strstr(s->specimen.checkpoint, "/state.h5"));
    assert_true(s->specimen.count == TW_SCENARIO_NONE && s->specimen.shape_count == 0);
    assert_true(isnan(s->material.kn) && isnan(s->material.density) && isnan(s->damping.local));
    tw_contact_law law = {.kn = 10.0, .kt = 5.0, .mu = 0.7, .nu_n = 1.0, .kind = 2, .refine = 3};
    tw_scenario_put_law(s, &s->stages[0], 0, 0, &law);
    assert_true(law.kn == 10.0 && law.kt == 5.0 && law.mu == 0.2 && law.nu_n == 1.0);
    assert_true(law.kind == 2 && law.refine == 3);
    tw_scenario_put_law(s, &s->stages[1], 0, 0, &law);
    assert_int_equal(law.kind, TW_CONTACT_PAPER);
    tw_scenario_free(s);
    char *lines = support_errors("specimen: {checkpoint: state.h5, count: 5, cell: {size: 1}}\n"
                                 "material: {density: 2}\ntime_step: {mass_scale: 3}\n",
                                 NULL);
    assert_string_equal(
        lines,
        "a.yaml:1:34: specimen.count: has no effect here; not used with specimen.checkpoint\n"
        "a.yaml:1:44: specimen.cell: has no effect here; not used with specimen.checkpoint: the "
        "cell is in that file, in a text file as a line with its edges [m], such as '# cell: 0.01 "
        "0 0 0 0.01 0 0 0 0.01'\n"
        "a.yaml:2:12: material.density: has no effect here; not used with specimen.checkpoint\n"
        "a.yaml:3:13: time_step.mass_scale: has no effect here; not used with "
        "specimen.checkpoint\n");
    free(lines);
    remove("state.h5");
}

static void auto_and_hold_are_different(void **state)
{
    (void)state;
    tw_scenario *s = support_read("specimen: {preparation: {pressure: 1e5, void_ratio: 0.6}}\n"
                                  "material: {kn: 1e5}\n"
                                  "stages: [{path: constant_p, end: {strain: 0.1}}]\n",
                                  NULL);
    assert_true(s->specimen.preparation.friction == TW_SCENARIO_AUTO);
    assert_true(s->specimen.preparation.friction != TW_SCENARIO_HOLD);
    assert_true(s->stages[0].pressure == TW_SCENARIO_HOLD);
    assert_true(s->stages[0].pressure != TW_SCENARIO_AUTO);
    tw_scenario_free(s);
}

static void the_contact_law_follows_the_material(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        "specimen: {preparation: {pressure: 1e5}}\n"
        "material: {kn: 1e5, kt_ratio: 0.5, contact_damping: 3, without: [tilt, twirl]}\n",
        NULL);
    tw_contact_law law = tw_contact_law_default();
    tw_scenario_put_law(s, NULL, 0, 0, &law);
    assert_true(law.kn == 1e5 && law.kt == 5e4 && law.mu == 0.5);
    assert_true(law.nu_n == 3.0 && law.nu_t == 3.0 && law.flags == 0);
    assert_int_equal(law.refine, TW_CONTACT_FRESH | TW_CONTACT_INSTANT | TW_CONTACT_TURNING |
                                     TW_CONTACT_RESCALE);
    tw_scenario_free(s);
}

/* kn = level p d, with the mean diameter of each distribution. */
static void the_stiffness_level_sets_kn(void **state)
{
    (void)state;
    static const struct {
        const char *sizes;
        double diameter;
    } cases[] = {
        {"{d: 2 mm}", 2e-3},
        {"{distribution: uniform, d_min: 1 mm, d_max: 4 mm}", 2.5e-3},
        {"{distribution: lognormal, d50: 3 mm, deviation: 0.5}", 3e-3},
        /* median at the geometric mean of 1 and 4 mm */
        {"{distribution: grading, curve: [[1 mm, 0], [4 mm, 1]]}", 2e-3},
        {"{distribution: grading, curve: [[1 mm, 0], [2 mm, 50 %], [9 mm, 100 %]]}", 2e-3},
        {"{distribution: grading, curve: [[9 mm, 100 %], [2 mm, 50 %], [1 mm, 0]]}", 2e-3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "specimen: {preparation: {pressure: 200 kPa}, sizes: %s}\n"
                 "material: {stiffness_level: 500}\n",
                 cases[i].sizes);
        tw_scenario *s = support_read(text, NULL);
        /* a few rounding errors, including logarithm and power */
        assert_true(fabs(tw_scenario_diameter(s) / cases[i].diameter - 1.0) < 1e-14);
        assert_true(fabs(s->material.kn / (500 * 2e5 * cases[i].diameter) - 1.0) < 1e-14);
        assert_true(isnan(s->material.stiffness_level));
        tw_scenario_free(s);
    }
}

static void a_lognormal_is_truncated_by_default(void **state)
{
    (void)state;
    tw_scenario *s = support_read("specimen: {preparation: {pressure: 1e5}, sizes: {distribution: "
                                  "lognormal, d50: 1 mm, deviation: 0.4}}\nmaterial: {kn: 1e5}\n",
                                  NULL);
    assert_true(fabs(log(s->specimen.sizes.d_min / 1e-3) + 1.0) < 1e-14);
    assert_true(fabs(log(s->specimen.sizes.d_max / 1e-3) - 1.0) < 1e-14);
    tw_scenario_free(s);
}

/* Exact if dt and rate are given; otherwise the time step is the estimated stable one. */
static void steps_are_estimated_where_possible(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        S
        "time_step: {dt: 1e-6}\n"
        "stages:\n"
        "  - {path: triaxial, rate: 0.5, end: {strain: 0.1}}\n"
        "  - {path: triaxial, rate: 0.5, end: {strain: 0.1, steps: 1000}}\n"
        "  - {path: free_flight, end: {time: 0.5}}\n"
        "  - {path: cyclic, rate: 0.5, cycle: {base: undrained, strain: 0.01}, end: {cycles: 10}}\n"
        "  - {path: rotate, rotation: {axis: [1, 0, 0], angle: 90 deg}}\n"
        "  - {path: probes, probes: {strain: 1e-6, count: 10, laws: [exact, paper], steps: 30, "
        "settle_steps: 0, rest_steps: 0}}\n"
        "  - {path: relax}\n"
        "  - {path: triaxial, end: {strain: 0.1}}\n"
        "  - {path: triaxial, end: {strain: 0.1}, from: specimen}\n",
        NULL);
    static const uint64_t steps[] = {200000, 1000, 500000, 800000, 1000, 2 * 30 * (2 * 10 + 1),
                                     0,      0};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        /* a rounded division may add one */
        assert_in_range(tw_scenario_stage_steps(s, i), steps[i], steps[i] + 1);
    /* I = rate d sqrt(rho/p): rate = 1e-3/(1e-3 sqrt(2650/1e5)) = 6.143/s */
    const double rate = 1.0 / sqrt(2650 / 1e5);
    assert_in_range(tw_scenario_stage_steps(s, 8), (uint64_t)(0.1 / rate / 1e-6),
                    (uint64_t)(0.1 / rate / 1e-6) + 2);
    tw_scenario_free(s);
}

/* The engine chose dt = 2.96778e-07 s for the dense packing of docs/guide/engine.md: a thousand
 * spheres of radii 0.35 to 0.44 mm, kn = kt = 1e5 N/m. The tolerance allows for one contact more or
 * less on the critical grain. */
static void the_estimated_time_step_agrees_with_the_engine(void **state)
{
    (void)state;
    tw_scenario *s = support_read("specimen: {sizes: {distribution: uniform, d_min: 0.7 mm, d_max: "
                                  "0.88 mm}, preparation: {pressure: 150 kPa}}\n"
                                  "material: {kn: 1e5}\n"
                                  "stages: [{path: undrained, rate: 4, end: {strain: 0.1}}]\n",
                                  NULL);
    const double steps = (double)tw_scenario_stage_steps(s, 0);
    assert_true(fabs(steps / (0.1 / 4 / 2.96778e-07) - 1.0) < 0.1);
    tw_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_agree_with_the_list),
        cmocka_unit_test(a_stage_replaces_parts_of_the_output),
        cmocka_unit_test(stages_inherit_unset_values),
        cmocka_unit_test(unset_keys_keep_the_values_of_a_checkpoint),
        cmocka_unit_test(auto_and_hold_are_different),
        cmocka_unit_test(the_contact_law_follows_the_material),
        cmocka_unit_test(the_stiffness_level_sets_kn),
        cmocka_unit_test(a_lognormal_is_truncated_by_default),
        cmocka_unit_test(steps_are_estimated_where_possible),
        cmocka_unit_test(the_estimated_time_step_agrees_with_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
