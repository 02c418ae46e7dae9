/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl check: checks and summarises a scenario. */
#include "commands/check_command.h"

#include "common/args.h"
#include "common/exit_status.h"
#include "common/output.h"
#include "scenario/scenario_options.h"
#include "scenario/scenario_summary.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct check_options {
    tw_scenario_options scenario;
    bool resolved;
} check_options;

enum { KEY_RESOLVED = 256 };

static const struct argp_option options[] = {
    {"resolved", KEY_RESOLVED, NULL, 0,
     "instead of the summary, print the scenario as YAML with all defaults filled in", 0},
    {0}};

static const struct argp_child children[] = {{&tw_scenario_options_argp, 0, NULL, 0}, {0}};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    check_options *set = state->input;
    (void)text;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &set->scenario;
        break;
    case KEY_RESOLVED:
        set->resolved = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static int print_resolved(const tw_scenario *scenario, const char *command)
{
    char *text = tw_scenario_write_text(scenario);
    if (!text) {
        fprintf(stderr, "%s: out of memory\n", command);
        return TW_EXIT_ENVIRONMENT;
    }
    fputs(text, stdout);
    free(text);
    return TW_EXIT_OK;
}

static const char description[] =
    "Checks the scenario in FILE and prints a summary of what would be run. Every error is listed "
    "with file, line, column and key."
    "\vExit status: 0 the scenario is valid, 1 out of memory or output not written, 2 bad options "
    "or "
    "an invalid scenario.";

static const struct argp argp = {options, parse_option, "FILE", description, children, NULL, NULL};

int tw_check_command(int argc, char **argv)
{
    check_options set = {0};
    tw_args_parse(&argp, argc, argv, &set);
    tw_scenario *scenario = NULL;
    int status = tw_scenario_options_read(&set.scenario, argv[0], &scenario);
    if (status == TW_EXIT_OK)
        status = set.resolved ? print_resolved(scenario, argv[0])
                              : tw_scenario_summary(scenario, set.scenario.path, argv[0]);
    tw_scenario_free(scenario);
    tw_scenario_options_free(&set.scenario);
    return tw_output_finish(argv[0], status);
}
