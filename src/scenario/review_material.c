/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_material.h"

#include <math.h>

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
    static const tw_key_path material_path = {NULL, "material", 0},
                             specimen_path = {NULL, "specimen", 0},
                             preparation_path = {&specimen_path, "preparation", 0},
                             stages_path = {NULL, "stages", 0};
    const tw_scenario *s = r->scenario;
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen"),
                       *stages = tw_tree_find(r->root, "stages");
    review_friction(r, tw_tree_find(r->root, "material"), &material_path, s->material.friction);
    review_friction(r, tw_tree_find(specimen, "preparation"), &preparation_path,
                    s->specimen.preparation.friction);
    for (size_t i = 0; i < s->stage_count; i++) {
        const tw_key_path key_path = {&stages_path, NULL, i + 1};
        review_friction(r, tw_tree_item(stages, i + 1), &key_path, s->stages[i].friction);
    }
}

void tw_review_material(const tw_review *r)
{
    static const tw_key_path material_path = {NULL, "material", 0},
                             step_path = {NULL, "time_step", 0};
    const tw_scenario *s = r->scenario;
    tw_tree_node *material = tw_tree_find(r->root, "material"),
                 *step = tw_tree_find(r->root, "time_step");
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen");
    if (tw_review_is_valid(material) && tw_review_is_valid(specimen) &&
        !isnan(s->material.stiffness_level) && isnan(s->specimen.preparation.pressure))
        tw_review_error(r, material, &material_path, "stiffness_level",
                        "needs a generated specimen with a pressure; give 'kn' instead");
    if (tw_review_is_valid(step) && s->time_step.force == 1 && isnan(s->time_step.dt))
        tw_review_error(r, step, &step_path, "force", "has no effect without 'dt'");
    review_frictions(r);
}
