/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a run cannot remove stay, and the caller hears of each of them. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/run.h>
#include <twirl/scenario.h>

static const char text[] = "specimen: {count: 30, preparation: {pressure: 100 kPa, friction: 0.05,"
                           " inertial_number: 0.05, unbalanced: 0.01}}\n"
                           "material: {stiffness_level: 300, friction: 0.5}\n"
                           "stages: [{name: p, path: probes, probes: {count: 8, strain: 1e-5,"
                           " steps: 4, rest_steps: 6, settle_steps: 5}}]\n";

static bool read_only;
static char remarks[2000];

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);

int __wrap_unlink(const char *path)
{
    if (!read_only || access(path, F_OK) != 0) return __real_unlink(path);
    errno = EROFS;
    return -1;
}

static void keep_remark(const char *line, void *context)
{
    (void)context;
    const size_t used = strlen(remarks);
    snprintf(remarks + used, sizeof remarks - used, "%s\n", line);
}

static int make_folder(void **state)
{
    static char folder[64];
    snprintf(folder, sizeof folder, "/tmp/twirl-leftovers-XXXXXX");
    remarks[0] = '\0';
    *state = mkdtemp(folder);
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[160];
    read_only = false;
    snprintf(command, sizeof command, "rm -r %s", (const char *)*state);
    return system(command);
}

static void run_in(const char *folder, bool resume)
{
    tw_error error;
    tw_scenario_errors errors;
    tw_scenario *scenario = tw_scenario_read_text(text, strlen(text), "text", NULL, 0, &errors);
    assert_non_null(scenario);
    const tw_run_plan plan = {
        .folder = folder, .resume = resume, .threads = 1, .remark = keep_remark};
    if (tw_run_scenario(scenario, &plan, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(scenario);
}

static void each_is_named_with_the_reason(void **state)
{
    char expected[400];
    const char *folder = *state;
    read_only = true;
    run_in(folder, false);
    snprintf(expected, sizeof expected,
             "warning: cannot remove %s/stages/p/part.txt: Read-only file system; it is not needed "
             "any more\nwarning: cannot remove %s/lock: Read-only file system; it is not needed "
             "any more\n",
             folder, folder);
    assert_string_equal(remarks, expected);
    remarks[0] = '\0';
    read_only = false;
    run_in(folder, true); /* they are no obstacle */
    assert_string_equal(remarks, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_is_named_with_the_reason, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
