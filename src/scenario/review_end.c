/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_end.h"

#include <math.h>

#include <twirl/math.h>

#include "scenario/key.h"
#include "scenario/resolve.h"
#include "scenario/values.h"
#include "scenario/word_list.h"

typedef struct stage_end {
    const tw_review *review;
    const tw_scenario_stage *stage;
    tw_scenario_traits traits;
    tw_tree_node *node;   /* of the stage */
    tw_tree_node *map;    /* of `end`; of the stage if there is none */
    tw_key_path key_path; /* of `end` */
    tw_stress_state start;
} stage_end;

#define UNREACHABLE(e, key, ...)                                                                   \
    tw_review_error((e)->review, (e)->map, &(e)->key_path, key,                                    \
                    "can never be reached: " __VA_ARGS__)

static void report_no_end(const stage_end *e, const tw_key_section *section)
{
    char list[200] = "";
    for (size_t i = 0; i < section->key_count; i++)
        if (tw_key_in(TW_KEY_KIND(e->stage->path), section->keys[i].used))
            tw_word_list_add(list, sizeof list, section->keys[i].name);
    tw_diagnostics_add(e->review->diagnostics, e->map->location, &e->key_path,
                       "the stage has no end condition; expected at least one of %s", list);
    tw_tree_mark_invalid(e->map);
}

static bool is_compression(const tw_scenario_stage *stage)
{
    return stage->direction != TW_SCENARIO_EXTENSION;
}

/* The largest q/p without tension; infinity if the angle is not known. The principal stresses are
 * p + 2/3 q cos(lode - k 120 deg), and the smallest must stay above 0. */
static double ratio_limit_at(double lode_angle)
{
    double least = 1.0;
    for (int k = 0; k < 3; k++)
        least = tw_math_min(least, tw_math_cos(lode_angle - k * 2.0 * TW_MATH_PI / 3.0));
    return isnan(lode_angle) ? HUGE_VAL : -1.5 / least;
}

/* The largest q/p of the path, or infinity. */
static double ratio_limit(const stage_end *e)
{
    switch (e->traits.along) {
    case TW_SCENARIO_ALONG_AXIS:
        return ratio_limit_at(is_compression(e->stage) ? 0.0 : TW_MATH_PI / 3.0);
    case TW_SCENARIO_ALONG_LODE_ANGLE:
        return ratio_limit_at(tw_resolve_lode_angle(e->stage));
    case TW_SCENARIO_ALONG_COMPONENTS:
        return 3.0;
    default:
        return HUGE_VAL;
    }
}

static void review_ratio(const stage_end *e)
{
    const double limit = ratio_limit(e);
    if (e->stage->end.stress_ratio >= limit)
        UNREACHABLE(e, "stress_ratio", "cohesionless grains stay below q/p = %.4g on this path",
                    limit);
}

/* The mean stress of a path that keeps it constant, otherwise NaN. */
static double mean_stress(const stage_end *e)
{
    if (e->traits.keeps != TW_SCENARIO_KEEPS_MEAN_STRESS) return nan("");
    return isfinite(e->stage->pressure) ? e->stage->pressure : e->start.p;
}

static void review_q(const stage_end *e)
{
    const tw_scenario_stage *stage = e->stage;
    const double p = mean_stress(e), lateral = stage->lateral_stress;
    if (stage->end.q >= ratio_limit(e) * p)
        UNREACHABLE(e, "q", "at p = %g Pa cohesionless grains stay below q = %g Pa", p,
                    ratio_limit(e) * p);
    if (e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRESS && !is_compression(stage) &&
        isfinite(lateral) && stage->end.q >= lateral)
        UNREACHABLE(e, "q", "in extension q stays below the lateral stress, %g Pa", lateral);
    if (e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRAIN && !is_compression(stage) &&
        e->start.isotropic && stage->end.q >= e->start.p)
        UNREACHABLE(e, "q", "in extension q stays below the lateral stress, which falls from %g Pa",
                    e->start.p);
}

/* Whether a stage changes the stress that it holds at once, when it starts. */
static bool jumps(const stage_end *e)
{
    const tw_scenario_stage *stage = e->stage;
    return (isfinite(stage->lateral_stress) && stage->lateral_stress != e->start.p) ||
           (isfinite(stage->pressure) && stage->pressure != e->start.p);
}

/* From an isotropic state compression raises the axial stress and extension lowers it, except at
 * constant volume; in an oedometer from any state. */
static void review_axial_stress(const stage_end *e)
{
    const tw_scenario_stage *stage = e->stage;
    const bool drained =
        e->traits.along == TW_SCENARIO_ALONG_AXIS && e->traits.keeps != TW_SCENARIO_KEEPS_VOLUME;
    const bool isotropic = e->start.isotropic;
    const bool bounded = e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRAIN && !isotropic &&
                         e->start.axis == stage->axis;
    if (!drained || !(isotropic || bounded) || jumps(e)) return;
    const double low = isotropic ? e->start.p : e->start.axial_low;
    const double high = isotropic ? e->start.p : e->start.axial_high;
    if (is_compression(stage) ? stage->end.stress <= low : stage->end.stress >= high)
        UNREACHABLE(e, "stress", "the axial stress starts at %g Pa%s and %s",
                    is_compression(stage) ? low : high,
                    isotropic               ? ""
                    : is_compression(stage) ? " or above"
                                            : " or below",
                    is_compression(stage) ? "rises" : "falls");
}

/* Likewise for the mean stress, where the lateral stress is constant or follows the axial one. */
static void review_mean_stress(const stage_end *e)
{
    const tw_scenario_stage *stage = e->stage;
    const double p = e->start.p, wanted = stage->end.pressure;
    const bool triaxial = e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRESS;
    const bool oedometer = e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRAIN;
    if (!(triaxial || oedometer) || e->traits.cyclic || !e->start.isotropic || jumps(e)) return;
    if (is_compression(stage) ? wanted <= p : wanted >= p)
        UNREACHABLE(e, "pressure", "the mean stress starts at %g Pa and %s", p,
                    is_compression(stage) ? "rises" : "falls");
    else if (triaxial && !is_compression(stage) && wanted <= 2.0 / 3.0 * p)
        UNREACHABLE(e, "pressure",
                    "the lateral stress stays at %g Pa, so the mean stress stays above %g Pa", p,
                    2.0 / 3.0 * p);
}

static void review_general(const stage_end *e)
{
    for (size_t k = 0; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_scenario_component *c = &e->stage->control.component[k];
        if (!isnan(c->stress) || c->rate != 0.0) return;
    }
    if (!isnan(e->stage->end.strain))
        UNREACHABLE(e, "strain", "no component has a rate or a stress target");
}

/* The axial stress can fall to zero, no further. */
static void review_cycle_stress(const stage_end *e)
{
    const tw_scenario_stage *stage = e->stage;
    const bool mean = e->traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS;
    const bool oedometer = e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRAIN;
    const bool triaxial = e->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRESS;
    if (!e->start.isotropic || !(mean || oedometer || triaxial)) return;
    const double given = mean ? stage->pressure : oedometer ? nan("") : stage->lateral_stress;
    const double held = isfinite(given) ? given : e->start.p, limit = mean ? 1.5 * held : held;
    if (!(stage->cycle.stress >= limit)) return;
    const tw_key_path here = {e->key_path.parent, "cycle", 0};
    tw_tree_node *cycle = tw_tree_find(e->node, "cycle");
    if (oedometer)
        tw_review_error(e->review, cycle, &here, "stress",
                        "can never be reached in extension: the axial stress starts at %g Pa and "
                        "cohesionless grains carry no tension",
                        held);
    else
        tw_review_error(e->review, cycle, &here, "stress",
                        "can never be reached in extension: at %s = %g Pa cohesionless grains stay "
                        "below q = %g Pa",
                        mean ? "p" : "lateral_stress", held, limit);
}

static void review_cyclic(const stage_end *e)
{
    const tw_scenario_stage *stage = e->stage;
    if (stage->end.strain > stage->cycle.strain)
        UNREACHABLE(e, "strain", "the strain reverses at %g", stage->cycle.strain);
    if (e->traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS && !isnan(stage->end.pressure))
        UNREACHABLE(e, "pressure", "the base path keeps it constant");
    review_cycle_stress(e);
}

void tw_review_end(const tw_review *review, const tw_scenario_stage *stage, tw_stress_state start,
                   tw_tree_node *node, const tw_key_path *key_path)
{
    const tw_key *key = tw_key_find(tw_key_find(tw_key_root(), "stages")->section, "end");
    tw_tree_node *map = tw_tree_find(node, "end");
    const stage_end e = {.review = review,
                         .stage = stage,
                         .traits = tw_scenario_stage_traits(stage),
                         .node = node,
                         .map = map ? map : node,
                         .key_path = {key_path, "end", 0},
                         .start = start};
    if (!tw_key_in(TW_KEY_KIND(stage->path), key->used) || (map && map->invalid)) return;
    if (!tw_fields_any(key, stage)) {
        report_no_end(&e, key->section);
        return;
    }
    review_ratio(&e);
    review_q(&e);
    review_axial_stress(&e);
    review_mean_stress(&e);
    if (stage->path == TW_SCENARIO_GENERAL) review_general(&e);
    if (stage->path == TW_SCENARIO_CYCLIC) review_cyclic(&e);
}
