/* SPDX-License-Identifier: BSD-3-Clause */
/* Does a stage end, and can it? */
#include <math.h>
#include <stdio.h>

#include "scenario/fill.h"
#include "scenario/keys.h"
#include "scenario/review.h"

#define PI 3.14159265358979323846

/* What the rules of one stage look at. */
typedef struct ending {
    const tw_review *review;
    const tw_scenario_stage *stage;
    tw_node *node, *map; /* of the stage, and of `end`, or the stage where there is none */
    tw_trail trail;      /* of `end` */
    tw_review_state start;
} ending;

static void say_never(const ending *e, const char *key, const char *why)
{
    tw_review_say(e->review, e->map, &e->trail, key, "can never come: %s", why);
}

static bool any_end(const tw_scenario_end *end)
{
    return !isnan(end->strain) || !isnan(end->stress) || !isnan(end->q) || !isnan(end->pressure) ||
           !isnan(end->stress_ratio) || !isnan(end->time) || !isnan(end->unbalanced) ||
           end->steps != TW_SCENARIO_NONE || end->cycles != TW_SCENARIO_NONE;
}

static void say_endless(const ending *e)
{
    const tw_section *stages = tw_keys_find(tw_keys_root(), "stages")->section;
    const tw_section *section = tw_keys_find(stages, "end")->section;
    char list[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < section->key_count && used < sizeof list; i++)
        if (tw_keys_in(TW_KIND(e->stage->path), section->keys[i].used))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     section->keys[i].name);
    tw_faults_add(e->review->faults, e->map->place, &e->trail,
                  "the stage has no end; expected is at least one of %s", list);
    tw_tree_blame(e->map);
}

static bool is_compression(const tw_scenario_stage *stage)
{
    return stage->direction != TW_SCENARIO_EXTENSION;
}

/* The largest q/p of the path, or infinity. */
static double ratio_limit(const tw_scenario_stage *stage)
{
    switch (stage->path) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return tw_review_ratio_limit(is_compression(stage) ? 0.0 : PI / 3.0);
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return tw_review_ratio_limit(stage->lode_angle);
    case TW_SCENARIO_GENERAL:
        return 3.0;
    default:
        return HUGE_VAL;
    }
}

static void review_ratio(const ending *e)
{
    const double limit = ratio_limit(e->stage), ratio = e->stage->end.stress_ratio;
    char why[160];
    if (!(ratio >= limit)) return;
    snprintf(why, sizeof why, "grains without cohesion stay below q/p = %.4g on this path", limit);
    say_never(e, "stress_ratio", why);
}

/* The mean stress of a path that keeps it, or NaN. */
static double mean_stress(const ending *e)
{
    const bool keeps =
        e->stage->path == TW_SCENARIO_CONSTANT_P || e->stage->path == TW_SCENARIO_TRUE_TRIAXIAL;
    if (!keeps) return nan("");
    return isfinite(e->stage->pressure) ? e->stage->pressure : e->start.p;
}

static void review_q(const ending *e)
{
    const tw_scenario_stage *stage = e->stage;
    const double p = mean_stress(e), lateral = stage->lateral_stress;
    char why[160];
    if (stage->end.q >= ratio_limit(stage) * p) {
        snprintf(why, sizeof why, "at p = %g Pa grains without cohesion stay below q = %g Pa", p,
                 ratio_limit(stage) * p);
        say_never(e, "q", why);
    }
    if (stage->path == TW_SCENARIO_TRIAXIAL && !is_compression(stage) && isfinite(lateral) &&
        stage->end.q >= lateral) {
        snprintf(why, sizeof why, "in extension q stays below the lateral stress, %g Pa", lateral);
        say_never(e, "q", why);
    }
}

/* From an isotropic state compression raises the axial stress, and extension lowers it; not so
 * where the volume is kept. */
static void review_axial_stress(const ending *e)
{
    const tw_scenario_stage *stage = e->stage;
    const double p = e->start.p;
    char why[160];
    const bool drained = stage->path == TW_SCENARIO_TRIAXIAL ||
                         stage->path == TW_SCENARIO_CONSTANT_P ||
                         stage->path == TW_SCENARIO_OEDOMETER;
    const bool elsewhere = (isfinite(stage->lateral_stress) && stage->lateral_stress != p) ||
                           (isfinite(stage->pressure) && stage->pressure != p);
    if (!drained || !e->start.isotropic || elsewhere) return;
    if (is_compression(stage) ? stage->end.stress <= p : stage->end.stress >= p) {
        snprintf(why, sizeof why, "the axial stress is %g Pa when the stage starts, and %s", p,
                 is_compression(stage) ? "rises" : "falls");
        say_never(e, "stress", why);
    }
}

static void review_general(const ending *e)
{
    const tw_scenario_end *end = &e->stage->end;
    for (size_t k = 0; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_scenario_component *c = &e->stage->control.component[k];
        if (!isnan(c->stress) || c->rate != 0.0) return;
    }
    if (!isnan(end->strain)) say_never(e, "strain", "no component has a rate or a stress target");
}

static void review_cyclic(const ending *e)
{
    const tw_scenario_stage *stage = e->stage;
    char why[160];
    if (stage->end.strain > stage->cycle.strain) {
        snprintf(why, sizeof why, "the strain turns at %g", stage->cycle.strain);
        say_never(e, "strain", why);
    }
    if (stage->cycle.base == TW_SCENARIO_CONSTANT_P && !isnan(stage->end.pressure))
        say_never(e, "pressure", "the base path keeps it constant");
    /* In extension the axial stress can fall to zero, no further. */
    const bool mean = stage->cycle.base == TW_SCENARIO_CONSTANT_P;
    if (!e->start.isotropic || !(mean || stage->cycle.base == TW_SCENARIO_TRIAXIAL)) return;
    const double given = mean ? stage->pressure : stage->lateral_stress;
    const double held = isfinite(given) ? given : e->start.p, most = mean ? 1.5 * held : held;
    if (!(stage->cycle.stress >= most)) return;
    const tw_trail here = {e->trail.parent, "cycle", 0};
    tw_review_say(e->review, tw_tree_find(e->node, "cycle"), &here, "stress",
                  "can never be reached in extension: at %s = %g Pa grains without cohesion stay "
                  "below q = %g Pa",
                  mean ? "p" : "lateral_stress", held, most);
}

static bool has_end(int32_t path)
{
    return path != TW_SCENARIO_ROTATE && path != TW_SCENARIO_PROBES;
}

void tw_review_end(const tw_review *review, const tw_scenario_stage *stage, tw_review_state start,
                   tw_node *node, const tw_trail *trail)
{
    tw_node *map = tw_tree_find(node, "end");
    const ending e = {review, stage, node, map ? map : node, {trail, "end", 0}, start};
    if (!has_end(stage->path) || (map && map->faulty)) return;
    if (!any_end(&stage->end)) {
        say_endless(&e);
        return;
    }
    review_ratio(&e);
    review_q(&e);
    review_axial_stress(&e);
    if (stage->path == TW_SCENARIO_GENERAL) review_general(&e);
    if (stage->path == TW_SCENARIO_CYCLIC) review_cyclic(&e);
}
