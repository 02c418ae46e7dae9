/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults that follow from other keys. */
#ifndef TW_SCENARIO_RESOLVE_H
#define TW_SCENARIO_RESOLVE_H

#include <stdbool.h>

#include <twirl/scenario.h>

/* Fills in a scenario that has been found right. False: out of memory. Doing it twice changes
 * nothing. */
bool tw_resolve(tw_scenario *scenario);

typedef struct tw_resolve_name {
    char text[96];
} tw_resolve_name;

/* The name of a stage, given or "2_triaxial". */
tw_resolve_name tw_resolve_stage_name(const tw_scenario *scenario, size_t stage);

#endif
