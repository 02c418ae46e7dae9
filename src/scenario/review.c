/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <twirl/math.h>

#include "scenario/fill.h"
#include "scenario/growing.h"

#define PI 3.14159265358979323846

void tw_review_say(const tw_review *review, tw_node *map, const tw_trail *trail, const char *key,
                   const char *format, ...)
{
    const tw_trail here = {trail, key, 0};
    char text[512]; /* names are short: all of it fits */
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) text[0] = '\0';
    va_end(arguments);
    tw_faults_add(review->faults, tw_fill_place(map, key), &here, "%s", text);
    tw_tree_blame(map);
}

/* The principal stresses are p + 2/3 q cos(lode - k 120 deg); the smallest must stay above 0. */
double tw_review_ratio_limit(double lode_angle)
{
    double least = 1.0;
    for (int k = 0; k < 3; k++)
        least = tw_math_min(least, tw_math_cos(lode_angle - k * 2.0 * PI / 3.0));
    return -1.5 / least;
}

static tw_review_state state_after(const tw_scenario_stage *stage, tw_review_state start)
{
    const tw_review_state unknown = {.p = nan("")};
    switch (stage->path) {
    case TW_SCENARIO_ISOTROPIC:
        return (tw_review_state){stage->pressure, true};
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return (tw_review_state){isfinite(stage->pressure) ? stage->pressure : start.p, false};
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

void tw_review_states(const tw_scenario *scenario, tw_review_state *states)
{
    const tw_review_state first = {scenario->specimen.preparation.pressure, true};
    tw_review_state now = first;
    for (size_t i = 0; i < scenario->stage_count; i++) {
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
}
