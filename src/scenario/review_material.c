/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_material.h"

#include <math.h>

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
}
