/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/fill.h"

#include <stdio.h>
#include <stdlib.h>

#include "scenario/key_check.h"
#include "scenario/kinds.h"
#include "scenario/values.h"

/* "a section", with an example where a value stands in its place: the first key that takes it. */
static void describe_section(const tw_key_section *section, const tw_tree_node *node,
                             uint32_t kinds, char *text, size_t size)
{
    const uint32_t here = tw_kinds_of(section, NULL, kinds);
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

/* A subsection, given as a map. */
static void take_map(const tw_fill_context *fill, const tw_key_section *section, tw_tree_node *node,
                     const tw_key_path *key_path, uint32_t kinds, void *structure)
{
    char expected[160];
    if (node->kind == TW_TREE_MAP) {
        tw_fill_section(fill, section, node, key_path, kinds, structure);
        return;
    }
    describe_section(section, node, kinds, expected, sizeof expected);
    tw_values_refuse_kind(fill, node, key_path, expected);
}

static void take_list(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                      const tw_key_path *key_path, uint32_t kinds, void *structure)
{
    const tw_key_section *section = key->section;
    if (node->kind == TW_TREE_LIST && node->count == 0) {
        tw_diagnostics_add(fill->diagnostics, node->location, key_path,
                           "the list is empty; add an item or remove the key");
        tw_tree_mark_invalid(node);
        return;
    }
    if (node->kind != TW_TREE_LIST) {
        tw_values_refuse_kind(fill, node, key_path, tw_values_expected(key).text);
        return;
    }
    if (node->count > TW_FILL_ITEMS_MAX) {
        tw_diagnostics_add(fill->diagnostics, node->location, key_path,
                           "exceeds the limit of %d items", (int)TW_FILL_ITEMS_MAX);
        tw_tree_mark_invalid(node);
        return;
    }
    const tw_fields_list list = {calloc(node->count, section->size), node->count};
    if (!list.items) {
        tw_diagnostics_out_of_memory(fill->diagnostics);
        return;
    }
    tw_fields_set_list(key, structure, list);
    size_t i = 0;
    for (tw_tree_node *child = node->first; child; child = child->next, i++) {
        const tw_key_path here = {key_path, NULL, i + 1};
        void *item = list.items + i * section->size;
        tw_fields_clear(section, item);
        take_map(fill, section, child, &here, kinds, item);
    }
}

static void take_key(const tw_fill_context *fill, const tw_key_section *section,
                     tw_tree_node *child, const tw_key_path *key_path, uint32_t kinds,
                     uint64_t *suggested, void *structure)
{
    const tw_key_path here = {key_path, child->key, 0};
    const tw_key *key = tw_key_find(section, child->key);
    if (!key) {
        *suggested |= tw_key_check_unknown(fill->diagnostics, section, child, &here);
        return;
    }
    if (tw_key_check_repeated(fill->diagnostics, child, &here)) return;
    if (kinds != 0 && !tw_key_in(kinds, key->used)) {
        tw_key_check_unused(fill->diagnostics, section, key, child, &here, kinds);
        return;
    }
    const uint32_t below = tw_kinds_below(section, kinds);
    void *field = tw_fields_at(key, structure);
    if (key->type == TW_KEY_MAP)
        take_map(fill, key->section, child, &here, below, field);
    else if (key->type == TW_KEY_LIST)
        take_list(fill, key, child, &here, below, structure);
    else
        tw_values_take(fill, key, child, &here, field);
}

static void set_defaults(const tw_key_section *section, const tw_tree_node *map, uint32_t kinds,
                         void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!key->default_value || tw_key_check_settled(section, map, key)) continue;
        if (tw_key_in(kinds, key->used) && tw_key_in(kinds, key->default_kinds))
            tw_values_set_default(key, tw_fields_at(key, structure));
    }
}

/* Defaults of the subsections that are not given. */
static void fill_missing_sections(const tw_fill_context *fill, const tw_key_section *section,
                                  const tw_tree_node *map, uint32_t kinds, void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->type != TW_KEY_MAP || tw_tree_find(map, key->name)) continue;
        if (tw_key_in(kinds, key->used))
            tw_fill_section(fill, key->section, NULL, NULL, tw_kinds_below(section, kinds),
                            tw_fields_at(key, structure));
    }
}

void tw_fill_section(const tw_fill_context *fill, const tw_key_section *section, tw_tree_node *map,
                     const tw_key_path *key_path, uint32_t above, void *structure)
{
    const bool doubtful = map && tw_key_check_is_selector_misspelt(section, map);
    const uint32_t kinds = doubtful ? 0 : tw_kinds_of(section, map, above);
    uint64_t suggested = 0;
    for (tw_tree_node *child = map ? map->first : NULL;
         child && !tw_diagnostics_full(fill->diagnostics); child = child->next)
        take_key(fill, section, child, key_path, kinds, &suggested, structure);
    if (map) {
        tw_key_check_conflicts(fill->diagnostics, section, map, key_path);
        tw_key_check_required(fill->diagnostics, section, map, key_path, kinds, suggested);
    }
    set_defaults(section, map, kinds, structure);
    fill_missing_sections(fill, section, map, kinds, structure);
}
