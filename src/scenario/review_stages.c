/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the stages go together, each in itself and with the others? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/text.h>

#include "scenario/fill.h"
#include "scenario/keys.h"
#include "scenario/resolve.h"
#include "scenario/review.h"

static const tw_trail stages_trail = {NULL, "stages", 0};

/* ---- Names and states ---- */

static void review_name(const tw_review *r, size_t i, tw_node *node, const tw_trail *trail)
{
    const tw_scenario *s = r->scenario;
    const tw_resolve_name mine = tw_resolve_stage_name(s, i);
    if (strcmp(mine.text, "specimen") == 0)
        tw_review_say(r, node, trail, "name", "'specimen' is the preparation; choose another name");
    for (size_t k = 0; k < i; k++) {
        if (strcmp(tw_resolve_stage_name(s, k).text, mine.text) != 0) continue;
        tw_review_say(r, node, trail, "name", "'%s' is the name of stage %zu too", mine.text,
                      k + 1);
        return;
    }
}

/* The name that was probably meant among the states saved before stage `i`. */
static const char *nearest_state(const tw_scenario *s, size_t i, const char *word)
{
    const char *nearest = "specimen";
    size_t shortest = tw_nearest_distance(word, nearest);
    for (size_t k = 0; k < i; k++) {
        const char *known = s->stages[k].save;
        const size_t distance = known ? tw_nearest_distance(word, known) : SIZE_MAX;
        if (distance >= shortest) continue;
        shortest = distance;
        nearest = known;
    }
    return nearest;
}

static void review_states(const tw_review *r, size_t i, tw_node *node, const tw_trail *trail)
{
    const tw_scenario *s = r->scenario;
    const char *from = s->stages[i].from, *save = s->stages[i].save;
    if (from) {
        const char *nearest = nearest_state(s, i, from);
        if (strcmp(nearest, from) != 0)
            tw_review_say(r, node, trail, "from",
                          "no earlier stage saves a state '%s'; did you mean '%s'?", from, nearest);
    }
    if (save && strcmp(save, "specimen") == 0)
        tw_review_say(r, node, trail, "save",
                      "'specimen' is the state before the first stage; choose another name");
    for (size_t k = 0; save && k < i; k++)
        if (s->stages[k].save && strcmp(s->stages[k].save, save) == 0)
            tw_review_say(r, node, trail, "save", "'%s' is saved by stage %zu already", save,
                          k + 1);
}

/* ---- One path ---- */

static int32_t base_of(const tw_scenario_stage *stage)
{
    return stage->path == TW_SCENARIO_CYCLIC ? stage->cycle.base : stage->path;
}

static void review_direction(const tw_review *r, const tw_scenario_stage *stage, tw_node *node,
                             const tw_trail *trail)
{
    const bool shear = base_of(stage) == TW_SCENARIO_SIMPLE_SHEAR;
    const bool along =
        stage->direction == TW_SCENARIO_FORWARD || stage->direction == TW_SCENARIO_BACKWARD;
    if (stage->direction < 0 || shear == along) return;
    tw_review_say(r, node, trail, "direction", "does not fit the path; expected is %s",
                  shear ? "forward or backward" : "compression or extension");
}

static void review_simple_shear(const tw_review *r, const tw_scenario_stage *stage, tw_node *node,
                                const tw_trail *trail)
{
    if (stage->constant == TW_SCENARIO_VOLUME_CONSTANT && !isnan(stage->normal_stress))
        tw_review_say(r, node, trail, "normal_stress",
                      "has no effect with 'constant: volume'; remove one of them");
}

static void review_rotation(const tw_review *r, const tw_scenario_stage *stage, tw_node *node,
                            const tw_trail *trail)
{
    const tw_trail here = {trail, "rotation", 0};
    const double *a = stage->rotation.axis;
    tw_node *map = tw_tree_find(node, "rotation");
    if (a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0)
        tw_review_say(r, map, &here, "axis", "is zero: it has no direction");
    if (stage->rotation.angle == 0.0)
        tw_review_say(r, map, &here, "angle", "is zero: nothing would turn");
}

/* A ramp of a rate that is 0 and was 0, or of a stress that is held, goes nowhere. */
static void review_control(const tw_review *r, const tw_scenario_stage *stage, tw_node *node,
                           const tw_trail *trail)
{
    static const char *const names[TW_SCENARIO_COMPONENTS] = {"xx", "yy", "zz", "yz", "xz", "xy"};
    const tw_trail control_trail = {trail, "control", 0};
    tw_node *control = tw_tree_find(node, "control");
    for (size_t k = 0; k < TW_SCENARIO_COMPONENTS; k++) {
        const tw_trail here = {&control_trail, names[k], 0};
        const tw_scenario_component *c = &stage->control.component[k];
        tw_node *map = tw_tree_find(control, names[k]);
        if (map && c->stress == TW_SCENARIO_HOLD && !isnan(c->ramp))
            tw_review_say(r, map, &here, "ramp", "has no effect on a stress that is held");
        if (map && k < 3 && c->stress < 0.0)
            tw_review_say(
                r, map, &here, "stress",
                "%g Pa is tension, which grains without cohesion cannot bear; compression "
                "is positive",
                c->stress);
    }
}

/* Whether the k-th variant is run already, by `laws` or by a variant before it. */
static bool is_run_already(const tw_scenario_probes *p, size_t k)
{
    const tw_scenario_variant *v = &p->variants[k];
    if (v->without == 0 && p->laws & 1u << v->law) return true;
    for (size_t i = 0; i < k; i++)
        if (p->variants[i].law == v->law && p->variants[i].without == v->without) return true;
    return false;
}

static void review_probes(const tw_review *r, const tw_scenario_stage *stage, tw_node *node,
                          const tw_trail *trail)
{
    const tw_trail here = {trail, "probes", 0};
    const tw_scenario_probes *p = &stage->probes;
    tw_node *map = tw_tree_find(node, "probes");
    if (!map || map->faulty) return;
    if (p->laws == 0 && p->variant_count == 0)
        tw_review_say(r, map, &here, "laws", "is empty: no probe would be run");
    for (size_t k = 0; k < p->variant_count; k++)
        if (is_run_already(p, k))
            tw_review_say(r, map, &here, "variants", "number %zu is run already; remove it", k + 1);
    if (p->settle_steps == 0 && tw_tree_find(map, "settle"))
        tw_review_say(r, map, &here, "settle", "has no effect with 'settle_steps: 0'");
    if (p->rest_steps == 0 && tw_tree_find(map, "rest"))
        tw_review_say(r, map, &here, "rest", "has no effect with 'rest_steps: 0'");
    if (stage->probes.space == TW_SCENARIO_SPHERE_OF_DIRECTIONS && tw_tree_find(node, "axis"))
        tw_review_say(r, node, trail, "axis", "has no effect with 'space: sphere'");
}

static void review_stage(const tw_review *r, size_t i, tw_review_state start, tw_node *node,
                         const tw_trail *trail)
{
    const tw_scenario_stage *stage = &r->scenario->stages[i];
    review_name(r, i, node, trail);
    review_states(r, i, node, trail);
    review_direction(r, stage, node, trail);
    if (stage->path == TW_SCENARIO_ISOTROPIC && stage->pressure == TW_SCENARIO_HOLD)
        tw_review_say(r, node, trail, "pressure",
                      "'hold' is for other paths; expected is a stress above 0 [Pa]");
    if (base_of(stage) == TW_SCENARIO_SIMPLE_SHEAR) review_simple_shear(r, stage, node, trail);
    if (stage->path == TW_SCENARIO_ROTATE) review_rotation(r, stage, node, trail);
    if (stage->path == TW_SCENARIO_GENERAL) review_control(r, stage, node, trail);
    if (stage->path == TW_SCENARIO_PROBES) review_probes(r, stage, node, trail);
    tw_review_end(r, stage, start, node, trail);
}

void tw_review_stages(const tw_review *r)
{
    const tw_node *list = tw_tree_find(r->root, "stages");
    const size_t count = r->scenario->stage_count;
    if (!list || list->kind != TW_NODE_LIST || count != list->count) return;
    tw_review_state *states = malloc(count * sizeof *states);
    if (!states) {
        tw_faults_memory(r->faults);
        return;
    }
    tw_review_states(r->scenario, states);
    size_t i = 0;
    for (tw_node *node = list->first; node; node = node->next, i++) {
        const tw_trail trail = {&stages_trail, NULL, i + 1};
        if (r->scenario->stages[i].path >= 0) review_stage(r, i, states[i], node, &trail);
    }
    free(states);
}
