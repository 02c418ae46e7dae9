/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults that depend on other keys, and contact laws from the materials. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_law.h>
#include <twirl/material.h>
#include <twirl/math.h>
#include <twirl/scenario.h>

#include "scenario/review.h"
#include "scenario/schema.h"
#include "scenario/tree.h"
#include "scenario/values.h"

size_t tw_scenario_find_material(const tw_scenario *scenario, const char *name)
{
    size_t i = 0;
    while (i < scenario->material_count &&
           !(scenario->materials[i].name && strcmp(scenario->materials[i].name, name) == 0))
        i++;
    return i;
}

size_t tw_scenario_platen_material(const tw_scenario *scenario)
{
    const char *name = scenario->boundary.material;
    return name ? tw_scenario_find_material(scenario, name) : 0;
}

static void set_if_nan(double *field, double value)
{
    if (isnan(*field)) *field = value;
}

/* The constants of a material: where they are in a scenario, in an engine's material, and in a law
 * that has them as they are given. */
typedef struct material_constant {
    const char *name;
    size_t given, material, law;
    bool ratio; /* of damping */
} material_constant;

#define NOWHERE SIZE_MAX
#define LAW_OWN(law) NOWHERE
#define LAW_SERIES(law) offsetof(tw_contact_law, law)
#define LAW_LEAST(law) offsetof(tw_contact_law, law)
#define LAW_MEAN(law) offsetof(tw_contact_law, law)
enum { NEITHER, COEFFICIENTS, RATIOS };

static const material_constant constants[] = {
#define TW_MATERIAL_CONSTANT(name, least, of, damping, rule, law, word)                            \
    {#name, offsetof(tw_scenario_material, name), offsetof(tw_material, name), LAW_##rule(law),    \
     (damping) == RATIOS},
#include <twirl/detail/material_constants.def>
};

enum { CONSTANTS = sizeof constants / sizeof *constants };

static double *value_of(tw_scenario_material *m, int k)
{
    return (double *)(void *)((char *)m + constants[k].given);
}

static double given_of(const tw_scenario_material *m, int k)
{
    return *(const double *)(const void *)((const char *)m + constants[k].given);
}

static bool has_ratios(const tw_scenario_material *m)
{
    bool has = false;
    for (int k = 0; k < CONSTANTS; k++)
        has = has || (constants[k].ratio && !isnan(given_of(m, k)));
    return has;
}

bool tw_scenario_has_constant(const tw_scenario_material *m, const char *name)
{
    const int32_t standard =
        isnan(m->young) ? tw_material_default().normal : tw_material_normal_with("young");
    return tw_material_has(m->normal < 0 ? standard : m->normal, name);
}

/* A list with the default shape. */
static bool make_shapes(tw_scenario_specimen *s)
{
    const tw_key_section *specimen = tw_key_find(tw_key_root(), "specimen")->section;
    const tw_key_section *section = tw_key_find(specimen, "shapes")->section;
    s->shapes = calloc(1, sizeof *s->shapes);
    if (!s->shapes) return false;
    s->shape_count = 1;
    tw_values_clear(section, s->shapes);
    tw_fill_section(NULL, section, NULL, 0, s->shapes); /* defaults alone are always valid */
    return true;
}

/* A name of a material that is not given. */
static bool name_material(const tw_scenario *s, char **name)
{
    if (*name || s->material_count == 0) return true;
    *name = strdup(s->materials[0].name);
    return *name != NULL;
}

static bool resolve_shapes(const tw_scenario *scenario, tw_scenario_specimen *s)
{
    if (s->shape_count == 0 && !make_shapes(s)) return false;
    for (size_t i = 0; i < s->shape_count; i++) {
        tw_scenario_shape *shape = &s->shapes[i];
        free(shape->file);
        shape->file = NULL;
        if (!name_material(scenario, &shape->material)) return false;
    }
    return true;
}

static void resolve_sizes(tw_scenario_sizes *s)
{
    free(s->file);
    s->file = NULL;
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
    if (!tw_scenario_is_generated(s)) return true;
    const bool lattice = tw_scenario_is_lattice(specimen);
    resolve_sizes(&specimen->sizes);
    resolve_preparation(&specimen->preparation, lattice, s->material.friction);
    return resolve_shapes(s, specimen);
}

/* Young's modulus of Hertz contacts with this level at pressure p [Pa]. */
static double young_of_level(double level, double p, double poisson)
{
    return 3.0 * p * (1.0 - poisson * poisson) * level * sqrt(level);
}

/* Clears what is not used, as above. */
static void resolve_material(const tw_scenario *s, tw_scenario_material *m)
{
    const double p = s->specimen.preparation.pressure, level = m->stiffness_level;
    if (!isnan(m->young)) m->normal = tw_material_normal_with("young");
    for (int k = 0; k < CONSTANTS; k++)
        if (!tw_scenario_has_constant(m, constants[k].name)) *value_of(m, k) = nan("");
    if (!tw_scenario_has_constant(m, "nu_n")) m->contact_damping = nan("");
    if (tw_scenario_has_constant(m, "young")) {
        set_if_nan(&m->poisson, 0.25);
        if (!isnan(level)) m->young = young_of_level(level, p, m->poisson);
    } else if (!isnan(level)) {
        m->kn = level * p * tw_scenario_diameter(s);
    }
    m->stiffness_level = nan("");
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
    tw_values_clear(tw_key_find(tw_key_root(), "material")->section, &s->material);
    for (size_t i = 0; i < s->material_count; i++) {
        resolve_material(s, &s->materials[i]);
        if (s->specimen.file && s->materials[i].type == TW_SCENARIO_NONE)
            s->materials[i].type = i + 1;
    }
}

static int32_t default_direction(const tw_scenario_stage *stage, int32_t along)
{
    if (along == TW_SCENARIO_ALONG_PLANE) return TW_SCENARIO_FORWARD;
    return along == TW_SCENARIO_ALONG_AXIS && isnan(stage->eta) ? TW_SCENARIO_COMPRESSION : -1;
}

static void resolve_probes(tw_scenario_stage *stage)
{
    if (stage->probes.settle_steps == 0) stage->probes.settle = nan("");
    if (stage->probes.rest_steps == 0) stage->probes.rest = nan("");
    if (stage->probes.space != TW_SCENARIO_RENDULIC) stage->axis = -1;
}

double tw_scenario_lode_angle(const tw_scenario_stage *stage)
{
    const double b = stage->b;
    return isnan(b) ? stage->lode_angle : tw_math_atan2(sqrt(3.0) * b, 2.0 - b);
}

/* The short form of a friction of all contacts. */
static void move_friction(double *from, double *to)
{
    set_if_nan(to, *from);
    *from = nan("");
}

static bool resolve_stage(tw_scenario *s, size_t i)
{
    tw_scenario_stage *stage = &s->stages[i];
    const tw_scenario_traits traits = tw_scenario_stage_traits(stage);
    const double k = stage->lateral_ratio;
    if (!isnan(k)) stage->eta = 3.0 * (1.0 - k) / (1.0 + 2.0 * k);
    stage->lateral_ratio = nan("");
    if (stage->direction < 0) stage->direction = default_direction(stage, traits.along);
    stage->lode_angle = tw_scenario_lode_angle(stage);
    stage->b = nan("");
    if (stage->constant < 0 && traits.along == TW_SCENARIO_ALONG_PLANE)
        stage->constant = TW_SCENARIO_NORMAL_STRESS;
    if (stage->constant < 0 && traits.along == TW_SCENARIO_ALONG_LODE_ANGLE)
        stage->constant = TW_SCENARIO_P_CONSTANT;
    if (traits.keeps == TW_SCENARIO_KEEPS_NORMAL_STRESS)
        set_if_nan(&stage->normal_stress, TW_SCENARIO_HOLD);
    if (traits.along == TW_SCENARIO_ALONG_LODE_ANGLE)
        set_if_nan(traits.keeps == TW_SCENARIO_KEEPS_MEAN_STRESS ? &stage->pressure
                                                                 : &stage->lateral_stress,
                   TW_SCENARIO_HOLD);
    if (stage->path == TW_SCENARIO_PROBES)
        resolve_probes(stage);
    else if (stage->law < 0)
        stage->law = s->material_count > 0 ? s->law : s->material.law;
    move_friction(&stage->material.values.friction, &stage->friction);
    move_friction(&stage->material.values.rolling_friction, &stage->rolling_friction);
    move_friction(&stage->material.values.twisting_friction, &stage->twisting_friction);
    set_if_nan(&stage->friction, s->material.friction);
    const bool rigid = stage->path == TW_SCENARIO_ROTATE || stage->path == TW_SCENARIO_RATES;
    if (!rigid) { /* the grains move freely */
        set_if_nan(&stage->damping.local, s->damping.local);
        set_if_nan(&stage->damping.mass, s->damping.mass);
        set_if_nan(&stage->damping.spin, s->damping.spin);
    }
    if (stage->without == TW_SCENARIO_NO_SET)
        stage->without = s->material_count > 0 ? s->without : s->material.without;
    if (stage->name) return true;
    stage->name = strdup(tw_scenario_stage_name(s, i).text);
    return stage->name != NULL;
}

/* The edges that are not given, if any is. */
static void resolve_boundary(tw_scenario *s)
{
    int32_t *edge = s->boundary.edge;
    const bool single = s->specimen.grain_count > 0;
    if (!single && edge[0] < 0 && edge[1] < 0 && edge[2] < 0) return;
    for (int k = 0; k < 3; k++)
        if (edge[k] < 0) edge[k] = single ? TW_SCENARIO_EDGE_OPEN : TW_SCENARIO_EDGE_PERIODIC;
}

static bool resolve_bodies(tw_scenario *s)
{
    bool good = true;
    for (size_t i = 0; i < s->specimen.grain_count && good; i++)
        good = name_material(s, &s->specimen.grains[i].material);
    for (size_t i = 0; i < s->surface_count && good; i++)
        good = name_material(s, &s->surfaces[i].material);
    return good;
}

bool tw_scenario_resolve(tw_scenario *scenario)
{
    resolve_materials(scenario);
    resolve_boundary(scenario);
    if (!resolve_bodies(scenario)) return false;
    if (!resolve_specimen(scenario)) return false;
    for (size_t i = 0; i < scenario->stage_count; i++)
        if (!resolve_stage(scenario, i)) return false;
    return true;
}

/* ---- The preparation alone ---- */

static void drop_friction(tw_scenario_material *m, bool required)
{
    const tw_key_section *section = tw_key_find(tw_key_root(), "material")->section;
    m->friction = nan("");
    if (required) tw_values_set_default(tw_key_find(section, "friction"), &m->friction);
}

/* A copy of `count` items; at least one byte. */
static void *copy_items(const void *items, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy && count > 0) memcpy(copy, items, count * size);
    return copy;
}

int tw_scenario_without_stages(const tw_scenario *s, tw_scenario *out)
{
    *out = *s;
    out->title = NULL;
    out->stage_count = 0;
    tw_scenario_output_drop_frames(&out->output);
    out->materials = copy_items(s->materials, s->material_count, sizeof *s->materials);
    out->pairs = copy_items(s->pairs, s->pair_count, sizeof *s->pairs);
    if (!out->materials || !out->pairs) {
        tw_scenario_without_stages_free(out);
        return 0;
    }
    if (s->material_count == 0) drop_friction(&out->material, true);
    if (isnan(s->specimen.preparation.friction)) return 1;
    for (size_t i = 0; i < s->material_count; i++)
        drop_friction(&out->materials[i], true);
    for (size_t i = 0; i < s->pair_count; i++)
        drop_friction(&out->pairs[i].values, false);
    return 1;
}

void tw_scenario_without_stages_free(tw_scenario *out)
{
    free(out->materials);
    free(out->pairs);
}

/* ---- Contact laws ---- */

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
    return shape->material ? tw_scenario_find_material(scenario, shape->material) : 0;
}

static void put(double value, double *field)
{
    if (!isnan(value)) *field = value;
}

/* Puts the k-th constant, if it is set, at an offset of something that has it. */
static void put_at(const tw_scenario_material *m, int k, void *out, size_t offset)
{
    if (offset != NOWHERE) put(given_of(m, k), (void *)((char *)out + offset));
}

/* The values that are set, in an engine's material. */
static void put_values(const tw_scenario_material *m, tw_material *out)
{
    const double ratio = out->kn > 0.0 ? out->kt / out->kn : 0.0;
    for (int k = 0; k < CONSTANTS; k++)
        put_at(m, k, out, constants[k].material);
    const double own = isnan(m->kt_ratio) ? ratio : m->kt_ratio;
    out->kt = out->modulus > 0.0 ? 0.0 : own * out->kn;
    if (m->no_tension >= 0) out->no_tension = m->no_tension;
}

static tw_material material_from(const tw_scenario_material *m)
{
    tw_material out = tw_material_default();
    if (m->normal >= 0) out.normal = m->normal;
    put(m->contact_damping, &out.nu_n);
    put(m->contact_damping, &out.nu_t);
    put_values(m, &out);
    out.yade_levers = m->levers == TW_SCENARIO_LEVERS_YADE;
    return out;
}

/* A material as it is with changes. */
static tw_scenario_material changed(const tw_scenario_material *material,
                                    const tw_scenario_stage_material *changes)
{
    tw_scenario_material out = *material;
    const tw_scenario_material *m = &changes->values;
    for (int k = 0; k < CONSTANTS; k++)
        put_at(m, k, &out, constants[k].given);
    if (m->no_tension >= 0) out.no_tension = m->no_tension;
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
    tw_scenario_material out = s->materials[index];
    for (size_t i = 0; stage && i < stage->material_count; i++)
        if (strcmp(stage->materials[i].name, out.name) == 0)
            out = changed(&out, &stage->materials[i]);
    return material_from(&out);
}

/* Returns what is wrong; NULL: nothing. */
static const char *mix(const tw_scenario *s, const tw_scenario_stage *stage, size_t a, size_t b,
                       tw_contact_law *law)
{
    tw_material first = material_in(s, stage, a), second = material_in(s, stage, b);
    const tw_scenario_pair *pair = find_pair(s, a, b);
    *law = tw_contact_law_default();
    if (pair) {
        put_values(&pair->values, &first);
        put_values(&pair->values, &second);
    }
    return tw_material_pair_law(&first, &second, law);
}

/* ---- One material ---- */

static void change_elasticity(const tw_scenario_material *m, tw_contact_law *law)
{
    if (tw_scenario_has_constant(m, "young")) {
        const tw_material material = material_from(m);
        tw_contact_law hertz;
        (void)tw_material_pair_law(&material, &material, &hertz);
        law->kn = hertz.kn;
        law->kt = hertz.kt;
    } else if (!isnan(m->kn) || !isnan(m->modulus) || !isnan(m->kt_ratio)) {
        const bool has = tw_contact_normal_is_linear(law->normal) && law->kn > 0.0;
        const double ratio = has ? law->kt / law->kn : 1.0;
        put(m->kn, &law->kn);
        put(2.0 * m->modulus, &law->kn);
        law->kt = (isnan(m->kt_ratio) ? ratio : m->kt_ratio) * law->kn;
    }
    if (m->normal < 0 && isnan(m->kn) && isnan(m->modulus)) return;
    law->normal = m->normal >= 0 ? m->normal : tw_material_default().normal;
    law->flags &= ~(uint32_t)TW_CONTACT_BY_RADIUS;
    if (tw_scenario_has_constant(m, "young") || !isnan(m->modulus))
        law->flags |= TW_CONTACT_BY_RADIUS;
}

/* Coefficients replace ratios, and the other way round. */
static void change_damping(const tw_scenario_material *m, tw_contact_law *law)
{
    const bool coefficients = !isnan(m->contact_damping) || !isnan(m->nu_n) || !isnan(m->nu_t);
    const bool ratios = has_ratios(m);
    const uint32_t flag = ratios ? TW_CONTACT_BY_MASS : 0;
    if ((coefficients || ratios) && (law->flags & TW_CONTACT_BY_MASS) != flag) {
        tw_contact_law_undamp(law);
        law->flags ^= TW_CONTACT_BY_MASS;
    }
    put(m->contact_damping, &law->nu_n);
    put(m->contact_damping, &law->nu_t);
    for (int k = 0; k < CONSTANTS; k++)
        put_at(m, k, law, constants[k].law);
    if (m->no_tension >= 0) {
        law->flags &= ~(uint32_t)TW_CONTACT_NO_TENSION;
        if (m->no_tension == 1) law->flags |= TW_CONTACT_NO_TENSION;
    }
    if (!isnan(m->restitution))
        law->nu_n = tw_contact_law_damping_ratio(m->restitution, law->flags);
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
    if (m->levers >= 0) law->flags &= ~(uint32_t)TW_CONTACT_YADE_LEVERS;
    if (m->levers == TW_SCENARIO_LEVERS_YADE) law->flags |= TW_CONTACT_YADE_LEVERS;
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
    const tw_scenario_material material =
        stage ? changed(&s->material, &stage->material) : s->material;
    if (listed)
        (void)mix(s, stage, a, b, law); /* a scenario that was read is valid */
    else
        change(&material, law);
    if (kind >= 0) law->kind = kind;
    if (without != TW_SCENARIO_NO_SET) law->refine = TW_CONTACT_ALL & ~without;
    if (stage) change_in_stage(stage, law);
    complete(law);
}

const char *tw_scenario_check_law(const tw_scenario *s, const tw_scenario_stage *stage, size_t a,
                                  size_t b)
{
    const bool listed = s->material_count > 0;
    tw_contact_law law = tw_contact_law_default();
    if (!listed && s->specimen.checkpoint) return NULL; /* which has the rest of the law */
    const tw_scenario_material one = stage ? changed(&s->material, &stage->material) : s->material;
    const tw_material material = material_from(&one);
    const char *wrong = listed ? mix(s, stage, a, b, &law) : tw_material_check(&material);
    if (wrong) return wrong;
    tw_scenario_put_law(s, stage, a, b, &law);
    return tw_contact_law_check(&law);
}
