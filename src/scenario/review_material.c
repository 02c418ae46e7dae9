/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_material.h"

#include <math.h>

/* ---- Where ---- */

static const tw_key_path material_path = {NULL, "material", 0},
                         materials_path = {NULL, "materials", 0};

tw_review_place tw_review_material_place(const tw_review *r, size_t index)
{
    if (r->scenario->material_count == 0)
        return (tw_review_place){tw_tree_find(r->root, "material"), material_path};
    return (tw_review_place){tw_tree_item(tw_tree_find(r->root, "materials"), index + 1),
                             {&materials_path, NULL, index + 1}};
}

/* The first of `keys` that is given; NULL: none. */
static const char *given(const tw_tree_node *map, const char *const *keys)
{
    while (*keys && !tw_tree_find(map, *keys))
        keys++;
    return *keys;
}

/* ---- Damping ---- */

/* Coefficients and ratios cannot be combined: a law has one or the other. */
static void review_damping(const tw_review *r, const tw_review_place *place)
{
    static const char *const coefficients[] = {"contact_damping", "nu_n", "nu_t", NULL},
                             *const ratios[] = {"restitution", "tangential_damping",
                                                "rolling_damping", "twisting_damping", NULL};
    const char *one = given(place->node, coefficients), *other = given(place->node, ratios);
    if (one && other)
        tw_review_error(r, place->node, &place->path, other,
                        "cannot be combined with '%s': give damping by coefficients (nu_n, nu_t) "
                        "or by ratios (restitution, tangential_damping, rolling_damping, "
                        "twisting_damping)",
                        one);
    else if (tw_tree_find(place->node, "contact_damping") && tw_tree_find(place->node, "nu_t"))
        tw_review_error(r, place->node, &place->path, "nu_t",
                        "cannot be combined with 'contact_damping'; give 'nu_n' and 'nu_t'");
}

/* ---- Linear or Hertz contacts ---- */

void tw_review_material_keys(const tw_review *r, const tw_review_place *place, int32_t normal)
{
    static const struct {
        const char *key, *instead;
    } linear[] = {{"kn", "give 'young' and 'poisson', or 'stiffness_level'"},
                  {"kt_ratio", "the tangential stiffness follows from 'poisson'"},
                  {"contact_damping", "give 'restitution' and 'tangential_damping'"},
                  {"nu_n", "give 'restitution'"},
                  {"nu_t", "give 'tangential_damping'"}},
      hertz[] = {{"young", "give 'kn' or 'stiffness_level', or 'normal: hertz'"},
                 {"poisson", "give 'kt_ratio', or 'normal: hertz' with 'young'"}};
    for (size_t i = 0; normal == TW_CONTACT_HERTZ && i < sizeof linear / sizeof *linear; i++)
        if (tw_tree_find(place->node, linear[i].key))
            tw_review_error(r, place->node, &place->path, linear[i].key,
                            "is for linear contacts, and these are Hertz contacts; %s",
                            linear[i].instead);
    for (size_t i = 0; normal != TW_CONTACT_HERTZ && i < sizeof hertz / sizeof *hertz; i++)
        if (tw_tree_find(place->node, hertz[i].key))
            tw_review_error(r, place->node, &place->path, hertz[i].key,
                            "is for Hertz contacts, and these are linear; %s", hertz[i].instead);
    review_damping(r, place);
}

static void review_elasticity(const tw_review *r, const tw_scenario_material *m,
                              const tw_review_place *place)
{
    const bool hertz = m->normal == TW_CONTACT_HERTZ || (m->normal < 0 && !isnan(m->young));
    tw_review_material_keys(r, place, hertz ? TW_CONTACT_HERTZ : TW_CONTACT_LINEAR);
    if (place->node->invalid) return;
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen");
    if (specimen && specimen->invalid) return; /* its pressure may be what is wrong */
    if (!isnan(m->stiffness_level) && isnan(r->scenario->specimen.preparation.pressure))
        tw_review_error(r, place->node, &place->path, "stiffness_level",
                        "needs a generated specimen with a pressure; give '%s' instead",
                        hertz ? "young" : "kn");
    else if (m->normal >= 0 && isnan(hertz ? m->young : m->kn) && isnan(m->stiffness_level))
        /* with a checkpoint: otherwise the list of keys requires it */
        tw_review_error(r, place->node, &place->path, hertz ? "young" : "kn",
                        "is missing; %s contacts need it; expected a %s above 0",
                        hertz ? "Hertz" : "linear", hertz ? "stress" : "stiffness");
    if (m->young < 1e5 && tw_review_is_bare(tw_tree_find(place->node, "young")))
        tw_review_warn(r, place->node, &place->path, "young",
                       "has no unit and counts as %g Pa; write '%g GPa' if that is meant", m->young,
                       m->young);
}

/* ---- Friction ---- */

/* Beyond 90 it is no angle, but a way to say that contacts do not slip. */
static void review_friction(const tw_review *r, const tw_tree_node *map,
                            const tw_key_path *key_path, double friction)
{
    if (tw_review_is_valid(map) && tw_tree_find(map, "friction") && friction > 2.0 &&
        friction <= 90.0)
        tw_review_warn(r, map, key_path, "friction",
                       "%g is a coefficient, the tangent of the angle: 30 deg is 0.577", friction);
}

static void review_frictions(const tw_review *r)
{
    static const tw_key_path specimen_path = {NULL, "specimen", 0},
                             preparation_path = {&specimen_path, "preparation", 0},
                             stages_path = {NULL, "stages", 0};
    const tw_scenario *s = r->scenario;
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen"),
                       *stages = tw_tree_find(r->root, "stages");
    review_friction(r, tw_tree_find(specimen, "preparation"), &preparation_path,
                    s->specimen.preparation.friction);
    for (size_t i = 0; i < s->stage_count; i++) {
        const tw_key_path key_path = {&stages_path, NULL, i + 1};
        review_friction(r, tw_tree_item(stages, i + 1), &key_path, s->stages[i].friction);
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
            s->stages[i].material_count > 0)
            return true;
    return s->specimen.checkpoint != NULL;
}

static void review_resistance(const tw_review *r, const tw_review_place *place)
{
    static const char *const of_rolling[] = {"kr_ratio", "rolling_damping", NULL},
                             *const of_twisting[] = {"kw_ratio", "twisting_damping", NULL};
    const char *rolling = given(place->node, of_rolling),
               *twisting = given(place->node, of_twisting);
    if (rolling && !is_resisted(r->scenario, true))
        tw_review_error(r, place->node, &place->path, rolling,
                        "has no effect without 'rolling_friction'");
    if (twisting && !is_resisted(r->scenario, false))
        tw_review_error(r, place->node, &place->path, twisting,
                        "has no effect without 'twisting_friction'");
}

void tw_review_material(const tw_review *r)
{
    static const tw_key_path step_path = {NULL, "time_step", 0};
    const tw_scenario *s = r->scenario;
    tw_tree_node *step = tw_tree_find(r->root, "time_step");
    for (size_t i = 0; i < tw_scenario_materials(s); i++) {
        const tw_scenario_material *m = tw_scenario_material_at(s, i);
        const tw_review_place place = tw_review_material_place(r, i);
        if (!tw_review_is_valid(place.node)) continue;
        review_friction(r, place.node, &place.path, m->friction);
        review_elasticity(r, m, &place);
        review_resistance(r, &place);
    }
    if (tw_review_is_valid(step) && s->time_step.force == 1 && isnan(s->time_step.dt))
        tw_review_error(r, step, &step_path, "force", "has no effect without 'dt'");
    review_frictions(r);
}
