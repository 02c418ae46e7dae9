/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/scenario_options.h"

#include "common/args.h"
#include "common/exit_status.h"
#include "common/output.h"

#include <stdio.h>
#include <stdlib.h>

static void add_setting(const struct argp_state *state, const char *option, char *text,
                        void *member)
{
    tw_scenario_options *given = member;
    const char **settings = realloc(given->settings, (given->count + 1) * sizeof *settings);
    (void)option;
    if (!settings) {
        argp_failure(state, TW_EXIT_ENVIRONMENT, 0, "out of memory");
        return;
    }
    given->settings = settings;
    given->settings[given->count++] = text;
}

static const tw_args_option options[] = {
    {NULL, "FILE", NULL, tw_args_once, offsetof(tw_scenario_options, path)},
    {"set", "KEY=VALUE",
     "override a key of FILE: material.friction=0.4, stages[2].rate=1e-3, "
     "stages[shear].end.strain=0.1; an empty VALUE removes the key; may be repeated",
     add_setting, 0},
    {0}};

static void check(const struct argp_state *state, void *settings)
{
    const tw_scenario_options *given = settings;
    if (!given->path) argp_error(state, "FILE is missing: a scenario");
}

const tw_args_table tw_scenario_options_table = {options, check};

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
