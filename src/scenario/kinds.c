/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/kinds.h"

#include <stdio.h>
#include <string.h>

#include <twirl/scenario.h>

static uint32_t kinds_of_choice(const tw_section *section, const tw_node *map)
{
    const tw_key *key = &section->keys[0];
    const tw_node *node = tw_tree_find(map, key->name);
    const char *word = node ? node->text : key->standard;
    const tw_key_choice *choice = word ? tw_keys_choice(key, word) : NULL;
    return choice ? TW_KIND(choice->value) : 0;
}

static uint32_t kinds_of_specimen(const tw_node *root)
{
    const tw_node *specimen = tw_tree_find(root, "specimen");
    if (tw_tree_find(specimen, "checkpoint")) return TW_KIND(TW_SPECIMEN_CHECKPOINT);
    if (tw_tree_find(specimen, "file")) return TW_KIND(TW_SPECIMEN_FILE);
    return TW_KIND(TW_SPECIMEN_GENERATED);
}

/* A cyclic path has the keys of its base path as well. */
static uint32_t kinds_of_path(const tw_section *section, const tw_node *stage)
{
    const uint32_t kinds = kinds_of_choice(section, stage);
    const tw_node *cycle = tw_tree_find(stage, "cycle");
    if (kinds != TW_KIND(TW_SCENARIO_CYCLIC) || !cycle || cycle->kind != TW_NODE_MAP) return kinds;
    return kinds | kinds_of_choice(tw_keys_find(section, "cycle")->section, cycle);
}

uint32_t tw_kinds_of(const tw_section *section, const tw_node *map, uint32_t above)
{
    switch (section->selector) {
    case TW_SELECT_SPECIMEN:
        return kinds_of_specimen(map);
    case TW_SELECT_CHOICE:
        return kinds_of_choice(section, map);
    case TW_SELECT_PATH:
        return kinds_of_path(section, map);
    case TW_SELECT_ABOVE:
        break;
    }
    return above;
}

/* The base of a cycle is no concern of the sections below. */
uint32_t tw_kinds_below(const tw_section *section, uint32_t kinds)
{
    const uint32_t cyclic = TW_KIND(TW_SCENARIO_CYCLIC);
    return section->selector == TW_SELECT_PATH && kinds & cyclic ? cyclic : kinds;
}

/* Whose choices the kinds of a section are. The sections of a stage go by its path, the other ones
 * by how the specimen comes to be. */
static void choices_of(const tw_section *section, const char **label, const tw_key_choice **choices,
                       size_t *count)
{
    const tw_section *of = section;
    if (strncmp(section->path, "stages[]", 8) == 0)
        of = tw_keys_find(tw_keys_root(), "stages")->section;
    if (of->selector == TW_SELECT_CHOICE || of->selector == TW_SELECT_PATH) {
        *label = of->keys[0].name;
        *choices = of->keys[0].choices;
        *count = of->keys[0].choice_count;
    } else {
        *label = "specimen";
        *choices = tw_keys_specimen_kinds;
        *count = TW_SPECIMEN_KINDS;
    }
}

void tw_kinds_words(const tw_section *section, uint32_t kinds, char *text, size_t size)
{
    const char *label;
    const tw_key_choice *choices;
    size_t count, used = 0;
    text[0] = '\0';
    if (kinds == 0 || kinds == TW_KINDS_ALL) return;
    choices_of(section, &label, &choices, &count);
    for (size_t i = 0; i < count && used < size; i++) {
        if (!(kinds & TW_KIND(choices[i].value))) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : label,
                                 used ? "" : ": ", choices[i].word);
    }
}
