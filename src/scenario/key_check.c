/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/key_check.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "scenario/hint.h"
#include "scenario/kinds.h"
#include "scenario/values.h"
#include "scenario/word_list.h"

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
            tw_word_list_add(text, size, *section->path ? section->path : "the top level");
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
    const char *known[TW_KEY_CHECK_KEYS_MAX];
    assert(section->key_count <= TW_KEY_CHECK_KEYS_MAX);
    for (size_t i = 0; i < section->key_count; i++)
        known[i] = section->keys[i].name;
    return tw_nearest(word, known, section->key_count);
}

bool tw_key_check_is_selector_misspelt(const tw_key_section *section, const tw_tree_node *map)
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
static bool report_decimal_comma(tw_diagnostics *diagnostics, const tw_tree_node *node,
                                 const tw_key_path *key_path)
{
    const tw_tree_node *before = node->parent->first;
    while (before && before->next != node)
        before = before->next;
    if (!before || before->kind != TW_TREE_SCALAR || !tw_tree_is_null(node)) return false;
    const char *whole = before->text + strspn(before->text, "+-");
    if (!*whole || whole[strspn(whole, "0123456789")] != '\0') return false;
    if (!*node->key || !strchr("0123456789", node->key[0])) return false;
    tw_diagnostics_add(diagnostics, node->key_location, key_path,
                       "is a key without value; is '%.20s,%.20s' meant to be one number? Use a "
                       "decimal point: %.20s.%.20s",
                       before->text, node->key, before->text, node->key);
    return true;
}

uint64_t tw_key_check_unknown(tw_diagnostics *diagnostics, const tw_key_section *section,
                              tw_tree_node *node, const tw_key_path *key_path)
{
    char text[400] = "";
    size_t found = 0;
    tw_tree_mark_invalid(node);
    if (report_decimal_comma(diagnostics, node, key_path)) return 0;
    const tw_hint *hint = tw_hint_find(section->path, node->key);
    if (hint) {
        tw_hint_describe(hint, text, sizeof text);
        tw_diagnostics_add(diagnostics, node->key_location, key_path, "unknown key; %s", text);
        return bit_of(section, hint->name);
    }
    find_elsewhere(tw_key_root(), node->key, text, sizeof text, &found);
    if (found > 0) {
        tw_diagnostics_add(diagnostics, node->key_location, key_path,
                           "is not a key of this section; it belongs to %s", text);
        return 0;
    }
    for (size_t i = 0; i < section->key_count; i++)
        tw_word_list_add(text, sizeof text, section->keys[i].name);
    const char *nearest = nearest_key(section, node->key);
    if (nearest)
        tw_diagnostics_add(diagnostics, node->key_location, key_path,
                           "unknown key; did you mean '%s'?", nearest);
    else
        tw_diagnostics_add(diagnostics, node->key_location, key_path, "unknown key; known keys: %s",
                           text);
    return bit_of(section, nearest);
}

void tw_key_check_unused(tw_diagnostics *diagnostics, const tw_key_section *section,
                         const tw_key *key, tw_tree_node *node, const tw_key_path *key_path,
                         uint32_t kinds)
{
    char use[400];
    tw_kinds_describe_use(section, key->used, kinds, use, sizeof use);
    tw_diagnostics_add(diagnostics, node->key_location, key_path, "has no effect here; %s", use);
    tw_tree_mark_invalid(node);
}

bool tw_key_check_repeated(tw_diagnostics *diagnostics, tw_tree_node *node,
                           const tw_key_path *key_path)
{
    const tw_tree_node *first = tw_tree_find(node->parent, node->key);
    if (first == node) return false;
    if (first->key_location.line > 0)
        tw_diagnostics_add(diagnostics, node->key_location, key_path,
                           "is given twice; first given in line %zu", first->key_location.line);
    else
        tw_diagnostics_add(diagnostics, node->key_location, key_path, "is given twice");
    tw_tree_mark_invalid(node);
    return true;
}

/* ---- Keys that exclude each other, and keys that are missing ---- */

static bool is_given(const tw_tree_node *map, const tw_key *key)
{
    return tw_tree_find(map, key->name) != NULL;
}

bool tw_key_check_settled(const tw_key_section *section, const tw_tree_node *map, const tw_key *key)
{
    if (is_given(map, key)) return true;
    for (size_t i = 0; i < section->key_count; i++)
        if (tw_key_excludes(key, &section->keys[i]) && is_given(map, &section->keys[i]))
            return true;
    return false;
}

/* If the other key comes from the command line and this one from the file, the line of the file
 * alone would not explain the error. */
static void report_conflict(tw_diagnostics *diagnostics, const tw_tree_node *node,
                            const tw_tree_node *other, const tw_key_path *key_path)
{
    const size_t source = other->key_location.source;
    const char *setting = source > 0 ? diagnostics->settings[source - 1] : NULL;
    if (setting && source != node->key_location.source)
        tw_diagnostics_add(diagnostics, node->key_location, key_path,
                           "cannot be combined with '%s' of --set %s; remove one of them",
                           other->key, tw_text_quote(setting, strlen(setting)).text);
    else
        tw_diagnostics_add(diagnostics, node->key_location, key_path,
                           "cannot be combined with '%s'; remove one of them", other->key);
}

void tw_key_check_conflicts(tw_diagnostics *diagnostics, const tw_key_section *section,
                            const tw_tree_node *map, const tw_key_path *key_path)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i], *other = NULL;
        tw_tree_node *node = tw_tree_find(map, key->name);
        for (size_t k = 0; node && k < i && !other; k++)
            if (tw_key_excludes(key, &section->keys[k]) && is_given(map, &section->keys[k]))
                other = &section->keys[k];
        if (!other) continue;
        report_conflict(diagnostics, node, tw_tree_find(map, other->name),
                        &(tw_key_path){key_path, key->name, 0});
        tw_tree_mark_invalid(node);
    }
}

static void report_missing(tw_diagnostics *diagnostics, const tw_key_section *section,
                           tw_tree_node *map, const tw_key_path *key_path, const tw_key *key)
{
    const tw_key_path here = {key_path, key->name, 0};
    char others[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < section->key_count && used < sizeof others; i++)
        if (tw_key_excludes(key, &section->keys[i]))
            used += (size_t)snprintf(others + used, sizeof others - used, ", or '%s' instead",
                                     section->keys[i].name);
    tw_diagnostics_add(diagnostics, map->location, &here, "is missing; expected %s%s",
                       tw_values_expected(key).text, others);
    tw_tree_mark_invalid(map);
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

void tw_key_check_required(tw_diagnostics *diagnostics, const tw_key_section *section,
                           tw_tree_node *map, const tw_key_path *key_path, uint32_t kinds,
                           uint64_t suggested)
{
    int reported = 0; /* the group reported last */
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!(key->required & kinds) && key->required != TW_KEY_KINDS_ALL) continue;
        if (tw_key_check_settled(section, map, key)) continue;
        if (is_suggested(section, key, suggested)) continue;
        if (key->group && key->group == reported) continue;
        report_missing(diagnostics, section, map, key_path, key);
        reported = key->group;
    }
}
