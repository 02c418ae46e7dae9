/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/stress_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tw_stress_state state_after(const tw_scenario_stage *stage, tw_stress_state start)
{
    const tw_stress_state unknown = {.p = nan("")};
    switch (stage->path) {
    case TW_SCENARIO_ISOTROPIC:
        return (tw_stress_state){stage->pressure, true};
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return (tw_stress_state){isfinite(stage->pressure) ? stage->pressure : start.p, false};
    case TW_SCENARIO_RELAX:
        return stage->hold == TW_SCENARIO_HOLD_STRESS ? start : unknown;
    case TW_SCENARIO_ROTATE:
        return start;
    case TW_SCENARIO_PROBES:
        return stage->probes.settle_steps == 0 ? start : unknown;
    default:
        return unknown;
    }
}

tw_stress_state *tw_stress_state_predict(const tw_scenario *scenario)
{
    const tw_stress_state first = {scenario->specimen.preparation.pressure, true};
    tw_stress_state *states = calloc(scenario->stage_count, sizeof *states);
    tw_stress_state now = first;
    for (size_t i = 0; states && i < scenario->stage_count; i++) {
        const tw_scenario_stage *stage = &scenario->stages[i];
        if (stage->from && strcmp(stage->from, "specimen") == 0) now = first;
        for (size_t k = 0; stage->from && k < i; k++) {
            const char *saved = scenario->stages[k].save;
            if (saved && strcmp(saved, stage->from) == 0)
                now = state_after(&scenario->stages[k], states[k]);
        }
        states[i] = now;
        now = state_after(stage, now);
    }
    return states;
}
