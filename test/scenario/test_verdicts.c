/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios that can be read, but make no sense as a test: the verdict comes before the run. */
#include "support.h"

#include <math.h>
#include <unistd.h>

#include "scenario/review.h"

/* 1000 grains of 1 mm at 100 kPa, kn/(p d) = 1000: the third line has the stages. */
#define S SUPPORT_SMALL
#define STAGE(keys) S "stages: [{" keys "}]\n"
#define GEN(keys) "specimen: {" keys "}\nmaterial: {kn: 1e5}\n"

typedef struct verdict {
    const char *text, *lines;
} verdict;

static void all_refused(const verdict *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        support_refused(cases[i].text, cases[i].lines);
}

static void all_warned(const verdict *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        support_warned(cases[i].text, cases[i].lines);
}
#define ALL(judge, cases) judge(cases, sizeof cases / sizeof *cases)

/* ---- Quantities ---- */

static void quantities_beyond_reason_are_refused(void **state)
{
    (void)state;
    static const verdict cases[] = {
        {GEN("sizes: {d: 1e-300}, preparation: {pressure: 1e5}"),
         "a.yaml:1:23: specimen.sizes.d: '1e-300' is not plausible as a length; expected 1e-09 to "
         "1000 [m]\n"},
        {GEN("sizes: {distribution: grading, curve: [[1 um, 0], [1e6, 1]]}, preparation: "
             "{pressure: 1e5}"),
         "a.yaml:1:63: specimen.sizes.curve[2][1]: '1e6' is not plausible as a length; expected "
         "1e-09 to 1000 [m]\n"},
        {GEN("preparation: {pressure: 1e300}"),
         "a.yaml:1:36: specimen.preparation.pressure: '1e300' is not plausible as a stress; "
         "expected 1e-06 to 1e+12 [Pa]\n"},
        {STAGE("path: undrained, rate: 1e300, end: {strain: 0.1}"),
         "a.yaml:3:34: stages[1].rate: '1e300' is not plausible as a rate; expected 1e-15 to 1e+09 "
         "[1/s]\n"},
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e-30, density: 1e40}\n",
         "a.yaml:2:16: material.kn: '1e-30' is not plausible as a stiffness; expected 1e-09 to "
         "1e+15 [N/m]\n"
         "a.yaml:2:32: material.density: '1e40' is not plausible as a density; expected 0.001 to "
         "1e+12 [kg/m^3]\n"},
        {S "time_step: {dt: 1e-200}\n",
         "a.yaml:3:17: time_step.dt: '1e-200' is not plausible as a time; expected 1e-15 to 1e+12 "
         "[s]\n"},
    };
    ALL(all_refused, cases);
}

/* From clay to boulders, and without dimensions. */
static void honest_quantities_are_accepted(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "specimen: {sizes: {d: 2 um}, preparation: {pressure: 10 kPa}}\n"
        "material: {stiffness_level: 1000}\nstages: [{path: triaxial, end: {strain: 5 %}}]\n",
        "specimen: {sizes: {d: 2 m}, preparation: {pressure: 1 MPa}}\n"
        "material: {stiffness_level: 1000}\nstages: [{path: triaxial, end: {strain: 5 %}}]\n",
        "specimen: {sizes: {d: 1}, preparation: {pressure: 1}}\n"
        "material: {kn: 1e4, density: 1}\nstages: [{path: triaxial, end: {strain: 5 %}}]\n",
        S "stages: [{path: simple_shear, inertial_number: 0.01, end: {strain: 2000 %}}]\n",
        S "stages: [{path: simple_shear, inertial_number: 0.01, end: {strain: 9}}]\n",
        "specimen: {sizes: {distribution: uniform, d_min: 1, d_max: 2}, preparation: {pressure: "
        "1}}\nmaterial: {kn: 1e4, density: 1}\n",
        "specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, friction: 1000}\n",
        "specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, density: 2.7 g/cm^3}\n",
        S "time_step: {mass_scale: 1e6}\n",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_warned(cases[i], "");
}

static void missing_units_are_suspected(void **state)
{
    (void)state;
    static const verdict cases[] = {
        {"specimen: {sizes: {d: 0.5}, preparation: {pressure: 100 kPa}}\nmaterial: {kn: 1e9}\n",
         "a.yaml:1:23: specimen.sizes.d: warning: has no unit and counts as 0.5 m; write '0.5 mm' "
         "if that is meant\n"},
        {GEN("preparation: {pressure: 100}"),
         "a.yaml:1:36: specimen.preparation.pressure: warning: has no unit and counts as 100 Pa; "
         "write '100 kPa' if that is meant\n"},
        {"specimen: {sizes: {d: 0.1 um}, preparation: {pressure: 100 kPa}}\n"
         "material: {stiffness_level: 1000, density: 1e6}\n",
         "a.yaml:1:19: specimen.sizes: warning: grains of 1e-07 m: below 1 um adhesion, which is "
         "not "
         "modelled, dominates\n"
         "a.yaml:2:44: material.density: warning: no solid has a density of 1e+06 kg/m^3; masses "
         "are scaled by time_step.mass_scale\n"},
    };
    ALL(all_warned, cases);
}

static void densities_beyond_those_of_spheres_are_doubtful(void **state)
{
    (void)state;
    static const verdict cases[] = {
        {GEN("preparation: {pressure: 100 kPa, porosity: 0.1}"),
         "a.yaml:1:55: specimen.preparation.porosity: warning: a porosity of 0.1 is beyond the "
         "0.26 "
         "to about 0.5 that packings of spheres can have\n"},
        {GEN("preparation: {pressure: 100 kPa, void_ratio: 1.5}"),
         "a.yaml:1:57: specimen.preparation.void_ratio: warning: a void ratio of 1.5 is beyond the "
         "0.35 to about 1 that packings of spheres can have\n"},
        {GEN("preparation: {pressure: 100 kPa, void_ratio: 0.3}"),
         "a.yaml:1:57: specimen.preparation.void_ratio: warning: a void ratio of 0.3 is beyond the "
         "0.35 to about 1 that packings of spheres can have\n"},
        {GEN("preparation: {porosity: 0.1, rate: 1}"),
         "a.yaml:1:36: specimen.preparation.porosity: warning: a porosity of 0.1 is beyond the "
         "0.26 "
         "to about 0.5 that packings of spheres can have\n"},
        {GEN("preparation: {pressure: 100 kPa, porosity: 0.27}"), ""},
        {GEN("preparation: {pressure: 100 kPa, porosity: 0.49}"), ""},
        /* Without a pressure grains need not touch. */
        {GEN("preparation: {porosity: 0.6, rate: 1}"), ""},
    };
    ALL(all_warned, cases);
}

static void diameters_without_unit_are_suspected(void **state)
{
    (void)state;
#define SIZES(keys)                                                                                \
    "specimen: {sizes: {" keys "}, preparation: {pressure: 100 kPa}}\nmaterial: {kn: 1e9}\n"
#define BARE(key, m)                                                                               \
    "specimen.sizes." key ": warning: has no unit and counts as " m " m; write '" m                \
    " mm' if that is meant\n"
    static const verdict cases[] = {
        {SIZES("distribution: uniform, d_min: 0.04, d_max: 0.06"),
         "a.yaml:1:63: " BARE("d_max", "0.06")},
        {SIZES("distribution: uniform, d_min: 0.5, d_max: 2"),
         "a.yaml:1:50: " BARE("d_min", "0.5") "a.yaml:1:62: " BARE("d_max", "2")},
        {SIZES("distribution: lognormal, d50: 0.3, deviation: 0.2"),
         "a.yaml:1:50: " BARE("d50", "0.3")},
        {SIZES("distribution: grading, curve: [[0.02, 0], [0.06, 1]]"),
         "a.yaml:1:50: specimen.sizes.curve: warning: a diameter has no unit and counts as 0.06 m; "
         "write '0.06 mm' if that is meant\n"},
        {SIZES("distribution: grading, curve: [[60 mm, 0], [90 mm, 1]]"), ""},
    };
    ALL(all_warned, cases);
}

static void percents_and_angles_as_numbers_are_suspected(void **state)
{
    (void)state;
#define FRACTION(where, x, percent)                                                                \
    where ": warning: a strain is a fraction, so " x " is " percent " %; write '" x                \
          " %' if that is meant\n"
    static const verdict cases[] = {
        {STAGE("path: isotropic, pressure: 200 kPa, end: {strain: 1}"),
         FRACTION("a.yaml:3:61: stages[1].end.strain", "1", "100")},
        {STAGE("path: simple_shear, end: {strain: 10}"),
         FRACTION("a.yaml:3:45: stages[1].end.strain", "10", "1000")},
        {STAGE("path: cyclic, cycle: {base: undrained, strain: 1.5}, end: {cycles: 2}"),
         FRACTION("a.yaml:3:58: stages[1].cycle.strain", "1.5", "150")},
        {STAGE("path: oedometer, end: {strain: 5}"),
         FRACTION("a.yaml:3:42: stages[1].end.strain", "5", "500")},
        {STAGE("path: triaxial, direction: extension, end: {strain: 200 %}"), ""},
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, friction: 30}\n",
         "a.yaml:2:31: material.friction: warning: 30 is a coefficient, the tangent of the angle: "
         "30 deg is 0.577\n"},
        {STAGE("path: relax, friction: 25"),
         "a.yaml:3:34: stages[1].friction: warning: 25 is a coefficient, the tangent of the angle: "
         "30 deg is 0.577\n"},
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, density: 2.65}\n",
         "a.yaml:2:30: material.density: warning: 2.65 kg/m^3 is very light for grains; write "
         "'2.65 g/cm^3' if that is meant\n"},
    };
    ALL(all_warned, cases);
}

/* ---- Method ---- */

static void soft_grains_are_noticed(void **state)
{
    (void)state;
    static const verdict soft[] = {
        {STAGE("path: isotropic, pressure: 2 MPa"),
         "a.yaml:3:38: stages[1].pressure: warning: 2e+06 Pa is high for kn = 100000 N/m: kn/(p d) "
         "= "
         "50, so grains overlap by about 2 % of a diameter\n"},
    };
    static const verdict fluid[] = {
        {STAGE("path: oedometer, end: {stress: 50 MPa, strain: 50 %}"),
         "a.yaml:3:42: stages[1].end.stress: 5e+07 Pa is too high for kn = 100000 N/m: kn/(p d) = "
         "2, "
         "so grains would overlap by about 50 % of a diameter; expected at least 10, better "
         "1000\n"},
    };
    ALL(all_warned, soft);
    ALL(all_refused, fluid);
}

/* The stable step of a sphere by hand: k = 1e5 N/m, m = 2650 pi/6 1e-9 kg, w^2 = 2 n k 3.5/m. */
static void a_fixed_step_above_the_stable_one_is_refused(void **state)
{
    (void)state;
    const double mass = 2650.0 * 3.14159265358979 / 6.0 * 1e-9;
    tw_scenario *s = support_read(S, NULL);
    for (int n = 1; n <= 8; n += 7)
        assert_true(fabs(tw_scenario_stable_step(s, NULL, n, 1e5) /
                             (2.0 / sqrt(2.0 * n * 1e5 * 3.5 / mass)) -
                         1.0) < 1e-12);
    tw_scenario_free(s);
    static const verdict high[] = {
        {S "time_step: {dt: 1}\n",
         "a.yaml:3:17: time_step.dt: 1 s is above the stable step: 2.82e-06 s for one contact on "
         "the smallest grain, about 9.96e-07 s in a packing; use 'fraction', or 'force: yes'\n"},
        {S "time_step: {dt: 2.9 us}\n",
         "a.yaml:3:17: time_step.dt: 2.9e-06 s is above the stable step: 2.82e-06 s for one "
         "contact "
         "on the smallest grain, about 9.96e-07 s in a packing; use 'fraction', or 'force: yes'\n"},
    };
    static const verdict doubtful[] = {
        {S "time_step: {dt: 2.7 us}\n",
         "a.yaml:3:17: time_step.dt: warning: 2.7e-06 s is above the stable step of a packing, "
         "about "
         "9.96e-07 s: the run stops when the smallest grain has too many contacts\n"},
        {S "time_step: {dt: 0.9 us}\n", ""},
        {S "time_step: {dt: 1, force: yes}\n", ""},
    };
    ALL(all_refused, high);
    ALL(all_warned, doubtful);
}

/* Mean volumes in closed form: uniform by number (b^4 - a^4)/(4 (b - a)); by volume
 * 2 (b - a)/(1/a^2 - 1/b^2); lognormal d50^3 exp(4.5 s^2), far from its truncation; a curve of one
 * part 3 ln(b/a)/(1/a^3 - 1/b^3). */
static void mean_grains_follow_from_the_distribution(void **state)
{
    (void)state;
    static const double curve[] = {1.0, 0.0, 2.0, 1.0};
    const double s = 0.1;
    const struct {
        tw_scenario_sizes sizes;
        double cube;
    } cases[] = {
        {{.distribution = TW_SCENARIO_MONO, .d = 3.0}, 27.0},
        {{.distribution = TW_SCENARIO_UNIFORM, .d_min = 1.0, .d_max = 2.0}, 15.0 / 4.0},
        {{.distribution = TW_SCENARIO_UNIFORM,
          .by = TW_SCENARIO_VOLUME,
          .d_min = 1.0,
          .d_max = 2.0},
         8.0 / 3.0},
        {{.distribution = TW_SCENARIO_LOGNORMAL,
          .d50 = 2.0,
          .deviation = s,
          .d_min = 0.5,
          .d_max = 8.0},
         8.0 * exp(4.5 * s * s)},
        {{.distribution = TW_SCENARIO_GRADING, .curve = {(double *)(uintptr_t)curve, 2}},
         3.0 * log(2.0) / (1.0 - 1.0 / 8.0)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double mean = tw_scenario_find_grain_sizes(&cases[i].sizes).mean;
        assert_true(fabs(mean * mean * mean / cases[i].cube - 1.0) < 1e-5); /* midpoint rule */
    }
}

static void cells_of_a_few_grains_are_noticed(void **state)
{
    (void)state;
    static const verdict refused[] = {
        {GEN("count: 8, preparation: {pressure: 1e5}"),
         "a.yaml:1:19: specimen.count: 8 grains make a cell of 1.91 mean diameters between "
         "opposite faces; a periodic cell needs 2\n"},
        {GEN("count: 500, cell: {aspect: [10, 10, 1]}, preparation: {pressure: 1e5}"),
         "a.yaml:1:19: specimen.count: 500 grains make a cell of 1.63 mean diameters between "
         "opposite faces; a periodic cell needs 2\n"},
    };
    static const verdict warned[] = {
        {GEN("count: 100, preparation: {pressure: 1e5}"),
         "a.yaml:1:19: specimen.count: warning: 100 grains make a cell of only 4.44 mean diameters "
         "(4.44 of the largest grain) between opposite faces; results depend on the cell below "
         "about "
         "10\n"},
        {GEN("count: 200, preparation: {pressure: 1e5}"), ""},
        {GEN("count: 4, arrangement: fcc, preparation: {pressure: 1e5}"), ""},
    };
    ALL(all_refused, refused);
    ALL(all_warned, warned);
}

/* ---- Shapes ---- */

static void the_spheres_of_a_grain_are_connected(void **state)
{
    (void)state;
    static const verdict refused[] = {
        {GEN("preparation: {pressure: 1e5}, shapes: [{shape: cluster, spheres: [[0, 0, 0, 1], [5, "
             "0, "
             "0, 1], [1, 0, 0, 1], [6, 0, 0, 1]]}]"),
         "a.yaml:1:77: specimen.shapes[1].spheres: the spheres of a grain must touch or overlap, "
         "but there is a gap between sphere 1 and sphere 2\n"},
        {GEN("preparation: {pressure: 1e5}, shapes: [{shape: bumpy, distance: 1.5}]"),
         "a.yaml:1:76: specimen.shapes[1].distance: the satellites do not touch the central "
         "sphere: "
         "1.5 is above central_radius + satellite_radius, 1.4\n"},
    };
    static const verdict warned[] = {
        /* they just touch */
        {GEN("preparation: {pressure: 1e5}, shapes: [{shape: cluster, spheres: [[-1, 0, 0, 1], [1, "
             "0, "
             "0, 1]]}]"),
         ""},
        /* a chain, out of order */
        {GEN("preparation: {pressure: 1e5}, shapes: [{shape: cluster, spheres: [[0, 0, 0, 1], [6, "
             "0, "
             "0, 1], [2, 0, 0, 1], [4, 0, 0, 1]]}]"),
         ""},
    };
    ALL(all_refused, refused);
    ALL(all_warned, warned);
}

/* ---- Loading ---- */

static void rates_are_quasi_static(void **state)
{
    (void)state;
    static const verdict refused[] = {
        {GEN("preparation: {pressure: 100 kPa, rate: 1e4}"),
         "a.yaml:1:51: specimen.preparation.rate: the inertial number is 1.63: grains fly apart "
         "above "
         "1; 0.01 is usual\n"},
        {STAGE("path: triaxial, inertial_number: 1, end: {stress_ratio: 0.8, strain: 20 %}"),
         "a.yaml:3:44: stages[1].inertial_number: at an inertial number of 1 a stress cannot be "
         "met: "
         "inertia dominates above 0.1; 1e-3 is quasi-static\n"},
        {STAGE("path: triaxial, inertial_number: 0.09, end: {stress_ratio: 0.8, strain: 20 %}"),
         "a.yaml:3:44: stages[1].inertial_number: one step changes the stress by about 6.9 % of p, "
         "so "
         "a stress cannot be met; reduce the rate, or time_step.fraction, to get below 1 %\n"},
        /* I = rate d sqrt(density/p) = 1.63e-4 rate */
        {STAGE("path: undrained, rate: 1e4, end: {strain: 100 %}"),
         "a.yaml:3:34: stages[1].rate: the inertial number is 1.63: grains fly apart above 1; 1e-3 "
         "is "
         "quasi-static\n"},
        {STAGE("path: general, control: {zz: {rate: -1e4}}, end: {steps: 20}"),
         "a.yaml:3:47: stages[1].control.zz.rate: the inertial number is 1.63: grains fly apart "
         "above 1; 1e-3 is quasi-static\n"},
        {STAGE("path: undrained, rate: 60, end: {strain: 1e-4}"),
         "a.yaml:3:52: stages[1].end.strain: the end would be reached in 4 steps; expected at "
         "least "
         "50: reduce the rate\n"},
        {STAGE("path: undrained, rate: 1e-8, end: {strain: 10 %}"),
         "a.yaml:3:54: stages[1].end.strain: the end would take 2e+13 steps; increase the rate, or "
         "time_step.mass_scale\n"},
    };
    static const verdict warned[] = {
        {STAGE("path: triaxial, inertial_number: 0.02, end: {strain: 20 %}"),
         "a.yaml:3:44: stages[1].inertial_number: warning: at an inertial number of 0.02 stresses "
         "depend on the rate; 1e-3 is quasi-static\n"},
        {STAGE("path: general, control: {xy: {rate: 200}, xx: {rate: 60}}, end: {steps: 20}"),
         "a.yaml:3:47: stages[1].control.xy.rate: warning: at an inertial number of 0.0326 "
         "stresses depend on the rate; 1e-3 is quasi-static\n"},
        {STAGE("path: triaxial, inertial_number: 0.01, end: {strain: 20 %}"), ""},
        {GEN("preparation: {pressure: 100 kPa, inertial_number: 0.2}"),
         "a.yaml:1:62: specimen.preparation.inertial_number: warning: at an inertial number of 0.2 "
         "the "
         "compression overshoots the pressure; 0.01 is usual\n"},
        {"specimen: {preparation: {pressure: 100 kPa}}\nmaterial: {stiffness_level: 1e5}\n"
         "stages: [{path: triaxial, end: {q: 50 kPa, strain: 1 %}}]\n",
         ""},
        {"specimen: {preparation: {pressure: 100 kPa}}\nmaterial: {stiffness_level: 1e5}\n"
         "stages: [{path: triaxial, inertial_number: 2e-3, end: {q: 50 kPa, strain: 1 %}}]\n",
         "a.yaml:3:44: stages[1].inertial_number: warning: one step changes the stress by about "
         "1.5 "
         "% of p, and the target may be passed by as much\n"},
        {STAGE(
             "path: cyclic, cycle: {base: simple_shear, strain: 1e-4}, rate: 10, end: {cycles: 3}"),
         "a.yaml:3:61: stages[1].cycle.strain: warning: the amplitude is reached in only 21 "
         "steps\n"},
        {STAGE("path: undrained, rate: 1e-5, end: {strain: 10 %}"),
         "a.yaml:3:54: stages[1].end.strain: warning: the end takes 2e+10 steps; consider a higher "
         "rate, or time_step.mass_scale\n"},
    };
    ALL(all_refused, refused);
    ALL(all_warned, warned);
}

static void doubtful_targets_are_noticed(void **state)
{
    (void)state;
    static const verdict warned[] = {
        {STAGE("path: triaxial, end: {stress_ratio: 0.8}"),
         "a.yaml:3:32: stages[1].end: warning: the stage ends at a stress only, which may never be "
         "reached; add a 'strain' at which to give up\n"},
        {STAGE("path: oedometer, end: {stress: 300 kPa}"), ""},
        {STAGE("path: cyclic, cycle: {base: undrained, stress: 30 kPa}, end: {cycles: 20}"),
         "a.yaml:3:72: stages[1].end: warning: the amplitude is a stress, which may never be "
         "reached "
         "after failure; add a 'strain' at which to give up\n"},
        {STAGE("path: cyclic, cycle: {base: undrained, strain: 1 %}, end: {cycles: 20}"), ""},
        {STAGE("path: relax, damping: {local: 0}"),
         "a.yaml:3:33: stages[1].damping: warning: without damping the stage may never come to "
         "equilibrium; add 'steps' or 'time' to its end\n"},
        {STAGE("path: relax, damping: {local: 0, mass: 10}"), ""},
        {STAGE("path: relax, damping: {local: 0}, end: {steps: 1000}"), ""},
    };
    ALL(all_warned, warned);
}

static void jumps_of_stress_are_noticed(void **state)
{
    (void)state;
    static const verdict warned[] = {
        {STAGE("path: true_triaxial, b: 0.5, end: {strain: 2 %}}, {path: triaxial, end: {strain: 2 "
               "%}"),
         "a.yaml:3:61: stages[2].lateral_stress: warning: the two stresses across axis z differ at "
         "the start, and both jump to their mean; put an isotropic stage before, or use the path "
         "general with 'stress: hold'\n"},
        {STAGE(
             "path: triaxial, end: {strain: 2 %}}, {path: constant_p, axis: x, end: {strain: 2 %}"),
         "a.yaml:3:55: stages[2].path: warning: the two stresses across axis x differ at the "
         "start, "
         "and both jump to their mean; put an isotropic stage before, or use the path general with "
         "'stress: hold'\n"},
        {STAGE("path: triaxial, end: {strain: 2 %}}, {path: true_triaxial, b: 0.5, end: {strain: 2 "
               "%}"),
         "a.yaml:3:55: stages[2].path: warning: the stress is in another direction of the pi-plane "
         "at the start, and jumps to that of this stage; put an isotropic stage before\n"},
        {STAGE("path: triaxial, lateral_stress: 200 kPa, end: {strain: 2 %}"),
         "a.yaml:3:43: stages[1].lateral_stress: warning: jumps from 100000 to 200000 Pa at the "
         "start; put an isotropic stage with 'pressure: 200000 Pa' before\n"},
        /* b = 0 along z is triaxial compression along z, b = 1 extension along y */
        {STAGE(
             "path: true_triaxial, b: 0, end: {strain: 2 %}}, {path: triaxial, end: {strain: 2 %}"),
         ""},
        {STAGE("path: true_triaxial, b: 1, end: {strain: 2 %}}, {path: triaxial, axis: y, end: "
               "{strain: 2 %}"),
         ""},
        {STAGE("path: triaxial, end: {strain: 2 %}}, {path: isotropic, pressure: 1e5}, {path: "
               "triaxial, axis: x, end: {strain: 2 %}"),
         ""},
        {STAGE("path: triaxial, end: {strain: 2 %}}, {path: triaxial, direction: extension, end: "
               "{strain: 2 %}"),
         ""},
    };
    ALL(all_warned, warned);
}

/* Forces follow a stiffness that a stage changes, and again when the next one has not got it. */
static void jumps_of_stiffness_are_noticed(void **state)
{
    (void)state;
#define STIFF "path: isotropic, pressure: 1e5, material: {kn: 2e5}, save: stiff}, {"
#define SHEAR "path: triaxial, end: {strain: 2 %}"
#define JUMP(place, ratio, before)                                                                 \
    "a.yaml:3:" place ": warning: contacts are " ratio " times as stiff as at the end of '" before \
    "', and forces change as much at once; give both the same stiffness, or put an isotropic "     \
    "stage with that of this one between them\n"
    static const verdict warned[] = {
        {STAGE(STIFF SHEAR), JUMP("78: stages[2].material", "0.5", "1_isotropic")},
        {STAGE(STIFF SHEAR ", material: {kn: 2e5, friction: 0.3}"), ""},
        {STAGE(STIFF SHEAR ", material: {kn: 3e5}"),
         JUMP("125: stages[2].material", "1.5", "1_isotropic")},
        {STAGE(STIFF SHEAR ", material: {kn: 2e5}}, {from: stiff, " SHEAR),
         JUMP("137: stages[3].material", "0.5", "1_isotropic")},
        {STAGE(STIFF SHEAR ", material: {kn: 2e5}}, {from: specimen, " SHEAR), ""},
        {STAGE(SHEAR ", material: {kn: 5e4}"), JUMP("57: stages[1].material", "0.5", "specimen")},
        {STAGE(SHEAR ", material: {friction: 0.3}"), ""},
        {"specimen: {count: 1000, sizes: {d: 1e-3}, preparation: {pressure: 1e5}}\n"
         "materials: [{name: a, kn: 1e5}]\n"
         "stages: [{" SHEAR ", materials: [{name: a, kn: 3e5}]}]\n",
         JUMP("58: stages[1].materials", "3", "specimen")},
    };
#undef STIFF
#undef SHEAR
#undef JUMP
    ALL(all_warned, warned);
}

/* Loading, unloading, reloading: what an earlier stage leaves bounds the next. */
static void q_of_an_oedometer_is_reached(void **state)
{
    (void)state;
    static const verdict refused[] = {
        {STAGE("path: oedometer, direction: extension, end: {q: -110 kPa, strain: 9 %}"),
         "a.yaml:3:59: stages[1].end.q: can never be reached: the axial stress stays above 0, and "
         "the lateral stress falls from 100000 Pa\n"},
    };
    ALL(all_refused, refused);
}

/* b = (s2 - s3)/(s1 - s3) of the stresses that the Lode angle stands for. */
static void b_is_the_intermediate_stress_ratio(void **state)
{
    (void)state;
    for (int i = 0; i <= 20; i++) {
        char text[400];
        const double b = i / 20.0;
        snprintf(text, sizeof text,
                 S "stages: [{path: true_triaxial, axis: x, b: %.2f, end: {strain: 1 %%}}]\n", b);
        tw_scenario *s = support_read(text, NULL);
        const double angle = s->stages[0].lode_angle, third = 2.0943951023931957;
        const double s1 = cos(angle), s2 = cos(angle - third), s3 = cos(angle - 2.0 * third);
        assert_true(isnan(s->stages[0].b));
        assert_true(s1 >= s2 - 1e-15 && s2 >= s3 - 1e-15);
        assert_true(fabs((s2 - s3) / (s1 - s3) - b) < 1e-14);
        tw_scenario_free(s);
    }
    support_refused(STAGE("path: true_triaxial, b: 1.1, end: {stress_ratio: 1}"),
                    "a.yaml:3:35: stages[1].b: '1.1' is out of range; expected a number from 0 to "
                    "1\n");
    support_refused(STAGE("path: true_triaxial, b: 1, lode_angle: 0, end: {strain: 1 %}"),
                    "a.yaml:3:32: stages[1].b: cannot be combined with 'lode_angle'; remove one of "
                    "them\n");
    support_refused(
        STAGE("path: true_triaxial, end: {strain: 1 %}"),
        "a.yaml:3:10: stages[1].lode_angle: is missing; expected an angle from 0 to 360 "
        "deg, or 'b' instead\n");
    support_refused(STAGE("path: true_triaxial, b: 1, end: {stress_ratio: 1.5}"),
                    "a.yaml:3:58: stages[1].end.stress_ratio: can never be reached: cohesionless "
                    "grains stay below q/p = 1.5 on this path\n");
}

/* Equal parts of the mass from 1 to 2 and 2 to 4 mm: numbers as 7/8 to 7/64, 8 to 1. */
static void a_grading_that_cannot_be_reached_is_warned_of(void **state)
{
    (void)state;
    static const char text[] =
        "specimen:\n  count: %d\n  preparation: {pressure: 100 kPa}\n"
        "  sizes: {distribution: grading, curve: [[1 mm, 0], [2 mm, %g], [4 mm, 1]]}\n"
        "material: {kn: 1e5}\n";
    char all[300];
    snprintf(all, sizeof all, text, 900, 0.5);
    support_warned(all, "");
    snprintf(all, sizeof all, text, 900, 0.995); /* 900/(1 + 8 * 199) = 0.565 */
    support_warned(all,
                   "a.yaml:4:41: specimen.sizes.curve: warning: of 900 grains 0.56 would be in the "
                   "coarsest part, 2 mm to 4 mm with 0.5 % of the mass, so the specimen ends "
                   "short of it; about 1.6e+04 grains have ten there\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_beyond_reason_are_refused),
        cmocka_unit_test(honest_quantities_are_accepted),
        cmocka_unit_test(missing_units_are_suspected),
        cmocka_unit_test(densities_beyond_those_of_spheres_are_doubtful),
        cmocka_unit_test(diameters_without_unit_are_suspected),
        cmocka_unit_test(percents_and_angles_as_numbers_are_suspected),
        cmocka_unit_test(soft_grains_are_noticed),
        cmocka_unit_test(a_fixed_step_above_the_stable_one_is_refused),
        cmocka_unit_test(mean_grains_follow_from_the_distribution),
        cmocka_unit_test(cells_of_a_few_grains_are_noticed),
        cmocka_unit_test(the_spheres_of_a_grain_are_connected),
        cmocka_unit_test(rates_are_quasi_static),
        cmocka_unit_test(doubtful_targets_are_noticed),
        cmocka_unit_test(jumps_of_stress_are_noticed),
        cmocka_unit_test(jumps_of_stiffness_are_noticed),
        cmocka_unit_test(q_of_an_oedometer_is_reached),
        cmocka_unit_test(b_is_the_intermediate_stress_ratio),
        cmocka_unit_test(a_grading_that_cannot_be_reached_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
