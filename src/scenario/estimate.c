/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates before a run. */
#include <math.h>
#include <stdlib.h>

#include <twirl/contact_law.h>
#include <twirl/math.h>
#include <twirl/scenario.h>

#include "scenario/review.h"

/* ---- Cell ---- */

double tw_scenario_cell_side(const tw_scenario_specimen *specimen)
{
    const tw_scenario_preparation *p = &specimen->preparation;
    double porosity = 0.4; /* of a random packing */
    if (!isnan(p->porosity)) porosity = p->porosity;
    if (!isnan(p->void_ratio)) porosity = p->void_ratio / (1.0 + p->void_ratio);
    return tw_math_cbrt((double)specimen->count * TW_MATH_PI / 6.0 / (1.0 - porosity));
}

/* ---- Stiffness ---- */

/* The level of a resolved material, for pressure p and diameter d. */
static double stiffness_level(const tw_scenario_material *m, double p, double d)
{
    if (!isnan(m->modulus)) return 0.5 * m->modulus / p; /* the reduced radius is d/4 */
    if (!tw_scenario_has_constant(m, "young")) return m->kn / (p * d);
    return tw_math_pow(m->young / (3.0 * p * (1.0 - m->poisson * m->poisson)), 2.0 / 3.0);
}

double tw_scenario_least_stiffness_level(const tw_scenario *s, double p,
                                         const tw_scenario_material **softest)
{
    double least = nan("");
    for (size_t i = 0; i < tw_scenario_materials(s); i++) {
        const tw_scenario_material *m = tw_scenario_material_at(s, i);
        const double level = stiffness_level(m, p, tw_scenario_diameter(s));
        if (level >= least) continue;
        least = level;
        *softest = m;
    }
    return least;
}

/* ---- Time step ---- */

/* The law of two spheres of diameter d, linear with the stiffness that it has under the mean force
 * at pressure p. */
static tw_contact_law linearise(const tw_contact_law *law, double d, double mass, double p)
{
    tw_contact_law at = tw_contact_law_at(law, 0.25 * d, 0.5 * mass, 1.0);
    if (tw_contact_normal_is_linear(at.normal)) return at;
    const tw_contact_memory memory = {.zeta = tw_contact_law_overlap(&at, p * d * d)};
    const tw_contact_stiffness k = tw_contact_law_stiffness(&at, &memory);
    const double root = tw_contact_law_damping_root(&at, memory.zeta);
    at.normal = TW_CONTACT_LINEAR;
    at.kn = k.kn;
    at.kt = k.kt;
    at.nu_n *= root;
    at.nu_t *= root;
    return at;
}

double tw_scenario_stable_step(const tw_scenario *s, const tw_scenario_stage *stage,
                               double contacts, double p)
{
    if (!tw_scenario_is_generated(s)) return nan("");
    const size_t count = tw_scenario_materials(s);
    const double d = tw_scenario_find_grain_sizes(&s->specimen.sizes).smallest;
    double least = HUGE_VAL;
    for (size_t i = 0; i < count * count; i++) {
        const double density =
            tw_scenario_material_at(s, i / count)->density * s->time_step.mass_scale;
        const double mass = density * TW_MATH_PI / 6.0 * d * d * d;
        tw_contact_law law = tw_contact_law_default();
        tw_scenario_put_law(s, stage, i / count, i % count, &law);
        law = linearise(&law, d, mass, p);
        /* r^2/I = 2.5/m. Also NaN, if the pressure of Hertz contacts is not known */
        const double dt = tw_contact_law_stable_step(&law, contacts, 3.5 / mass);
        if (!(dt >= least)) least = dt;
    }
    return least;
}

/* Eight contacts, as in dense packings of spheres. */
double tw_scenario_expected_step(const tw_scenario *s, const tw_scenario_stage *stage, double p)
{
    if (!isnan(s->time_step.dt)) return s->time_step.dt;
    return s->time_step.fraction * tw_scenario_stable_step(s, stage, 8.0, p);
}

/* ---- Steps and memory ---- */

double tw_scenario_density(const tw_scenario *s)
{
    double shares = 0.0, sum = 0.0;
    if (!tw_scenario_is_generated(s)) return nan("");
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
    return tw_scenario_expected_step(s, NULL, s->specimen.preparation.pressure);
}

double tw_scenario_inertial_time(const tw_scenario *s, double p)
{
    const double density = tw_scenario_density(s) * s->time_step.mass_scale;
    return tw_scenario_diameter(s) * sqrt(density / p);
}

double tw_scenario_stage_rate(const tw_scenario *s, const tw_scenario_stage *stage, double p)
{
    if (!isnan(stage->rate)) return stage->rate;
    if (stage->path == TW_SCENARIO_GENERAL && isnan(stage->inertial_number)) {
        const double rate = fabs(stage->control.component[tw_scenario_stage_followed(stage)].rate);
        return rate > 0.0 ? rate : nan("");
    }
    return stage->inertial_number / tw_scenario_inertial_time(s, p);
}

uint64_t tw_scenario_probe_loadings(const tw_scenario_probes *p)
{
    uint64_t laws = p->variant_count;
    for (uint32_t bit = 1; bit && bit <= p->laws; bit <<= 1)
        laws += (p->laws & bit) != 0;
    const uint64_t ways = 1u + (p->unload == 1) + (p->no_slip == 1);
    const uint64_t elastic = p->no_slip == 1 && isnan(p->stress) ? 6 : 0;
    return laws * (ways * p->count + 1 + elastic);
}

double tw_scenario_cycle_strain(const tw_scenario_stage *stage)
{
    return 2.0 * (1.0 - stage->cycle.return_to) * stage->cycle.strain;
}

double tw_scenario_stage_strain(const tw_scenario_stage *stage)
{
    if (stage->path != TW_SCENARIO_CYCLIC) return stage->end.strain;
    if (stage->end.cycles == TW_SCENARIO_NONE) return nan("");
    return tw_scenario_cycle_strain(stage) * (double)stage->end.cycles;
}

static double estimate_steps(const tw_scenario *s, const tw_scenario_stage *stage, double p)
{
    const double dt = tw_scenario_expected_step(s, stage, p),
                 rate = tw_scenario_stage_rate(s, stage, p);
    double steps = HUGE_VAL;
    if (stage->end.steps != TW_SCENARIO_NONE) steps = (double)stage->end.steps;
    steps = tw_math_min(steps, stage->end.time / dt); /* ignores NaN */
    if (tw_scenario_stage_traits(stage).driven)
        steps = tw_math_min(steps, tw_scenario_stage_strain(stage) / (rate * dt));
    return steps;
}

uint64_t tw_scenario_stage_steps(const tw_scenario *scenario, size_t stage)
{
    const tw_scenario_stage *at = &scenario->stages[stage];
    if (at->path == TW_SCENARIO_ROTATE) return at->rotation.increments;
    if (at->path == TW_SCENARIO_RATES) return at->rates.count; /* no steps, but their turns */
    if (at->path == TW_SCENARIO_PROBES) {
        const bool fixed = at->probes.settle_steps == 0 && at->probes.rest_steps == 0 &&
                           at->probes.method != TW_SCENARIO_METHOD_STATIC;
        return fixed ? at->probes.steps * tw_scenario_probe_loadings(&at->probes) : 0;
    }
    tw_scenario_stress *states = tw_scenario_predict_stresses(scenario);
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
    if (!tw_scenario_is_generated(scenario)) return nan("");
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
