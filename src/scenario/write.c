/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenario as YAML, as JSON and in words, and the list of keys in words. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- In words ---- */

/* The value as it would be written, NULL if it is not set. Projects are moved: of a file only the
 * name counts. */
static char *value_of(const tw_key *key, const void *structure, bool *failed)
{
    tw_values_writer w = {.json = false};
    if (!tw_values_any(key, structure)) return NULL;
    if (key->type == TW_KEY_FILE) {
        const char *path = *(char *const *)tw_values_at_const(key, structure);
        const char *slash = strrchr(path, '/');
        tw_text_buffer_add(&w.text, "%s", slash ? slash + 1 : path);
    } else {
        tw_values_put(&w, key, tw_values_at_const(key, structure));
    }
    char *text = tw_text_buffer_take(&w.text);
    *failed |= !text;
    return text;
}

/* A section, and those whose values hold where it has none: what is the same there is not told. */
typedef struct described {
    const tw_key_section *section;
    const void *structure;
    const struct described *outer;
} described;

/* A default that changes nothing, or the value of an outer section. */
static bool is_plain(tw_values_writer *w, const described *d, const tw_key *key)
{
    static const char neutral[] = "0; no; []; [0, 0, 0]; [1, 1, 1]; free; ";
    char sought[400];
    char *text = value_of(key, d->structure, &w->text.failed);
    snprintf(sought, sizeof sought, "%s; ", text ? text : "");
    bool plain = key->default_value && !key->required && strstr(neutral, sought) != NULL;
    for (const described *o = d->outer; o && !plain; o = o->outer) {
        const tw_key *same = tw_key_find(o->section, key->name);
        if (!same || same->type != key->type) continue;
        char *there = value_of(same, o->structure, &w->text.failed);
        plain = text && there && strcmp(text, there) == 0;
        free(there);
    }
    free(text);
    return plain;
}

/* "NAME: " and "triaxial, axis z, rate 0.1 1/s". */
static void describe_values(tw_values_writer *w, const described *d, const char *between)
{
    const tw_key *name = tw_key_find(d->section, "name");
    const tw_key_selector selector = d->section->selector;
    const tw_key *kind = selector == TW_KEY_SELECT_CHOICE || selector == TW_KEY_SELECT_PATH
                             ? d->section->keys
                             : NULL;
    const char *before = "";
    if (name)
        tw_text_buffer_add(&w->text,
                           "%s: ", *(char *const *)tw_values_at_const(name, d->structure));
    for (size_t i = 0; i < d->section->key_count; i++) {
        const tw_key *key = &d->section->keys[i];
        if (key == name || key->section || !tw_values_any(key, d->structure)) continue;
        if (key != kind && is_plain(w, d, key)) continue;
        tw_text_buffer_add(&w->text, "%s%s%s", before, key == kind ? "" : key->name,
                           key == kind ? "" : " ");
        tw_values_put(w, key, tw_values_at_const(key, d->structure));
        before = between;
    }
}

static void describe_section(tw_values_writer *w, const described *d, bool top,
                             const char *between);

/* A line of its own, or in brackets. */
static void describe_below(tw_values_writer *w, const described *d, const char *name, bool top)
{
    const size_t before = w->text.length;
    const bool end = strcmp(name, "end") == 0;
    tw_text_buffer_add(&w->text, end ? "\nuntil " : top ? "\n%s: " : " (%s: ", name);
    const size_t begin = w->text.length;
    describe_section(w, d, false, end ? " or " : ", ");
    const bool empty = w->text.length == begin;
    if (!top) tw_text_buffer_add(&w->text, ")");
    if (empty && w->text.text) w->text.text[w->text.length = before] = '\0';
}

/* The section that has the values of another one where it has none; false: none does. */
static bool find_outer(const described *d, const tw_key *key, described *outer)
{
    for (const described *o = d->outer; o && key->type == TW_KEY_MAP; o = o->outer) {
        const tw_key *same = tw_key_find(o->section, key->name);
        if (!same || same->type != TW_KEY_MAP) continue;
        *outer = (described){same->section, tw_values_at_const(same, o->structure), NULL};
        return true;
    }
    return false;
}

/* `top`: with each section below it in a line. */
static void describe_section(tw_values_writer *w, const described *d, bool top, const char *between)
{
    describe_values(w, d, between);
    for (size_t i = 0; i < d->section->key_count; i++) {
        const tw_key *key = &d->section->keys[i];
        described outer, below = {key->section, NULL, NULL};
        if (!key->section || !tw_values_any(key, d->structure) || strcmp(key->name, "output") == 0)
            continue;
        const bool list = key->type == TW_KEY_LIST;
        const tw_values_list all = list ? tw_values_get_list(key, d->structure)
                                        : (tw_values_list){(char *)d->structure + key->offset, 1};
        if (find_outer(d, key, &outer)) below.outer = &outer;
        for (size_t k = 0; k < all.count; k++) {
            below.structure = all.items + k * key->section->size;
            describe_below(w, &below, key->name, top);
        }
    }
}

char *tw_scenario_describe(const tw_scenario *scenario, const char *name, size_t index)
{
    tw_values_writer w = {.words = true};
    tw_c_locale plain;
    const tw_key_section *section = tw_key_root();
    const tw_key *key = tw_key_find(section, name);
    const described root = {section, scenario, NULL};
    const described material = {tw_key_find(section, "material")->section, &scenario->material,
                                &root};
    described d = {key->section, tw_values_at_const(key, scenario), NULL};
    if (key->type == TW_KEY_LIST)
        d.structure = tw_values_get_list(key, scenario).items + index * key->section->size;
    if (strcmp(name, "stages") == 0) d.outer = &material;
    if (!tw_c_locale_push(&plain)) return NULL;
    describe_section(&w, &d, true, ", ");
    tw_c_locale_pop(&plain);
    return tw_text_buffer_take(&w.text);
}

/* ---- Two scenarios ---- */

typedef struct comparison {
    tw_scenario_difference at;
    size_t length; /* of at.key */
    void (*found)(const tw_scenario_difference *difference, void *context);
    void *context;
    bool failed; /* out of memory */
} comparison;

/* Adds to the key and returns its length before. */
static size_t go_below(comparison *c, const char *format, const char *name)
{
    const size_t before = c->length, room = sizeof c->at.key - before;
    const int added = snprintf(c->at.key + before, room, format, name);
    c->length += added > 0 && (size_t)added < room ? (size_t)added : 0;
    return before;
}

static void go_back(comparison *c, size_t before)
{
    c->length = before;
    c->at.key[before] = '\0';
}

static void compare_values(comparison *c, const tw_key *key, const void *a, const void *b)
{
    char *before = value_of(key, a, &c->failed), *after = value_of(key, b, &c->failed);
    if (!before != !after || (before && strcmp(before, after) != 0)) {
        c->at.before = before ? before : "not set";
        c->at.after = after ? after : "not set";
        c->found(&c->at, c->context);
    }
    free(before);
    free(after);
}

static void compare_sections(comparison *c, const tw_key_section *section, const void *a,
                             const void *b);

static void compare_lists(comparison *c, const tw_key *key, const void *a, const void *b)
{
    const tw_values_list old = tw_values_get_list(key, a), new = tw_values_get_list(key, b);
    const tw_key_section *section = key->section;
    const tw_key *name = tw_key_find(section, "name");
    const size_t length = c->length;
    for (size_t i = 0; i < old.count || i < new.count; i++) {
        const char *in_old = i < old.count ? old.items + i * section->size : NULL;
        const char *in_new = i < new.count ? new.items + i * section->size : NULL;
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        const char *called =
            name ? *(char *const *)tw_values_at_const(name, in_old ? in_old : in_new) : NULL;
        if (strcmp(section->path, "stages[]") == 0) c->at.stage = i;
        go_below(c, "[%s]", called ? called : number);
        if (in_old && in_new) {
            compare_sections(c, section, in_old, in_new);
        } else {
            c->at.before = in_old ? "present" : "absent";
            c->at.after = in_new ? "present" : "absent";
            c->found(&c->at, c->context);
        }
        go_back(c, length);
    }
}

static void compare_sections(comparison *c, const tw_key_section *section, const void *a,
                             const void *b)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        const size_t length = go_below(c, c->length > 0 ? ".%s" : "%s", key->name);
        if (key->type == TW_KEY_MAP)
            compare_sections(c, key->section, tw_values_at_const(key, a),
                             tw_values_at_const(key, b));
        else if (key->type == TW_KEY_LIST)
            compare_lists(c, key, a, b);
        else
            compare_values(c, key, a, b);
        go_back(c, length);
        if (length == 0) c->at.stage = SIZE_MAX;
    }
}

int tw_scenario_compare(const tw_scenario *before, const tw_scenario *after,
                        void (*found)(const tw_scenario_difference *difference, void *context),
                        void *context)
{
    comparison c = {.at = {.stage = SIZE_MAX}, .found = found, .context = context};
    tw_c_locale plain;
    if (!tw_c_locale_push(&plain)) return 0;
    compare_sections(&c, tw_key_root(), before, after);
    tw_c_locale_pop(&plain);
    return !c.failed;
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
