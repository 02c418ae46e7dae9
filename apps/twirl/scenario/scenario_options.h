/* SPDX-License-Identifier: BSD-3-Clause */
/* FILE and --set, for every command that takes a scenario. */
#ifndef TWIRL_APP_SCENARIO_OPTIONS_H
#define TWIRL_APP_SCENARIO_OPTIONS_H

#include <stddef.h>

#include <twirl/scenario.h>

#include "common/args.h"

typedef struct tw_scenario_options {
    const char *path;
    const char **settings; /* of --set, in order */
    size_t count;
} tw_scenario_options;

/* FILE and --set, for settings of the type tw_scenario_options that are zero. */
extern const tw_args_table tw_scenario_options_table;

/* Reads the scenario. Returns an exit status; unless it is TW_EXIT_OK, errors have been printed and
 * *scenario is NULL. */
int tw_scenario_options_read(const tw_scenario_options *given, const char *command,
                             tw_scenario **scenario);

void tw_scenario_options_free(tw_scenario_options *given);

#endif
