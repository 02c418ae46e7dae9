/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about the stress at the start of each stage before the scenario is run. */
#ifndef TW_SCENARIO_STRESS_STATE_H
#define TW_SCENARIO_STRESS_STATE_H

#include <stdbool.h>

#include <twirl/scenario.h>

typedef struct tw_stress_state {
    double p;       /* mean stress [Pa]; NaN: not known */
    bool isotropic; /* known to be isotropic */
} tw_stress_state;

/* At the start of each stage, for the caller to free; NULL: out of memory, or no stages. */
tw_stress_state *tw_stress_state_predict(const tw_scenario *scenario);

#endif
