/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact laws from the materials of a scenario. */
#include <twirl/material.h>
#include <twirl/scenario.h>

#include <stdbool.h>
#include <string.h>

#include "scenario/material_find.h"

size_t tw_scenario_materials(const tw_scenario *scenario)
{
    return scenario->material_count > 0 ? scenario->material_count : 1;
}

const tw_scenario_material *tw_scenario_material_at(const tw_scenario *scenario, size_t index)
{
    return scenario->material_count > 0 ? &scenario->materials[index] : &scenario->material;
}

size_t tw_scenario_shape_material(const tw_scenario *scenario, const tw_scenario_shape *shape)
{
    return shape->material ? tw_material_find(scenario, shape->material) : 0;
}

static void put(double value, double *field)
{
    if (!isnan(value)) *field = value;
}

/* The values that are set, in an engine's material. */
static void put_values(const tw_scenario_material *m, tw_material *out)
{
    const double ratio = out->kn > 0.0 ? out->kt / out->kn : 0.0;
    put(m->kn, &out->kn);
    out->kt = (isnan(m->kt_ratio) ? ratio : m->kt_ratio) * out->kn;
    put(m->young, &out->young);
    put(m->poisson, &out->poisson);
    put(m->friction, &out->mu);
    put(m->rolling_friction, &out->mu_r);
    put(m->twisting_friction, &out->mu_w);
    put(m->kr_ratio, &out->k_r_ratio);
    put(m->kw_ratio, &out->k_w_ratio);
    put(m->restitution, &out->restitution);
    put(m->nu_n, &out->nu_n);
    put(m->nu_t, &out->nu_t);
    put(m->tangential_damping, &out->damping_t);
    put(m->rolling_damping, &out->damping_r);
    put(m->twisting_damping, &out->damping_w);
    if (m->no_tension >= 0) out->no_tension = m->no_tension;
}

static tw_material material_from(const tw_scenario_material *m)
{
    tw_material out = tw_material_default();
    if (m->normal >= 0) out.normal = m->normal;
    put(m->contact_damping, &out.nu_n);
    put(m->contact_damping, &out.nu_t);
    put_values(m, &out);
    return out;
}

/* ---- Several materials ---- */

static const tw_scenario_pair *find_pair(const tw_scenario *s, size_t a, size_t b)
{
    const char *first = s->materials[a].name, *second = s->materials[b].name;
    for (size_t i = 0; i < s->pair_count; i++) {
        char *const *of = s->pairs[i].between;
        const bool same = strcmp(of[0], first) == 0 && strcmp(of[1], second) == 0,
                   turned = strcmp(of[0], second) == 0 && strcmp(of[1], first) == 0;
        if (same || turned) return &s->pairs[i];
    }
    return NULL;
}

/* A material as it is in a stage. */
static tw_material material_in(const tw_scenario *s, const tw_scenario_stage *stage, size_t index)
{
    tw_material out = material_from(&s->materials[index]);
    for (size_t i = 0; stage && i < stage->material_count; i++) {
        const tw_scenario_stage_material *m = &stage->materials[i];
        if (strcmp(m->name, s->materials[index].name) != 0) continue;
        put(m->friction, &out.mu);
        put(m->rolling_friction, &out.mu_r);
        put(m->twisting_friction, &out.mu_w);
    }
    return out;
}

static tw_contact_law mix(const tw_scenario *s, const tw_scenario_stage *stage, size_t a, size_t b)
{
    tw_material first = material_in(s, stage, a), second = material_in(s, stage, b);
    const tw_scenario_pair *pair = find_pair(s, a, b);
    tw_contact_law law = tw_contact_law_default();
    if (pair) {
        put_values(&pair->values, &first);
        put_values(&pair->values, &second);
    }
    (void)tw_material_pair_law(&first, &second, &law); /* a scenario that was read is valid */
    return law;
}

/* ---- One material ---- */

static void change_elasticity(const tw_scenario_material *m, tw_contact_law *law)
{
    if (m->normal == TW_CONTACT_HERTZ) {
        const tw_material material = material_from(m);
        tw_contact_law hertz;
        (void)tw_material_pair_law(&material, &material, &hertz);
        law->kn = hertz.kn;
        law->kt = hertz.kt;
    } else if (!isnan(m->kn) || !isnan(m->kt_ratio)) {
        const bool has = law->normal == TW_CONTACT_LINEAR && law->kn > 0.0;
        const double ratio = has ? law->kt / law->kn : 1.0;
        put(m->kn, &law->kn);
        law->kt = (isnan(m->kt_ratio) ? ratio : m->kt_ratio) * law->kn;
    }
    if (m->normal < 0 && isnan(m->kn)) return;
    law->normal = m->normal == TW_CONTACT_HERTZ ? TW_CONTACT_HERTZ : TW_CONTACT_LINEAR;
    law->flags &= ~(uint32_t)TW_CONTACT_BY_RADIUS;
    if (law->normal == TW_CONTACT_HERTZ) law->flags |= TW_CONTACT_BY_RADIUS;
}

/* Coefficients replace ratios, and the other way round. */
static void change_damping(const tw_scenario_material *m, tw_contact_law *law)
{
    const bool coefficients = !isnan(m->contact_damping) || !isnan(m->nu_n) || !isnan(m->nu_t);
    const bool ratios = !isnan(m->restitution) || !isnan(m->tangential_damping) ||
                        !isnan(m->rolling_damping) || !isnan(m->twisting_damping);
    const uint32_t flag = ratios ? TW_CONTACT_BY_MASS : 0;
    if ((coefficients || ratios) && (law->flags & TW_CONTACT_BY_MASS) != flag) {
        law->nu_n = law->nu_t = law->nu_r = law->nu_w = 0.0;
        law->flags ^= TW_CONTACT_BY_MASS;
    }
    put(m->contact_damping, &law->nu_n);
    put(m->contact_damping, &law->nu_t);
    put(m->nu_n, &law->nu_n);
    put(m->nu_t, &law->nu_t);
    if (m->no_tension >= 0) {
        law->flags &= ~(uint32_t)TW_CONTACT_NO_TENSION;
        if (m->no_tension == 1) law->flags |= TW_CONTACT_NO_TENSION;
    }
    if (!isnan(m->restitution))
        law->nu_n = tw_contact_law_damping_ratio(m->restitution, law->flags);
    put(m->tangential_damping, &law->nu_t);
    put(m->rolling_damping, &law->nu_r);
    put(m->twisting_damping, &law->nu_w);
}

static void change(const tw_scenario_material *m, tw_contact_law *law)
{
    const double before = law->kt;
    change_elasticity(m, law);
    if (law->kt != before && before > 0.0) { /* the ratios stay */
        law->k_r *= law->kt / before;
        law->k_w *= law->kt / before;
    }
    if (!isnan(m->kr_ratio)) law->k_r = m->kr_ratio * law->kt;
    if (!isnan(m->kw_ratio)) law->k_w = m->kw_ratio * law->kt;
    put(m->friction, &law->mu);
    put(m->rolling_friction, &law->mu_r);
    put(m->twisting_friction, &law->mu_w);
    change_damping(m, law);
}

/* ---- Either ---- */

/* A limit needs a spring: that of the material, or as stiff as the tangential one. */
static void complete(tw_contact_law *law)
{
    if (law->mu_r > 0.0 && !(law->k_r > 0.0)) law->k_r = law->kt;
    if (law->mu_w > 0.0 && !(law->k_w > 0.0)) law->k_w = law->kt;
    if (!(law->mu_r > 0.0)) law->k_r = 0.0;
    if (!(law->mu_w > 0.0)) law->k_w = 0.0;
}

static void change_in_stage(const tw_scenario_stage *stage, tw_contact_law *law)
{
    put(stage->friction, &law->mu);
    put(stage->rolling_friction, &law->mu_r);
    put(stage->twisting_friction, &law->mu_w);
    if (stage->law >= 0) law->kind = stage->law;
    if (stage->without != TW_SCENARIO_NO_SET) law->refine = TW_CONTACT_ALL & ~stage->without;
}

void tw_scenario_put_law(const tw_scenario *s, const tw_scenario_stage *stage, size_t a, size_t b,
                         tw_contact_law *law)
{
    const bool listed = s->material_count > 0;
    const int32_t kind = listed ? s->law : s->material.law;
    const uint32_t without = listed ? s->without : s->material.without;
    if (listed)
        *law = mix(s, stage, a, b);
    else
        change(&s->material, law);
    if (kind >= 0) law->kind = kind;
    if (without != TW_SCENARIO_NO_SET) law->refine = TW_CONTACT_ALL & ~without;
    if (stage) change_in_stage(stage, law);
    complete(law);
}
