/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_loading.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>

#include "scenario/cell_side.h"
#include "scenario/stiffness_level.h"
#include "scenario/stress_state.h"
#include "scenario/time_step.h"

typedef struct stage_review {
    const tw_review *review;
    const tw_scenario_stage *stage;
    tw_scenario_traits traits;
    tw_tree_node *node;
    tw_key_path key_path;
    tw_stress_state start;
    double rate; /* strain rate [1/s]; NaN: not known, or none */
    double dt;   /* estimate; NaN: not known [s] */
} stage_review;

/* Whether the stage ends or reverses when a stress passes a value. */
static bool stops_at_stress(const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    return !isnan(end->stress) || !isnan(end->q) || !isnan(end->pressure) ||
           !isnan(end->stress_ratio) || !isnan(stage->cycle.stress);
}

/* ---- Rates ---- */

static const char *rate_key(const tw_scenario_stage *stage)
{
    return isnan(stage->inertial_number) ? "rate" : "inertial_number";
}

/* GDR MiDi, Eur. Phys. J. E 14 (2004) 341: quasi-static below an inertial number of 1e-3, dense
 * flow up to 0.1, where the stress is no longer that of the contact network. */
static void review_rate(const stage_review *s, double rate, tw_tree_node *node,
                        const tw_key_path *key_path, const char *key)
{
    const tw_scenario *scenario = s->review->scenario;
    const double density = tw_scenario_density(scenario) * scenario->time_step.mass_scale;
    const double number = rate * tw_scenario_diameter(scenario) * sqrt(density / s->start.p);
    if (number > 0.1 && stops_at_stress(s->stage))
        tw_review_error(s->review, node, key_path, key,
                        "at an inertial number of %.3g a stress cannot be met: inertia dominates "
                        "above 0.1; 1e-3 is quasi-static",
                        number);
    else if (number > 1.0)
        tw_review_error(s->review, node, key_path, key,
                        "the inertial number is %.3g: grains fly apart above 1; 1e-3 is "
                        "quasi-static",
                        number);
    else if (number > (s->stage->path == TW_SCENARIO_ISOTROPIC ? 0.1 : 0.01) * (1.0 + 1e-9))
        tw_review_warn(s->review, node, key_path, key,
                       "at an inertial number of %.3g stresses depend on the rate; 1e-3 is "
                       "quasi-static",
                       number);
}

/* The path `general` has a rate for each component, and may begin without a pressure. */
static void review_inertia(const stage_review *s)
{
    static const char *const names[TW_SCENARIO_COMPONENTS] = {"xx", "yy", "zz", "yz", "xz", "xy"};
    const tw_key_path control_path = {&s->key_path, "control", 0};
    tw_tree_node *control = tw_tree_find(s->node, "control");
    if (s->stage->path != TW_SCENARIO_GENERAL)
        review_rate(s, s->rate, s->node, &s->key_path, rate_key(s->stage));
    for (int k = 0; s->stage->path == TW_SCENARIO_GENERAL && k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_key_path here = {&control_path, names[k], 0};
        tw_tree_node *map = tw_tree_find(control, names[k]);
        if (map && s->start.p > 0.0)
            review_rate(s, fabs(s->stage->control.component[k].rate), map, &here, "rate");
    }
}

/* The stiffness of a packing along an axis is about kn/(4 d), and of Hertz contacts half as much
 * again as with the secant stiffness, so this is how far a stress passes its target within one
 * step. */
static void review_overshoot(const stage_review *s)
{
    const tw_scenario *scenario = s->review->scenario;
    const tw_scenario_material *softest = NULL;
    const double level = tw_stiffness_level_least(scenario, s->start.p, &softest);
    const bool hertz = softest && softest->normal == TW_CONTACT_HERTZ;
    const double part = s->rate * s->dt * (hertz ? 0.375 : 0.25) * level;
    if (!stops_at_stress(s->stage) || s->node->invalid) return;
    if (part > 0.05)
        tw_review_error(s->review, s->node, &s->key_path, rate_key(s->stage),
                        "one step changes the stress by about %.2g %% of p, so a stress cannot be "
                        "met; reduce the rate, or time_step.fraction, to get below 1 %%",
                        100.0 * part);
    else if (part > 0.01 * (1.0 + 1e-9))
        tw_review_warn(s->review, s->node, &s->key_path, rate_key(s->stage),
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
    tw_tree_node *end = tw_tree_find(s->node, cyclic ? "cycle" : "end");
    const tw_key_path here = {&s->key_path, cyclic ? "cycle" : "end", 0};
    if (stage->path == TW_SCENARIO_ISOTROPIC || !end || isnan(steps)) return;
    if (steps < FEWEST)
        tw_review_error(s->review, end, &here, "strain",
                        "%s would be reached in %.0f steps; expected at least %d: reduce the rate",
                        what, ceil(steps), (int)FEW);
    else if (steps < FEW)
        tw_review_warn(s->review, end, &here, "strain", "%s is reached in only %.0f steps", what,
                       ceil(steps));
    else if (isnan(stage->end.time) && stage->end.steps == TW_SCENARIO_NONE && steps > many) {
        if (steps > most)
            tw_review_error(s->review, end, &here, "strain",
                            "%s would take %.2g steps; increase the rate, or time_step.mass_scale",
                            what, steps);
        else
            tw_review_warn(s->review, end, &here, "strain",
                           "%s takes %.2g steps; consider a higher rate, or time_step.mass_scale",
                           what, steps);
    }
}

/* ---- Strains ---- */

/* 5 is a large strain of compression, but a usual number of percent. Simple shear goes further. */
static void review_fraction(const stage_review *s, const char *section, double strain)
{
    const tw_tree_node *map = tw_tree_find(s->node, section);
    const tw_key_path here = {&s->key_path, section, 0};
    if (s->traits.along == TW_SCENARIO_ALONG_COMPONENTS ||
        !tw_review_is_bare(tw_tree_find(map, "strain")))
        return;
    if (strain >= s->traits.strain_most)
        tw_review_warn(s->review, map, &here, "strain",
                       "a strain is a fraction, so %g is %g %%; write '%g %%' if that is meant",
                       strain, 100.0 * strain, strain);
}

/* The initial height along the axis, in mean diameters; NaN: not known. */
static double height_along(const tw_scenario_specimen *s, int32_t axis)
{
    const double *a = s->cell.aspect, *t = s->cell.tilt;
    const bool upright = t[0] == 0.0 && t[1] == 0.0 && t[2] == 0.0;
    if (s->file || s->checkpoint || s->arrangement != TW_SCENARIO_RANDOM || !upright)
        return (double)NAN;
    return tw_cell_side(s) * a[axis] / tw_math_cbrt(a[0] * a[1] * a[2]);
}

/* The run ends when two opposite faces are closer than two mean diameters. Earlier stages are left
 * aside. */
static void review_thinning(const stage_review *s)
{
    const tw_scenario_stage *stage = s->stage;
    const bool axial = s->traits.along == TW_SCENARIO_ALONG_AXIS && !s->traits.cyclic;
    if (!axial || stage->direction == TW_SCENARIO_EXTENSION || isnan(stage->end.strain)) return;
    const double height = height_along(&s->review->scenario->specimen, stage->axis);
    const tw_key_path here = {&s->key_path, "end", 0};
    if (height * tw_math_exp(-stage->end.strain) < 2.0)
        tw_review_warn(s->review, tw_tree_find(s->node, "end"), &here, "strain",
                       "the cell is about %.3g mean diameters high and reaches two, where the run "
                       "ends, at a strain of %.3g",
                       height, tw_math_log(0.5 * height));
}

/* ---- Targets ---- */

/* The stress ratio that a target of q, or a shear stress, amounts to; NaN: not known. */
static double ratio_of(const stage_review *s, double stress)
{
    const tw_scenario_stage *stage = s->stage;
    const double p = isfinite(stage->pressure) ? stage->pressure : s->start.p;
    const double isotropic = s->start.isotropic ? s->start.p : nan("");
    const double lateral = isfinite(stage->lateral_stress) ? stage->lateral_stress : isotropic;
    const double normal = isfinite(stage->normal_stress) ? stage->normal_stress : isotropic;
    switch (s->traits.keeps) {
    case TW_SCENARIO_KEEPS_MEAN_STRESS:
        return stress / p;
    case TW_SCENARIO_KEEPS_LATERAL_STRESS:
        return stress / (lateral + stress / 3.0); /* in compression */
    case TW_SCENARIO_KEEPS_NORMAL_STRESS:
        return stress / normal;
    default:
        return nan("");
    }
}

/* q/p = 2 in compression is a friction angle of 49 degrees. */
static void warn_strength(const stage_review *s, const char *section, const char *key, double ratio)
{
    const tw_tree_node *map = tw_tree_find(s->node, section);
    const tw_key_path here = {&s->key_path, section, 0};
    if (map && ratio > s->traits.ratio_most)
        tw_review_warn(
            s->review, map, &here, key,
            "%s = %.3g is beyond the strength of granular materials, which rarely exceeds "
            "%g",
            s->traits.ratio, ratio, s->traits.ratio_usual);
}

static void review_strength(const stage_review *s)
{
    const tw_scenario_end *end = &s->stage->end;
    const bool shear = s->traits.along == TW_SCENARIO_ALONG_PLANE;
    warn_strength(s, "end", "stress_ratio", end->stress_ratio);
    warn_strength(s, "end", "q", ratio_of(s, end->q));
    if (shear) warn_strength(s, "end", "stress", ratio_of(s, end->stress));
    warn_strength(s, "cycle", "stress", ratio_of(s, s->stage->cycle.stress));
}

/* A stress may never be reached, and the stage would go on until the run gives up. */
static void review_bound(const stage_review *s)
{
    const tw_scenario_end *end = &s->stage->end;
    const tw_tree_node *map = tw_tree_find(s->node, "end");
    const bool bounded = !isnan(end->strain) || !isnan(end->time) || end->steps != TW_SCENARIO_NONE;
    if (!map || bounded || !stops_at_stress(s->stage) || s->stage->path == TW_SCENARIO_GENERAL)
        return;
    if (isnan(s->stage->cycle.stress))
        tw_review_warn(s->review, s->node, &s->key_path, "end",
                       "the stage ends at a stress only, which may never be reached; add a "
                       "'strain' at which to give up");
    else
        tw_review_warn(s->review, s->node, &s->key_path, "end",
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
        tw_review_warn(s->review, s->node, &s->key_path, "damping",
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
    const double direction = tw_stress_state_direction(stage);
    if (!tw_stress_state_differ(s->start.angle, direction)) return;
    if (makes_lateral_equal(s))
        tw_review_warn(s->review, s->node, &s->key_path,
                       s->traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS ? "path" : "lateral_stress",
                       "the two stresses across axis %c differ at the start, and both jump to "
                       "their mean; put an isotropic stage before, or use the path general with "
                       "'stress: hold'",
                       axes[stage->axis]);
    else if (s->traits.along == TW_SCENARIO_ALONG_LODE_ANGLE)
        tw_review_warn(s->review, s->node, &s->key_path, "path",
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
            s->review, s->node, &s->key_path, lateral ? "lateral_stress" : "pressure",
            "jumps from %g to %g Pa at the start; put an isotropic stage with 'pressure: "
            "%g Pa' before",
            p, given, given);
}

/* ---- Probes ---- */

/* A circle (sphere) through the origin has two (three) unknowns, and the directions of loading,
 * fewer than half of them, have to determine it. */
static void review_probes(const stage_review *s)
{
    const tw_scenario_probes *probes = &s->stage->probes;
    const bool sphere = probes->space == TW_SCENARIO_SPHERE_OF_DIRECTIONS;
    const uint64_t least = sphere ? 12 : 8;
    const tw_key_path here = {&s->key_path, "probes", 0};
    const bool fitted = probes->unload == 1 || probes->no_slip == 1;
    if (fitted && probes->count < least)
        tw_review_warn(
            s->review, tw_tree_find(s->node, "probes"), &here, "count",
            "%d directions do not determine a plastic modulus and its error; expected at "
            "least %d for a fit",
            (int)probes->count, (int)least);
}

/* ---- All stages ---- */

static double rate_of(const tw_scenario *s, const tw_scenario_stage *stage, double p)
{
    const double density = tw_scenario_density(s) * s->time_step.mass_scale;
    if (!isnan(stage->rate)) return stage->rate;
    return stage->inertial_number / (tw_scenario_diameter(s) * sqrt(density / p));
}

static void review_stage(const stage_review *s)
{
    review_inertia(s);
    review_overshoot(s);
    review_steps(s);
    review_fraction(s, "end", s->stage->end.strain);
    review_fraction(s, "cycle", s->stage->cycle.strain);
    review_thinning(s);
    review_strength(s);
    review_bound(s);
    review_equilibrium(s);
    review_lateral(s);
    review_jump(s);
    if (s->stage->path == TW_SCENARIO_PROBES) review_probes(s);
}

void tw_review_loading(const tw_review *r)
{
    static const tw_key_path stages_path = {NULL, "stages", 0};
    const tw_scenario *scenario = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    if (scenario->stage_count == 0) return;
    tw_stress_state *states = tw_stress_state_predict(scenario);
    if (!states) {
        tw_diagnostics_out_of_memory(r->diagnostics);
        return;
    }
    for (size_t i = 0; i < scenario->stage_count; i++) {
        const tw_key_path key_path = {&stages_path, NULL, i + 1};
        stage_review s = {.review = r, .stage = &scenario->stages[i], .key_path = key_path};
        s.traits = tw_scenario_stage_traits(s.stage);
        s.node = tw_tree_item(list, i + 1);
        s.start = states[i];
        s.rate = rate_of(scenario, s.stage, s.start.p);
        s.dt = tw_time_step_expected(scenario, s.start.p);
        review_stage(&s);
    }
    free(states);
}
