/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenario as YAML or JSON, and the list of keys in words. */
#include <stdbool.h>
#include <stdio.h>

#include <twirl/scenario.h>

#include "base/environment.h"
#include "base/text.h"
#include "scenario/schema.h"
#include "scenario/values.h"

/* ---- The scenario: everything that is set, in the order of the list of keys ---- */

static void put_section(tw_values_writer *w, const tw_key_section *section, const void *structure,
                        int indent, bool item);

static void put_list(tw_values_writer *w, const tw_key *key, const void *structure, int indent)
{
    const tw_values_list list = tw_values_get_list(key, structure);
    for (size_t i = 0; i < list.count; i++) {
        if (w->json) tw_text_buffer_add(&w->text, "%s\n%*s", i ? "," : "[", indent + 2, "");
        put_section(w, key->section, list.items + i * key->section->size,
                    indent + (w->json ? 4 : 2), true);
    }
    if (w->json) tw_text_buffer_add(&w->text, "\n%*s]", indent, "");
}

static void put_key(tw_values_writer *w, const tw_key *key, const void *structure, int indent)
{
    const bool below = key->type == TW_KEY_MAP || key->type == TW_KEY_LIST;
    tw_text_buffer_add(&w->text, w->json ? "\"%s\": " : below ? "%s:\n" : "%s: ", key->name);
    if (key->type == TW_KEY_MAP)
        put_section(w, key->section, tw_values_at_const(key, structure), indent + 2, false);
    else if (key->type == TW_KEY_LIST)
        put_list(w, key, structure, indent);
    else
        tw_values_put(w, key, tw_values_at_const(key, structure));
    if (!w->json && !below) tw_text_buffer_add(&w->text, "\n");
}

/* `item`: an item of a list, in YAML with a dash before its first key. */
static void put_section(tw_values_writer *w, const tw_key_section *section, const void *structure,
                        int indent, bool item)
{
    bool first = true;
    if (w->json) tw_text_buffer_add(&w->text, "{");
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!tw_values_any(key, structure)) continue;
        if (w->json) tw_text_buffer_add(&w->text, first ? "\n" : ",\n");
        const bool dash = item && first && !w->json;
        tw_text_buffer_add(&w->text, "%*s%s", indent, "", dash ? "- " : "");
        if (dash) indent += 2;
        first = false;
        put_key(w, key, structure, indent);
    }
    if (w->json) tw_text_buffer_add(&w->text, "\n%*s}", indent - 2, "");
}

static char *write_text(const tw_scenario *scenario, bool json)
{
    tw_values_writer w = {.json = json};
    tw_c_locale plain;
    if (!tw_c_locale_push(&plain)) return NULL;
    put_section(&w, tw_key_root(), scenario, json ? 2 : 0, false);
    if (json) tw_text_buffer_add(&w.text, "\n");
    tw_c_locale_pop(&plain);
    return tw_text_buffer_take(&w.text);
}

char *tw_scenario_write_text(const tw_scenario *scenario)
{
    return write_text(scenario, false);
}

char *tw_scenario_write_json(const tw_scenario *scenario)
{
    return write_text(scenario, true);
}

/* ---- The list of keys, for the reference ---- */

/* Section by section: the keys of a section, then those of its subsections. The six components
 * share one subsection. */
typedef struct key_search {
    size_t wanted, seen;
    const tw_key_section *section;
    const tw_key *key;
} key_search;

static void visit(key_search *s, const tw_key_section *section)
{
    for (size_t i = 0; i < section->key_count; i++, s->seen++)
        if (s->seen == s->wanted) {
            s->section = section;
            s->key = &section->keys[i];
        }
    const tw_key_section *last = NULL;
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key_section *below = section->keys[i].section;
        if (below && below != last) visit(s, below);
        last = below;
    }
}

static key_search find(size_t index)
{
    key_search s = {.wanted = index};
    visit(&s, tw_key_root());
    return s;
}

size_t tw_scenario_key_count(void)
{
    return find(SIZE_MAX).seen;
}

static void list_alternatives(const tw_key_section *section, const tw_key *key, char *text,
                              size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < section->key_count; i++)
        if (tw_key_excludes(key, &section->keys[i]))
            tw_text_add_word(text, size, section->keys[i].name);
}

static void describe_unit(const tw_key *key, char *text, size_t size)
{
    text[0] = '\0';
    if (key->type == TW_KEY_NUMBER || key->type == TW_KEY_VECTOR)
        tw_text_add_word(text, size, tw_unit_symbol(key->unit));
    for (size_t i = 0; i < key->column_count; i++)
        tw_text_add_word(text, size, tw_unit_symbol(key->columns[i]));
}

static void describe_default(const tw_key_section *section, const tw_key *key, char *text,
                             size_t size)
{
    char kinds[200] = "";
    const char *value = key->default_value;
    if (value && key->type == TW_KEY_SET && *value == '\0') value = "[]";
    if (key->default_kinds) tw_key_describe_kinds(section, key->default_kinds, kinds, sizeof kinds);
    if (!value)
        snprintf(text, size, "%s", key->default_note ? key->default_note : "");
    else if (key->type == TW_KEY_VECTOR)
        snprintf(text, size, "[%s, %s, %s]", value, value, value);
    else
        snprintf(text, size, "%s%s%s%s", value, *kinds ? " (" : "", kinds, *kinds ? ")" : "");
}

static void describe_range(const tw_key *key, char *text, size_t size)
{
    const tw_values_limits range = tw_values_range(key);
    if (key->word)
        snprintf(text, size, "%s%sor '%s'", range.text, *range.text ? ", " : "", key->word);
    else
        snprintf(text, size, "%s", range.text);
}

tw_scenario_key tw_scenario_key_at(size_t index, tw_scenario_key_buffer *buffer)
{
    const key_search s = find(index);
    const tw_key *key = s.key;
    if (!key) return (tw_scenario_key){0};
    const size_t size = sizeof buffer->unit;
    describe_unit(key, buffer->unit, size);
    describe_default(s.section, key, buffer->default_value, size);
    describe_range(key, buffer->range, size);
    tw_key_describe_kinds(s.section, key->used, buffer->used, size);
    tw_key_describe_kinds(s.section, key->required, buffer->required, size);
    if (key->required == TW_KEY_KINDS_ALL) snprintf(buffer->required, size, "always");
    list_alternatives(s.section, key, buffer->alternatives, size);
    return (tw_scenario_key){.section = s.section->path,
                             .section_meaning = s.section->meaning,
                             .name = key->name,
                             .type = tw_values_type_name(key),
                             .unit = buffer->unit,
                             .default_value = buffer->default_value,
                             .range = buffer->range,
                             .used = buffer->used,
                             .required = buffer->required,
                             .alternatives = buffer->alternatives,
                             .meaning = key->meaning,
                             .choices = key->choice_count};
}

const char *tw_scenario_key_choice(size_t index, size_t choice, const char **meaning)
{
    const key_search s = find(index);
    if (!s.key || choice >= s.key->choice_count) return NULL;
    if (meaning) *meaning = s.key->choices[choice].meaning;
    return s.key->choices[choice].word;
}
