/* SPDX-License-Identifier: BSD-3-Clause */
/* The trial behind an estimate: it can be interrupted, and what is cut off is extrapolated. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/run.h>
#include <twirl/scenario.h>

static const char folder[] = "test_run_estimate";

static int make_folder(void **state)
{
    (void)state;
    return mkdir(folder, 0777) != 0 || setenv("TMPDIR", folder, 1) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails if a trial has left something behind */
}

/* The trials, by the folders that have appeared. */
typedef struct watch {
    char seen[4][64];
    size_t trials;
    bool stop;
} watch;

static void note(watch *w, const char *name)
{
    for (size_t k = 0; k < w->trials; k++)
        if (strcmp(w->seen[k], name) == 0) return;
    assert_true(w->trials < 4 && strlen(name) < sizeof w->seen[0]);
    memcpy(w->seen[w->trials++], name, strlen(name) + 1);
}

static int stop(void *context)
{
    watch *w = context;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry = readdir(all); entry; entry = readdir(all))
        if (entry->d_name[0] != '.') note(w, entry->d_name);
    closedir(all);
    return w->stop && w->trials > 0;
}

static tw_status estimate_text(const char *text, double seconds, watch *w, tw_run_estimate *out,
                               tw_error *error)
{
    tw_scenario_errors errors = {0};
    tw_scenario *s = tw_scenario_read_text(text, strlen(text), "test", NULL, 0, &errors);
    assert_non_null(s);
    const tw_run_estimate_plan plan = {
        .threads = 1, .device = "cpu", .seconds = seconds, .stop = stop, .context = w};
    tw_scenario_errors_free(&errors);
    const tw_status status = tw_run_estimate_make(s, &plan, out, error);
    tw_scenario_free(s);
    return status;
}

static tw_status estimate(const char *count, double seconds, watch *w, tw_run_estimate *out,
                          tw_error *error)
{
    char text[200];
    snprintf(text, sizeof text,
             "specimen: {count: %s, preparation: {pressure: 100 kPa, friction: 0.3}}\n"
             "material: {stiffness_level: 200, friction: 0.5}\n",
             count);
    return estimate_text(text, seconds, w, out, error);
}

static void the_trial_can_be_interrupted(void **state)
{
    (void)state;
    watch w = {.stop = true};
    tw_run_estimate out;
    tw_error error;
    assert_int_equal(estimate("60", 100.0, &w, &out, &error), TW_STATUS_INTERRUPTED);
    assert_int_equal(w.trials, 1);
    tw_run_estimate_free(&out);
}

/* By how far it came. At the start of a compression half of the way is not seen: settling. */
static void a_specimen_that_takes_too_long_is_extrapolated(void **state)
{
    (void)state;
    watch w = {0};
    tw_run_estimate whole, cut;
    tw_error error;
    assert_int_equal(estimate("200", 100.0, &w, &whole, &error), TW_STATUS_OK);
    assert_int_equal(estimate("200", whole.seconds / 12.0, &w, &cut, &error), TW_STATUS_OK);
    assert_int_equal(w.trials, 2);
    assert_true(whole.grains == 200 && cut.grains == 200);
    check_at_most(fabs(log(cut.steps / whole.steps)), log(1.7));
    assert_true(whole.seconds > 0.0 && cut.seconds > 0.0);
    tw_run_estimate_free(&whole);
    tw_run_estimate_free(&cut);
}

/* What is measured may end the stage at any time: its limit of strain is the bound. */
static void stages_that_measured_values_end_are_bounded(void **state)
{
    (void)state;
    static const char text[] =
        "specimen: {count: 100, preparation: {pressure: 100 kPa, friction: 0.3}}\n"
        "material: {stiffness_level: 200, friction: 0.5}\n"
        "stages:\n"
        "  - {path: triaxial, inertial_number: 1e-4, end: {past_peak: 10 %, strain: 20 %}}\n"
        "  - {path: triaxial, inertial_number: 1e-2, end: {strain: 0.1 %}}\n";
    watch w = {0};
    tw_run_estimate out;
    tw_error error;
    /* Processor time enough for a trial of both stages with sanitizers, too. */
    if (estimate_text(text, 2.0, &w, &out, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    assert_int_equal(out.parts[1].bound, 1);
    assert_int_equal(out.parts[2].bound, 0);
    assert_true(out.parts[1].steps > 1e5 && out.parts[2].steps < 1e4);
    check_at_most(fabs(out.steps - out.parts[0].steps - out.parts[1].steps - out.parts[2].steps),
                  1e-6);
    tw_run_estimate_free(&out);
}

/* Eight spheres that do not touch: at the pace of the stage it takes some hundred thousand steps
 * until they do, and up to then there is no stress to judge by. */
static void the_length_of_a_compression_without_contacts_is_not_known(void **state)
{
    (void)state;
    static const char file[] = "test_run_estimate.csv";
    static const char text[] = "specimen: {file: test_run_estimate.csv}\n"
                               "material: {kn: 1e5, friction: 0.5}\n"
                               "stages:\n"
                               "  - {path: isotropic, pressure: 100 kPa}\n"
                               "  - {path: oedometer, end: {stress: 200 kPa}}\n";
    watch w = {0};
    tw_run_estimate out;
    tw_error error;
    FILE *csv = fopen(file, "w");
    assert_non_null(csv);
    fprintf(csv, "# cell: 4e-3 0 0  0 4e-3 0  0 0 4e-3\nx,y,z,r\n");
    for (int k = 0; k < 8; k++)
        fprintf(csv, "%ge-3,%ge-3,%ge-3,5e-4\n", 1.0 + 2 * (k % 2), 1.1 + 2 * (k / 2 % 2),
                1.2 + 2 * (k / 4));
    assert_int_equal(fclose(csv), 0);
    if (estimate_text(text, 0.01, &w, &out, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    assert_int_equal(out.count, 3);
    assert_true(isnan(out.parts[1].steps) && isnan(out.parts[2].steps) && isnan(out.steps));
    assert_true(out.disk < 1e7);
    tw_run_estimate_free(&out);
    assert_int_equal(remove(file), 0);
}

/* A trial is a whole run. The file has no cell. */
static void errors_may_be_null(void **state)
{
    (void)state;
    static const char file[] = "test_run_estimate.csv";
    static const char text[] = "specimen: {file: test_run_estimate.csv}\n"
                               "material: {kn: 1e5, friction: 0.5}\n"
                               "stages: [{path: isotropic, pressure: 100 kPa}]\n";
    watch w = {0};
    tw_run_estimate out;
    FILE *csv = fopen(file, "w");
    assert_non_null(csv);
    fprintf(csv, "x,y,z,r\n0,0,0,1e-3\n");
    assert_int_equal(fclose(csv), 0);
    assert_int_equal(estimate("60", 1.0, &w, &out, NULL), TW_STATUS_OK);
    tw_run_estimate_free(&out);
    assert_int_equal(estimate_text(text, 1.0, &w, &out, NULL), TW_STATUS_INPUT);
    tw_run_estimate_free(&out);
    tw_scenario_errors errors = {0};
    tw_scenario *s = tw_scenario_read_text(text, strlen(text), "test", NULL, 0, &errors);
    assert_non_null(s);
    tw_scenario_errors_free(&errors);
    assert_int_equal(tw_run_check_device(s, "cpu", NULL), TW_STATUS_INPUT);
    tw_scenario_free(s);
    assert_int_equal(remove(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trial_can_be_interrupted),
        cmocka_unit_test(a_specimen_that_takes_too_long_is_extrapolated),
        cmocka_unit_test(stages_that_measured_values_end_are_bounded),
        cmocka_unit_test(errors_may_be_null),
        cmocka_unit_test(the_length_of_a_compression_without_contacts_is_not_known),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
