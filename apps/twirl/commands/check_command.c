/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl check: checks and summarises a scenario. */
#include "commands/commands.h"

#include "common/args.h"
#include "common/output.h"
#include "scenario/scenario.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct check_options {
    tw_scenario_options scenario;
    int threads;
    const char *device; /* NULL: not given */
    bool quick, resolved;
} check_options;

static const tw_args_option options[] = {
    {"quick", NULL, "no trial: only the steps that follow from the scenario, and no times",
     tw_args_flag, offsetof(check_options, quick)},
    {"threads", "N", "number of threads of the run, for its time", tw_args_threads,
     offsetof(check_options, threads)},
    {"device", "NAME", "device of the run, as in twirl run, for its time", tw_args_device,
     offsetof(check_options, device)},
    {"resolved", NULL,
     "instead of the summary, print the scenario as YAML with all defaults filled in", tw_args_flag,
     offsetof(check_options, resolved)},
    {0}};

static int print_resolved(const tw_scenario *scenario)
{
    char *text = tw_exit_unless(tw_scenario_write_text(scenario));
    fputs(text, stdout);
    free(text);
    return TW_EXIT_OK;
}

static int is_interrupted(void *context)
{
    (void)context;
    return tw_interrupt_signal() != 0;
}

/* What the device of the run cannot do, and surfaces that are not right. */
static bool is_refused(const check_options *set, const tw_scenario *scenario, const char *command)
{
    tw_error error;
    if (!set->device && !getenv("TWIRL_DEVICE") && scenario->surface_count == 0) return false;
    const tw_status status = tw_run_check_device(scenario, set->device, &error);
    if (status == TW_STATUS_OK || status == TW_STATUS_DEVICE) return false;
    fprintf(stderr, "%s: %s: %s\n", command, set->scenario.path, error.text);
    return true;
}

/* The summary, with an estimate unless that fails, which does not make the scenario invalid. */
static int print_summary(const check_options *set, const tw_scenario *scenario, const char *command)
{
    const tw_run_estimate_plan plan = {
        .threads = set->threads, .device = set->device, .seconds = 2.0, .stop = is_interrupted};
    const char *path = set->scenario.path;
    tw_run_estimate estimate;
    tw_error error;
    if (is_refused(set, scenario, command)) return TW_EXIT_USAGE;
    const bool runs = tw_run_check(scenario, &error) == TW_STATUS_OK;
    if (!runs) fprintf(stderr, "%s: warning: it cannot be run here: %s\n", path, error.text);
    if (set->quick || !runs) return tw_scenario_summary(scenario, path, NULL, command);
    tw_interrupt_watch();
    const tw_status status = tw_run_estimate_make(scenario, &plan, &estimate, &error);
    const bool good = status == TW_STATUS_OK;
    int done = TW_EXIT_SIGNAL + tw_interrupt_signal();
    if (status != TW_STATUS_INTERRUPTED)
        done = tw_scenario_summary(scenario, path, good ? &estimate : NULL, command);
    if (!good && done == TW_EXIT_OK)
        fprintf(stderr, "%s: time and memory are not known: the trial with few grains ended: %s\n",
                command, error.text);
    tw_run_estimate_free(&estimate);
    return done;
}

static const char description[] =
    "Checks the scenario in FILE and prints a summary of what would be run. Every error is listed "
    "with file, line, column and key. Steps, time and memory are estimated by a trial with few "
    "grains, which takes some seconds."
    "\vExit status: 0 the scenario is valid, 1 out of memory or output not written, 2 bad options "
    "or "
    "an invalid scenario.";

static const tw_args_command command_line = {.own = {options, NULL},
                                             .shared = &tw_scenario_options_table,
                                             .shared_offset = offsetof(check_options, scenario),
                                             .arguments = "FILE",
                                             .description = description};

int tw_check_command(int argc, char **argv)
{
    check_options set = {0};
    tw_args_parse(&command_line, argc, argv, &set);
    tw_scenario *scenario = NULL;
    int status = tw_scenario_options_read(&set.scenario, false, argv[0], &scenario);
    if (status == TW_EXIT_OK)
        status = set.resolved ? print_resolved(scenario) : print_summary(&set, scenario, argv[0]);
    tw_scenario_free(scenario);
    tw_scenario_options_free(&set.scenario);
    return tw_output_finish(argv[0], status);
}
