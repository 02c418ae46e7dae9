/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_law.h"

#include "scenario/plausible.h"
#include "scenario/review_material.h"

static void refuse(const tw_review *r, tw_tree_node *map, const tw_key_path *key_path,
                   const char *key)
{
    tw_review_error(r, map, key_path, key,
                    "the law of the paper is for linear contacts, and these are Hertz contacts; "
                    "expected 'exact' or 'conventional'");
}

static void review_probes(const tw_review *r, const tw_scenario_probes *p, tw_tree_node *stage,
                          const tw_key_path *key_path)
{
    const tw_key_path here = {key_path, "probes", 0}, variants_path = {&here, "variants", 0};
    tw_tree_node *map = tw_tree_find(stage, "probes");
    if (p->laws != TW_SCENARIO_NO_SET && p->laws & 1u << TW_CONTACT_PAPER)
        refuse(r, map, &here, "laws");
    for (size_t k = 0; k < p->variant_count; k++) {
        const tw_key_path item = {&variants_path, NULL, k + 1};
        if (p->variants[k].law == TW_CONTACT_PAPER)
            refuse(r, tw_tree_item(tw_tree_find(map, "variants"), k + 1), &item, "law");
    }
}

/* A stiffness level may stand for a modulus that could not be read again. */
static void review_young(const tw_review *r, size_t material)
{
    const tw_review_place place = tw_review_material_place(r, material);
    const double young = tw_scenario_material_at(r->scenario, material)->young;
    char why[200];
    if (!tw_tree_find(place.node, "stiffness_level") ||
        tw_plausible_check(TW_UNIT_STRESS, young, why, sizeof why))
        return;
    tw_review_error(r, place.node, &place.path, "stiffness_level",
                    "means a Young's modulus of %.3g Pa, which %s", young, why);
}

void tw_review_law(const tw_review *r)
{
    static const tw_key_path stages_path = {NULL, "stages", 0};
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    if (tw_scenario_material_at(s, 0)->normal != TW_CONTACT_HERTZ) return;
    for (size_t i = 0; i < tw_scenario_materials(s); i++)
        review_young(r, i);
    if (s->material_count > 0 && s->law == TW_CONTACT_PAPER) refuse(r, r->root, NULL, "law");
    if (s->material_count == 0 && s->material.law == TW_CONTACT_PAPER) {
        const tw_review_place place = tw_review_material_place(r, 0);
        refuse(r, place.node, &place.path, "law");
    }
    for (size_t i = 0; i < s->stage_count; i++) {
        const tw_key_path here = {&stages_path, NULL, i + 1};
        tw_tree_node *node = tw_tree_item(list, i + 1);
        if (tw_tree_find(node, "law") && s->stages[i].law == TW_CONTACT_PAPER)
            refuse(r, node, &here, "law");
        if (s->stages[i].path == TW_SCENARIO_PROBES)
            review_probes(r, &s->stages[i].probes, node, &here);
    }
}
