/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that goes on from a state with walls has a series of them. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/run.h>
#include <twirl/scenario.h>

#include "../../must.h"
#include "base/csv.h"
#include "base/file.h"

/* On the floor a ball rests with its weight; a piston presses on a fixed one. */
static const double radius = 0.1, density = 2650.0, g = 10.0, kn = 1e6, speed = 1e-3, dt = 1e-5;

static double weight(void)
{
    return density * 4.0 / 3.0 * TW_MATH_PI * radius * radius * radius * g;
}

static void save_state(const char *path)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    for (int k = 0; k < 3; k++)
        def.periodic[k] = 0;
    def.law.kn = kn;
    def.gravity.z = -g;
    def.density = density;
    def.dt = dt;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    tw_wall_def wall = tw_wall_def_default();
    wall.name = "floor";
    must_add_wall(sim, &wall);
    wall.name = NULL;
    wall.normal.z = -1.0;
    wall.point.z = 1.0;
    must_add_wall(sim, &wall);
    wall.name = "piston 1";
    wall.normal = tw_vec3_make(1.0, 0.0, 0.0);
    wall.point = tw_vec3_make(0.7 - radius, 0.0, 0.0);
    wall.v.x = speed;
    must_add_wall(sim, &wall);
    tw_body_def body = tw_body_def_default();
    body.size = radius;
    body.x = tw_vec3_make(0.9, 0.3, radius - weight() / kn);
    must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    body.x = tw_vec3_make(0.7, 0.5, 0.5);
    body.fixed = 1;
    must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    must_succeed(tw_sim_save(sim, path, &error), &error);
    tw_sim_free(sim);
}

static void run_in(const char *folder, const char *specimen)
{
    char text[400];
    tw_error error;
    tw_scenario_errors errors;
    snprintf(text, sizeof text,
             "specimen: {checkpoint: %s}\n"
             "stages: [{name: hold, path: free_flight, end: {steps: 40}}]\n"
             "output: {history: {steps: 10}}\n",
             specimen);
    tw_scenario *scenario = tw_scenario_read_text(text, strlen(text), "text", NULL, 0, &errors);
    if (!scenario) fail_msg("%s", errors.text[0]);
    const tw_run_plan plan = {.folder = folder, .threads = 1};
    if (tw_run_scenario(scenario, &plan, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(scenario);
}

static double number(tw_csv *csv, const char *column)
{
    double value;
    const size_t k = tw_csv_find(csv, column);
    if (k == TW_CSV_COLUMNS_MAX) fail_msg("no column %s", column);
    assert_true(tw_csv_number(csv, k, 0, &value));
    return value;
}

static void check_row(tw_csv *csv)
{
    const double way = speed * number(csv, "time"), force = -weight();
    const double rounding = 40 * 1.2e-16; /* of a position near 1, in as many steps */
    const struct {
        const char *column;
        double value, error;
    } expected[] = {{"force_z:floor", force, 1e-9},
                    {"torque_x:floor", 0.3 * force, 1e-9},
                    {"torque_y:floor", -0.9 * force, 1e-9},
                    {"torque_z:floor", 0.0, 0.0},
                    {"work:floor", 0.0, 0.0},
                    {"force_z:wall 1", 0.0, 0.0},
                    {"point_z:wall 1", 1.0, 0.0},
                    {"point_x:piston%201", 0.7 - radius + way, rounding},
                    {"force_x:piston%201", -kn * way, kn * rounding},
                    {"torque_y:piston%201", 0.5 * -kn * way, kn * rounding},
                    {"torque_z:piston%201", 0.5 * kn * way, kn * rounding},
                    {"work:piston%201", 0.5 * kn * way * way, kn * way * rounding}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const double found = number(csv, expected[k].column);
        if (!(fabs(found - expected[k].value) <= expected[k].error))
            fail_msg("%s: %.17g, not %.17g", expected[k].column, found, expected[k].value);
    }
}

static void each_row_has_force_torque_place_and_work_of_the_walls(void **state)
{
    char folder[] = "/tmp/twirl-surfaces-XXXXXX", specimen[64], results[64], command[64];
    tw_error error;
    tw_csv csv = {0};
    size_t rows = 0;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(specimen, sizeof specimen, "%s/walls.h5", folder);
    snprintf(results, sizeof results, "%s/run", folder);
    save_state(specimen);
    run_in(results, specimen);
    FILE *file = fopen(tw_folder_path_join(results, "surfaces.csv").text, "r");
    assert_non_null(file);
    assert_true(tw_csv_open(&csv, file, "surfaces.csv", &error));
    assert_int_equal(csv.columns, 4 + 3 * 10 + 1);
    for (; tw_csv_next(&csv); rows++)
        check_row(&csv);
    assert_int_equal(rows, 5);
    tw_csv_close(&csv);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_has_force_torque_place_and_work_of_the_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
