/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/kinds.h"

#include <stdio.h>
#include <string.h>

#include <twirl/scenario.h>

#include "scenario/word_list.h"

static uint32_t kinds_of_choice(const tw_key_section *section, const tw_tree_node *map)
{
    const tw_key *key = &section->keys[0];
    const tw_tree_node *node = tw_tree_find(map, key->name);
    const char *word = node ? node->text : key->default_value;
    const tw_key_choice *choice = word ? tw_key_find_choice(key, word) : NULL;
    return choice ? TW_KEY_KIND(choice->value) : 0;
}

static uint32_t kinds_of_specimen(const tw_tree_node *root)
{
    const tw_tree_node *specimen = tw_tree_find(root, "specimen");
    const uint32_t listed =
        tw_tree_find(root, "materials") ? TW_KEY_KIND(TW_KEY_SPECIMEN_LISTED) : 0;
    if (tw_tree_find(specimen, "checkpoint"))
        return listed | TW_KEY_KIND(TW_KEY_SPECIMEN_CHECKPOINT);
    if (tw_tree_find(specimen, "file")) return listed | TW_KEY_KIND(TW_KEY_SPECIMEN_FILE);
    return listed | TW_KEY_KIND(TW_KEY_SPECIMEN_GENERATED);
}

/* A cyclic stage also has the keys of its base path. */
static uint32_t kinds_of_path(const tw_key_section *section, const tw_tree_node *stage)
{
    const uint32_t kinds = kinds_of_choice(section, stage);
    const tw_tree_node *cycle = tw_tree_find(stage, "cycle");
    if (kinds != TW_KEY_KIND(TW_SCENARIO_CYCLIC) || !cycle || cycle->kind != TW_TREE_MAP)
        return kinds;
    return kinds | kinds_of_choice(tw_key_find(section, "cycle")->section, cycle);
}

uint32_t tw_kinds_of(const tw_key_section *section, const tw_tree_node *map, uint32_t above)
{
    switch (section->selector) {
    case TW_KEY_SELECT_SPECIMEN:
        return kinds_of_specimen(map);
    case TW_KEY_SELECT_CHOICE:
        return kinds_of_choice(section, map);
    case TW_KEY_SELECT_PATH:
        return kinds_of_path(section, map);
    case TW_KEY_SELECT_ABOVE:
        break;
    }
    return above;
}

/* The base path of a cycle does not apply to subsections. */
uint32_t tw_kinds_below(const tw_key_section *section, uint32_t kinds)
{
    const uint32_t cyclic = TW_KEY_KIND(TW_SCENARIO_CYCLIC);
    return section->selector == TW_KEY_SELECT_PATH && kinds & cyclic ? cyclic : kinds;
}

/* The choices behind the kinds of a section: in a stage those of its path, otherwise the origin of
 * the specimen. */
static void choices_of(const tw_key_section *section, const char **label,
                       const tw_key_choice **choices, size_t *count)
{
    const tw_key_section *of = section;
    if (strncmp(section->path, "stages[]", 8) == 0)
        of = tw_key_find(tw_key_root(), "stages")->section;
    if (of->selector == TW_KEY_SELECT_CHOICE || of->selector == TW_KEY_SELECT_PATH) {
        *label = of->keys[0].name;
        *choices = of->keys[0].choices;
        *count = of->keys[0].choice_count;
    } else {
        *label = NULL; /* the words say it all */
        *choices = tw_key_specimen_kinds;
        *count = TW_KEY_SPECIMEN_KINDS;
    }
}

void tw_kinds_describe(const tw_key_section *section, uint32_t kinds, char *text, size_t size)
{
    char words[300] = "";
    const char *label;
    const tw_key_choice *choices;
    size_t count;
    text[0] = '\0';
    if (kinds == 0 || kinds == TW_KEY_KINDS_ALL) return;
    choices_of(section, &label, &choices, &count);
    for (size_t i = 0; i < count; i++)
        if (kinds & TW_KEY_KIND(choices[i].value))
            tw_word_list_add(words, sizeof words, choices[i].word);
    snprintf(text, size, "%s%s%s", label ? label : "", label ? ": " : "", words);
}

void tw_kinds_describe_use(const tw_key_section *section, uint32_t used, uint32_t found, char *text,
                           size_t size)
{
    char kinds[300];
    const char *label;
    const tw_key_choice *choices;
    size_t count;
    choices_of(section, &label, &choices, &count);
    if (!label) found &= ~TW_KEY_KIND(TW_KEY_SPECIMEN_LISTED);
    tw_kinds_describe(section, label ? used : found, kinds, sizeof kinds);
    snprintf(text, size, "%s %s", label ? "used with" : "not used with", kinds);
}
