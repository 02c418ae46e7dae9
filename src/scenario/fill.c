/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/fill.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/scenario.h>
#include <twirl/text.h>

#include "scenario/fill_file.h"
#include "scenario/kinds.h"
#include "scenario/unknown.h"
#include "scenario/values.h"

static void *field_of(const tw_key *key, void *structure)
{
    return (char *)structure + key->offset;
}

/* ---- Not set, and given back ---- */

void tw_fill_clear(const tw_section *section, void *structure)
{
    memset(structure, 0, section->size);
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->type == TW_KEY_MAP)
            tw_fill_clear(key->section, field_of(key, structure));
        else
            tw_values_clear(key, field_of(key, structure));
    }
}

static void *list_of(const tw_key *key, const void *structure)
{
    void *items;
    memcpy(&items, (const char *)structure + key->offset, sizeof items);
    return items;
}

static size_t *list_count(const tw_key *key, void *structure)
{
    return (size_t *)(void *)((char *)structure + key->count_offset);
}

static void free_list(const tw_key *key, void *structure)
{
    char *items = list_of(key, structure);
    for (size_t i = 0; i < *list_count(key, structure); i++)
        tw_fill_free(key->section, items + i * key->section->size);
    free(items);
}

void tw_fill_free(const tw_section *section, void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        void *field = field_of(key, structure);
        if (key->type == TW_KEY_MAP) tw_fill_free(key->section, field);
        if (key->type == TW_KEY_LIST) free_list(key, structure);
        if (key->type == TW_KEY_ROWS) free(((tw_scenario_rows *)field)->value);
        if (key->type == TW_KEY_TEXT || key->type == TW_KEY_NAME || key->type == TW_KEY_FILE)
            free(*(char **)field);
    }
}

/* ---- Values ---- */

static void blame(const tw_fill *fill, tw_node *node, const tw_trail *trail, const char *text)
{
    tw_faults_add(fill->faults, node->place, trail, "%s", text);
    tw_tree_blame(node);
}

static void blame_value(const tw_fill *fill, tw_node *node, const tw_trail *trail, const char *why)
{
    if (*why == '\0')
        tw_faults_memory(fill->faults);
    else
        tw_faults_add(fill->faults, node->place, trail, "%s %s",
                      tw_text_quote(node->text, strlen(node->text)).text, why);
    tw_tree_blame(node);
}

static bool is_null(const tw_node *node)
{
    return node->kind == TW_NODE_SCALAR && !node->quoted &&
           (*node->text == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

static void blame_kind(const tw_fill *fill, tw_node *node, const tw_trail *trail, const tw_key *key)
{
    static const char *const kinds[] = {"a single value", "a section"};
    const tw_values_right expected = tw_values_expected(key);
    if (is_null(node))
        tw_faults_add(fill->faults, node->place, trail, "has no value; expected is %s",
                      expected.text);
    else if (node->kind == TW_NODE_LIST)
        tw_faults_add(fill->faults, node->place, trail, "is a list of %zu; expected is %s",
                      node->count, expected.text);
    else
        tw_faults_add(fill->faults, node->place, trail, "is %s; expected is %s", kinds[node->kind],
                      expected.text);
    tw_tree_blame(node);
}

static void take_scalar(const tw_fill *fill, const tw_key *key, tw_node *node,
                        const tw_trail *trail, void *field)
{
    tw_values_words why;
    if (node->kind != TW_NODE_SCALAR || is_null(node)) {
        blame_kind(fill, node, trail, key);
        return;
    }
    if (!tw_values_read(key, node->text, field, &why)) {
        blame_value(fill, node, trail, why.text);
        return;
    }
    if (key->type == TW_KEY_FILE) tw_fill_file(fill, node, trail, field);
}

/* Numbers of one list; false: something is wrong. */
static bool take_numbers(const tw_fill *fill, const tw_key *key, const tw_node *list,
                         const tw_trail *trail, const tw_unit *units, size_t count, double *value)
{
    static const tw_key_range any = {0};
    const tw_key_range *range = key->type == TW_KEY_VECTOR ? &key->range : &any;
    size_t i = 0;
    for (tw_node *child = list->first; child; child = child->next, i++) {
        const tw_trail here = {trail, NULL, i + 1};
        tw_values_words why;
        if (child->kind != TW_NODE_SCALAR || is_null(child)) {
            blame(fill, child, &here, "a number is expected");
            return false;
        }
        if (!tw_values_number(units ? units[i] : key->unit, range, child->text, &value[i], &why)) {
            blame_value(fill, child, &here, why.text);
            return false;
        }
    }
    return i == count;
}

static void take_vector(const tw_fill *fill, const tw_key *key, tw_node *node,
                        const tw_trail *trail, double *field)
{
    double value[3];
    if (node->kind != TW_NODE_LIST || node->count != 3) {
        blame_kind(fill, node, trail, key);
        return;
    }
    if (take_numbers(fill, key, node, trail, NULL, 3, value)) memcpy(field, value, sizeof value);
}

static void take_rows(const tw_fill *fill, const tw_key *key, tw_node *node, const tw_trail *trail,
                      tw_scenario_rows *field)
{
    if (node->kind != TW_NODE_LIST || node->count == 0) {
        blame_kind(fill, node, trail, key);
        return;
    }
    double *value = malloc(node->count * key->column_count * sizeof *value);
    if (!value) {
        tw_faults_memory(fill->faults);
        return;
    }
    size_t i = 0;
    for (tw_node *row = node->first; row; row = row->next, i++) {
        const tw_trail here = {trail, NULL, i + 1};
        if (row->kind != TW_NODE_LIST || row->count != key->column_count) {
            tw_faults_add(fill->faults, row->place, &here, "a list of %zu numbers is expected",
                          key->column_count);
            tw_tree_blame(row);
        } else {
            take_numbers(fill, key, row, &here, key->columns, key->column_count,
                         value + i * key->column_count);
        }
    }
    *field = (tw_scenario_rows){value, i};
    if (!node->faulty) return;
    free(value);
    *field = (tw_scenario_rows){NULL, 0};
}

/* A list of words, or one word. */
static void take_set(const tw_fill *fill, const tw_key *key, tw_node *node, const tw_trail *trail,
                     uint32_t *field)
{
    if (node->kind == TW_NODE_SCALAR) {
        take_scalar(fill, key, node, trail, field);
        return;
    }
    if (node->kind != TW_NODE_LIST) {
        blame_kind(fill, node, trail, key);
        return;
    }
    size_t i = 0;
    *field = 0;
    for (tw_node *child = node->first; child; child = child->next) {
        const tw_trail here = {trail, NULL, ++i};
        take_scalar(fill, key, child, &here, field);
    }
    if (node->faulty) *field = TW_SCENARIO_NO_SET;
}

static void take_list(const tw_fill *fill, const tw_key *key, tw_node *node, const tw_trail *trail,
                      uint32_t kinds, void *structure)
{
    const tw_section *section = key->section;
    if (node->kind != TW_NODE_LIST || node->count == 0) {
        blame_kind(fill, node, trail, key);
        return;
    }
    if (node->count > TW_FILL_ITEMS_MAX) {
        blame(fill, node, trail, "has more than 1000 items: this is no scenario");
        return;
    }
    char *items = calloc(node->count, section->size);
    if (!items) {
        tw_faults_memory(fill->faults);
        return;
    }
    memcpy((char *)structure + key->offset, &items, sizeof items);
    *list_count(key, structure) = node->count;
    size_t i = 0;
    for (tw_node *child = node->first; child; child = child->next, i++) {
        const tw_trail here = {trail, NULL, i + 1};
        void *item = items + i * section->size;
        tw_fill_clear(section, item);
        if (child->kind == TW_NODE_MAP)
            tw_fill_map(fill, section, child, &here, kinds, item);
        else
            blame(fill, child, &here, "a section with keys of its own is expected");
    }
}

static void take(const tw_fill *fill, const tw_key *key, tw_node *node, const tw_trail *trail,
                 uint32_t kinds, void *structure)
{
    void *field = field_of(key, structure);
    switch (key->type) {
    case TW_KEY_VECTOR:
        take_vector(fill, key, node, trail, field);
        break;
    case TW_KEY_ROWS:
        take_rows(fill, key, node, trail, field);
        break;
    case TW_KEY_SET:
        take_set(fill, key, node, trail, field);
        break;
    case TW_KEY_MAP:
        if (node->kind == TW_NODE_MAP)
            tw_fill_map(fill, key->section, node, trail, kinds, field);
        else
            blame_kind(fill, node, trail, key);
        break;
    case TW_KEY_LIST:
        take_list(fill, key, node, trail, kinds, structure);
        break;
    default:
        take_scalar(fill, key, node, trail, field);
        break;
    }
}

/* ---- Which keys ---- */

static bool given(const tw_node *map, const tw_key *key)
{
    return tw_tree_find(map, key->name) != NULL;
}

/* Another key of the same group that is there and comes before `key` in the list, or any if `any`.
 */
static const tw_key *rival(const tw_section *section, const tw_node *map, const tw_key *key,
                           bool any)
{
    for (size_t i = 0; key->group && i < section->key_count; i++) {
        const tw_key *other = &section->keys[i];
        if (other == key && !any) return NULL;
        if (other != key && other->group == key->group && given(map, other)) return other;
    }
    return NULL;
}

static void check_rivals(const tw_fill *fill, const tw_section *section, tw_node *map,
                         const tw_trail *trail)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        tw_node *node = tw_tree_find(map, key->name);
        const tw_key *other = node ? rival(section, map, key, false) : NULL;
        if (!other) continue;
        const tw_trail here = {trail, key->name, 0};
        tw_faults_add(fill->faults, node->key_place, &here,
                      "excludes '%s', which is given too; remove one of them", other->name);
        tw_tree_blame(node);
    }
}

static void say_missing(const tw_fill *fill, const tw_section *section, tw_node *map,
                        const tw_trail *trail, const tw_key *key)
{
    const tw_trail here = {trail, key->name, 0};
    char others[200] = "";
    size_t used = 0;
    for (size_t i = 0; key->group && i < section->key_count && used < sizeof others; i++)
        if (section->keys[i].group == key->group && &section->keys[i] != key)
            used += (size_t)snprintf(others + used, sizeof others - used, ", or '%s' instead",
                                     section->keys[i].name);
    tw_faults_add(fill->faults, map->place, &here, "is missing; expected is %s%s",
                  tw_values_expected(key).text, others);
    tw_tree_blame(map);
}

/* Whether the key, or another of its group, was what an unknown key may have meant. */
static bool is_suggested(const tw_section *section, const tw_key *key, uint64_t suggested)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *other = &section->keys[i];
        const bool mate = other == key || (key->group && other->group == key->group);
        if (mate && suggested >> i & 1) return true;
    }
    return false;
}

/* `suggested`: bit i: key i was named as what an unknown key may have meant. */
static void check_needed(const tw_fill *fill, const tw_section *section, tw_node *map,
                         const tw_trail *trail, uint32_t kinds, uint64_t suggested)
{
    int said = 0; /* the last group that has been complained of */
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!(key->needed & kinds) && key->needed != TW_KINDS_ALL) continue;
        if (given(map, key) || rival(section, map, key, true)) continue;
        if (is_suggested(section, key, suggested) || (key->group && key->group == said)) continue;
        say_missing(fill, section, map, trail, key);
        said = key->group;
    }
}

static void put_standards(const tw_section *section, const tw_node *map, uint32_t kinds,
                          void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!key->standard || given(map, key) || rival(section, map, key, true)) continue;
        if (tw_keys_in(kinds, key->used) && tw_keys_in(kinds, key->standard_in))
            tw_values_standard(key, field_of(key, structure));
    }
}

static void put_maps(const tw_fill *fill, const tw_section *section, const tw_node *map,
                     uint32_t kinds, void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->type == TW_KEY_MAP && !given(map, key) && tw_keys_in(kinds, key->used))
            tw_fill_map(fill, key->section, NULL, NULL, tw_kinds_below(section, kinds),
                        field_of(key, structure));
    }
}

static bool is_repeated(const tw_fill *fill, tw_node *node, const tw_trail *trail)
{
    const tw_node *first = tw_tree_find(node->parent, node->key);
    if (first == node) return false;
    tw_faults_add(fill->faults, node->key_place, trail, "is given twice; the first is in line %zu",
                  first->key_place.line);
    tw_tree_blame(node);
    return true;
}

tw_place tw_fill_place(const tw_node *map, const char *key)
{
    const tw_node *node = tw_tree_find(map, key);
    return node ? node->place : map->place;
}

static void take_child(const tw_fill *fill, const tw_section *section, tw_node *child,
                       const tw_trail *trail, uint32_t kinds, uint64_t *suggested, void *structure)
{
    const tw_trail here = {trail, child->key, 0};
    const tw_key *key = tw_keys_find(section, child->key);
    if (!key) {
        *suggested |= tw_unknown_key(fill->faults, section, child, &here);
        return;
    }
    if (is_repeated(fill, child, &here)) return;
    if (kinds != 0 && !tw_keys_in(kinds, key->used)) {
        tw_unknown_here(fill->faults, section, key, child, &here);
        return;
    }
    take(fill, key, child, &here, tw_kinds_below(section, kinds), structure);
}

void tw_fill_map(const tw_fill *fill, const tw_section *section, tw_node *map,
                 const tw_trail *trail, uint32_t above, void *structure)
{
    assert(section->key_count <= 64);
    const uint32_t kinds = tw_kinds_of(section, map, above);
    uint64_t suggested = 0;
    for (tw_node *child = map ? map->first : NULL; child && !tw_faults_full(fill->faults);
         child = child->next)
        take_child(fill, section, child, trail, kinds, &suggested, structure);
    if (map) {
        check_rivals(fill, section, map, trail);
        check_needed(fill, section, map, trail, kinds, suggested);
    }
    put_standards(section, map, kinds, structure);
    put_maps(fill, section, map, kinds, structure);
}
