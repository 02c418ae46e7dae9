/* SPDX-License-Identifier: BSD-3-Clause */
/* Each public function that takes a tw_error fails in the same way without one, and says why if it
 * has one. The calls are made from the headers (calls.py). */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/twirl.h>

#include "../must.h"

#define REFUSED ((tw_status)-1) /* of a function that returns a pointer */

struct call {
    const char *name;
    tw_status (*run)(tw_error *error);
    int may_work;
};

/* What functions are given: two bodies at the same place, which no function can prepare, and
 * things that lead nowhere. */
static struct {
    tw_sim *sim, *good;
    tw_export_series *series;
    tw_specimen *specimen;
    tw_scenario *scenario;
    tw_figure_request request;
    tw_run_plan plan;
    tw_run_estimate_plan estimate;
    tw_sim_field_grid grid;
    tw_sphere sphere;
    tw_contact_state contact, *list;
    double numbers[64];
    unsigned char bytes[64];
    size_t count;
    char *text;
} scene;

static const tw_sim_field_grid points = {{2, 2, 2}, {0.25, 0.25, 0.25}, 0.4};

#include "calls.inc"

/* Two bodies, at a distance. */
static tw_sim *make_sim(double distance)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = def.law.k_r = 1e6;
    def.law.mu_r = 0.1;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    for (int k = 0; k < 2; k++) {
        tw_body_def body = tw_body_def_default();
        body.size = 0.1;
        body.x.x = k * distance;
        must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
    return sim;
}

static void make_files(void)
{
    tw_error error;
    char folder[] = "interface-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/grains.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("x,y,z,radius\n0,0,0,1\n", file);
    fclose(file);
    scene.specimen = tw_specimen_read(path, &error);
    if (!scene.specimen) fail_msg("%s", error.text);
    remove(path);
    scene.series = tw_export_series_open(folder, "series", &error);
    if (!scene.series) fail_msg("%s", error.text);
    assert_int_equal(rmdir(folder), 0); /* nothing more can be written there */
}

static void make_scene(void)
{
    static const char *const input = "no/such/run";
    static const char text[] =
        "specimen: {file: " KEPT "/format_8.h5}\nmaterial: {kn: 1 MN/m}\n"; /* nothing to run */
    tw_scenario_errors errors;
    scene.sim = make_sim(0.0);
    scene.good = make_sim(0.199);
    must_prepare(scene.good);
    make_files();
    scene.scenario = tw_scenario_read_text(text, sizeof text - 1, "text", NULL, 0, &errors);
    if (!scene.scenario) fail_msg("%s", errors.text[0]);
    tw_scenario_errors_free(&errors);
    for (size_t k = 0; k < sizeof scene.numbers / sizeof *scene.numbers; k++)
        scene.numbers[k] = (double)NAN;
    scene.request.inputs = &input;
    scene.request.input_count = 1;
    scene.plan.folder = "no/such/folder";
}

static void functions_fail_in_the_same_way_without_an_error(void **state)
{
    (void)state;
    make_scene();
    size_t wrong = 0;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        tw_error error = {TW_STATUS_OK, "before"};
        print_message("%s\n", calls[k].name);
        const tw_status with = calls[k].run(&error), without = calls[k].run(NULL);
        const char *what = "";
        if (with != without)
            what = "another status without an error";
        else if (with == TW_STATUS_OK)
            what = calls[k].may_work ? "" : "it works";
        else if (error.status == TW_STATUS_OK || !*error.text)
            what = "no reason";
        else if (error.status != with && with != REFUSED)
            what = "another status in the error";
        if (*what) print_error("%s: %s (%d, %d)\n", calls[k].name, what, (int)with, (int)without);
        wrong += *what != '\0';
    }
    assert_int_equal(wrong, 0);
}

static void too_little_room_is_refused_with_both_numbers(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof without_room / sizeof *without_room; k++) {
        tw_error error;
        print_message("%s\n", without_room[k].name);
        assert_int_equal(without_room[k].run(NULL), TW_STATUS_INPUT);
        assert_int_equal(without_room[k].run(&error), TW_STATUS_INPUT);
        if (!strstr(error.text, "are needed, the array has 0")) fail_msg("%s", error.text);
    }
}

static void structs_that_no_default_function_made_are_refused(void **state)
{
    (void)state;
    const tw_material made = tw_material_default(), material = {0};
    tw_contact_law law;
    for (size_t k = 0; k < sizeof not_made / sizeof *not_made; k++) {
        tw_error error = {TW_STATUS_OK, ""};
        print_message("%s\n", not_made[k].name);
        (void)not_made[k].run(&error);
        assert_int_equal(error.status, TW_STATUS_INPUT);
        if (!strstr(error.text, not_made[k].name)) fail_msg("%s", error.text);
    }
    assert_non_null(strstr(tw_material_check(&material), "tw_material_default"));
    assert_non_null(strstr(tw_material_pair_law(&material, &made, &law), "tw_material_default"));
}

/* Numbers of new objects may be NULL where they succeed, too. */
static void numbers_of_new_objects_may_be_null(void **state)
{
    (void)state;
    const tw_error error = {TW_STATUS_OK, ""};
    const tw_sphere sphere = {{0.0, 0.0, 0.0}, 1.0};
    const tw_wall_def wall = tw_wall_def_default();
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = 1e6;
    def.periodic[2] = 0;
    tw_sim *sim = tw_sim_create(&def, NULL);
    assert_non_null(sim);
    must_succeed(tw_sim_add_material(sim, "steel", 7800.0, NULL, NULL), &error);
    must_succeed(tw_sim_add_shape(sim, &sphere, 1, NULL, NULL), &error);
    must_succeed(tw_sim_add_shape_bumpy(sim, 4, 0.5, 0.7, 0.6, NULL, NULL), &error);
    must_succeed(tw_sim_add_wall(sim, &wall, NULL, NULL), &error);
    tw_sim_free(sim);
}

static int free_scene(void **state)
{
    (void)state;
    tw_sim_free(scene.sim);
    tw_sim_free(scene.good);
    tw_specimen_free(scene.specimen);
    tw_scenario_free(scene.scenario);
    tw_export_series_close(scene.series);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_fail_in_the_same_way_without_an_error),
        cmocka_unit_test(too_little_room_is_refused_with_both_numbers),
        cmocka_unit_test(structs_that_no_default_function_made_are_refused),
        cmocka_unit_test(numbers_of_new_objects_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, free_scene);
}
