/* SPDX-License-Identifier: BSD-3-Clause */
/* The trials behind an estimate: each can be interrupted, and one that is cut off does not count.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/math.h>
#include <twirl/run.h>
#include <twirl/scenario.h>

#include "base/environment.h"

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

/* Which trial is under way, by the folders that have appeared, and what happens in it. */
typedef struct watch {
    char seen[4][64];
    size_t trials;
    size_t stop_in;   /* from 1; 0: in none */
    size_t burn_in;   /* as above */
    double burn_till; /* processor time, once it is set [s] */
    double burn;      /* [s] */
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
    if (w->trials == w->burn_in && w->burn_till == 0.0) {
        w->burn_till = tw_clock_thread() + w->burn;
        while (tw_clock_thread() < w->burn_till) {
        }
    }
    return w->stop_in > 0 && w->trials >= w->stop_in;
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

/* 60 grains have three trials: one more seed, and one with a dozen grains. */
static void every_trial_can_be_interrupted(void **state)
{
    (void)state;
    for (size_t trial = 1; trial <= 3; trial++) {
        watch w = {.stop_in = trial};
        tw_run_estimate out;
        tw_error error;
        assert_int_equal(estimate("60", 100.0, &w, &out, &error), TW_STATUS_INTERRUPTED);
        assert_int_equal(w.trials, trial);
        tw_run_estimate_free(&out);
    }
}

/* Processor time of the first trial of 20 grains [s]. */
static double duration_of_a_trial(void)
{
    watch w = {.stop_in = 2};
    tw_run_estimate out;
    tw_error error;
    const double start = tw_clock_thread();
    assert_int_equal(estimate("20", 100.0, &w, &out, &error), TW_STATUS_INTERRUPTED);
    tw_run_estimate_free(&out);
    return tw_clock_thread() - start;
}

/* A trial has three times the seconds of the plan for its specimen, and there is a second one
 * unless the first has taken twice the seconds. Processor time is used up to bring both about. */
static void a_trial_that_is_cut_off_does_not_count(void **state)
{
    (void)state;
    const double seconds = tw_math_max(0.2, 4.0 * duration_of_a_trial());
    watch alone = {.burn_in = 1, .burn = 2.1 * seconds}, cut = {.burn_in = 2, .burn = 3 * seconds};
    tw_run_estimate one, two;
    tw_error error;
    assert_int_equal(estimate("20", seconds, &alone, &one, &error), TW_STATUS_OK);
    assert_int_equal(alone.trials, 1);
    assert_int_equal(estimate("20", seconds, &cut, &two, &error), TW_STATUS_OK);
    assert_int_equal(cut.trials, 2);
    assert_true(one.parts[0].steps > 0.0);
    assert_true(one.parts[0].steps == two.parts[0].steps);
    tw_run_estimate_free(&one);
    tw_run_estimate_free(&two);
}

/* It says so, and does not speak of a file that nobody has heard of. */
static void a_first_trial_that_is_cut_off_is_an_error(void **state)
{
    (void)state;
    const double seconds = 0.2;
    watch w = {.burn_in = 1, .burn = 3 * seconds};
    tw_run_estimate out;
    tw_error error;
    assert_int_equal(estimate("20", seconds, &w, &out, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "its specimen was not ready after "));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_can_be_interrupted),
        cmocka_unit_test(a_trial_that_is_cut_off_does_not_count),
        cmocka_unit_test(a_first_trial_that_is_cut_off_is_an_error),
        cmocka_unit_test(the_length_of_a_compression_without_contacts_is_not_known),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
