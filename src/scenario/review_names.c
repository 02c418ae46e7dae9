/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys: names of stages and of the states that they start from and save. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "scenario/review.h"

typedef struct name_review {
    const tw_review *review;
    tw_tree_node *node;
    size_t number; /* of the stage, from 0 */
    const tw_scenario_stage *stage;
} name_review;

static void review_name(const name_review *s)
{
    const tw_scenario *all = s->review->scenario;
    const tw_scenario_name mine = tw_scenario_stage_name(all, s->number);
    if (strcmp(mine.text, "specimen") == 0)
        tw_review_error(s->review, s->node, "name",
                        "'specimen' is reserved for the preparation; choose another name");
    for (size_t k = 0; k < s->number; k++) {
        if (strcmp(tw_scenario_stage_name(all, k).text, mine.text) != 0) continue;
        tw_review_error(s->review, s->node, "name", "'%s' is already the name of stage %zu",
                        mine.text, k + 1);
        return;
    }
}

/* Whether a state is saved before stage `i`, or kept at the end of a stage; if not, the near names
 * among those that are. */
static bool is_saved(const tw_scenario *s, size_t i, const char *word, char *near, size_t size)
{
    const char *known = "specimen";
    near[0] = '\0';
    for (size_t k = 0;; k++) {
        if (known && strcmp(known, word) == 0) return true;
        if (known && tw_nearest_is_near(word, known)) tw_text_add_word(near, size, known);
        if (k == i) break;
        known = s->stages[k].save;
    }
    return tw_scenario_at_end(s, i, word) < i;
}

/* A state on the way in an earlier stage. Whether it is reached is known before the run only where
 * the stage goes to a given strain. False: `from` is no such name. */
static bool review_from_on_way(const name_review *s)
{
    const tw_scenario *all = s->review->scenario;
    const char *from = s->stage->from;
    for (size_t k = 0; k < s->number; k++) {
        const uint64_t number = tw_scenario_on_way(all, k, from);
        if (number == 0) continue;
        const tw_scenario_name name = tw_scenario_stage_name(all, k);
        const double every = tw_scenario_output_in(all, &all->stages[k]).states.strain;
        const double end = tw_scenario_stage_strain(&all->stages[k]);
        if (strlen(from + strlen(name.text) + 1) < 6)
            tw_review_error(s->review, s->node, "from",
                            "no earlier stage saves a state '%s'; did you mean '%s_%06" PRIu64
                            "', on the way in stage '%s'?",
                            from, name.text, number, name.text);
        else if (every * (double)number > end * (1.0 + 1e-9))
            tw_review_error(s->review, s->node, "from",
                            "stage '%s' ends at a strain of %.6g, and '%s' would be at %.6g",
                            name.text, end, from, every * (double)number);
        return true;
    }
    return false;
}

static void review_from(const name_review *s)
{
    const tw_scenario *all = s->review->scenario;
    const char *from = s->stage->from;
    char near[200], saved[200] = "specimen";
    if (!from || is_saved(all, s->number, from, near, sizeof near) || review_from_on_way(s)) return;
    for (size_t k = 0; k < s->number; k++)
        tw_text_add_word(saved, sizeof saved,
                         all->stages[k].save ? all->stages[k].save
                                             : tw_scenario_stage_name(all, k).text);
    if (*near)
        tw_review_error(s->review, s->node, "from",
                        "no earlier stage saves a state '%s'; did you mean '%s'?", from, near);
    else
        tw_review_error(s->review, s->node, "from",
                        "no earlier stage saves a state '%s'; known states: %s", from, saved);
}

static void review_saved_name(const name_review *s)
{
    const tw_scenario *all = s->review->scenario;
    const char *save = s->stage->save;
    for (size_t k = 0; save && k < all->stage_count; k++)
        if (tw_scenario_on_way(all, k, save) > 0)
            tw_review_error(s->review, s->node, "save",
                            "'%s' may be a name of the states on the way in stage '%s'; choose "
                            "another name",
                            save, tw_scenario_stage_name(all, k).text);
}

static void review_states(const name_review *s)
{
    const tw_scenario_stage *stages = s->review->scenario->stages;
    const char *save = s->stage->save;
    review_from(s);
    if (save && strcmp(save, "specimen") == 0)
        tw_review_error(
            s->review, s->node, "save",
            "'specimen' is reserved for the state before the first stage; choose another "
            "name");
    review_saved_name(s);
    for (size_t k = 0; save && k < s->number; k++)
        if (stages[k].save && strcmp(stages[k].save, save) == 0)
            tw_review_error(s->review, s->node, "save", "'%s' is already saved by stage %zu", save,
                            k + 1);
}

void tw_review_names(const tw_review *r, tw_tree_node *node, size_t number)
{
    const name_review s = {r, node, number, &r->scenario->stages[number]};
    review_name(&s);
    review_states(&s);
}
