/* SPDX-License-Identifier: BSD-3-Clause */
/* The trials behind an estimate: each can be interrupted, and one that is cut off does not count.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include <dirent.h>
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

static tw_status estimate(const char *count, double seconds, watch *w, tw_run_estimate *out,
                          tw_error *error)
{
    char text[200];
    tw_scenario_errors errors = {0};
    snprintf(text, sizeof text,
             "specimen: {count: %s, preparation: {pressure: 100 kPa, friction: 0.3}}\n"
             "material: {stiffness_level: 200, friction: 0.5}\n",
             count);
    tw_scenario *s = tw_scenario_read_text(text, strlen(text), "test", NULL, 0, &errors);
    assert_non_null(s);
    const tw_run_estimate_plan plan = {
        .threads = 1, .device = "cpu", .seconds = seconds, .stop = stop, .context = w};
    tw_scenario_errors_free(&errors);
    const tw_status status = tw_run_estimate_make(s, &plan, out, error);
    tw_scenario_free(s);
    return status;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_can_be_interrupted),
        cmocka_unit_test(a_trial_that_is_cut_off_does_not_count),
        cmocka_unit_test(a_first_trial_that_is_cut_off_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
