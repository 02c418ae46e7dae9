/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact message of each class of error. */
#include "support.h"

#include <unistd.h>

#define S SUPPORT_SMALL /* two lines */

/* ---- Keys ---- */

static void unknown_keys_name_the_nearest(void **state)
{
    (void)state;
    support_refused(S "materail: {}\n",
                    "a.yaml:3:1: materail: unknown key; did you mean 'material'?\n");
    support_refused(S "stages:\n  - path: triaxial\n    end: {strian: 0.1}\n",
                    "a.yaml:5:11: stages[1].end.strian: unknown key; did you mean 'strain'?\n");
    support_refused(
        S "stages:\n  - path: relax\n    kn: 1e5\n",
        "a.yaml:5:5: stages[1].kn: is not a key of this section; it belongs to material, "
        "materials[], pairs[]\n");
    support_refused(S "rate: 1\n", "a.yaml:3:1: rate: is not a key of this section; it belongs to "
                                   "specimen.preparation, surfaces[].move[].rotate, stages[]\n");
    support_refused(S "qq: 1\n", "a.yaml:3:1: qq: unknown key; known keys: title, specimen, "
                                 "boundary, gravity, material, materials, pairs, law, without, "
                                 "damping, time_step, surfaces, stages, output\n");
}

static void misspelt_required_keys_are_reported_once(void **state)
{
    (void)state;
    support_refused(S "stages: [{path: isotropic, presure: 1e5}]\n",
                    "a.yaml:3:28: stages[1].presure: unknown key; did you mean 'pressure'?\n");
}

static void repeated_keys_are_refused(void **state)
{
    (void)state;
    support_refused(S "damping:\n  local: 0.1\n  local: 0.2\n",
                    "a.yaml:5:3: damping.local: is given twice; first given in line 4\n");
}

static void missing_keys_are_reported(void **state)
{
    (void)state;
    support_refused("material: {kn: 1e5}\n",
                    "a.yaml:1:1: specimen: is missing; expected a section\n");
    support_refused(
        "specimen: {preparation: {pressure: 1e5}}\n",
        "a.yaml:1:1: material: is missing; expected a section, or 'materials' instead\n");
    support_refused("specimen: {preparation: {pressure: 1e5}}\nmaterial: {friction: 0.3}\n",
                    "a.yaml:2:11: material.kn: is missing; expected a stiffness above 0 [N/m], or "
                    "'stiffness_level' instead, or 'modulus' instead, or 'young' instead\n");
    support_refused(
        S "stages: [{path: isotropic}]\n",
        "a.yaml:3:10: stages[1].pressure: is missing; expected a stress above 0 [Pa] or 'hold'\n");
    support_refused(
        S "stages: [{axis: x}]\n",
        "a.yaml:3:10: stages[1].path: is missing; expected one of isotropic, "
        "oedometer, triaxial, plane_strain, constant_p, true_triaxial, stress_path, "
        "undrained, simple_shear, "
        "cyclic, relax, creep, relaxation, rotate, free_flight, drive, general, probes, rates\n");
}

static void keys_without_effect_are_refused(void **state)
{
    (void)state;
    support_refused(
        S "stages: [{path: relax, axis: x}]\n",
        "a.yaml:3:24: stages[1].axis: has no effect here; used with path: oedometer, "
        "triaxial, plane_strain, constant_p, true_triaxial, stress_path, undrained, general, "
        "probes, rates\n");
    support_refused(
        "specimen: {sizes: {d: 1 mm, d50: 2 mm}, preparation: {pressure: 1e5}}\n"
        "material: {kn: 1e5}\n",
        "a.yaml:1:29: specimen.sizes.d50: has no effect here; used with distribution: lognormal\n");
    /* What the other choice needs was given: what this one needs is not missed. */
    support_refused("specimen: {sizes: {distribution: uniform, d50: 2 mm}, preparation: {pressure: "
                    "1e5}}\n"
                    "material: {kn: 1e5}\n",
                    "a.yaml:1:43: specimen.sizes.d50: has no effect here; used with distribution: "
                    "lognormal\n");
    support_refused(
        S "stages: [{path: cyclic, cycle: {base: triaxial, strain: 0.01}, plane: xy, end: {cycles: "
          "3, q: 1}}]\n",
        "a.yaml:3:64: stages[1].plane: has no effect here; used with path: simple_shear\n"
        "a.yaml:3:92: stages[1].end.q: has no effect here; used with path: oedometer, triaxial, "
        "plane_strain, constant_p, true_triaxial, stress_path, undrained, general\n");
}

/* ---- Values ---- */

static void wrong_types_name_the_expected_type(void **state)
{
    (void)state;
    support_refused(S "damping: {local: much}\n", "a.yaml:3:18: damping.local: 'much' is not a "
                                                  "number; expected a number from 0 to below 1\n");
    support_refused(S "damping: 0.3\n",
                    "a.yaml:3:10: damping: is a single value; expected a section, e.g. 'damping: "
                    "{local: 0.3}'\n");
    support_refused(S "damping: much\n",
                    "a.yaml:3:10: damping: is a single value; expected a section\n");
    support_refused(S "time_step: 1e-6 s\n", /* fraction has no unit */
                    "a.yaml:3:12: time_step: is a single value; expected a section, e.g. "
                    "'time_step: {dt: 1e-6 s}'\n");
    support_refused(S "stages: [{path: triaxial, end: 5 %}]\n",
                    "a.yaml:3:32: stages[1].end: is a single value; expected a section, e.g. 'end: "
                    "{strain: 5 %}'\n");
    support_refused("specimen: {preparation: {pressure: 1e5, friction: 30 deg}}\n"
                    "material: {kn: 1e5, friction: 30 deg}\n",
                    "a.yaml:1:51: specimen.preparation.friction: '30 deg' is an angle; expected a "
                    "number without unit or in % or 'auto'; friction is the tangent of the angle: "
                    "30 deg is 0.577\n"
                    "a.yaml:2:31: material.friction: '30 deg' is an angle; expected a number "
                    "without unit or in %; friction is the tangent of the angle: 30 deg is "
                    "0.577\n");
    support_refused(S "damping:\n", "a.yaml:3:9: damping: has no value; expected a section\n");
    support_refused(
        S "damping: {local: [0.3]}\n",
        "a.yaml:3:18: damping.local: is a list of 1 item; expected a number from 0 to below 1\n");
    support_refused(S "stages: {path: relax}\n",
                    "a.yaml:3:9: stages: is a section; expected a list of sections\n");
    support_refused(S "stages: [relax]\n",
                    "a.yaml:3:10: stages[1]: is a single value; expected a section\n");
    support_refused(S "time_step: {force: maybe}\n",
                    "a.yaml:3:20: time_step.force: 'maybe' is not valid; expected yes or no\n");
    support_refused(S "stages: [{path: relax, name: a b}]\n",
                    "a.yaml:3:30: stages[1].name: 'a b' is not a valid name; expected up to 64 "
                    "letters, digits, '_' or '-', starting with a letter or digit\n");
    support_refused(S "output: {history: {steps: often}}\n",
                    "a.yaml:3:27: output.history.steps: 'often' is not a whole number; expected a "
                    "whole number from 1 to 1e+15\n");
}

static void values_out_of_range_name_the_range(void **state)
{
    (void)state;
    support_refused(
        S "damping: {local: 1}\n",
        "a.yaml:3:18: damping.local: '1' is out of range; expected a number from 0 to below 1\n");
    support_refused(S "stages: [{path: isotropic, pressure: -5 kPa}]\n",
                    "a.yaml:3:38: stages[1].pressure: '-5 kPa' is out of range; expected a stress "
                    "above 0 [Pa] or 'hold'\n");
}

static void units_of_other_quantities_are_refused(void **state)
{
    (void)state;
    support_refused(S "stages: [{path: isotropic, pressure: 5 mm}]\n",
                    "a.yaml:3:38: stages[1].pressure: '5 mm' is a length; expected a stress [Pa, "
                    "kPa, MPa, GPa] or 'hold'\n");
}

static void choices_name_the_nearest(void **state)
{
    (void)state;
    support_refused("specimen: {preparation: {pressure: 1e5}}\n"
                    "material: {kn: 1, law: exakt, without: [twril]}\n",
                    "a.yaml:2:24: material.law: 'exakt' is unknown; did you mean 'exact'? Choices: "
                    "exact, paper, conventional\n"
                    "a.yaml:2:41: material.without[1]: 'twril' is unknown; did you mean 'twirl'? "
                    "Choices: fresh, instant, turning, tilt, twirl, rescale\n");
}

static void missing_files_are_named_with_the_folder(void **state)
{
    (void)state;
    support_refused("specimen: {file: none.csv}\nmaterial: {kn: 1}\n",
                    "a.yaml:1:18: specimen.file: 'none.csv' cannot be read: No such file or "
                    "directory (relative to the working directory)\n");
    tw_scenario_errors errors;
    static const char text[] = "specimen: {checkpoint: none.h5}\n";
    assert_null(tw_scenario_read_text(text, strlen(text), "/no/where.yaml", NULL, 0, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.text[0],
                        "/no/where.yaml:1:24: specimen.checkpoint: 'none.h5' cannot be read: No "
                        "such file or directory (relative to /no)");
    tw_scenario_errors_free(&errors);
    assert_null(tw_scenario_read("/no/where.yaml", NULL, 0, &errors));
    assert_string_equal(errors.text[0],
                        "/no/where.yaml: cannot be read: No such file or directory");
    tw_scenario_errors_free(&errors);
    assert_null(tw_scenario_read("/", NULL, 0, &errors));
    assert_string_equal(errors.text[0], "/: cannot be read: Is a directory");
    tw_scenario_errors_free(&errors);
}

/* ---- Consistency ---- */

static void conflicting_keys_are_refused(void **state)
{
    (void)state;
    support_refused(S "stages:\n  - path: triaxial\n    rate: 1\n    inertial_number: 0.1\n    "
                      "end: {strain: 1}\n",
                    "a.yaml:6:5: stages[1].inertial_number: cannot be combined with 'rate'; remove "
                    "one of them\n");
    support_refused(
        S "stages: [{path: general, control: {zz: {rate: 1, stress: 5}}, end: {steps: 1}}]\n",
        "a.yaml:3:50: stages[1].control.zz.stress: cannot be combined with 'rate'; remove one of "
        "them\n");
}

#define GEN(keys) "specimen: {" keys "}\nmaterial: {kn: 1e5}\n"

static void inconsistent_specimens_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {GEN("count: 10"), "a.yaml:1:11: specimen.preparation: has no target; give 'pressure', "
                           "'porosity' or 'void_ratio', or 'pressure' with one of the other two\n"},
        {GEN("preparation: {pressure: 1e5, porosity: 0.4, friction: 0.2}"),
         "a.yaml:1:66: specimen.preparation.friction: pressure and porosity cannot both be reached "
         "with friction 0.2; use 'auto'\n"},
        {GEN("preparation: {pressure: 1e5, friction: auto}"),
         "a.yaml:1:51: specimen.preparation.friction: 'auto' needs both a pressure and a porosity "
         "or void_ratio\n"},
        {GEN("preparation: {pressure: 1e5, tolerance: 0.01}"),
         "a.yaml:1:52: specimen.preparation.tolerance: has no effect unless friction is 'auto'\n"},
        {GEN("preparation: {porosity: 0.4}"),
         "a.yaml:1:25: specimen.preparation.rate: is missing; without a pressure there is no "
         "inertial number; expected a rate above 0 [1/s]\n"},
        {GEN("preparation: {pressure: 1e5, void_ratio: 3}"),
         "a.yaml:1:25: specimen.preparation.start_porosity: 0.75 is not above the target porosity "
         "(0.75)\n"},
        {GEN("preparation: {pressure: 1e5}, shapes: [{shape: bumpy, satellites: 7}]"),
         "a.yaml:1:78: specimen.shapes[1].satellites: 7 is not supported; expected 2, 3, 4, 6 or "
         "8\n"},
        {GEN("preparation: {pressure: 1e5}, shapes: [{shape: cluster, spheres: [[0, 0, 0, 1], [1, "
             "0, 0, -1]]}]"),
         "a.yaml:1:77: specimen.shapes[1].spheres: sphere 2 has radius -1; expected a number above "
         "0\n"},
        {GEN("preparation: {pressure: 1e5}, shapes: {shape: bumpy}"),
         "a.yaml:1:50: specimen.shapes: is a section; expected a list of sections\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: uniform, d_min: 2, d_max: 1}"),
         "a.yaml:1:90: specimen.sizes.d_max: 1 m is not above d_min (2 m)\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: lognormal, d50: 1, deviation: "
             "0.1, d_min: 1}"),
         "a.yaml:1:106: specimen.sizes.d_min: 1 m is not below d50 (1 m)\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: grading, curve: [[1 mm, 0], [1 "
             "mm, 1]]}"),
         "a.yaml:1:80: specimen.sizes.curve: point 2: diameter 0.001 m is not above 0.001 m; "
         "diameters must increase\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: grading, curve: [[1 mm, 0], [2 "
             "mm, 50]]}"),
         "a.yaml:1:80: specimen.sizes.curve: fractions run from 0 to 50; expected 0 to 1 (100 "
         "%)\n"},
        {GEN("arrangement: fcc, count: 100"),
         "a.yaml:1:37: specimen.count: 100 grains do not fill a lattice; use 32 or 108\n"},
        {GEN("arrangement: cubic, count: 9"),
         "a.yaml:1:39: specimen.count: 9 grains do not fill a lattice; use 8 or 27\n"},
        {GEN("arrangement: fcc, count: 32, preparation: {pressure: 1, porosity: 0.3}"),
         "a.yaml:1:78: specimen.preparation.porosity: has no effect on a lattice, whose porosity "
         "is fixed\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: grading, curve: [[1 mm, 0]]}"),
         "a.yaml:1:80: specimen.sizes.curve: has one point; expected at least two\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: grading, curve: [[1 mm, 0], [2 "
             "mm, 80 %], [3 mm, 70 %], [4 mm, 1]]}"),
         "a.yaml:1:80: specimen.sizes.curve: point 3: fraction 0.7 is below 0.8; fractions must "
         "not decrease\n"},
        {GEN("preparation: {pressure: 1e5}, sizes: {distribution: lognormal, d50: 2, deviation: "
             "0.1, d_max: 1}"),
         "a.yaml:1:106: specimen.sizes.d_max: 1 m is not above d50 (2 m)\n"},
        {GEN("arrangement: fcc, count: 32, sizes: {distribution: uniform, d_min: 1, d_max: 2}"),
         "a.yaml:1:48: specimen.sizes: a lattice needs equal spheres; expected 'distribution: "
         "mono'\n"},
        {GEN("arrangement: fcc, count: 32, cell: {aspect: [1, 1, 2]}"),
         "a.yaml:1:47: specimen.cell: a lattice needs a cubic cell\n"},
        {GEN("arrangement: fcc, count: 32, preparation: {pressure: 1, friction: auto}"),
         "a.yaml:1:78: specimen.preparation.friction: 'auto' has no effect on a lattice, whose "
         "porosity is fixed\n"},
        {GEN("arrangement: fcc, count: 32, preparation: {friction: 0.1}"),
         "a.yaml:1:54: specimen.preparation.pressure: is missing; without it the lattice is not "
         "compressed; expected a stress above 0 [Pa]\n"},
        {GEN("arrangement: fcc, count: 32, shapes: [{shape: bumpy}]"),
         "a.yaml:1:49: specimen.shapes: a lattice needs spheres\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_refused(cases[i].text, cases[i].lines);
    support_refused("specimen: {preparation: {porosity: 0.4, rate: 1}}\n"
                    "material: {stiffness_level: 1000}\n",
                    "a.yaml:2:29: material.stiffness_level: needs a generated specimen with a "
                    "pressure; give 'kn' instead\n");
    support_refused(S "time_step: {force: yes}\n",
                    "a.yaml:3:20: time_step.force: has no effect without 'dt'\n");
}

/* One stage, from a specimen at 100 kPa. */
#define STAGE(keys) S "stages: [{" keys "}]\n"

static void inconsistent_stages_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {STAGE("path: isotropic, pressure: hold"),
         "a.yaml:3:38: stages[1].pressure: 'hold' does not apply to this path; expected a stress "
         "above 0 [Pa]\n"},
        {STAGE("path: simple_shear, direction: extension, end: {strain: 1}"),
         "a.yaml:3:42: stages[1].direction: does not apply to this path; expected forward or "
         "backward\n"},
        {STAGE("path: triaxial, direction: forward, end: {strain: 1}"),
         "a.yaml:3:38: stages[1].direction: does not apply to this path; expected compression or "
         "extension\n"},
        {STAGE("path: simple_shear, constant: volume, normal_stress: 5, end: {strain: 1}"),
         "a.yaml:3:64: stages[1].normal_stress: has no effect with 'constant: volume'; remove one "
         "of them\n"},
        {STAGE("path: true_triaxial, b: 0.5, constant: s3, pressure: 100 kPa, end: {strain: 1 %}"),
         "a.yaml:3:64: stages[1].pressure: has no effect with 'constant: s3'; use "
         "lateral_stress\n"},
        {STAGE("path: true_triaxial, b: 0.5, lateral_stress: hold, end: {strain: 1 %}"),
         "a.yaml:3:56: stages[1].lateral_stress: has no effect unless 'constant: s3' is given; use "
         "pressure\n"},
        {STAGE("path: simple_shear, shear_stress: zero, end: {strain: 1}"),
         "a.yaml:3:31: stages[1].shear_stress: has no effect here; used with path: oedometer, "
         "triaxial, plane_strain, constant_p, true_triaxial, stress_path, undrained\n"},
        {STAGE("path: true_triaxial, b: 0.5, constant: volume, end: {strain: 1 %}"),
         "a.yaml:3:50: stages[1].constant: does not apply to this path; expected p or s3\n"},
        {STAGE("path: stress_path, eta: 0.6, end: {q: 50 kPa}"),
         "a.yaml:3:35: stages[1].eta: is the ratio at the end of the path; give end.pressure, "
         "too\n"},
        {STAGE("path: stress_path, lateral_ratio: 0.5, direction: extension, end: {pressure: 150 "
               "kPa}"),
         "a.yaml:3:61: stages[1].direction: has no effect: the path leads to end.pressure\n"},
        {STAGE("path: stress_path, increments: {xx: 0}, end: {strain: 1 %}"),
         "a.yaml:3:42: stages[1].increments: all are zero; nothing would change\n"},
        {STAGE("path: cyclic, cycle: {base: stress_path, strain: 1 %}, eta: 0.6, end: {cycles: 1}"),
         "a.yaml:3:71: stages[1].eta: does not apply to cycles; use dq_dp\n"},
        {STAGE("path: general, inertial_number: 0.001, control: {xx: {stress: hold}}, end: {time: "
               "1}"),
         "a.yaml:3:43: stages[1].inertial_number: needs a rate along 'axis', to which those of "
         "other components are in proportion\n"},
        {STAGE("path: general, control: {xx: {stress: 2e5, ramp_strain: 0.01}}, end: {time: 1}"),
         "a.yaml:3:67: stages[1].control.xx.ramp_strain: needs a rate along 'axis'; give 'ramp' as "
         "a time instead\n"},
        {STAGE("path: isotropic, pressure: 300 kPa, fluid: {back_pressure: 200 kPa}"),
         "a.yaml:3:54: stages[1].fluid: an incompressible fluid would carry all of the pressure; "
         "give 'bulk', or leave the fluid out for a drained stage\n"},
        {STAGE("path: isotropic, pressure: 200 kPa, fluid: {bulk: 1 GPa, back_pressure: 200 kPa}"),
         "a.yaml:3:38: stages[1].pressure: is the total stress where there is a fluid, and not "
         "above its back_pressure, 200000 Pa\n"},
        {STAGE("path: simple_shear, fluid: {bulk: 1 GPa}, end: {strain: 1 %}"),
         "a.yaml:3:38: stages[1].fluid: has no effect on a drained stage; add 'constant: "
         "volume'\n"},
        {STAGE("path: cyclic, cycle: {base: triaxial, strain: 1 %}, fluid: {bulk: 1 GPa}, end: "
               "{cycles: 1}"),
         "a.yaml:3:70: stages[1].fluid: has no effect on a drained stage\n"},
        {STAGE("path: rotate, rotation: {axis: [1e-300, 0, 0], angle: 90 deg}"),
         "a.yaml:3:42: stages[1].rotation.axis: its length, which does not matter, is beyond the "
         "range of a double; use numbers near 1\n"},
        {STAGE("path: rotate, rotation: {axis: [0, 1e300, 0], angle: 90 deg}"),
         "a.yaml:3:42: stages[1].rotation.axis: its length, which does not matter, is beyond the "
         "range of a double; use numbers near 1\n"},
        {STAGE("path: rotate, rotation: {axis: [0, 0, 0], angle: 0}"),
         "a.yaml:3:42: stages[1].rotation.axis: is the zero vector\n"
         "a.yaml:3:60: stages[1].rotation.angle: is zero; nothing would rotate\n"},
        {STAGE("path: general, control: {xx: {stress: -5}, xy: {stress: hold, ramp: 1}}, end: "
               "{time: 1}"),
         "a.yaml:3:49: stages[1].control.xx.stress: -5 Pa is tension, which cohesionless grains "
         "cannot carry; compression is positive\n"
         "a.yaml:3:79: stages[1].control.xy.ramp: has no effect on a held stress\n"},
        {STAGE("path: probes, probes: {strain: 1e-6, laws: []}"),
         "a.yaml:3:54: stages[1].probes.laws: is empty; no probe would be run\n"},
        {STAGE("path: probes, probes: {strain: 1e-6, laws: [paper], method: static}"),
         "a.yaml:3:54: stages[1].probes.laws: 'method: static' is for the exact law with all its "
         "refinements; expected 'laws: [exact]' and no variants\n"},
        {STAGE("path: rates, law: conventional"),
         "a.yaml:3:17: stages[1].path: rates are those of the exact law, with all its parts; add "
         "'law: exact' and 'without: []'\n"},
        {STAGE("path: rates, rates: {control: both}"),
         "a.yaml:3:41: stages[1].rates.control: 'both' is unknown; choices: strain, stress\n"},
        {STAGE("path: probes, probes: {strain: 1e-6, laws: [exct]}"),
         "a.yaml:3:55: stages[1].probes.laws[1]: 'exct' is unknown; did you mean 'exact'? Choices: "
         "exact, paper, conventional\n"},
        {STAGE("path: probes, probes: {strain: 1e-6, variants: [{law: exact}, {without: twirl}, "
               "{without: [twirl]}]}"),
         "a.yaml:3:58: stages[1].probes.variants: variant 1 is already run; remove it\n"
         "a.yaml:3:58: stages[1].probes.variants: variant 3 is already run; remove it\n"},
        {STAGE("path: probes, probes: {strain: 1e-6, laws: [], variants: [{law: exat}]}"),
         "a.yaml:3:75: stages[1].probes.variants[1].law: 'exat' is unknown; did you mean 'exact'? "
         "Choices: exact, paper, conventional\n"},
        {STAGE("path: probes, probes: {strain: 1e-6, settle_steps: 0, settle: 1e-5, rest_steps: 0, "
               "rest: 1e-5}"),
         "a.yaml:3:73: stages[1].probes.settle: has no effect with 'settle_steps: 0'\n"
         "a.yaml:3:100: stages[1].probes.rest: has no effect with 'rest_steps: 0'\n"},
        {STAGE("path: probes, axis: x, probes: {strain: 1e-6, space: sphere}"),
         "a.yaml:3:31: stages[1].axis: has no effect with 'space: sphere'\n"},
        {STAGE("path: relax, from: dense"), "a.yaml:3:30: stages[1].from: no earlier stage saves a "
                                            "state 'dense'; known states: specimen\n"},
        {STAGE("path: relax, save: specimen"),
         "a.yaml:3:30: stages[1].save: 'specimen' is reserved for the state before the first "
         "stage; choose another name\n"},
        {STAGE("path: relax, save: dense}, {path: relax, save: dense, from: dens"),
         "a.yaml:3:58: stages[2].save: 'dense' is already saved by stage 1\n"
         "a.yaml:3:71: stages[2].from: no earlier stage saves a state 'dens'; did you mean "
         "'dense'?\n"},
        {STAGE("path: relax, name: specimen"),
         "a.yaml:3:30: stages[1].name: 'specimen' is reserved for the preparation; choose another "
         "name\n"},
        {STAGE("path: relax, name: 2_relax}, {path: relax"),
         "a.yaml:3:40: stages[2].name: '2_relax' is already the name of stage 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_refused(cases[i].text, cases[i].lines);
}

static void unreachable_ends_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {STAGE("path: undrained"),
         "a.yaml:3:10: stages[1].end: the stage has no end condition; expected at least one of "
         "strain, stress, q, pressure, stress_ratio, past_peak, ru, time, steps\n"},
        {STAGE("path: simple_shear, end: {ru: 0.9}"),
         "a.yaml:3:41: stages[1].end.ru: can never be reached: the volume is not constant on this "
         "path\n"},
        {STAGE("path: simple_shear, constant: volume, end: {void_ratio: 0.9}"),
         "a.yaml:3:67: stages[1].end.void_ratio: can never be reached: the volume is constant on "
         "this path\n"},
        {STAGE("path: simple_shear, constant: volume, end: {dilation_rate: 0}"),
         "a.yaml:3:70: stages[1].end.dilation_rate: can never be reached: the volume is constant "
         "on this path\n"},
        {STAGE("path: true_triaxial, b: 0.5, end: {pressure: 200 kPa}"),
         "a.yaml:3:56: stages[1].end.pressure: can never be reached: the path keeps it constant\n"},
        {STAGE("path: creep"),
         "a.yaml:3:10: stages[1].end: the stage has no end condition; expected at least one of "
         "time, steps\n"},
        {STAGE("path: free_flight, end: {}"), "a.yaml:3:35: stages[1].end: the stage has no end "
                                              "condition; expected at least one of time, steps\n"},
        {STAGE("path: triaxial, end: {stress_ratio: 3}"),
         "a.yaml:3:47: stages[1].end.stress_ratio: can never be reached: cohesionless grains stay "
         "below q/p = 3 on this path\n"},
        {STAGE("path: undrained, direction: extension, end: {stress_ratio: -1.5}"),
         "a.yaml:3:70: stages[1].end.stress_ratio: can never be reached: cohesionless grains stay "
         "above q/p = -1.5 on this path\n"},
        {STAGE("path: undrained, direction: extension, end: {stress_ratio: 0.5}"),
         "a.yaml:3:70: stages[1].end.stress_ratio: can never be reached: q is the axial minus the "
         "lateral stress, which starts at 0 and falls\n"},
        {STAGE("path: triaxial, end: {q: 0}"),
         "a.yaml:3:36: stages[1].end.q: can never be reached: q is the axial minus the lateral "
         "stress, which starts at 0 and rises\n"},
        {STAGE("path: true_triaxial, b: 0.5, end: {q: -10 kPa}"),
         "a.yaml:3:49: stages[1].end.q: can never be reached: q is along the Lode angle, which "
         "starts at 0 and rises\n"},
        {STAGE("path: constant_p, direction: extension, end: {q: -150 kPa}"),
         "a.yaml:3:60: stages[1].end.q: can never be reached: at p = 100000 Pa cohesionless grains "
         "stay above q = -150000 Pa\n"},
        {STAGE("path: true_triaxial, lode_angle: 30 deg, end: {stress_ratio: 1.8}"),
         "a.yaml:3:72: stages[1].end.stress_ratio: can never be reached: cohesionless grains stay "
         "below q/p = 1.732 on this path\n"},
        {STAGE("path: constant_p, end: {q: 300 kPa}"),
         "a.yaml:3:38: stages[1].end.q: can never be reached: at p = 100000 Pa cohesionless grains "
         "stay below q = 300000 Pa\n"},
        {STAGE("path: triaxial, direction: extension, lateral_stress: 100 kPa, end: {q: -0.1 MPa}"),
         "a.yaml:3:83: stages[1].end.q: can never be reached: the axial stress stays above 0, "
         "and the lateral stress is 100000 Pa\n"},
        {STAGE("path: oedometer, end: {stress: 50 kPa}"),
         "a.yaml:3:42: stages[1].end.stress: can never be reached: the axial stress starts at "
         "100000 Pa and rises\n"},
        {STAGE("path: triaxial, direction: extension, end: {stress: 100 kPa}"),
         "a.yaml:3:63: stages[1].end.stress: can never be reached: the axial stress starts at "
         "100000 Pa and falls\n"},
        {STAGE("path: general, axis: y, control: {xx: {rate: 1}}, end: {strain: 0.1}"),
         "a.yaml:3:75: stages[1].end.strain: can never be reached: the component along 'axis' has "
         "a rate of 0\n"},
        {STAGE("path: general, control: {xx: {rate: 0}}, end: {strain: 0.1}"),
         "a.yaml:3:66: stages[1].end.strain: can never be reached: no component has a rate or a "
         "stress target\n"},
        {STAGE("path: cyclic, cycle: {base: undrained, strain: 1 %}, end: {strain: 5 %}"),
         "a.yaml:3:78: stages[1].end.strain: can never be reached: the strain reverses at 0.01\n"},
        {STAGE("path: cyclic, cycle: {base: constant_p, stress: 20 kPa}, end: {cycles: 5, "
               "pressure: 3}"),
         "a.yaml:3:95: stages[1].end.pressure: can never be reached: the base path keeps it "
         "constant\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_refused(cases[i].text, cases[i].lines);
}

/* Valid cases close to the refused ones. */
static void reachable_ends_are_accepted(void **state)
{
    (void)state;
    static const char *const cases[] = {
        STAGE("path: triaxial, end: {stress_ratio: 2.9}"),
        STAGE("path: true_triaxial, lode_angle: 30 deg, end: {stress_ratio: 1.7}"),
        STAGE("path: true_triaxial, lode_angle: 60 deg, end: {stress_ratio: 1.4}"),
        STAGE("path: true_triaxial, b: 0.5, constant: s3, end: {pressure: 120 kPa, strain: 5 %}"),
        STAGE("path: oedometer, end: {stress: 150 kPa}"),
        /* the axial stress of a loose undrained specimen may fall */
        STAGE("path: undrained, end: {stress: 50 kPa}"),
        /* the initial state is not known to be isotropic */
        STAGE("path: undrained, end: {strain: 1}}, {path: triaxial, end: {stress: 50 kPa}"),
        STAGE("path: isotropic, pressure: 10 kPa}, {path: oedometer, end: {stress: 50 kPa}"),
        STAGE("path: isotropic, pressure: 10 kPa}, {path: oedometer, from: specimen, end: {stress: "
              "150 kPa}"),
        STAGE("path: general, control: {xx: {rate: 0}}, end: {time: 1}"),
        STAGE("path: general, control: {xx: {stress: hold}}, end: {strain: 0.1}"),
        STAGE("path: relax"),
        STAGE("path: stress_path, dq_dp: 0, direction: extension, end: {stress_ratio: 2, strain: 5 "
              "%}"),
        STAGE("path: cyclic, cycle: {base: undrained, stress: 30 kPa}, end: {strain: 5 %}"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tw_scenario_free(support_read(cases[i], NULL));
}

/* ---- All errors ---- */

static void all_errors_are_listed_in_the_order_of_the_file(void **state)
{
    (void)state;
    support_refused(
        "stages:\n"
        "  - path: triaxial\n"
        "    rate: slow\n"
        "    end: {strain: 0.1}\n"
        "  - path: undraind\n"
        "  - path: relax\n"
        "    from: nowhere\n"
        "material: {kn: -1}\n"
        "specimen: {count: 0}\n",
        "a.yaml:3:11: stages[1].rate: 'slow' is not a number; expected a rate above 0 [1/s]\n"
        "a.yaml:5:11: stages[2].path: 'undraind' is unknown; did you mean 'undrained'? Choices: "
        "isotropic, oedometer, triaxial, plane_strain, constant_p, true_triaxial, "
        "stress_path, undrained, "
        "simple_shear, "
        "cyclic, relax, creep, relaxation, rotate, free_flight, drive, general, probes, rates\n"
        "a.yaml:7:11: stages[3].from: no earlier stage saves a state 'nowhere'; known "
        "states: specimen, 1_triaxial, 2_\n"
        "a.yaml:8:16: material.kn: '-1' is out of range; expected a stiffness above 0 [N/m]\n"
        "a.yaml:9:11: specimen.preparation: has no target; give 'pressure', 'porosity' or "
        "'void_ratio', or 'pressure' with one of the other two\n"
        "a.yaml:9:19: specimen.count: '0' is out of range; expected a whole number from 1 to "
        "1000000000\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_keys_name_the_nearest),
        cmocka_unit_test(misspelt_required_keys_are_reported_once),
        cmocka_unit_test(repeated_keys_are_refused),
        cmocka_unit_test(missing_keys_are_reported),
        cmocka_unit_test(keys_without_effect_are_refused),
        cmocka_unit_test(wrong_types_name_the_expected_type),
        cmocka_unit_test(values_out_of_range_name_the_range),
        cmocka_unit_test(units_of_other_quantities_are_refused),
        cmocka_unit_test(choices_name_the_nearest),
        cmocka_unit_test(missing_files_are_named_with_the_folder),
        cmocka_unit_test(conflicting_keys_are_refused),
        cmocka_unit_test(inconsistent_specimens_are_refused),
        cmocka_unit_test(inconsistent_stages_are_refused),
        cmocka_unit_test(unreachable_ends_are_refused),
        cmocka_unit_test(reachable_ends_are_accepted),
        cmocka_unit_test(all_errors_are_listed_in_the_order_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
