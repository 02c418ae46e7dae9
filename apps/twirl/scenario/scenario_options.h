/* SPDX-License-Identifier: BSD-3-Clause */
/* FILE and --set, for every command that takes a scenario. */
#ifndef TWIRL_APP_SCENARIO_OPTIONS_H
#define TWIRL_APP_SCENARIO_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <twirl/scenario.h>

typedef struct tw_scenario_options {
    const char *path;
    const char **settings; /* of --set, in their order */
    size_t count;
} tw_scenario_options;

/* A child for struct argp; its input is a tw_scenario_options of zeros. */
extern const struct argp tw_scenario_options_argp;

/* Reads the scenario. Anything but TW_EXIT_OK: the errors have been printed, and *scenario is NULL.
 */
int tw_scenario_options_read(const tw_scenario_options *given, const char *command,
                             tw_scenario **scenario);

void tw_scenario_options_free(tw_scenario_options *given);

#endif
