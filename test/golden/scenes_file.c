/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes with files: import, export, and scenarios with their histories. */
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/run.h>
#include <twirl/scenario.h>

#include "scene.h"

/* ---- Import and export ---- */

static void must(tw_status status, const tw_error *error)
{
    if (status != TW_STATUS_OK) golden_fail("%s", error->text);
}

/* Writes and reads a mixture, as CSV and as a dump of LAMMPS, both without forces. */
static void play_import(golden *g)
{
    tw_error error;
    const golden_path csv = golden_file(g, "grains.csv"), dump = golden_file(g, "grains.dump");
    tw_sim_def def = scene_def(g, 4 * 1.98 * SCENE_GRAIN);
    def.cell.m[1] = 0.2 * def.cell.m[0];
    const scene_grains grains = {4, 0.8, 1.0, SCENE_SPHERE, SCENE_SHAPES, 0.1, 50.0, 0, 41};
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    scene_press(sim, 0.1, 400);
    scene_set_friction(sim, def.law.mu);
    must(tw_export_csv(sim, csv.text, &error), &error);
    golden_record_file(g, "csv", csv.text);
    must(tw_export_lammps(sim, dump.text, &error), &error);
    golden_record_file(g, "dump", dump.text);
    tw_sim_free(sim);

    const char *const paths[] = {csv.text, dump.text}, *const marks[] = {"from_csv", "from_dump"};
    for (int k = 0; k < 2; k++) {
        tw_specimen *specimen = tw_specimen_read(paths[k], &error);
        if (!specimen) golden_fail("%s", error.text);
        if (!(sim = tw_specimen_build(specimen, &def, &error))) golden_fail("%s", error.text);
        tw_specimen_free(specimen);
        scene_run(sim, 300);
        golden_record(g, marks[k], sim);
        tw_sim_free(sim);
    }
}

/* ---- Scenarios ---- */

/* Runs a scenario into the folder NAME; `text` is its YAML. */
static void run_scenario(golden *g, const char *name, const char *text)
{
    tw_error error;
    tw_scenario_errors errors;
    const golden_path folder = golden_file(g, name);
    tw_scenario *scenario = tw_scenario_read_text(text, strlen(text), name, NULL, 0, &errors);
    if (!scenario) golden_fail("%s", errors.count > 0 ? errors.text[0] : "out of memory");
    const tw_run_plan plan = {.folder = folder.text, .threads = g->threads};
    must(tw_run_scenario(scenario, &plan, &error), &error);
    tw_scenario_free(scenario);
    tw_scenario_errors_free(&errors);
}

/* Preparation with a size distribution, then one stage of each kind. */
static void play_scenario(golden *g)
{
    static const char text[] =
        "specimen:\n"
        "  count: 40\n"
        "  seed: 3\n"
        "  shapes:\n"
        "    - {shape: sphere, share: 2}\n"
        "    - {shape: bumpy, satellites: 8, satellite_radius: 0.4}\n"
        "    - {shape: cluster, spheres: [[-1, 0, 0, 1], [0, 0.2, 0, 1], [1, 0, 0, 1]]}\n"
        "  sizes: {distribution: lognormal, d50: 1 mm, deviation: 0.2}\n"
        "  cell: {aspect: [1, 1.2, 0.9], tilt: [0.1, 0, -0.2]}\n"
        "  preparation: {pressure: 100 kPa, friction: 0.2, inertial_number: 0.05}\n"
        "material: {stiffness_level: 500, kt_ratio: 0.8, friction: 0.5}\n"
        "stages:\n"
        "  - {name: settle, path: isotropic, pressure: 100 kPa, save: settled}\n"
        "  - {name: triaxial, path: triaxial, inertial_number: 0.02, end: {strain: 2 %}}\n"
        "  - {name: oedometer, path: oedometer, inertial_number: 0.02, end: {strain: 1 %}}\n"
        "  - name: lode\n"
        "    path: true_triaxial\n"
        "    from: settled\n"
        "    lode_angle: 25 deg\n"
        "    inertial_number: 0.02\n"
        "    end: {strain: 1 %}\n"
        "  - name: cycles\n"
        "    path: cyclic\n"
        "    cycle: {base: undrained, strain: 0.5 %}\n"
        "    inertial_number: 0.02\n"
        "    end: {cycles: 1}\n"
        "  - name: turn\n"
        "    path: rotate\n"
        "    rotation: {axis: [1, 2, -1], angle: 50 deg, increments: 100}\n"
        "output: {history: {strain: 5e-4, steps: 100}}\n";
    run_scenario(g, "scenario", text);
    const golden_path history = golden_file(g, "scenario/history.csv");
    const golden_path resolved = golden_file(g, "scenario/scenario.yaml");
    const golden_path summary = golden_file(g, "scenario/summary.json");
    const golden_path state = golden_file(g, "scenario/stages/turn.h5");
    golden_record_file(g, "resolved", resolved.text);
    golden_record_file(g, "history", history.text);
    golden_record_file(g, "summary", summary.text);
    tw_sim *sim = scene_load(g, state.text);
    golden_record(g, "end", sim);
    tw_sim_free(sim);
}

/* A grading curve, and a void ratio for which friction is found by bisection. */
static void play_graded(golden *g)
{
    static const char text[] =
        "specimen:\n"
        "  count: 40\n"
        "  seed: 5\n"
        "  sizes: {distribution: grading, curve: [[0.5 mm, 0 %], [0.8 mm, 40 %], [1.3 mm, 100 "
        "%]]}\n"
        "  preparation:\n"
        "    pressure: 100 kPa\n"
        "    void_ratio: 0.68\n"
        "    tolerance: 0.02\n"
        "    friction: auto\n"
        "    inertial_number: 0.05\n"
        "material: {stiffness_level: 300}\n"
        "stages:\n"
        "  - {name: shear, path: simple_shear, inertial_number: 0.02, end: {strain: 2 %}}\n"
        "output: {history: {strain: 1e-3}}\n";
    run_scenario(g, "graded", text);
    const golden_path history = golden_file(g, "graded/history.csv");
    const golden_path log = golden_file(g, "graded/run.log");
    golden_record_file(g, "history", history.text);
    golden_record_file(g, "log", log.text);
}

static void play_probes(golden *g)
{
    static const char text[] =
        "specimen:\n"
        "  count: 30\n"
        "  shapes: [{shape: bumpy}]\n"
        "  preparation: {pressure: 100 kPa, friction: 0.05, inertial_number: 0.05}\n"
        "material: {stiffness_level: 300, friction: 0.55}\n"
        "stages:\n"
        "  - name: shear\n"
        "    path: constant_p\n"
        "    axis: x\n"
        "    inertial_number: 0.02\n"
        "    end: {stress_ratio: 0.5, strain: 2 %}\n"
        "  - name: probe\n"
        "    path: probes\n"
        "    axis: x\n"
        "    probes:\n"
        "      space: rendulic\n"
        "      count: 6\n"
        "      strain: 5e-5\n"
        "      steps: 50\n"
        "      laws: [exact, conventional]\n"
        "      settle: 1e-3\n"
        "      settle_steps: 500\n"
        "      rest: 1e-3\n"
        "      rest_steps: 50\n"
        "      unload: yes\n"
        "      no_slip: yes\n";
    run_scenario(g, "probes", text);
    const golden_path table = golden_file(g, "probes/stages/probe/probes.csv");
    const golden_path fits = golden_file(g, "probes/stages/probe/fits.csv");
    const golden_path all = golden_file(g, "probes/stages/probe/probes.json");
    golden_record_file(g, "probes", table.text);
    golden_record_file(g, "fits", fits.text);
    golden_record_file(g, "json", all.text);
}

const golden_scene golden_file_scenes[] = {
    {"import", "a mixture written and read, as CSV and as a dump", play_import},
    {"scenario", "preparation and stages, with the bytes of the history", play_scenario},
    {"graded", "a grading curve, friction found by bisection, simple shear", play_graded},
    {"probes", "probes of a sheared packing, and fits to them", play_probes},
    {0}};
