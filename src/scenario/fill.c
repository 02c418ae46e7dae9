/* SPDX-License-Identifier: BSD-3-Clause */
/* From the tree to the structure, with all checks that the list of keys implies. */
#include "scenario/values.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/scenario.h>

#include "base/text.h"
#include "scenario/schema.h"

enum { KEYS_MAX = 64 }; /* of a section: bits of a uint64_t */

/* ---- Kinds of a section ---- */

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
    if (tw_tree_find(specimen, "grains")) return listed | TW_KEY_KIND(TW_KEY_SPECIMEN_GRAINS);
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

/* The kinds of a section (path of a stage, distribution of sizes, origin of the specimen) whose
 * parent has the kinds `above`; 0 if its selector is not a known choice. A cyclic stage has two:
 * its own and its base path. */
static uint32_t kinds_of(const tw_key_section *section, const tw_tree_node *map, uint32_t above)
{
    switch (section->selector) {
    case TW_KEY_SELECT_SPECIMEN:
        return kinds_of_specimen(map);
    case TW_KEY_SELECT_CHOICE:
        return kinds_of_choice(section, map);
    case TW_KEY_SELECT_PATH:
        return kinds_of_path(section, map);
    case TW_KEY_SELECT_ABOVE:
    case TW_KEY_SELECT_WORD:
        break;
    }
    return above;
}

/* The kinds passed to subsections as `above`: the base path of a cycle does not apply to them. */
static uint32_t kinds_below(const tw_key_section *section, uint32_t kinds)
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

void tw_key_describe_kinds(const tw_key_section *section, uint32_t kinds, char *text, size_t size)
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
            tw_text_add_word(words, sizeof words, choices[i].word);
    snprintf(text, size, "%s%s%s", label ? label : "", label ? ": " : "", words);
}

/* ---- Keys that do not belong ---- */

/* Sections that have a key of that name, at most three: "material, stages[]". */
static void find_elsewhere(const tw_key_section *section, const char *name, char *text, size_t size,
                           size_t *found)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->section) find_elsewhere(key->section, name, text, size, found);
        if (strcmp(key->name, name) != 0) continue;
        if (*section->path && strstr(text, section->path)) continue; /* one of six components */
        if ((*found)++ < 3)
            tw_text_add_word(text, size, *section->path ? section->path : "the top level");
    }
}

/* The bit of a key of the section; 0: it has no such key. */
static uint64_t bit_of(const tw_key_section *section, const char *name)
{
    const tw_key *key = name ? tw_key_find(section, name) : NULL;
    return key ? UINT64_C(1) << (key - section->keys) : 0;
}

/* The key of the section whose name is nearest. */
static const char *nearest_key(const tw_key_section *section, const char *word)
{
    const char *known[KEYS_MAX];
    assert(section->key_count <= KEYS_MAX);
    for (size_t i = 0; i < section->key_count; i++)
        known[i] = section->keys[i].name;
    return tw_nearest(word, known, section->key_count);
}

/* Whether an unknown key seems to be meant for the one that selects the kind of the section, which
 * is then not known. */
static bool is_selector_misspelt(const tw_key_section *section, const tw_tree_node *map)
{
    const bool selects =
        section->selector == TW_KEY_SELECT_CHOICE || section->selector == TW_KEY_SELECT_PATH;
    const char *selector = section->keys[0].name;
    if (!selects || tw_tree_find(map, selector)) return false;
    for (const tw_tree_node *child = map->first; child; child = child->next) {
        if (!child->key || tw_key_find(section, child->key)) continue;
        const tw_hint *hint = tw_hint_find(section->path, child->key);
        const char *meant = hint ? hint->name : nearest_key(section, child->key);
        if (meant && strcmp(meant, selector) == 0) return true;
    }
    return false;
}

/* "friction: 0,5" in braces is the key 'friction' and a key '5' without value. */
static bool report_decimal_comma(tw_diagnostics *diagnostics, tw_tree_node *node)
{
    const tw_tree_node *before = node->parent->first;
    while (before && before->next != node)
        before = before->next;
    if (!before || before->kind != TW_TREE_SCALAR || !tw_tree_is_null(node)) return false;
    const char *whole = before->text + strspn(before->text, "+-");
    if (!*whole || whole[strspn(whole, "0123456789")] != '\0') return false;
    if (!*node->key || !strchr("0123456789", node->key[0])) return false;
    tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                       "is a key without value; is '%.20s,%.20s' meant to be one number? Use a "
                       "decimal point: %.20s.%.20s",
                       before->text, node->key, before->text, node->key);
    return true;
}

/* Reports a key that the section does not have. Returns the bit of the key that was suggested
 * instead, or 0. */
static uint64_t report_unknown(tw_diagnostics *diagnostics, const tw_key_section *section,
                               tw_tree_node *node)
{
    char text[400] = "";
    size_t found = 0;
    if (report_decimal_comma(diagnostics, node)) return 0;
    const tw_hint *hint = tw_hint_find(section->path, node->key);
    if (hint) {
        tw_hint_describe(hint, text, sizeof text);
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL, "unknown key; %s", text);
        return bit_of(section, hint->name);
    }
    find_elsewhere(tw_key_root(), node->key, text, sizeof text, &found);
    if (found > 0) {
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                           "is not a key of this section; it belongs to %s", text);
        return 0;
    }
    for (size_t i = 0; i < section->key_count; i++)
        tw_text_add_word(text, sizeof text, section->keys[i].name);
    const char *nearest = nearest_key(section, node->key);
    if (nearest)
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                           "unknown key; did you mean '%s'?", nearest);
    else
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                           "unknown key; known keys: %s", text);
    return bit_of(section, nearest);
}

/* Reports a key that the section has, but not in its present kinds: "used with path: triaxial", or
 * "not used with specimen.checkpoint". */
static void report_unused(tw_diagnostics *diagnostics, const tw_key_section *section,
                          const tw_key *key, tw_tree_node *node, uint32_t kinds)
{
    char words[300];
    const char *label;
    const tw_key_choice *choices;
    size_t count;
    choices_of(section, &label, &choices, &count);
    if (!label) kinds &= ~TW_KEY_KIND(TW_KEY_SPECIMEN_LISTED);
    tw_key_describe_kinds(section, label ? key->used : kinds, words, sizeof words);
    tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                       "has no effect here; %s with %s%s%s", label ? "used" : "not used", words,
                       key->instead ? ": " : "", key->instead ? key->instead : "");
}

/* Reports a key given before in the same map, and returns true. */
static bool is_repeated(tw_diagnostics *diagnostics, tw_tree_node *node)
{
    const tw_tree_node *first = tw_tree_find(node->parent, node->key);
    if (first == node) return false;
    if (first->key_location.line > 0)
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                           "is given twice; first given in line %zu", first->key_location.line);
    else
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL, "is given twice");
    return true;
}

/* ---- Keys that exclude each other, and keys that are missing ---- */

static bool is_given(const tw_tree_node *map, const tw_key *key)
{
    return tw_tree_find(map, key->name) != NULL;
}

/* Whether the map has the key, or one that excludes it. */
static bool is_settled(const tw_key_section *section, const tw_tree_node *map, const tw_key *key)
{
    if (is_given(map, key)) return true;
    for (size_t i = 0; i < section->key_count; i++)
        if (tw_key_excludes(key, &section->keys[i]) && is_given(map, &section->keys[i]))
            return true;
    return false;
}

/* If the other key comes from the command line and this one from the file, the line of the file
 * alone would not explain the error. */
static void report_conflict(tw_diagnostics *diagnostics, tw_tree_node *node,
                            const tw_tree_node *other)
{
    const size_t source = other->key_location.source;
    const char *setting = source > 0 ? diagnostics->settings[source - 1] : NULL;
    if (setting && source != node->key_location.source)
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                           "cannot be combined with '%s' of --set %s; remove one of them",
                           other->key, tw_text_quote(setting, strlen(setting)).text);
    else
        tw_diagnostics_add(diagnostics, node->key_location, node, NULL,
                           "cannot be combined with '%s'; remove one of them", other->key);
}

/* Reports keys of `map` that exclude each other. */
static void check_conflicts(tw_diagnostics *diagnostics, const tw_key_section *section,
                            const tw_tree_node *map)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i], *other = NULL;
        tw_tree_node *node = tw_tree_find(map, key->name);
        for (size_t k = 0; node && k < i && !other; k++)
            if (tw_key_excludes(key, &section->keys[k]) && is_given(map, &section->keys[k]))
                other = &section->keys[k];
        if (!other) continue;
        report_conflict(diagnostics, node, tw_tree_find(map, other->name));
    }
}

static void report_missing(tw_diagnostics *diagnostics, const tw_key_section *section,
                           tw_tree_node *map, const tw_key *key)
{
    char others[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < section->key_count && used < sizeof others; i++)
        if (tw_key_excludes(key, &section->keys[i]))
            used += (size_t)snprintf(others + used, sizeof others - used, ", or '%s' instead",
                                     section->keys[i].name);
    tw_diagnostics_add(diagnostics, map->location, map, key->name, "is missing; expected %s%s",
                       tw_values_expected(key).text, others);
}

/* Whether the key, or one that excludes it, was suggested for an unknown key. */
static bool is_suggested(const tw_key_section *section, const tw_key *key, uint64_t suggested)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *other = &section->keys[i];
        if ((other == key || tw_key_excludes(key, other)) && suggested >> i & 1) return true;
    }
    return false;
}

/* Reports missing keys, except those in `suggested`, the bits from take_key. */
static void check_required(tw_diagnostics *diagnostics, const tw_key_section *section,
                           tw_tree_node *map, uint32_t kinds, uint64_t suggested)
{
    int reported = 0; /* the group reported last */
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!(key->required & kinds) && key->required != TW_KEY_KINDS_ALL) continue;
        if (is_settled(section, map, key)) continue;
        if (is_suggested(section, key, suggested)) continue;
        if (key->group && key->group == reported) continue;
        report_missing(diagnostics, section, map, key);
        reported = key->group;
    }
}

/* ---- Filling ---- */

/* "a section", with an example where a value stands in its place: the first key that takes it. */
static void describe_section(const tw_key_section *section, const tw_tree_node *node,
                             uint32_t kinds, char *text, size_t size)
{
    const uint32_t here = kinds_of(section, NULL, kinds);
    snprintf(text, size, "a section");
    if (node->kind != TW_TREE_SCALAR || tw_tree_is_null(node) || !node->key) return;
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        double number;
        int32_t flag;
        tw_values_error why;
        if (!tw_key_in(here, key->used)) continue;
        if (!(key->type == TW_KEY_NUMBER &&
              tw_values_read_number(key->unit, &key->range, node->text, &number, &why)) &&
            !(key->type == TW_KEY_SWITCH && tw_values_read(key, node->text, &flag, &why)))
            continue;
        snprintf(text, size, "a section, e.g. '%s: {%s: %.30s}'", node->key, key->name, node->text);
        return;
    }
}

/* One word for all choices of a section. */
static void take_word(tw_diagnostics *diagnostics, const tw_key_section *section,
                      tw_tree_node *node, void *structure)
{
    for (size_t i = 0; i < section->key_count && !node->invalid; i++)
        if (section->keys[i].type == TW_KEY_CHOICE)
            tw_values_take(diagnostics, &section->keys[i], node,
                           tw_values_at(&section->keys[i], structure));
}

/* A subsection, given as a map. */
static void take_map(tw_diagnostics *diagnostics, const tw_key_section *section, tw_tree_node *node,
                     uint32_t kinds, void *structure)
{
    char expected[160];
    if (node->kind == TW_TREE_MAP) {
        tw_fill_section(diagnostics, section, node, kinds, structure);
        return;
    }
    if (section->selector == TW_KEY_SELECT_WORD && node->kind == TW_TREE_SCALAR) {
        take_word(diagnostics, section, node, structure);
        return;
    }
    describe_section(section, node, kinds, expected, sizeof expected);
    tw_values_refuse_kind(diagnostics, node, expected);
}

static void take_list(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                      uint32_t kinds, void *structure)
{
    const tw_key_section *section = key->section;
    if (node->kind == TW_TREE_LIST && node->count == 0) {
        tw_diagnostics_add(diagnostics, node->location, node, NULL,
                           "the list is empty; add an item or remove the key");
        return;
    }
    if (node->kind != TW_TREE_LIST) {
        tw_values_refuse_kind(diagnostics, node, tw_values_expected(key).text);
        return;
    }
    if (node->count > TW_FILL_ITEMS_MAX) {
        tw_diagnostics_add(diagnostics, node->location, node, NULL, "exceeds the limit of %d items",
                           (int)TW_FILL_ITEMS_MAX);
        return;
    }
    const tw_values_list list = {calloc(node->count, section->size), node->count};
    if (!list.items) {
        tw_diagnostics_out_of_memory(diagnostics);
        return;
    }
    tw_values_set_list(key, structure, list);
    size_t i = 0;
    for (tw_tree_node *child = node->first; child; child = child->next, i++) {
        void *item = list.items + i * section->size;
        tw_values_clear(section, item);
        take_map(diagnostics, section, child, kinds, item);
    }
}

static void take_key(tw_diagnostics *diagnostics, const tw_key_section *section,
                     tw_tree_node *child, uint32_t kinds, uint64_t *suggested, void *structure)
{
    const tw_key *key = tw_key_find(section, child->key);
    if (!key) {
        *suggested |= report_unknown(diagnostics, section, child);
        return;
    }
    if (is_repeated(diagnostics, child)) return;
    if (kinds != 0 && !tw_key_in(kinds, key->used)) {
        report_unused(diagnostics, section, key, child, kinds);
        /* Another choice is meant, which needs this key: what the present one needs is not missed.
         */
        if (key->required) *suggested = UINT64_MAX;
        return;
    }
    const uint32_t below = kinds_below(section, kinds);
    void *field = tw_values_at(key, structure);
    if (key->type == TW_KEY_MAP)
        take_map(diagnostics, key->section, child, below, field);
    else if (key->type == TW_KEY_LIST)
        take_list(diagnostics, key, child, below, structure);
    else
        tw_values_take(diagnostics, key, child, field);
}

static void set_defaults(const tw_key_section *section, const tw_tree_node *map, uint32_t kinds,
                         void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!key->default_value || is_settled(section, map, key)) continue;
        if (tw_key_in(kinds, key->used) && tw_key_in(kinds, key->default_kinds))
            tw_values_set_default(key, tw_values_at(key, structure));
    }
}

/* Defaults of the subsections that are not given. */
static void fill_missing_sections(tw_diagnostics *diagnostics, const tw_key_section *section,
                                  const tw_tree_node *map, uint32_t kinds, void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->type != TW_KEY_MAP || tw_tree_find(map, key->name)) continue;
        if (tw_key_in(kinds, key->used))
            tw_fill_section(diagnostics, key->section, NULL, kinds_below(section, kinds),
                            tw_values_at(key, structure));
    }
}

void tw_fill_section(tw_diagnostics *diagnostics, const tw_key_section *section, tw_tree_node *map,
                     uint32_t above, void *structure)
{
    const bool doubtful = map && is_selector_misspelt(section, map);
    const uint32_t kinds = doubtful ? 0 : kinds_of(section, map, above);
    uint64_t suggested = 0;
    for (tw_tree_node *child = map ? map->first : NULL; child && !tw_diagnostics_full(diagnostics);
         child = child->next)
        take_key(diagnostics, section, child, kinds, &suggested, structure);
    if (map) {
        check_conflicts(diagnostics, section, map);
        check_required(diagnostics, section, map, kinds, suggested);
    }
    set_defaults(section, map, kinds, structure);
    fill_missing_sections(diagnostics, section, map, kinds, structure);
}
