/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes that users have made: the message says what is wrong and what to write. */
#include "support.h"

#define PREPARATION(keys) "specimen: {preparation: {" keys "}}\nmaterial: {kn: 1e5}\n"
#define SPECIMEN(keys)                                                                             \
    "specimen: {preparation: {pressure: 100 kPa}, " keys "}\nmaterial: {kn: 1e5}\n"
#define MATERIAL(keys) "specimen: {preparation: {pressure: 100 kPa}}\nmaterial: {" keys "}\n"
#define STAGE(keys) SUPPORT_SMALL "stages: [{" keys "}]\n"
#define PLATENS(keys) STAGE(keys) "boundary: {z: walls}\n"

static const struct {
    const char *text, *words;
} mistakes[] = {
    {PREPARATION("pressure: 100 kpa"),
     "specimen.preparation.pressure: '100 kpa' has an unknown unit; write 'kPa'"},
    {PREPARATION("pressure: 1 bar"),
     "specimen.preparation.pressure: '1 bar' has an unknown unit; 1 bar is 100 kPa"},
    {PREPARATION("pressure: 0,1 MPa"), "specimen.preparation.1 MPa: is a key without value; is "
                                       "'0,1 MPa' meant to be one number? Use a decimal point: "},
    {PREPARATION("pressure: 500"), "specimen.preparation.pressure: warning: has no unit and counts "
                                   "as 500 Pa; write '500 kPa' if that is meant"},
    {PREPARATION("pressure: 0.1 N/mm2"),
     "specimen.preparation.pressure: '0.1 N/mm2' has an unknown unit; 1 N/mm2 is 1 MPa"},
    {PREPARATION("pressure: 100 kPa, method: pluviation"),
     "specimen.preparation.method: unknown key; specimens are compressed isotropically, to "
     "'pressure' or 'void_ratio"},
    {PREPARATION("pressure: 100 kPa, layers: 5"),
     "specimen.preparation.layers: unknown key; specimens are compressed isotropically, to "
     "'pressure' or 'void_ratio"},
    {PREPARATION("pressure: 100 kPa, relative_density: 80 %"),
     "specimen.preparation.relative_density: unknown key; relative density is not a key; give "
     "'porosity' or 'void_ra"},
    {PREPARATION("pressure: -100 kPa"),
     "specimen.preparation.pressure: '-100 kPa' is out of range; expected a stress above 0 [Pa]"},
    {PREPARATION("pressure: 100 kPa, confining_pressure: 1 kPa"),
     "specimen.preparation.confining_pressure: unknown key; use 'pressure'"},
    {MATERIAL("young: 70 Gpa"), "material.young: '70 Gpa' has an unknown unit; write 'GPa'"},
    {MATERIAL("friction: 30 deg"), "material.friction: '30 deg' is an angle; expected a number "
                                   "without unit or in %; friction is the tangent of th"},
    {MATERIAL("friction: 30 degrees"),
     "material.friction: '30 degrees' has an unknown unit; expected a number without unit or in %"},
    {MATERIAL("kn: 1e5, friction_angle: 30 deg"),
     "material.friction_angle: unknown key; use 'friction', the tangent of the angle: 30 deg is "
     "0.577"},
    {MATERIAL("kn: 1e5, cohesion: 5 kPa"),
     "material.cohesion: unknown key; grains are cohesionless; there is no adhesion, capillary "
     "force or bond"},
    {MATERIAL("kn: 1e5, tensile_strength: 1 MPa"),
     "material.tensile_strength: unknown key; grains are cohesionless; there is no adhesion, "
     "capillary force or bond"},
    {MATERIAL("kn: 1e5, surface_tension: 0.07"),
     "material.surface_tension: unknown key; grains are cohesionless; there is no adhesion, "
     "capillary force or bond"},
    {MATERIAL("kn: 1e5, bond: yes"), "material.bond: unknown key; grains are cohesionless; there "
                                     "is no adhesion, capillary force or bond"},
    {MATERIAL("kn: 1e5, local_damping: 0.3"),
     "material.local_damping: unknown key; local damping is 'damping: {local: 0.7}'"},
    {MATERIAL("kn: 1e5, friction: 0,5"), "material.5: is a key without value; is '0,5' meant to be "
                                         "one number? Use a decimal point: 0.5"},
    {MATERIAL("kn: 1e5, friction: 30"),
     "material.friction: warning: 30 is a coefficient, the tangent of the angle: 30 deg is 0.577"},
    {MATERIAL("kn: 1e5, mu: 0.5"), "material.mu: unknown key; use 'friction'"},
    {SPECIMEN("sizes: {cu: 2}"), "specimen.sizes.cu: unknown key; give the width by 'distribution: "
                                 "lognormal' with 'd50' and 'deviation', or by "},
    {SPECIMEN("count: 100"), "specimen.count: warning: 100 grains make a cell of only 4.44 mean "
                             "diameters (4.44 of the largest grain) betwee"},
    {SPECIMEN("count: 1"), "specimen.count: 1 grain makes a cell of 0.956 mean diameters between "
                           "opposite faces; a periodic cell needs 2"},
    {SPECIMEN("relative_density: 80 %"), "specimen.relative_density: unknown key; relative density "
                                         "is not a key; give 'porosity' or 'void_ratio' in 'pre"},
    {SPECIMEN("shapes: [{shape: polyhedron}]"),
     "specimen.shapes[1].shape: 'polyhedron' is unknown; grains are spheres and rigid clusters of "
     "spheres; approxima"},
    {SPECIMEN("shapes: [{shape: stl}]"), "specimen.shapes[1].shape: 'stl' is unknown; grains are "
                                         "spheres and rigid clusters of spheres; approximate the "},
    {SPECIMEN("shapes: [{shape: cluster, file: none.txt}]"),
     "specimen.shapes[1].file: 'none.txt' cannot be read: No such file or directory (relative to "
     "the working directo"},
    {SPECIMEN("shapes: [{shape: cluster, spheres: [[0, 0, 0, 1], [5, 0, 0, 1]]}]"),
     "specimen.shapes[1].spheres: the spheres of a grain must touch or overlap, but there is a gap "
     "between sphere 1 "},
    {SPECIMEN("container: {shape: box}"),
     "specimen.container: unknown key; rigid platens are 'boundary: walls'; other walls are "
     "'surfaces' at"},
    {SPECIMEN("seeds: 3"), "specimen.seeds: unknown key; did you mean 'seed'?"},
    {SPECIMEN("sizes: {distribution: grading, file: none.csv}"),
     "specimen.sizes.file: 'none.csv' cannot be read: No such file or directory (relative to the "
     "working directory)"},
    {STAGE("path: CD, end: {strain: 5 %}"), "stages[1].path: 'CD' is unknown; use 'triaxial'"},
    {STAGE("path: CU, end: {strain: 5 %}"), "stages[1].path: 'CU' is unknown; use 'undrained'"},
    {STAGE("path: biaxial, end: {strain: 5 %}"),
     "stages[1].path: 'biaxial' is unknown; use 'plane_strain'"},
    {STAGE("path: triaxal, end: {strain: 5 %}"),
     "stages[1].path: 'triaxal' is unknown; did you mean 'triaxial'? Choices: isotropic, "
     "oedometer, triaxial, plane_"},
    {STAGE("path: triaxial, drained: yes, end: {strain: 5 %}"),
     "stages[1].drained: unknown key; a drained test is 'path: triaxial', an undrained one 'path: "
     "undrained'; in sim"},
    {STAGE("path: triaxial, confining_pressure: 100 kPa, end: {strain: 5 %}"),
     "stages[1].confining_pressure: unknown key; use 'lateral_stress'"},
    {STAGE("path: triaxial, velocity: 1, end: {strain: 5 %}"),
     "stages[1].velocity: unknown key; the speed of loading is 'rate' [1/s] or 'inertial_number'"},
    {STAGE("path: cyclic, csr: 0.2, end: {cycles: 5}"),
     "stages[1].csr: unknown key; cycles are a section, and their amplitude is a stress or a "
     "strain: 'cycle: {base: "},
    {STAGE("path: triaxial, end: {strain: -5 %}"),
     "stages[1].end.strain: '-5 %' is out of range; expected a number above 0, up to 10000; its "
     "sign is the 'directi"},
    {STAGE("path: triaxial, end: {strain: 5}"),
     "stages[1].end.strain: warning: a strain is a fraction, so 5 is 500 %; write '5 %' if that is "
     "meant"},
    {STAGE("path: triaxial, end: {q_over_p: 1}"),
     "stages[1].end.q_over_p: unknown key; use 'stress_ratio'"},
    {STAGE("path: triaxial, end: {peak: 1 %}"), "stages[1].end.peak: unknown key; use 'past_peak'"},
    {STAGE("path: triaxial, end: {ru: 0.9}"),
     "stages[1].end.ru: has no effect here; used with path: undrained, simple_shear, cyclic"},
    {STAGE("path: triaxial, end: {eps1: 5 %}"), "stages[1].end.eps1: unknown key; use 'strain'"},
    {STAGE("path: triaxial, repeat: 5, end: {strain: 5 %}"),
     "stages[1].repeat: unknown key; write the stages out, or use 'path: cyclic' for cycles"},
    {STAGE("path: seepage"),
     "stages[1].path: 'seepage' is unknown; there is no flow through the pores"},
    {STAGE("path: hollow_cylinder"), "stages[1].path: 'hollow_cylinder' is unknown; use 'general' "
                                     "with a shear component: 'control: {zz: {stress: ho"},
    {STAGE("path: stress_path, dq_dp: inf, end: {strain: 5 %}"),
     "stages[1].dq_dp: 'inf' is not a number; a path of constant p is 'path: constant_p'"},
    {STAGE("path: triaxial, direction: extension, end: {q: 20 kPa, strain: 5 %}"),
     "stages[1].end.q: can never be reached: q is the axial minus the lateral stress, which starts "
     "at 0 and falls"},
    {STAGE("path: triaxial, from: p100, end: {strain: 5 %}"),
     "stages[1].from: no earlier stage saves a state 'p100'; known states: specimen"},
    {STAGE("path: triaxial"), "stages[1].end: the stage has no end condition; expected at least "
                              "one of strain, stress, q, pressure, stress_ra"},
    {STAGE("path: triaxial, strain: 5 %"),
     "stages[1].strain: unknown key; the strain at which the stage ends is 'end: {strain: 5 %}'"},
    {STAGE("path: extension, end: {strain: 5 %}"),
     "stages[1].path: 'extension' is unknown; use 'triaxial' with 'direction: extension'"},
    {STAGE("path: undrained, end: {void_ratio: 0.6}"),
     "stages[1].end.void_ratio: has no effect here; used with path: isotropic, oedometer, "
     "triaxial, plane_strain, co"},
    {STAGE("path: cyclic, cycle: {base: undrained, amplitude: 20 kPa}, end: {cycles: 5}"),
     "stages[1].cycle.amplitude: unknown key; use 'stress'"},
    {STAGE("path: triaxial, rate: 1, inertial_number: 1e-3, end: {strain: 5 %}"),
     "stages[1].inertial_number: cannot be combined with 'rate'; remove one of them"},
    {STAGE("path: triaxial, end: {strain: 5 %}, layers: 3"), "stages[1].layers: unknown key"},
    {STAGE("path: triaxial, end: {stress_ratio: 3}"),
     "stages[1].end.stress_ratio: can never be reached: cohesionless grains stay below q/p = 3 on "
     "this path"},
    {STAGE("path: isotropic, pressure: hold"),
     "stages[1].pressure: 'hold' does not apply to this path; expected a stress above 0 [Pa]"},
    {SUPPORT_SMALL "gravity: 9.81\n",
     "gravity: is a single value; expected a list of three numbers"},
    {SUPPORT_SMALL "walls: yes\n", "walls: unknown key; rigid platens are 'boundary: walls'; other "
                                   "walls are 'surfaces' at the top "
                                   "level, in a cell wi"},
    {SUPPORT_SMALL "boundaries: periodic\n", "boundaries: unknown key; use 'boundary'"},
    {SUPPORT_SMALL "boundary: {z: walls, material: steel}\n",
     "boundary.material: 'steel' is not known: there is no list 'materials'"},
    {"specimen: {preparation: {pressure: 100 kPa}}\nmaterials: [{name: steel, kn: 1e5}]\n"
     "boundary: {z: periodic, material: steel}\n",
     "boundary.material: has no effect without 'walls'"},
    {PLATENS("path: simple_shear, rate: 1, end: {strain: 5 %}"),
     "stages[1].path: platens are rigid and do not turn: the cell is not sheared across faces with "
     "'walls'; use a periodic boundary along both axes of the plane"},
    {PLATENS("path: cyclic, cycle: {base: simple_shear, strain: 1 %}, rate: 1, end: {cycles: 5}"),
     "stages[1].path: platens are rigid and do not turn: the cell is not sheared across faces with "
     "'walls'; use a periodic boundary along both axes of the plane"},
    {PLATENS("path: rotate, rotation: {axis: [0, 0, 1], angle: 90 deg}"),
     "stages[1].path: platens are rigid and do not turn: a cell with 'walls' is not rotated"},
    {PLATENS("path: probes, probes: {}"),
     "stages[1].path: probes strain all grains alike; they need a cell with a periodic boundary"},
    {PLATENS("path: rates"), "stages[1].path: rates are those of a cell with a periodic boundary"},
    {PLATENS("path: general, control: {zz: {rate: 1}, xz: {stress: 0}}, end: {strain: 5 %}"),
     "stages[1].control.xz.stress: platens are rigid and do not turn: this component is a rate of "
     "0; leave it out"},
    {PLATENS("path: triaxial, end: {strain: 5 %}") "output: {moduli: yes}\n",
     "output.moduli: moduli need a periodic cell without surfaces"},
    {"specimen: {count: 100, cell: {tilt: [0.1, 0, 0]}, preparation: {pressure: 1 kPa}}\n"
     "material: {kn: 1e5, density: 2650}\nboundary: {z: walls}\n",
     "specimen.cell.tilt: a cell with 'walls' is rectangular: leave this out"},
    {SUPPORT_SMALL "bond: yes\n",
     "bond: unknown key; grains are cohesionless; there is no adhesion, capillary force or bond"},
    {SUPPORT_SMALL "crushing: yes\n", "crushing: unknown key; grains do not break"},
    {SUPPORT_SMALL "2D: yes\n",
     "2D: unknown key; there is no two-dimensional mode: twirl is three-dimensional"},
    {SUPPORT_SMALL "dt: 1e-6\n", "dt: unknown key; the time step is 'time_step: {dt: 1e-6 s}'; by "
                                 "default it is a fraction of the stable step"},
    {SUPPORT_SMALL "threads: 4\n",
     "threads: unknown key; the number of threads is an option: 'twirl run --threads N'"},
    {SUPPORT_SMALL "output: {vtk: yes}\n",
     "output.vtk: is a single value; expected a section, e.g. 'vtk: {stages: yes}'"},
    {SUPPORT_SMALL "output: {interval: 5}\n", "output.interval: unknown key"},
    {SUPPORT_SMALL "output: {vtk: {interval: 0.01}}\n",
     "output.vtk.interval: unknown key; use 'steps'"},
    {SUPPORT_SMALL "material: {kn: 1}\n", "material: is given twice; first given in line 2"},
    {SUPPORT_SMALL "materials: [{name: a, kn: 1e5}]\n",
     "materials: cannot be combined with 'material'; remove one of them"},
    {SUPPORT_SMALL "output: {plot: yes}\n",
     "output.plot: unknown key; figures are drawn after the run, by 'twirl plot'"},
    {SUPPORT_SMALL "stages:\n\t- path: triaxial\n", "found a tab; YAML is indented with spaces"},
    {SUPPORT_SMALL "stages: [{path: triaxial\n",
     "invalid YAML: did not find expected ',' or '}', while parsing a flow mapping (starting at "
     "line 3)"},
    {SUPPORT_SMALL "title: &a x\n",
     "anchors (&) and aliases (*) are not supported; write the value out"},
    {SUPPORT_SMALL "title: *a\n",
     "anchors (&) and aliases (*) are not supported; write the value out"},
    {SUPPORT_SMALL "loading: []\n", "loading: unknown key; use 'stages'"},
    {SUPPORT_SMALL "mpi: yes\n",
     "mpi: unknown key; many processes are an option of twirl-lmp (docs/guide/cluster.md)"},
    {SUPPORT_SMALL "gpu: yes\n", "gpu: unknown key; a GPU is an option: 'twirl run --device cuda'"},
    {SUPPORT_SMALL "stages: [{name: a, path: triaxial, end: {strain: 1 %}}, {name: a, path: "
                   "triaxial, end: {strain: 1 %}}]\n",
     "stages[2].name: 'a' is already the name of stage 1"},
    {SUPPORT_SMALL "stages: [{path: triaxial, save: a, end: {strain: 1 %}}, {path: triaxial, save: "
                   "a, end: {strain: 1 %}}]\n",
     "stages[2].save: 'a' is already saved by stage 1"},
    {SUPPORT_SMALL "time_step: {dt: 1e-6, fraction: 0.5}\n",
     "time_step.dt: cannot be combined with 'fraction'; remove one of them"},
    {"\n", "is empty"},
    {"material: {kn: 1e5}\n", "specimen: is missing; expected a section"},
};

static void each_mistake_gets_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        tw_scenario_errors errors;
        bool found = false;
        support_write("a.yaml", mistakes[i].text, strlen(mistakes[i].text));
        tw_scenario_free(tw_scenario_read("a.yaml", NULL, 0, &errors));
        for (size_t k = 0; k < errors.count; k++)
            found |= strstr(errors.text[k], mistakes[i].words) != NULL;
        for (size_t k = 0; k < errors.warning_count; k++)
            found |= strstr(errors.warning[k], mistakes[i].words) != NULL;
        if (!found)
            print_error("%s\nexpected: %s\nfound: %s\n", mistakes[i].text, mistakes[i].words,
                        errors.count > 0           ? errors.text[0]
                        : errors.warning_count > 0 ? errors.warning[0]
                                                   : "nothing");
        tw_scenario_errors_free(&errors);
        assert_true(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_mistake_gets_its_message)};
    return cmocka_run_group_tests(tests, support_enter_folder, support_leave_folder);
}
