/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults that depend on other keys. */
#ifndef TW_SCENARIO_RESOLVE_H
#define TW_SCENARIO_RESOLVE_H

#include <stdbool.h>

#include <twirl/scenario.h>

/* Completes a scenario that has passed all checks. False: out of memory. Idempotent. */
bool tw_resolve_scenario(tw_scenario *scenario);

typedef struct tw_resolve_name {
    char text[96];
} tw_resolve_name;

/* The name of a stage, as given, or "2_triaxial". */
tw_resolve_name tw_resolve_stage_name(const tw_scenario *scenario, size_t stage);

/* The Lode angle of a true triaxial stage, given as such or as `b` [rad]. */
double tw_resolve_lode_angle(const tw_scenario_stage *stage);

#endif
