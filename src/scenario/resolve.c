/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/resolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

#include "scenario/fill.h"
#include "scenario/keys.h"

tw_resolve_name tw_resolve_stage_name(const tw_scenario *scenario, size_t stage)
{
    tw_resolve_name name;
    const tw_scenario_stage *s = &scenario->stages[stage];
    const char *path = tw_scenario_path_name(s->path);
    if (s->name)
        snprintf(name.text, sizeof name.text, "%s", s->name);
    else
        snprintf(name.text, sizeof name.text, "%zu_%s", stage + 1, path ? path : "");
    return name;
}

static bool resolve_shapes(tw_scenario_specimen *s)
{
    if (s->shape_count > 0) return true;
    const tw_section *specimen = tw_keys_find(tw_keys_root(), "specimen")->section;
    const tw_section *section = tw_keys_find(specimen, "shapes")->section;
    const tw_fill nobody = {NULL, ""}; /* with defaults alone nothing can be wrong */
    s->shapes = calloc(1, sizeof *s->shapes);
    if (!s->shapes) return false;
    s->shape_count = 1;
    tw_fill_clear(section, s->shapes);
    tw_fill_map(&nobody, section, NULL, NULL, 0, s->shapes);
    return true;
}

static void resolve_sizes(tw_scenario_sizes *s)
{
    if (s->distribution != TW_SCENARIO_LOGNORMAL) return;
    if (isnan(s->d_min)) s->d_min = s->d50 * tw_math_exp(-2.5 * s->deviation);
    if (isnan(s->d_max)) s->d_max = s->d50 * tw_math_exp(2.5 * s->deviation);
}

/* What is not used is not set, so that the written scenario is one that would be read. */
static void resolve_preparation(tw_scenario_preparation *p, bool lattice, double friction)
{
    const bool target = !isnan(p->porosity) || !isnan(p->void_ratio),
               pressure = !isnan(p->pressure);
    if (lattice && !pressure) {
        p->friction = p->rate = p->inertial_number = p->unbalanced = nan("");
    } else if (isnan(p->friction)) {
        p->friction = target && pressure ? TW_SCENARIO_AUTO : friction;
    }
    if (p->friction != TW_SCENARIO_AUTO) p->tolerance = nan("");
    if (lattice) p->start_porosity = nan("");
    if (!pressure) p->inertial_number = nan("");
}

static bool resolve_specimen(tw_scenario *s)
{
    tw_scenario_specimen *specimen = &s->specimen;
    if (specimen->file || specimen->checkpoint) return true;
    const bool lattice = specimen->arrangement != TW_SCENARIO_RANDOM;
    resolve_sizes(&specimen->sizes);
    resolve_preparation(&specimen->preparation, lattice, s->material.friction);
    return resolve_shapes(specimen);
}

static void resolve_material(tw_scenario *s)
{
    tw_scenario_material *m = &s->material;
    if (isnan(m->stiffness_level)) return;
    m->kn = m->stiffness_level * s->specimen.preparation.pressure * tw_scenario_diameter(s);
    m->stiffness_level = nan("");
}

static void put(double *value, double otherwise)
{
    if (isnan(*value)) *value = otherwise;
}

static bool resolve_stage(tw_scenario *s, size_t i)
{
    tw_scenario_stage *stage = &s->stages[i];
    const int32_t path = stage->path == TW_SCENARIO_CYCLIC ? stage->cycle.base : stage->path;
    const bool axial = path == TW_SCENARIO_OEDOMETER || path == TW_SCENARIO_TRIAXIAL ||
                       path == TW_SCENARIO_CONSTANT_P || path == TW_SCENARIO_UNDRAINED;
    if (stage->direction < 0 && axial) stage->direction = TW_SCENARIO_COMPRESSION;
    if (stage->direction < 0 && path == TW_SCENARIO_SIMPLE_SHEAR)
        stage->direction = TW_SCENARIO_FORWARD;
    if (path == TW_SCENARIO_SIMPLE_SHEAR && stage->constant == TW_SCENARIO_NORMAL_STRESS)
        put(&stage->normal_stress, TW_SCENARIO_HOLD);
    if (path == TW_SCENARIO_PROBES && stage->probes.settle_steps == 0)
        stage->probes.settle = nan("");
    if (path == TW_SCENARIO_PROBES && stage->probes.rest_steps == 0) stage->probes.rest = nan("");
    if (path == TW_SCENARIO_PROBES && stage->probes.space != TW_SCENARIO_RENDULIC) stage->axis = -1;
    put(&stage->friction, s->material.friction);
    if (path != TW_SCENARIO_ROTATE) { /* nothing moves freely in it */
        put(&stage->damping.local, s->damping.local);
        put(&stage->damping.mass, s->damping.mass);
        put(&stage->damping.spin, s->damping.spin);
    }
    if (stage->law < 0 && path != TW_SCENARIO_PROBES) stage->law = s->material.law;
    if (stage->without == TW_SCENARIO_NO_SET) stage->without = s->material.without;
    if (stage->name) return true;
    const tw_resolve_name name = tw_resolve_stage_name(s, i);
    stage->name = malloc(strlen(name.text) + 1);
    if (!stage->name) return false;
    memcpy(stage->name, name.text, strlen(name.text) + 1);
    return true;
}

bool tw_resolve(tw_scenario *scenario)
{
    if (!resolve_specimen(scenario)) return false;
    resolve_material(scenario);
    for (size_t i = 0; i < scenario->stage_count; i++)
        if (!resolve_stage(scenario, i)) return false;
    return true;
}
