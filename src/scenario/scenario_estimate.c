/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates before a run. */
#include <twirl/math.h>
#include <twirl/scenario.h>

#include <math.h>
#include <stdlib.h>

#include "scenario/stress_state.h"
#include "scenario/time_step.h"

/* Median diameter by mass; linear in ln d between points. */
static double median_diameter(const tw_scenario_rows *curve)
{
    const double *v = curve->value;
    for (size_t i = 1; i < curve->count; i++) {
        const double below = v[2 * i - 1], above = v[2 * i + 1];
        if (above < 0.5) continue;
        const double part = above > below ? (0.5 - below) / (above - below) : 0.0;
        return v[2 * i - 2] * tw_math_pow(v[2 * i] / v[2 * i - 2], part);
    }
    return nan("");
}

double tw_scenario_diameter(const tw_scenario *scenario)
{
    const tw_scenario_sizes *s = &scenario->specimen.sizes;
    switch (s->distribution) {
    case TW_SCENARIO_MONO:
        return s->d;
    case TW_SCENARIO_UNIFORM:
        return 0.5 * (s->d_min + s->d_max);
    case TW_SCENARIO_LOGNORMAL:
        return s->d50;
    case TW_SCENARIO_GRADING:
        return median_diameter(&s->curve);
    default:
        return nan("");
    }
}

double tw_scenario_density(const tw_scenario *s)
{
    double shares = 0.0, sum = 0.0;
    if (s->specimen.checkpoint || s->specimen.file) return nan("");
    if (s->material_count == 0) return s->material.density;
    for (size_t i = 0; i < s->specimen.shape_count; i++) {
        const tw_scenario_shape *shape = &s->specimen.shapes[i];
        shares += shape->share;
        sum += shape->share * s->materials[tw_scenario_shape_material(s, shape)].density;
    }
    return sum / shares;
}

double tw_scenario_dt(const tw_scenario *s)
{
    return tw_time_step_expected(s, s->specimen.preparation.pressure);
}

static double strain_rate(const tw_scenario *s, const tw_scenario_stage *stage, double p)
{
    if (!isnan(stage->rate)) return stage->rate;
    const double density = tw_scenario_density(s) * s->time_step.mass_scale;
    return stage->inertial_number / (tw_scenario_diameter(s) * sqrt(density / p));
}

/* Without the steps to reach equilibrium. For each law: the probes, one without loading, and, with
 * a given strain and no_slip, six without slip for the elastic tensor. */
static uint64_t probe_steps(const tw_scenario_probes *p)
{
    uint64_t laws = p->variant_count;
    for (uint32_t bit = 1; bit && bit <= p->laws; bit <<= 1)
        laws += (p->laws & bit) != 0;
    const uint64_t ways = 1u + (p->unload == 1) + (p->no_slip == 1);
    const uint64_t elastic = p->no_slip == 1 && isnan(p->stress) ? 6 : 0;
    return laws * p->steps * (ways * p->count + 1 + elastic);
}

/* The strain of a stage, as far as it follows from its end conditions. */
static double strain_to_go(const tw_scenario_stage *stage)
{
    if (stage->path != TW_SCENARIO_CYCLIC) return stage->end.strain;
    if (stage->end.cycles == TW_SCENARIO_NONE) return nan("");
    return 4.0 * stage->cycle.strain * (double)stage->end.cycles;
}

static double estimate_steps(const tw_scenario *s, const tw_scenario_stage *stage, double p)
{
    const double dt = tw_time_step_expected(s, p), rate = strain_rate(s, stage, p);
    double steps = HUGE_VAL;
    if (stage->end.steps != TW_SCENARIO_NONE) steps = (double)stage->end.steps;
    steps = tw_math_min(steps, stage->end.time / dt); /* ignores NaN */
    if (stage->path != TW_SCENARIO_ISOTROPIC && stage->path != TW_SCENARIO_GENERAL)
        steps = tw_math_min(steps, strain_to_go(stage) / (rate * dt));
    return steps;
}

uint64_t tw_scenario_stage_steps(const tw_scenario *scenario, size_t stage)
{
    const tw_scenario_stage *at = &scenario->stages[stage];
    if (at->path == TW_SCENARIO_ROTATE) return at->rotation.increments;
    if (at->path == TW_SCENARIO_PROBES) {
        const bool fixed = at->probes.settle_steps == 0 && at->probes.rest_steps == 0;
        return fixed ? probe_steps(&at->probes) : 0;
    }
    tw_stress_state *states = tw_stress_state_predict(scenario);
    if (!states) return 0;
    const double steps = estimate_steps(scenario, at, states[stage].p);
    free(states);
    return steps > 0.0 && steps < 1e18 ? (uint64_t)ceil(steps) : 0;
}

/* Measured with spheres and clumps of seven spheres. */
double tw_scenario_memory(const tw_scenario *scenario)
{
    const double program = 14e6, grain = 1200.0, sphere = 220.0;
    const tw_scenario_specimen *s = &scenario->specimen;
    double shares = 0.0, spheres = 0.0;
    if (s->file || s->checkpoint) return nan("");
    for (size_t k = 0; k < s->shape_count; k++) {
        const tw_scenario_shape *shape = &s->shapes[k];
        const double each = shape->shape == TW_SCENARIO_SPHERE  ? 1.0
                            : shape->shape == TW_SCENARIO_BUMPY ? 1.0 + (double)shape->satellites
                                                                : (double)shape->spheres.count;
        shares += shape->share;
        spheres += shape->share * each;
    }
    return program + (double)s->count * (grain + sphere * spheres / shares);
}
