/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/scenario_options.h"

#include "common/args.h"
#include "common/exit_status.h"
#include "common/output.h"

#include <stdio.h>
#include <stdlib.h>

/* Clear of the keys of the commands, which start at 256. */
enum { KEY_SET = 2048 };

static const struct argp_option options[] = {
    {"set", KEY_SET, "KEY=VALUE", 0,
     "override a key of FILE: material.friction=0.4, stages[2].rate=1e-3, "
     "stages[shear].end.strain=0.1; an empty VALUE removes the key; may be repeated",
     0},
    {0}};

static void add_setting(struct argp_state *state, tw_scenario_options *given, const char *text)
{
    const char **settings = realloc(given->settings, (given->count + 1) * sizeof *settings);
    if (!settings) {
        argp_failure(state, TW_EXIT_ENVIRONMENT, 0, "out of memory");
        return;
    }
    given->settings = settings;
    given->settings[given->count++] = text;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    tw_scenario_options *given = state->input;
    switch (key) {
    case KEY_SET:
        add_setting(state, given, text);
        break;
    case ARGP_KEY_ARG:
        tw_args_once(state, "FILE", text, &given->path);
        break;
    case ARGP_KEY_END:
        if (!given->path) argp_error(state, "FILE is missing: a scenario");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp tw_scenario_options_argp = {options, parse_option, NULL, NULL, NULL, NULL, NULL};

void tw_scenario_options_free(tw_scenario_options *given)
{
    free(given->settings);
    *given = (tw_scenario_options){0};
}

int tw_scenario_options_read(const tw_scenario_options *given, const char *command,
                             tw_scenario **scenario)
{
    tw_scenario_errors errors;
    *scenario = tw_scenario_read(given->path, given->settings, given->count, &errors);
    for (size_t i = 0; i < errors.warning_count; i++)
        fprintf(stderr, "%s\n", errors.warning[i]);
    for (size_t i = 0; i < errors.count; i++)
        fprintf(stderr, "%s\n", errors.text[i]);
    const int status = *scenario              ? TW_EXIT_OK
                       : errors.out_of_memory ? TW_EXIT_ENVIRONMENT
                                              : TW_EXIT_USAGE;
    if (errors.out_of_memory)
        fprintf(stderr, "%s: out of memory\n", command);
    else if (errors.count > 0)
        fprintf(stderr, "%s: %zu error%s in %s\n", command, errors.count,
                tw_output_plural(errors.count), given->path);
    tw_scenario_errors_free(&errors);
    return status;
}
