/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_stages.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "scenario/resolve.h"
#include "scenario/review_end.h"
#include "scenario/word_list.h"

static const tw_key_path stages_path = {NULL, "stages", 0};

/* ---- Names and states ---- */

static void review_name(const tw_review *r, size_t i, tw_tree_node *node,
                        const tw_key_path *key_path)
{
    const tw_scenario *s = r->scenario;
    const tw_resolve_name mine = tw_resolve_stage_name(s, i);
    if (strcmp(mine.text, "specimen") == 0)
        tw_review_error(r, node, key_path, "name",
                        "'specimen' is reserved for the preparation; choose another name");
    for (size_t k = 0; k < i; k++) {
        if (strcmp(tw_resolve_stage_name(s, k).text, mine.text) != 0) continue;
        tw_review_error(r, node, key_path, "name", "'%s' is already the name of stage %zu",
                        mine.text, k + 1);
        return;
    }
}

/* Whether a state is saved before stage `i`; if not, the near names among those that are. */
static bool is_saved(const tw_scenario *s, size_t i, const char *word, char *near, size_t size)
{
    const char *known = "specimen";
    near[0] = '\0';
    for (size_t k = 0;; k++) {
        if (known && strcmp(known, word) == 0) return true;
        if (known && tw_nearest_is_near(word, known)) tw_word_list_add(near, size, known);
        if (k == i) return false;
        known = s->stages[k].save;
    }
}

static void review_from(const tw_review *r, size_t i, tw_tree_node *node,
                        const tw_key_path *key_path)
{
    const char *from = r->scenario->stages[i].from;
    char near[200], saved[200] = "specimen";
    if (!from || is_saved(r->scenario, i, from, near, sizeof near)) return;
    for (size_t k = 0; k < i; k++)
        if (r->scenario->stages[k].save)
            tw_word_list_add(saved, sizeof saved, r->scenario->stages[k].save);
    if (*near)
        tw_review_error(r, node, key_path, "from",
                        "no earlier stage saves a state '%s'; did you mean '%s'?", from, near);
    else
        tw_review_error(r, node, key_path, "from",
                        "no earlier stage saves a state '%s'; known states: %s", from, saved);
}

static void review_states(const tw_review *r, size_t i, tw_tree_node *node,
                          const tw_key_path *key_path)
{
    const tw_scenario *s = r->scenario;
    const char *save = s->stages[i].save;
    review_from(r, i, node, key_path);
    if (save && strcmp(save, "specimen") == 0)
        tw_review_error(
            r, node, key_path, "save",
            "'specimen' is reserved for the state before the first stage; choose another "
            "name");
    for (size_t k = 0; save && k < i; k++)
        if (s->stages[k].save && strcmp(s->stages[k].save, save) == 0)
            tw_review_error(r, node, key_path, "save", "'%s' is already saved by stage %zu", save,
                            k + 1);
}

/* ---- One path ---- */

static bool is_shear(const tw_scenario_stage *stage)
{
    return tw_scenario_stage_traits(stage).along == TW_SCENARIO_ALONG_PLANE;
}

static void review_direction(const tw_review *r, const tw_scenario_stage *stage, tw_tree_node *node,
                             const tw_key_path *key_path)
{
    const bool shear = is_shear(stage);
    const bool along =
        stage->direction == TW_SCENARIO_FORWARD || stage->direction == TW_SCENARIO_BACKWARD;
    if (stage->direction < 0 || shear == along) return;
    tw_review_error(r, node, key_path, "direction", "does not apply to this path; expected %s",
                    shear ? "forward or backward" : "compression or extension");
}

static void review_simple_shear(const tw_review *r, const tw_scenario_stage *stage,
                                tw_tree_node *node, const tw_key_path *key_path)
{
    if (stage->constant == TW_SCENARIO_VOLUME_CONSTANT && !isnan(stage->normal_stress))
        tw_review_error(r, node, key_path, "normal_stress",
                        "has no effect with 'constant: volume'; remove one of them");
}

static void review_rotation(const tw_review *r, const tw_scenario_stage *stage, tw_tree_node *node,
                            const tw_key_path *key_path)
{
    const tw_key_path here = {key_path, "rotation", 0};
    const double *a = stage->rotation.axis;
    const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    tw_tree_node *map = tw_tree_find(node, "rotation");
    if (a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0)
        tw_review_error(r, map, &here, "axis", "is the zero vector");
    else if (square < DBL_MIN || square > DBL_MAX)
        tw_review_error(r, map, &here, "axis",
                        "its length, which does not matter, is beyond the range of a double; use "
                        "numbers near 1");
    if (stage->rotation.angle == 0.0)
        tw_review_error(r, map, &here, "angle", "is zero; nothing would rotate");
}

static void review_control(const tw_review *r, const tw_scenario_stage *stage, tw_tree_node *node,
                           const tw_key_path *key_path)
{
    static const char *const names[TW_SCENARIO_COMPONENTS] = {"xx", "yy", "zz", "yz", "xz", "xy"};
    const tw_key_path control_path = {key_path, "control", 0};
    tw_tree_node *control = tw_tree_find(node, "control");
    for (size_t k = 0; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_key_path here = {&control_path, names[k], 0};
        const tw_scenario_component *c = &stage->control.component[k];
        tw_tree_node *map = tw_tree_find(control, names[k]);
        if (map && c->stress == TW_SCENARIO_HOLD && !isnan(c->ramp))
            tw_review_error(r, map, &here, "ramp", "has no effect on a held stress");
        if (map && k < 3 && c->stress < 0.0)
            tw_review_error(
                r, map, &here, "stress",
                "%g Pa is tension, which cohesionless grains cannot carry; compression is positive",
                c->stress);
    }
}

/* Whether the k-th variant repeats one of `laws` or an earlier variant. */
static bool is_run_already(const tw_scenario_probes *p, size_t k)
{
    const tw_scenario_variant *v = &p->variants[k];
    if (v->without == 0 && p->laws & 1u << v->law) return true;
    for (size_t i = 0; i < k; i++)
        if (p->variants[i].law == v->law && p->variants[i].without == v->without) return true;
    return false;
}

static void review_probes(const tw_review *r, const tw_scenario_stage *stage, tw_tree_node *node,
                          const tw_key_path *key_path)
{
    const tw_key_path here = {key_path, "probes", 0};
    const tw_scenario_probes *p = &stage->probes;
    tw_tree_node *map = tw_tree_find(node, "probes");
    if (!tw_review_is_valid(map)) return;
    if (p->laws == 0 && p->variant_count == 0)
        tw_review_error(r, map, &here, "laws", "is empty; no probe would be run");
    for (size_t k = 0; k < p->variant_count; k++)
        if (is_run_already(p, k))
            tw_review_error(r, map, &here, "variants", "variant %zu is already run; remove it",
                            k + 1);
    if (p->settle_steps == 0 && tw_tree_find(map, "settle"))
        tw_review_error(r, map, &here, "settle", "has no effect with 'settle_steps: 0'");
    if (p->rest_steps == 0 && tw_tree_find(map, "rest"))
        tw_review_error(r, map, &here, "rest", "has no effect with 'rest_steps: 0'");
    if (stage->probes.space == TW_SCENARIO_SPHERE_OF_DIRECTIONS && tw_tree_find(node, "axis"))
        tw_review_error(r, node, key_path, "axis", "has no effect with 'space: sphere'");
}

static void review_stage(const tw_review *r, size_t i, tw_stress_state start, tw_tree_node *node,
                         const tw_key_path *key_path)
{
    const tw_scenario_stage *stage = &r->scenario->stages[i];
    review_name(r, i, node, key_path);
    review_states(r, i, node, key_path);
    review_direction(r, stage, node, key_path);
    if (stage->path == TW_SCENARIO_ISOTROPIC && stage->pressure == TW_SCENARIO_HOLD)
        tw_review_error(r, node, key_path, "pressure",
                        "'hold' does not apply to this path; expected a stress above 0 [Pa]");
    if (is_shear(stage)) review_simple_shear(r, stage, node, key_path);
    if (stage->path == TW_SCENARIO_ROTATE) review_rotation(r, stage, node, key_path);
    if (stage->path == TW_SCENARIO_GENERAL) review_control(r, stage, node, key_path);
    if (stage->path == TW_SCENARIO_PROBES) review_probes(r, stage, node, key_path);
    tw_review_end(r, stage, start, node, key_path);
}

void tw_review_stages(const tw_review *r)
{
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    const size_t count = r->scenario->stage_count;
    if (!list || list->kind != TW_TREE_LIST || count != list->count) return;
    tw_stress_state *states = tw_stress_state_predict(r->scenario);
    if (!states) {
        tw_diagnostics_out_of_memory(r->diagnostics);
        return;
    }
    size_t i = 0;
    for (tw_tree_node *node = list->first; node; node = node->next, i++) {
        const tw_key_path key_path = {&stages_path, NULL, i + 1};
        if (r->scenario->stages[i].path >= 0) review_stage(r, i, states[i], node, &key_path);
    }
    free(states);
}
