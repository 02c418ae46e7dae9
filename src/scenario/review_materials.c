/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys: materials. */
#include <math.h>
#include <string.h>

#include <twirl/material.h>

#include "base/text.h"
#include "scenario/review.h"
#include "scenario/schema.h"

/* ---- Where ---- */

tw_tree_node *tw_review_material_node(const tw_review *r, size_t index)
{
    if (r->scenario->material_count == 0) return tw_tree_find(r->root, "material");
    return tw_tree_item(tw_tree_find(r->root, "materials"), index + 1);
}

/* The first of `keys` that is given; NULL: none. */
static const char *given(const tw_tree_node *map, const char *const *keys)
{
    while (*keys && !tw_tree_find(map, *keys))
        keys++;
    return *keys;
}

/* ---- Linear or Hertz contacts ---- */

/* Whether the keys given in a material or pair suit its contacts. */
static void review_keys(const tw_review *r, tw_tree_node *node, int32_t normal)
{
    static const struct {
        const char *key, *constant, *instead;
    } keys[] = {{"modulus", "modulus", "give 'young' and 'poisson'"},
                {"kn", "kn", "give 'young' and 'poisson', or 'stiffness_level'"},
                {"kt_ratio", "kt_ratio", "the tangential stiffness follows from 'poisson'"},
                {"contact_damping", "nu_n", "give 'restitution' and 'tangential_damping'"},
                {"nu_n", "nu_n", "give 'restitution'"},
                {"nu_t", "nu_t", "give 'tangential_damping'"},
                {"young", "young", "give 'kn', 'modulus' or 'stiffness_level', or 'normal: hertz'"},
                {"poisson", "poisson", "give 'kt_ratio', or 'normal: hertz' with 'young'"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (tw_tree_find(node, keys[i].key) && !tw_material_has(normal, keys[i].constant))
            tw_review_error(r, node, keys[i].key,
                            "is for %s contacts, and these are %s contacts; %s",
                            tw_contact_normal_name(tw_material_normal_with(keys[i].constant)),
                            tw_contact_normal_name(normal), keys[i].instead);
}

/* As given, or by the stiffness that is given. */
static int32_t normal_of(const tw_scenario_material *m)
{
    if (m->normal >= 0) return m->normal;
    return tw_material_normal_with(isnan(m->young) ? "kn" : "young");
}

static void review_elasticity(const tw_review *r, const tw_scenario_material *m, tw_tree_node *node)
{
    const int32_t normal = normal_of(m);
    const bool elastic = tw_material_has(normal, "young");
    review_keys(r, node, normal);
    if (node->invalid) return;
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen");
    if (specimen && specimen->invalid) return; /* its pressure may be what is wrong */
    if (!isnan(m->stiffness_level) && isnan(r->scenario->specimen.preparation.pressure))
        tw_review_error(
            r, node, "stiffness_level",
            r->scenario->specimen.checkpoint
                ? "needs a generated specimen with a pressure; leave it out to keep the "
                  "stiffness of the checkpoint, or give '%s'"
                : "needs a generated specimen with a pressure; give '%s' instead",
            elastic ? "young" : "kn");
    else if (m->normal >= 0 && isnan(elastic ? m->young : m->kn) && isnan(m->stiffness_level) &&
             isnan(m->modulus))
        /* with a checkpoint: otherwise the list of keys requires it */
        tw_review_error(r, node, elastic ? "young" : "kn",
                        "is missing; %s contacts need it; expected a %s above 0",
                        tw_contact_normal_name(normal), elastic ? "stress" : "stiffness");
    const double stress = isnan(m->young) ? m->modulus : m->young;
    const char *key = isnan(m->young) ? "modulus" : "young";
    if (stress < 1e5 && tw_review_is_bare(tw_tree_find(node, key)))
        tw_review_warn(r, node, key,
                       "has no unit and counts as %g Pa; write '%g GPa' if that is meant", stress,
                       stress);
}

/* ---- Friction ---- */

/* Beyond 90 it is no angle, but a way to say that contacts do not slip. */
static void review_friction(const tw_review *r, tw_tree_node *map, double friction)
{
    if (tw_review_is_valid(map) && tw_tree_find(map, "friction") && friction > 2.0 &&
        friction <= 90.0)
        tw_review_warn(r, map, "friction",
                       "%g is a coefficient, the tangent of the angle: 30 deg is 0.577", friction);
}

static void review_frictions(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen"),
                       *stages = tw_tree_find(r->root, "stages");
    review_friction(r, tw_tree_find(specimen, "preparation"), s->specimen.preparation.friction);
    for (size_t i = 0; i < s->stage_count; i++) {
        review_friction(r, tw_tree_item(stages, i + 1), s->stages[i].friction);
    }
}

/* Whether rolling (or twisting) resistance is on anywhere. */
static bool is_resisted(const tw_scenario *s, bool rolling)
{
    for (size_t i = 0; i < tw_scenario_materials(s); i++) {
        const tw_scenario_material *m = tw_scenario_material_at(s, i);
        if (!isnan(rolling ? m->rolling_friction : m->twisting_friction)) return true;
    }
    for (size_t i = 0; i < s->pair_count; i++) {
        const tw_scenario_material *m = &s->pairs[i].values;
        if (!isnan(rolling ? m->rolling_friction : m->twisting_friction)) return true;
    }
    for (size_t i = 0; i < s->stage_count; i++)
        if (!isnan(rolling ? s->stages[i].rolling_friction : s->stages[i].twisting_friction) ||
            s->stages[i].material_count > 0 ||
            !isnan(rolling ? s->stages[i].material.values.rolling_friction
                           : s->stages[i].material.values.twisting_friction))
            return true;
    return s->specimen.checkpoint != NULL;
}

static void review_resistance(const tw_review *r, tw_tree_node *node)
{
    static const char *const of_rolling[] = {"kr_ratio", "rolling_damping", NULL},
                             *const of_twisting[] = {"kw_ratio", "twisting_damping", NULL};
    const char *rolling = given(node, of_rolling), *twisting = given(node, of_twisting);
    if (rolling && !is_resisted(r->scenario, true))
        tw_review_error(r, node, rolling, "has no effect without 'rolling_friction'");
    if (twisting && !is_resisted(r->scenario, false))
        tw_review_error(r, node, twisting, "has no effect without 'twisting_friction'");
    if (tw_tree_find(node, "levers") && !is_resisted(r->scenario, true) &&
        !is_resisted(r->scenario, false))
        tw_review_error(r, node, "levers",
                        "has no effect without 'rolling_friction' or 'twisting_friction'");
}

void tw_review_material(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    tw_tree_node *step = tw_tree_find(r->root, "time_step");
    for (size_t i = 0; i < tw_scenario_materials(s); i++) {
        const tw_scenario_material *m = tw_scenario_material_at(s, i);
        tw_tree_node *node = tw_review_material_node(r, i);
        if (!tw_review_is_valid(node)) continue;
        review_friction(r, node, m->friction);
        review_elasticity(r, m, node);
        review_resistance(r, node);
    }
    if (tw_review_is_valid(step) && s->time_step.force == 1 && isnan(s->time_step.dt))
        tw_review_error(r, step, "force", "has no effect without 'dt'");
    review_frictions(r);
}

/* ---- The list ---- */

static void review_name(const tw_review *r, size_t i, tw_tree_node *node)
{
    const tw_scenario *s = r->scenario;
    const char *name = s->materials[i].name;
    if (!name) return;
    const size_t first = tw_scenario_find_material(s, name);
    if (first < i)
        tw_review_error(r, node, "name", "'%s' is already the name of material %zu", name,
                        first + 1);
}

static void review_type(const tw_review *r, size_t i, tw_tree_node *node)
{
    const tw_scenario_material *m = r->scenario->materials;
    const bool set = m[i].type != TW_SCENARIO_NONE;
    if (!r->scenario->specimen.file) {
        if (set && !tw_tree_find(tw_tree_find(r->root, "specimen"), "file"))
            tw_review_error(r, node, "type",
                            "has no effect here: only the grains of specimen.file have types");
        return;
    }
    if (set != (m[0].type != TW_SCENARIO_NONE))
        tw_review_error(r, node, "type", "%s; give the type of every material, or of none",
                        set ? "is given, but not for the first material" : "is missing");
    for (size_t k = 0; set && k < i; k++)
        if (m[k].type == m[i].type)
            tw_review_error(r, node, "type", "%llu is already the type of material %zu",
                            (unsigned long long)m[i].type, k + 1);
}

static bool is_used(const tw_scenario *s, const char *name)
{
    for (size_t i = 0; i < s->specimen.shape_count; i++) {
        const char *of = s->specimen.shapes[i].material;
        if (strcmp(of ? of : s->materials[0].name, name) == 0) return true;
    }
    for (size_t i = 0; i < s->surface_count; i++)
        if (s->surfaces[i].material && strcmp(s->surfaces[i].material, name) == 0) return true;
    if (s->boundary.material && strcmp(s->boundary.material, name) == 0) return true;
    return s->specimen.shape_count == 0 && strcmp(s->materials[0].name, name) == 0;
}

static void review_list(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    tw_tree_node *list = tw_tree_find(r->root, "materials");
    for (size_t i = 0; i < s->material_count; i++) {
        tw_tree_node *node = tw_review_material_node(r, i);
        review_name(r, i, node);
        review_type(r, i, node);
    }
    const bool generated = tw_scenario_is_generated(s);
    for (size_t i = 0; generated && !list->invalid && i < s->material_count; i++) {
        tw_tree_node *node = tw_review_material_node(r, i);
        if (!is_used(s, s->materials[i].name))
            tw_review_warn(r, node, "name",
                           "no grains are of this material; give 'material: %s' in one of "
                           "specimen.shapes",
                           s->materials[i].name);
    }
}

/* ---- Mentions ---- */

void tw_review_mention(const tw_review *r, tw_tree_node *map, const char *key, const char *name)
{
    const tw_scenario *s = r->scenario;
    char known[300] = "", near[200] = "";
    if (!name) return;
    if (s->material_count == 0) {
        tw_review_error(r, map, key, "'%s' is not known: there is no list 'materials'", name);
        return;
    }
    if (tw_scenario_find_material(s, name) < s->material_count) return;
    for (size_t i = 0; i < s->material_count; i++) {
        const char *other = s->materials[i].name;
        if (!other) continue;
        tw_text_add_word(known, sizeof known, other);
        if (tw_nearest_is_near(name, other)) tw_text_add_word(near, sizeof near, other);
    }
    if (*near)
        tw_review_error(r, map, key, "there is no material '%s'; did you mean '%s'?", name, near);
    else
        tw_review_error(r, map, key, "there is no material '%s'; materials: %s", name, known);
}

static void review_shapes(const tw_review *r)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const tw_tree_node *list = tw_tree_find(tw_tree_find(r->root, "specimen"), "shapes");
    for (size_t i = 0; i < s->shape_count; i++) {
        tw_review_mention(r, tw_tree_item(list, i + 1), "material", s->shapes[i].material);
    }
}

static void review_changes(const tw_review *r, const tw_scenario_material *material,
                           tw_tree_node *node)
{
    if (!node || node->invalid) return;
    review_keys(r, node, normal_of(material));
    static const char *const stiffness[] = {"kn", "modulus", "kt_ratio", "young", "poisson", NULL};
    const char *key = given(node, stiffness);
    if (!node->invalid && key && isnan(material->kn) && isnan(material->stiffness_level) &&
        isnan(material->young) && isnan(material->modulus))
        tw_review_error(
            r, node, key,
            "changes a stiffness that 'material' does not give; expected it there, too");
}

/* A friction of all contacts and of the material. */
static void review_twice(const tw_review *r, tw_tree_node *node, const char *key, double one,
                         double all)
{
    if (!isnan(one) && !isnan(all))
        tw_review_error(r, node, key,
                        "cannot be combined with the %s of all contacts in this stage", key);
}

static void review_stage_material(const tw_review *r, const tw_scenario_stage *stage,
                                  const tw_scenario_material *material,
                                  const tw_scenario_stage_material *changes, tw_tree_node *node)
{
    const tw_scenario_material *m = &changes->values;
    review_twice(r, node, "friction", m->friction, stage->friction);
    review_twice(r, node, "rolling_friction", m->rolling_friction, stage->rolling_friction);
    review_twice(r, node, "twisting_friction", m->twisting_friction, stage->twisting_friction);
    if (material) review_changes(r, material, node);
    review_friction(r, node, m->friction);
}

static void review_stage(const tw_review *r, const tw_scenario_stage *stage, tw_tree_node *map)
{
    const tw_scenario *s = r->scenario;
    tw_tree_node *one = tw_tree_find(map, "material");
    const tw_tree_node *list = tw_tree_find(map, "materials");
    if (one && s->material_count > 0)
        tw_review_error(r, map, "material", "there are several materials; give 'materials'");
    else if (one)
        review_stage_material(r, stage, &s->material, &stage->material, one);
    for (size_t i = 0; i < stage->material_count; i++) {
        const tw_scenario_stage_material *m = &stage->materials[i];
        tw_tree_node *node = tw_tree_item(list, i + 1);
        if (!m->name) continue;
        tw_review_mention(r, node, "name", m->name);
        for (size_t k = 0; k < i; k++)
            if (stage->materials[k].name && strcmp(stage->materials[k].name, m->name) == 0)
                tw_review_error(r, node, "name", "'%s' is already item %zu", m->name, k + 1);
        const size_t at = tw_scenario_find_material(s, m->name);
        review_stage_material(r, stage, at < s->material_count ? &s->materials[at] : NULL, m, node);
    }
}

static void review_stages(const tw_review *r)
{
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    for (size_t i = 0; i < r->scenario->stage_count; i++)
        review_stage(r, &r->scenario->stages[i], tw_tree_item(list, i + 1));
}

/* ---- Pairs ---- */

static bool are_same(const tw_scenario_pair *a, const tw_scenario_pair *b)
{
    char *const *p = a->between, *const *q = b->between;
    if (!p[0] || !p[1] || !q[0] || !q[1]) return false;
    return (strcmp(p[0], q[0]) == 0 && strcmp(p[1], q[1]) == 0) ||
           (strcmp(p[0], q[1]) == 0 && strcmp(p[1], q[0]) == 0);
}

static void review_pairs(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "pairs");
    for (size_t i = 0; i < s->pair_count; i++) {
        tw_tree_node *node = tw_tree_item(list, i + 1);
        if (node->invalid) continue;
        for (int k = 0; k < 2; k++)
            tw_review_mention(r, node, "between", s->pairs[i].between[k]);
        for (size_t k = 0; k < i; k++)
            if (are_same(&s->pairs[k], &s->pairs[i]))
                tw_review_error(r, node, "between", "this pair is already item %zu", k + 1);
        if (s->material_count > 0) review_keys(r, node, normal_of(&s->materials[0]));
    }
}

static void review_law_keys(const tw_review *r)
{
    static const char *const keys[] = {"law", "without"};
    for (size_t i = 0; r->scenario->material_count == 0 && i < sizeof keys / sizeof *keys; i++)
        if (tw_tree_find(r->root, keys[i]) && !tw_tree_find(r->root, "materials"))
            tw_review_error(r, r->root, keys[i],
                            "has no effect without 'materials'; give it in 'material'");
}

void tw_review_materials(const tw_review *r)
{
    const tw_tree_node *list = tw_tree_find(r->root, "materials");
    if (list && (list->kind != TW_TREE_LIST || list->count != r->scenario->material_count))
        return; /* already reported */
    if (list) review_list(r);
    review_shapes(r);
    tw_review_mention(r, tw_tree_find(r->root, "boundary"), "material",
                      r->scenario->boundary.material);
    review_stages(r);
    review_pairs(r);
    review_law_keys(r);
}
