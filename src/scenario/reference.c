/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of keys in words. */
#include <twirl/scenario.h>

#include <stdio.h>
#include <string.h>

#include "scenario/keys.h"
#include "scenario/kinds.h"
#include "scenario/values.h"

/* Section by section: first the keys of a section, then those of the sections in it. The six
 * components share one. */
typedef struct search {
    size_t wanted, seen;
    const tw_section *section;
    const tw_key *key;
} search;

static void visit(search *s, const tw_section *section)
{
    for (size_t i = 0; i < section->key_count; i++, s->seen++)
        if (s->seen == s->wanted) {
            s->section = section;
            s->key = &section->keys[i];
        }
    const tw_section *last = NULL;
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_section *below = section->keys[i].section;
        if (below && below != last) visit(s, below);
        last = below;
    }
}

static search find(size_t index)
{
    search s = {.wanted = index};
    visit(&s, tw_keys_root());
    return s;
}

size_t tw_scenario_keys(void)
{
    return find(SIZE_MAX).seen;
}

static const char *type_of(const tw_key *key)
{
    static const char *const types[] = {
        "number", "whole number",  "yes or no",       "choice",  "list of choices", "text", "name",
        "file",   "three numbers", "rows of numbers", "section", "list of sections"};
    return types[key->type];
}

static void list_rivals(const tw_section *section, const tw_key *key, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; key->group && i < section->key_count && used < size; i++)
        if (&section->keys[i] != key && section->keys[i].group == key->group)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     section->keys[i].name);
}

static void list_columns(const tw_key *key, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < key->column_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                 tw_units_symbol(key->columns[i]));
}

static void say_standard(const tw_section *section, const tw_key *key, char *text, size_t size)
{
    char kinds[200] = "";
    const char *standard = key->standard;
    if (standard && key->type == TW_KEY_SET && *standard == '\0') standard = "[]";
    if (key->standard_in) tw_kinds_words(section, key->standard_in, kinds, sizeof kinds);
    if (!standard)
        snprintf(text, size, "%s", key->standard_told ? key->standard_told : "");
    else if (key->type == TW_KEY_VECTOR)
        snprintf(text, size, "[%s, %s, %s]", standard, standard, standard);
    else
        snprintf(text, size, "%s%s%s%s", standard, *kinds ? " (" : "", kinds, *kinds ? ")" : "");
}

tw_scenario_key tw_scenario_key_at(size_t index, tw_scenario_key_room *room)
{
    const search s = find(index);
    const tw_key *key = s.key;
    tw_scenario_key told = {0};
    if (!key) return told;
    const size_t size = sizeof room->text[0];
    const bool number = key->type == TW_KEY_NUMBER || key->type == TW_KEY_VECTOR;
    snprintf(room->text[0], size, "%s", number ? tw_units_symbol(key->unit) : "");
    if (key->type == TW_KEY_ROWS) list_columns(key, room->text[0], size);
    say_standard(s.section, key, room->text[1], size);
    const tw_values_limits range = tw_values_range(key);
    snprintf(room->text[2], size, "%s%s%s%s%s", range.text, *range.text && key->word ? " " : "",
             key->word ? "or '" : "", key->word ? key->word : "", key->word ? "'" : "");
    tw_kinds_words(s.section, key->used, room->text[3], size);
    tw_kinds_words(s.section, key->needed, room->text[4], size);
    if (key->needed == TW_KINDS_ALL) snprintf(room->text[4], size, "always");
    list_rivals(s.section, key, room->text[5], size);
    told = (tw_scenario_key){.section = s.section->path,
                             .about = s.section->meaning,
                             .name = key->name,
                             .type = type_of(key),
                             .unit = room->text[0],
                             .standard = room->text[1],
                             .range = room->text[2],
                             .used = room->text[3],
                             .needed = room->text[4],
                             .instead = room->text[5],
                             .meaning = key->meaning,
                             .choices = key->choice_count};
    return told;
}

const char *tw_scenario_key_choice(size_t index, size_t choice, const char **meaning)
{
    const search s = find(index);
    if (!s.key || choice >= s.key->choice_count) return NULL;
    if (meaning) *meaning = s.key->choices[choice].meaning;
    return s.key->choices[choice].word;
}
