/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/resolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "scenario/fill.h"
#include "scenario/key.h"
#include "scenario/stiffness_level.h"
#include "scenario/text_copy.h"
#include "scenario/values.h"

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

static void set_if_nan(double *field, double value)
{
    if (isnan(*field)) *field = value;
}

static bool has_ratios(const tw_scenario_material *m)
{
    return !isnan(m->restitution) || !isnan(m->tangential_damping) || !isnan(m->rolling_damping) ||
           !isnan(m->twisting_damping);
}

/* A list with the default shape. */
static bool make_shapes(tw_scenario_specimen *s)
{
    const tw_key_section *specimen = tw_key_find(tw_key_root(), "specimen")->section;
    const tw_key_section *section = tw_key_find(specimen, "shapes")->section;
    const tw_fill_context no_errors = {NULL, ""}; /* defaults alone are always valid */
    s->shapes = calloc(1, sizeof *s->shapes);
    if (!s->shapes) return false;
    s->shape_count = 1;
    tw_fields_clear(section, s->shapes);
    tw_fill_section(&no_errors, section, NULL, NULL, 0, s->shapes);
    return true;
}

static bool resolve_shapes(const tw_scenario *scenario, tw_scenario_specimen *s)
{
    if (s->shape_count == 0 && !make_shapes(s)) return false;
    for (size_t i = 0; i < s->shape_count; i++) {
        tw_scenario_shape *shape = &s->shapes[i];
        free(shape->file);
        shape->file = NULL;
        if (shape->material || scenario->material_count == 0) continue;
        const char *first = scenario->materials[0].name;
        shape->material = tw_text_copy(first, strlen(first));
        if (!shape->material) return false;
    }
    return true;
}

static void resolve_sizes(tw_scenario_sizes *s)
{
    if (s->distribution != TW_SCENARIO_LOGNORMAL) return;
    if (isnan(s->d_min)) s->d_min = s->d50 * tw_math_exp(-2.5 * s->deviation);
    if (isnan(s->d_max)) s->d_max = s->d50 * tw_math_exp(2.5 * s->deviation);
}

/* Clears what is not used, so that the scenario as written can be read again. */
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
    return resolve_shapes(s, specimen);
}

/* Clears what is not used, as above. */
static void resolve_material(const tw_scenario *s, tw_scenario_material *m)
{
    const double p = s->specimen.preparation.pressure, level = m->stiffness_level;
    if (!isnan(m->young)) m->normal = TW_CONTACT_HERTZ;
    if (m->normal == TW_CONTACT_HERTZ) {
        set_if_nan(&m->poisson, 0.25);
        if (!isnan(level)) m->young = tw_stiffness_level_young(level, p, m->poisson);
        m->kt_ratio = m->contact_damping = nan("");
    } else if (!isnan(level)) {
        m->kn = level * p * tw_scenario_diameter(s);
    }
    m->stiffness_level = nan("");
    if (!isnan(m->nu_t)) m->contact_damping = nan(""); /* its default */
    if (has_ratios(m)) m->contact_damping = nan("");
    if (m->rolling_friction > 0.0) set_if_nan(&m->kr_ratio, 1.0);
    if (m->twisting_friction > 0.0) set_if_nan(&m->kw_ratio, 1.0);
}

static void resolve_materials(tw_scenario *s)
{
    if (s->material_count == 0) {
        resolve_material(s, &s->material);
        return;
    }
    tw_fields_clear(tw_key_find(tw_key_root(), "material")->section, &s->material);
    for (size_t i = 0; i < s->material_count; i++) {
        resolve_material(s, &s->materials[i]);
        if (s->specimen.file && s->materials[i].type == TW_SCENARIO_NONE)
            s->materials[i].type = i + 1;
    }
}

static int32_t default_direction(int32_t along)
{
    if (along == TW_SCENARIO_ALONG_PLANE) return TW_SCENARIO_FORWARD;
    return along == TW_SCENARIO_ALONG_AXIS ? TW_SCENARIO_COMPRESSION : -1;
}

static void resolve_probes(tw_scenario_stage *stage)
{
    if (stage->probes.settle_steps == 0) stage->probes.settle = nan("");
    if (stage->probes.rest_steps == 0) stage->probes.rest = nan("");
    if (stage->probes.space != TW_SCENARIO_RENDULIC) stage->axis = -1;
}

double tw_resolve_lode_angle(const tw_scenario_stage *stage)
{
    const double b = stage->b;
    return isnan(b) ? stage->lode_angle : tw_math_atan2(sqrt(3.0) * b, 2.0 - b);
}

static bool resolve_stage(tw_scenario *s, size_t i)
{
    tw_scenario_stage *stage = &s->stages[i];
    const tw_scenario_traits traits = tw_scenario_stage_traits(stage);
    if (stage->direction < 0) stage->direction = default_direction(traits.along);
    stage->lode_angle = tw_resolve_lode_angle(stage);
    stage->b = nan("");
    if (traits.keeps == TW_SCENARIO_KEEPS_NORMAL_STRESS)
        set_if_nan(&stage->normal_stress, TW_SCENARIO_HOLD);
    if (stage->path == TW_SCENARIO_PROBES)
        resolve_probes(stage);
    else if (stage->law < 0)
        stage->law = s->material_count > 0 ? s->law : s->material.law;
    set_if_nan(&stage->friction, s->material.friction);
    if (stage->path != TW_SCENARIO_ROTATE) { /* the grains do not move freely */
        set_if_nan(&stage->damping.local, s->damping.local);
        set_if_nan(&stage->damping.mass, s->damping.mass);
        set_if_nan(&stage->damping.spin, s->damping.spin);
    }
    if (stage->without == TW_SCENARIO_NO_SET)
        stage->without = s->material_count > 0 ? s->without : s->material.without;
    if (stage->name) return true;
    const tw_resolve_name name = tw_resolve_stage_name(s, i);
    stage->name = tw_text_copy(name.text, strlen(name.text));
    return stage->name != NULL;
}

bool tw_resolve_scenario(tw_scenario *scenario)
{
    resolve_materials(scenario);
    if (!resolve_specimen(scenario)) return false;
    for (size_t i = 0; i < scenario->stage_count; i++)
        if (!resolve_stage(scenario, i)) return false;
    return true;
}
