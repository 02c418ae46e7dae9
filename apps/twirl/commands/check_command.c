/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl check: is a scenario right, and what would it do? */
#include "commands/commands.h"
#include "common/args.h"
#include "scenario/scenario_options.h"
#include "scenario/scenario_summary.h"

#include <stdio.h>

typedef struct settings {
    tw_scenario_options scenario;
    bool resolved;
} settings;

enum { KEY_RESOLVED = 256 };

static const struct argp_option options[] = {
    {"resolved", KEY_RESOLVED, NULL, 0,
     "print the scenario with every default filled in, as YAML, instead of the summary", 0},
    {0}};

static const struct argp_child children[] = {{&tw_scenario_options_argp, 0, NULL, 0}, {0}};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    settings *set = state->input;
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

static bool print_resolved(const tw_scenario *scenario)
{
    char *text = tw_scenario_write_text(scenario);
    if (!text) return false;
    fputs(text, stdout);
    free(text);
    return true;
}

static const char description[] =
    "Reads the scenario in FILE and says, in short lines, what would be run. Everything that is "
    "wrong with it is listed, with file, line, column and key."
    "\vExit status: 0 the scenario is right, 2 it is not or the options are bad, 1 no memory or no "
    "output.";

static const struct argp argp = {options, parse_option, "FILE", description, children, NULL, NULL};

int tw_check_command(int argc, char **argv)
{
    settings set = {0};
    tw_args_parse(&argp, argc, argv, &set);
    tw_scenario *scenario = NULL;
    int status = tw_scenario_options_read(&set.scenario, argv[0], &scenario);
    bool done = true;
    if (status == TW_EXIT_OK && set.resolved)
        done = print_resolved(scenario);
    else if (status == TW_EXIT_OK)
        status = tw_scenario_summary(scenario, set.scenario.path, argv[0]);
    tw_scenario_free(scenario);
    tw_scenario_options_free(&set.scenario);
    if (done && fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "%s: %s\n", argv[0], done ? "cannot write stdout" : "out of memory");
    return TW_EXIT_ENVIRONMENT;
}
