/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys: stages. Does the resolved scenario make sense as a test? */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/text.h"
#include "scenario/review.h"
#include "scenario/schema.h"
#include "scenario/values.h"

/* ---- Ends ---- */

static const char *const component_names[TW_SCENARIO_COMPONENTS] = {"xx", "yy", "zz",
                                                                    "yz", "xz", "xy"};

typedef struct stage_review {
    const tw_review *review;
    size_t number; /* from 0 */
    const tw_scenario_stage *stage;
    tw_scenario_traits traits;
    tw_tree_node *node, *end, *cycle; /* of the stage and of these sections; NULL: not given */
    tw_scenario_stress start;
    /* of a resolved scenario */
    double rate; /* strain rate [1/s]; NaN: not known, or none */
    double dt;   /* estimate; NaN: not known [s] */
} stage_review;

#define UNREACHABLE(s, key, ...)                                                                   \
    tw_review_error((s)->review, (s)->end, key, "can never be reached: " __VA_ARGS__)

static void report_no_end(const stage_review *s, const tw_key_section *section)
{
    char list[200] = "";
    for (size_t i = 0; i < section->key_count; i++)
        if (tw_key_in(TW_KEY_KIND(s->stage->path), section->keys[i].used))
            tw_text_add_word(list, sizeof list, section->keys[i].name);
    tw_review_error(s->review, s->node, "end",
                    "the stage has no end condition; expected at least one of %s", list);
}

static bool is_general(const stage_review *s)
{
    return s->traits.along == TW_SCENARIO_ALONG_COMPONENTS;
}

static bool is_lode(const stage_review *s)
{
    return s->traits.along == TW_SCENARIO_ALONG_LODE_ANGLE;
}

static bool keeps_pressure(const stage_review *s)
{
    return s->traits.keeps == TW_SCENARIO_KEEPS_PRESSURE;
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
static double ratio_limit(const stage_review *s)
{
    switch (s->traits.along) {
    case TW_SCENARIO_ALONG_LODE_ANGLE:
        return ratio_limit_at(tw_scenario_lode_angle(s->stage));
    case TW_SCENARIO_ALONG_AXIS:
    case TW_SCENARIO_ALONG_COMPONENTS:
        return 3.0;
    default:
        return HUGE_VAL;
    }
}

/* The least q/p of paths along an axis: the axial stress is zero. */
static const double least_ratio = -1.5;

/* Whether a stage changes the stress that it holds at once, when it starts. */
static bool jumps(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    return (isfinite(stage->lateral_stress) && stage->lateral_stress != s->start.p) ||
           (isfinite(stage->pressure) && stage->pressure != s->start.p);
}

/* From an isotropic state compression raises q and extension lowers it. */
static void review_sign(const stage_review *s, const char *key, double wanted)
{
    const bool up = is_compression(s->stage), along = s->traits.along == TW_SCENARIO_ALONG_AXIS;
    if (!s->start.isotropic || jumps(s) || s->traits.keeps == TW_SCENARIO_KEEPS_STRESS_PATH) return;
    if (along ? (up ? wanted <= 0.0 : wanted >= 0.0) : is_lode(s) && wanted <= 0.0)
        UNREACHABLE(s, key, "q is%s, which starts at 0 and %s",
                    along ? " the axial minus the lateral stress" : " along the Lode angle",
                    up ? "rises" : "falls");
}

static void review_ratio(const stage_review *s)
{
    const double limit = ratio_limit(s), ratio = s->stage->end.stress_ratio;
    if (ratio >= limit)
        UNREACHABLE(s, "stress_ratio", "cohesionless grains stay below q/p = %.4g on this path",
                    limit);
    else if (s->traits.along == TW_SCENARIO_ALONG_AXIS && ratio <= least_ratio)
        UNREACHABLE(s, "stress_ratio", "cohesionless grains stay above q/p = %g on this path",
                    least_ratio);
    else
        review_sign(s, "stress_ratio", ratio);
}

/* The mean stress of a path that keeps it constant, otherwise NaN. */
static double mean_stress(const stage_review *s)
{
    if (s->traits.keeps != TW_SCENARIO_KEEPS_MEAN_STRESS) return nan("");
    return isfinite(s->stage->pressure) ? s->stage->pressure : s->start.p;
}

static void review_q(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const double p = mean_stress(s), q = stage->end.q;
    const bool lateral = s->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRESS && !is_lode(s);
    const bool ring = s->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRAIN && s->start.isotropic;
    const double held = isfinite(stage->lateral_stress) ? stage->lateral_stress : nan("");
    if (q >= ratio_limit(s) * p)
        UNREACHABLE(s, "q", "at p = %g Pa cohesionless grains stay below q = %g Pa", p,
                    ratio_limit(s) * p);
    else if (!is_lode(s) && q <= least_ratio * p)
        UNREACHABLE(s, "q", "at p = %g Pa cohesionless grains stay above q = %g Pa", p,
                    least_ratio * p);
    else if (q <= -(lateral ? held : ring ? s->start.p : nan("")))
        UNREACHABLE(s, "q", "the axial stress stays above 0, and the lateral stress %s %g Pa",
                    lateral ? "is" : "falls from", lateral ? held : s->start.p);
    else
        review_sign(s, "q", q);
}

/* From an isotropic state compression raises the axial stress and extension lowers it, except at
 * constant volume. */
static void review_axial_stress(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const bool up = is_compression(stage);
    const bool drained = s->traits.along == TW_SCENARIO_ALONG_AXIS &&
                         s->traits.keeps != TW_SCENARIO_KEEPS_VOLUME &&
                         s->traits.keeps != TW_SCENARIO_KEEPS_STRESS_PATH;
    if (!drained || !s->start.isotropic || jumps(s)) return;
    if (up ? stage->end.stress <= s->start.p : stage->end.stress >= s->start.p)
        UNREACHABLE(s, "stress", "the axial stress starts at %g Pa and %s", s->start.p,
                    up ? "rises" : "falls");
}

/* Whether any component has a rate or a stress, and whether the one that the stage follows has. */
static void find_driven(const tw_scenario_stage *stage, bool *any, bool *followed)
{
    *any = *followed = false;
    for (int32_t k = 0; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_scenario_component *c = &stage->control.component[k];
        const bool driven = !isnan(c->stress) || fabs(c->rate) > 0.0;
        *any = *any || driven || isnan(c->rate);
        if (k == tw_scenario_stage_followed(stage)) *followed = driven;
    }
}

/* Checks that a stage has an end condition, and that it can be reached. */
static void review_end(const stage_review *s)
{
    const tw_key *key = tw_key_find(tw_key_find(tw_key_root(), "stages")->section, "end");
    if (!tw_key_in(TW_KEY_KIND(s->stage->path), key->used) || (s->end && s->end->invalid)) return;
    if (!tw_values_any(key, s->stage)) {
        report_no_end(s, key->section);
        return;
    }
    const tw_scenario_end *end = &s->stage->end;
    const bool volume = s->traits.keeps == TW_SCENARIO_KEEPS_VOLUME;
    bool any, followed;
    find_driven(s->stage, &any, &followed);
    const bool strained = is_general(s) && !isnan(end->strain);
#define NEVER "can never be reached: "
    const tw_review_row rows[] = {
        {!isnan(end->ru) && !volume, "ru", NEVER "the volume is not constant on this path"},
        {!isnan(end->void_ratio) && volume, "void_ratio",
         NEVER "the volume is constant on this path"},
        {!isnan(end->dilation_rate) && volume, "dilation_rate",
         NEVER "the volume is constant on this path"},
        {!isnan(end->pressure) && s->traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS, "pressure",
         s->traits.cyclic ? NEVER "the base path keeps it constant"
                          : NEVER "the path keeps it constant"},
        {strained && !any, "strain", NEVER "no component has a rate or a stress target"},
        {strained && s->stage->axis >= 0 && !followed, "strain",
         NEVER "the component along 'axis' has a rate of 0"}};
    TW_REVIEW_ROWS(s->review, s->end, rows);
    review_ratio(s);
    review_q(s);
    review_axial_stress(s);
    if (s->stage->path == TW_SCENARIO_CYCLIC && end->strain > s->stage->cycle.strain)
        UNREACHABLE(s, "strain", "the strain reverses at %g", s->stage->cycle.strain);
}

/* ---- Platens ---- */

/* Components of shear across faces with platens. */
static bool is_across(const tw_scenario *scenario, int component)
{
    static const int axes[TW_SCENARIO_COMPONENTS][2] = {{0, 0}, {1, 1}, {2, 2},
                                                        {1, 2}, {0, 2}, {0, 1}};
    const int *of = axes[component];
    return of[0] != of[1] &&
           (tw_scenario_has_platens(scenario, of[0]) || tw_scenario_has_platens(scenario, of[1]));
}

/* Platens come nearer and part, and that is all. */
static void review_platens(const stage_review *s)
{
    static const int shear[] = {[TW_SCENARIO_XY] = 5, [TW_SCENARIO_XZ] = 4, [TW_SCENARIO_YZ] = 3};
    const tw_scenario *scenario = s->review->scenario;
    const tw_scenario_stage *stage = s->stage;
    tw_tree_node *control = tw_tree_find(s->node, "control");
    const tw_tree_node *increments = tw_tree_find(s->node, "increments");
    if (!tw_scenario_is_walled(scenario)) return;
    const bool plane = s->traits.along == TW_SCENARIO_ALONG_PLANE;
#define STIFF "platens are rigid and do not turn: "
    const tw_review_row rows[] = {
        {plane && stage->plane >= 0 && is_across(scenario, shear[stage->plane]), "path",
         STIFF "the cell is not sheared across faces with 'walls'; use a periodic boundary along "
               "both axes of the plane"},
        {stage->path == TW_SCENARIO_ROTATE, "path", STIFF "a cell with 'walls' is not rotated"},
        {stage->path == TW_SCENARIO_PROBES, "path",
         "probes strain all grains alike; they need a cell with a periodic boundary"},
        {stage->path == TW_SCENARIO_RATES, "path",
         "rates are those of a cell with a periodic boundary"}};
    TW_REVIEW_ROWS(s->review, s->node, rows);
    for (int k = 3; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_scenario_component *c = &stage->control.component[k];
        tw_tree_node *map = tw_tree_find(control, component_names[k]);
        if (!is_across(scenario, k)) continue;
        if (is_general(s) && map && (!isnan(c->stress) || fabs(c->rate) > 0.0))
            tw_review_error(s->review, map, isnan(c->stress) ? "rate" : "stress",
                            STIFF "this component is a rate of 0; leave it out");
        if (increments && fabs(stage->increments.component[k]) > 0.0)
            tw_review_error(s->review, s->node, "increments", STIFF "there is no increment of %s",
                            component_names[k]);
    }
}

/* ---- One path ---- */

static void review_direction(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const int32_t constant = stage->constant, direction = stage->direction;
    const bool shear = s->traits.along == TW_SCENARIO_ALONG_PLANE, lode = is_lode(s);
    const bool along = direction == TW_SCENARIO_FORWARD || direction == TW_SCENARIO_BACKWARD;
    const bool volume = constant == TW_SCENARIO_VOLUME_CONSTANT;
    const bool s3 = constant == TW_SCENARIO_S3_CONSTANT;
    const bool of_shear = volume || constant == TW_SCENARIO_NORMAL_STRESS;
#define NOT_HERE "does not apply to this path; expected "
    const tw_review_row rows[] = {
        {direction >= 0 && shear != along, "direction",
         shear ? NOT_HERE "forward or backward" : NOT_HERE "compression or extension"},
        {constant >= 0 && (shear || lode) && shear != of_shear, "constant",
         shear ? NOT_HERE "normal_stress or volume" : NOT_HERE "p or s3"},
        {volume && !isnan(stage->normal_stress), "normal_stress",
         "has no effect with 'constant: volume'; remove one of them"},
        {lode && s3 && !isnan(stage->pressure), "pressure",
         "has no effect with 'constant: s3'; use lateral_stress"},
        {lode && !s3 && !isnan(stage->lateral_stress), "lateral_stress",
         "has no effect unless 'constant: s3' is given; use pressure"},
        {keeps_pressure(s) && stage->pressure == TW_SCENARIO_HOLD, "pressure",
         "'hold' does not apply to this path; expected a stress above 0 [Pa]"}};
    TW_REVIEW_ROWS(s->review, s->node, rows);
}

static void review_rotation(const stage_review *s)
{
    const double *a = s->stage->rotation.axis;
    const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const bool zero = a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
    const tw_review_row rows[] = {
        {zero, "axis", "is the zero vector"},
        {!zero && (square < DBL_MIN || square > DBL_MAX), "axis",
         "its length, which does not matter, is beyond the range of a double; use numbers near 1"},
        {s->stage->rotation.angle == 0.0, "angle", "is zero; nothing would rotate"}};
    TW_REVIEW_ROWS(s->review, tw_tree_find(s->node, "rotation"), rows);
}

/* Whether there is a rate along the component that the stage follows. */
static bool is_strained(const tw_scenario_stage *stage)
{
    return fabs(stage->control.component[tw_scenario_stage_followed(stage)].rate) > 0.0;
}

static void review_control(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    tw_tree_node *control = tw_tree_find(s->node, "control");
    const bool strained = is_strained(stage);
    for (size_t k = 0; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_scenario_component *c = &stage->control.component[k];
        tw_tree_node *map = tw_tree_find(control, component_names[k]);
        const char *ramp = isnan(c->ramp) ? "ramp_strain" : "ramp";
        if (map && c->stress == TW_SCENARIO_HOLD && !isnan(tw_math_max(c->ramp, c->ramp_strain)))
            tw_review_error(s->review, map, ramp, "has no effect on a held stress");
        else if (map && !isnan(c->ramp_strain) && !strained)
            tw_review_error(s->review, map, "ramp_strain",
                            "needs a rate along 'axis'; give 'ramp' as a time instead");
        if (map && k < 3 && c->stress < 0.0)
            tw_review_error(
                s->review, map, "stress",
                "%g Pa is tension, which cohesionless grains cannot carry; compression is positive",
                c->stress);
    }
}

static void review_stress_path(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const tw_tree_node *map = tw_tree_find(s->node, "increments");
    const char *ratio = isnan(stage->eta) ? "lateral_ratio" : "eta";
    const bool to = !isnan(stage->eta) || !isnan(stage->lateral_ratio);
    bool moves = false;
    for (size_t k = 0; k < TW_SCENARIO_COMPONENTS; k++)
        moves |= fabs(stage->increments.component[k]) > 0.0;
    const tw_review_row rows[] = {
        {tw_review_is_valid(map) && !moves, "increments", "all are zero; nothing would change"},
        {to && s->traits.cyclic, ratio, "does not apply to cycles; use dq_dp"},
        {to && !s->traits.cyclic && isnan(stage->end.pressure), ratio,
         "is the ratio at the end of the path; give end.pressure, too"},
        {to && stage->direction >= 0, "direction",
         "has no effect: the path leads to end.pressure"}};
    TW_REVIEW_ROWS(s->review, s->node, rows);
}

static void review_fluid(const stage_review *s)
{
    const tw_scenario_fluid *fluid = &s->stage->fluid;
    const bool drained = !keeps_pressure(s) && s->traits.keeps != TW_SCENARIO_KEEPS_VOLUME;
    const bool shear = s->traits.along == TW_SCENARIO_ALONG_PLANE;
    if (!tw_review_is_valid(tw_tree_find(s->node, "fluid"))) return;
    const tw_review_row rows[] = {
        {keeps_pressure(s) && isnan(fluid->bulk), "fluid",
         "an incompressible fluid would carry all of the pressure; give 'bulk', or leave the fluid "
         "out for a drained stage"},
        {drained, "fluid",
         shear ? "has no effect on a drained stage; add 'constant: volume'"
               : "has no effect on a drained stage"}};
    TW_REVIEW_ROWS(s->review, s->node, rows);
    if (fluid->bulk > 0.0 && keeps_pressure(s) && s->stage->pressure <= fluid->back_pressure)
        tw_review_error(s->review, s->node, "pressure",
                        "is the total stress where there is a fluid, and not above its "
                        "back_pressure, %g Pa",
                        fluid->back_pressure);
}

/* Whether the k-th variant repeats one of `laws` or an earlier variant. */
static bool is_run_already(const tw_scenario_probes *p, size_t k)
{
    const tw_scenario_variant *v = &p->variants[k];
    if (v->without == 0 && p->laws & 1u << v->law) return true;
    for (size_t i = 0; i < k; i++)
        if (p->variants[i].law == v->law && p->variants[i].without == v->without) return true;
    return false;
}

static void review_probes(const stage_review *s)
{
    const tw_scenario_probes *p = &s->stage->probes;
    tw_tree_node *map = tw_tree_find(s->node, "probes");
    const bool variants = p->variant_count > 0;
    if (!tw_review_is_valid(map)) return;
    for (size_t k = 0; k < p->variant_count; k++)
        if (is_run_already(p, k))
            tw_review_error(s->review, map, "variants", "variant %zu is already run; remove it",
                            k + 1);
    const tw_review_row rows[] = {
        {p->laws == 0 && !variants, "laws", "is empty; no probe would be run"},
        {p->method == TW_SCENARIO_METHOD_STATIC && (variants || p->laws != 1u << TW_CONTACT_EXACT),
         variants ? "variants" : "laws",
         "'method: static' is for the exact law with all its refinements; expected 'laws: [exact]' "
         "and no variants"},
        {p->settle_steps == 0 && tw_tree_find(map, "settle"), "settle",
         "has no effect with 'settle_steps: 0'"},
        {p->rest_steps == 0 && tw_tree_find(map, "rest"), "rest",
         "has no effect with 'rest_steps: 0'"}};
    TW_REVIEW_ROWS(s->review, map, rows);
    if (p->space == TW_SCENARIO_SPHERE_OF_DIRECTIONS && tw_tree_find(s->node, "axis"))
        tw_review_error(s->review, s->node, "axis", "has no effect with 'space: sphere'");
}

static void review_stage(const stage_review *s)
{
    tw_review_names(s->review, s->node, s->number);
    review_direction(s);
    if (s->stage->path == TW_SCENARIO_ROTATE) review_rotation(s);
    if (is_general(s)) review_control(s);
    if (is_general(s) && !isnan(s->stage->inertial_number) && !is_strained(s->stage))
        tw_review_error(s->review, s->node, "inertial_number",
                        "needs a rate along 'axis', to which those of other components are in "
                        "proportion");
    if (s->traits.path == TW_SCENARIO_STRESS_PATH) review_stress_path(s);
    review_fluid(s);
    if (s->stage->path == TW_SCENARIO_PROBES) review_probes(s);
    review_platens(s);
    review_end(s);
}

/* ---- The resolved scenario ---- */

/* ---- Rates ---- */

static const char *rate_key(const tw_scenario_stage *stage)
{
    return isnan(stage->inertial_number) ? "rate" : "inertial_number";
}

/* GDR MiDi, Eur. Phys. J. E 14 (2004) 341: quasi-static below an inertial number of 1e-3, dense
 * flow up to 0.1, where the stress is no longer that of the contact network. */
static void review_rate(const stage_review *s, double rate, tw_tree_node *node, const char *key)
{
    const double number = rate * tw_scenario_inertial_time(s->review->scenario, s->start.p);
    if (number > 0.1 && tw_scenario_ends_at_stress(s->stage))
        tw_review_error(s->review, node, key,
                        "at an inertial number of %.3g a stress cannot be met: inertia dominates "
                        "above 0.1; 1e-3 is quasi-static",
                        number);
    else if (number > 1.0)
        tw_review_error(s->review, node, key,
                        "the inertial number is %.3g: grains fly apart above 1; 1e-3 is "
                        "quasi-static",
                        number);
    else if (number > (keeps_pressure(s) ? 0.1 : 0.01) * (1.0 + 1e-9))
        tw_review_warn(s->review, node, key,
                       "at an inertial number of %.3g stresses depend on the rate; 1e-3 is "
                       "quasi-static",
                       number);
}

/* The path `general` may have a rate for each component, and may begin without a pressure. */
static void review_inertia(const stage_review *s)
{
    tw_tree_node *control = tw_tree_find(s->node, "control");
    const bool each = is_general(s) && isnan(s->stage->inertial_number);
    if (!each) review_rate(s, s->rate, s->node, rate_key(s->stage));
    for (int k = 0; each && k < TW_SCENARIO_COMPONENTS; k++) {
        tw_tree_node *map = tw_tree_find(control, component_names[k]);
        if (map && s->start.p > 0.0)
            review_rate(s, fabs(s->stage->control.component[k].rate), map, "rate");
    }
}

/* The stiffness of a packing along an axis is about kn/(4 d), and of Hertz contacts half as much
 * again as with the secant stiffness, so this is how far a stress passes its target within one
 * step. */
static void review_overshoot(const stage_review *s)
{
    const tw_scenario *scenario = s->review->scenario;
    const tw_scenario_material *softest = NULL;
    const double level = tw_scenario_least_stiffness_level(scenario, s->start.p, &softest);
    const bool hertz = softest && tw_scenario_has_constant(softest, "young");
    const double part = s->rate * s->dt * (hertz ? 0.375 : 0.25) * level;
    if (!tw_scenario_ends_at_stress(s->stage) || s->node->invalid) return;
    if (part > 0.05)
        tw_review_error(s->review, s->node, rate_key(s->stage),
                        "one step changes the stress by about %.2g %% of p, so a stress cannot be "
                        "met; reduce the rate, or time_step.fraction, to get below 1 %%",
                        100.0 * part);
    else if (part > 0.01 * (1.0 + 1e-9))
        tw_review_warn(s->review, s->node, rate_key(s->stage),
                       "one step changes the stress by about %.2g %% of p, and the target may be "
                       "passed by as much",
                       100.0 * part);
}

/* ---- Steps ---- */

static void review_steps(const stage_review *s)
{
    enum { FEWEST = 10, FEW = 50 };
    const tw_scenario_stage *stage = s->stage;
    const bool cyclic = stage->path == TW_SCENARIO_CYCLIC;
    const double strain = cyclic ? stage->cycle.strain : stage->end.strain;
    const double steps = strain / (s->rate * s->dt), most = 1e12, many = 1e9;
    const char *what = cyclic ? "the amplitude" : "the end";
    tw_tree_node *end = cyclic ? s->cycle : s->end;
    if (keeps_pressure(s) || !end || isnan(steps)) return;
    if (steps < FEWEST)
        tw_review_error(s->review, end, "strain",
                        "%s would be reached in %.0f steps; expected at least %d: reduce the rate",
                        what, ceil(steps), (int)FEW);
    else if (steps < FEW)
        tw_review_warn(s->review, end, "strain", "%s is reached in only %.0f steps", what,
                       ceil(steps));
    else if (isnan(stage->end.time) && stage->end.steps == TW_SCENARIO_NONE && steps > many) {
        if (steps > most)
            tw_review_error(s->review, end, "strain",
                            "%s would take %.2g steps; increase the rate, or time_step.mass_scale",
                            what, steps);
        else
            tw_review_warn(s->review, end, "strain",
                           "%s takes %.2g steps; consider a higher rate, or time_step.mass_scale",
                           what, steps);
    }
}

/* ---- Rows of the history ---- */

/* A loop of fewer rows than this has no shape, and its area is wrong. */
static void review_rows(const stage_review *s)
{
    enum { FEW = 20 };
    const tw_scenario *all = s->review->scenario;
    const tw_scenario_history asked = tw_scenario_output_in(all, s->stage).history;
    const double cycle = tw_scenario_cycle_strain(s->stage);
    const bool by_strain = !isnan(asked.strain);
    if (s->stage->path != TW_SCENARIO_CYCLIC || (!by_strain && asked.steps == TW_SCENARIO_NONE))
        return;
    const double rows =
        by_strain ? cycle / asked.strain : cycle / (s->rate * s->dt * (double)asked.steps);
    if (!(rows < FEW)) return; /* or not known */
    tw_tree_node *node = tw_tree_find(tw_tree_find(s->node, "output"), "history");
    if (!node) node = tw_tree_find(tw_tree_find(s->review->root, "output"), "history");
    if (!node) return;
    char better[40] = "";
    if (by_strain) snprintf(better, sizeof better, "'strain: %.2g %%' or ", 2.0 * cycle);
    tw_review_warn(s->review, node, by_strain ? "strain" : "steps",
                   "a cycle of stage '%s' gets %.2g rows; expected at least %d: %sno interval in "
                   "stages[].output gives %d",
                   tw_scenario_stage_name(all, s->number).text, rows, (int)FEW, better,
                   (int)TW_SCENARIO_CYCLE_ROWS);
}

/* ---- Strains ---- */

/* 5 is a large strain of compression, but a usual number of percent. Simple shear goes further. */
static void review_fraction(const stage_review *s, const char *section, double strain)
{
    tw_tree_node *map = tw_tree_find(s->node, section);
    if (is_general(s) || !tw_review_is_bare(tw_tree_find(map, "strain"))) return;
    if (strain >= s->traits.strain_most)
        tw_review_warn(s->review, map, "strain",
                       "a strain is a fraction, so %g is %g %%; write '%g %%' if that is meant",
                       strain, 100.0 * strain, strain);
}

/* ---- Targets ---- */

/* A stress may never be reached, and the stage would continue until the run gives up. The axial
 * stress in an oedometer has no limit. */
static void review_bound(const stage_review *s)
{
    if (!s->end || !tw_scenario_needs_stress(s->stage) || is_general(s)) return;
    if (s->stage->path == TW_SCENARIO_OEDOMETER && !isnan(s->stage->end.stress)) return;
    if (isnan(s->stage->cycle.stress))
        tw_review_warn(s->review, s->node, "end",
                       "the stage ends at a stress only, which may never be reached; add a "
                       "'strain' at which to give up");
    else
        tw_review_warn(s->review, s->node, "end",
                       "the amplitude is a stress, which may never be reached after failure; add "
                       "a 'strain' at which to give up");
}

/* NaN: not known, as in the checkpoint. */
static bool is_damped(const tw_scenario_material *m, bool known)
{
    return m->contact_damping > 0.0 || m->nu_n > 0.0 || m->nu_t > 0.0 || m->restitution < 1.0 ||
           m->tangential_damping > 0.0 || (!known && isnan(m->contact_damping));
}

static bool are_damped(const tw_scenario *s)
{
    const bool known = !s->specimen.checkpoint || s->material_count > 0;
    for (size_t i = 0; i < tw_scenario_materials(s); i++)
        if (is_damped(tw_scenario_material_at(s, i), known)) return true;
    return false;
}

/* Friction alone does not bring grains to rest. */
static void review_equilibrium(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const tw_scenario_end *end = &stage->end;
    const bool bounded = !isnan(end->strain) || !isnan(end->time) || end->steps != TW_SCENARIO_NONE;
    const bool damped = stage->damping.local != 0.0 || stage->damping.mass != 0.0 ||
                        are_damped(s->review->scenario);
    if (!isnan(end->unbalanced) && !bounded && !damped)
        tw_review_warn(s->review, s->node, "damping",
                       "without damping the stage may never come to equilibrium; add 'steps' or "
                       "'time' to its end");
}

/* ---- Jumps ---- */

static bool makes_lateral_equal(const stage_review *s)
{
    const tw_scenario_traits *t = &s->traits;
    return t->along == TW_SCENARIO_ALONG_AXIS && (t->keeps == TW_SCENARIO_KEEPS_MEAN_STRESS ||
                                                  (t->keeps == TW_SCENARIO_KEEPS_LATERAL_STRESS &&
                                                   s->stage->lateral_stress == TW_SCENARIO_HOLD));
}

static void review_lateral(const stage_review *s)
{
    static const char axes[] = "xyz";
    const tw_scenario_stage *stage = s->stage;
    const double direction = tw_scenario_stress_direction(stage);
    if (!tw_scenario_stress_directions_differ(s->start.angle, direction)) return;
    if (makes_lateral_equal(s))
        tw_review_warn(s->review, s->node,
                       s->traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS ? "path" : "lateral_stress",
                       "the two stresses across axis %c differ at the start, and both jump to "
                       "their mean; put an isotropic stage before, or use the path general with "
                       "'stress: hold'",
                       axes[stage->axis]);
    else if (s->traits.along == TW_SCENARIO_ALONG_LODE_ANGLE)
        tw_review_warn(s->review, s->node, "path",
                       "the stress is in another direction of the pi-plane at the start, and jumps "
                       "to that of this stage; put an isotropic stage before");
}

/* A stress that is given and not held applies from the first step. */
static void review_jump(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const bool lateral = s->traits.keeps == TW_SCENARIO_KEEPS_LATERAL_STRESS,
               mean = s->traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS;
    const double given = lateral ? stage->lateral_stress : stage->pressure, p = s->start.p;
    if (!(lateral || mean) || !isfinite(given) || !s->start.isotropic) return;
    if (fabs(given - p) > 0.01 * p)
        tw_review_warn(
            s->review, s->node, lateral ? "lateral_stress" : "pressure",
            "jumps from %g to %g Pa at the start; put an isotropic stage with 'pressure: "
            "%g Pa' before",
            p, given, given);
}

/* The normal forces at the start over those of the state that the stage starts from: of the
 * contacts for which it is furthest from 1. NaN: a stiffness is not known. */
static double force_ratio(const stage_review *s)
{
    const tw_scenario *scenario = s->review->scenario;
    const size_t count = tw_scenario_materials(scenario);
    double worst = 1.0;
    for (size_t i = 0; i < count * count; i++) {
        tw_contact_law before = tw_contact_law_default(), now = before;
        before.kn = now.kn = nan("");
        tw_scenario_put_law(scenario, s->start.before, i / count, i % count, &before);
        tw_scenario_put_law(scenario, s->stage, i / count, i % count, &now);
        const double ratio = now.kn / before.kn;
        if (tw_math_max(ratio, 1.0 / ratio) > tw_math_max(worst, 1.0 / worst)) worst = ratio;
    }
    return worst;
}

/* What a stage changes of a material ends with it, and overlaps stay. An isotropic stage restores
 * its pressure. */
static void review_stiffness(const stage_review *s)
{
    const double ratio = force_ratio(s);
    const tw_scenario_stage *before = s->start.before;
    if (keeps_pressure(s) || !(fabs(ratio - 1.0) > 0.01)) return;
    tw_review_warn(s->review, s->node,
                   s->review->scenario->material_count > 0 ? "materials" : "material",
                   "contacts are %.4g times as stiff as at the end of '%s', and forces change as "
                   "much at once; give both the same stiffness, or put an isotropic stage with "
                   "that of this one between them",
                   ratio, before ? before->name : "specimen");
}

/* ---- All stages ---- */

static void review_test(stage_review *s)
{
    s->rate = tw_scenario_stage_rate(s->review->scenario, s->stage, s->start.p);
    s->dt = tw_scenario_expected_step(s->review->scenario, s->stage, s->start.p);
    review_inertia(s);
    review_overshoot(s);
    review_steps(s);
    review_rows(s);
    review_fraction(s, "end", s->stage->end.strain);
    review_fraction(s, "cycle", s->stage->cycle.strain);
    review_bound(s);
    review_equilibrium(s);
    review_lateral(s);
    review_jump(s);
    review_stiffness(s);
}

/* `resolved`: as tests, otherwise key by key. */
static void review_all(const tw_review *r, bool resolved)
{
    const tw_scenario *scenario = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    tw_scenario_stress *states = tw_scenario_predict_stresses(scenario);
    if (!states) tw_diagnostics_out_of_memory(r->diagnostics);
    for (size_t i = 0; states && i < scenario->stage_count; i++) {
        tw_tree_node *node = tw_tree_item(list, i + 1);
        const tw_scenario_stage *stage = &scenario->stages[i];
        stage_review s = {.review = r,
                          .number = i,
                          .stage = stage,
                          .traits = tw_scenario_stage_traits(stage),
                          .node = node,
                          .end = tw_tree_find(node, "end"),
                          .cycle = tw_tree_find(node, "cycle"),
                          .start = states[i]};
        if (resolved)
            review_test(&s);
        else if (stage->path >= 0)
            review_stage(&s);
    }
    free(states);
}

void tw_review_stages(const tw_review *r)
{
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    if (list && list->kind == TW_TREE_LIST && list->count == r->scenario->stage_count)
        review_all(r, false);
}

void tw_review_loading(const tw_review *r)
{
    if (r->scenario->stage_count > 0) review_all(r, true);
}
