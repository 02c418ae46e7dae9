/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/fill_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/scenario.h>

#include "base/text.h"
#include "scenario/fill_file.h"
#include "scenario/values.h"

void tw_fill_value_refuse_kind(const tw_fill_context *fill, tw_tree_node *node,
                               const tw_key_path *key_path, const char *expected)
{
    char found[60];
    if (tw_tree_is_null(node))
        snprintf(found, sizeof found, "has no value");
    else if (node->kind == TW_TREE_LIST)
        snprintf(found, sizeof found, "is a list of %zu item%s", node->count,
                 node->count == 1 ? "" : "s");
    else
        snprintf(found, sizeof found, "is a %s",
                 node->kind == TW_TREE_MAP ? "section" : "single value");
    tw_diagnostics_add(fill->diagnostics, node->location, key_path, "%s; expected %s", found,
                       expected);
    tw_tree_mark_invalid(node);
}

static void refuse_value(const tw_fill_context *fill, tw_tree_node *node,
                         const tw_key_path *key_path, const char *why)
{
    if (*why == '\0')
        tw_diagnostics_out_of_memory(fill->diagnostics);
    else
        tw_diagnostics_add(fill->diagnostics, node->location, key_path, "%s %s",
                           tw_text_quote(node->text, strlen(node->text)).text, why);
    tw_tree_mark_invalid(node);
}

static bool is_value(const tw_tree_node *node)
{
    return node->kind == TW_TREE_SCALAR && !tw_tree_is_null(node);
}

static void take_scalar(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                        const tw_key_path *key_path, void *field)
{
    tw_values_error why;
    if (!is_value(node)) {
        tw_fill_value_refuse_kind(fill, node, key_path, tw_values_expected(key).text);
        return;
    }
    if (!tw_values_read(key, node->text, field, &why)) {
        if (key->negative && node->text[0] == '-' && *why.text) {
            const size_t used = strlen(why.text);
            snprintf(why.text + used, sizeof why.text - used, "; %s", key->negative);
        }
        refuse_value(fill, node, key_path, why.text);
        return;
    }
    if (key->type == TW_KEY_FILE) tw_fill_file(fill, node, key_path, field);
}

/* The numbers of one list, all with the unit of the key, or each with its own. False: an error was
 * reported. */
static bool take_numbers(const tw_fill_context *fill, const tw_key *key, const tw_tree_node *list,
                         const tw_key_path *key_path, const tw_unit *units, double *value)
{
    static const tw_key_range any = {0};
    const tw_key_range *range = key->type == TW_KEY_VECTOR ? &key->range : &any;
    size_t i = 0;
    for (tw_tree_node *child = list->first; child; child = child->next, i++) {
        const tw_key_path here = {key_path, NULL, i + 1};
        const tw_unit unit = units ? units[i] : key->unit;
        tw_values_error why;
        if (!is_value(child)) {
            tw_fill_value_refuse_kind(fill, child, &here, tw_unit_noun(unit));
            return false;
        }
        if (!tw_values_read_number(unit, range, child->text, &value[i], &why)) {
            refuse_value(fill, child, &here, why.text);
            return false;
        }
    }
    return true;
}

static void take_vector(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                        const tw_key_path *key_path, double *field)
{
    double value[3];
    if (node->kind != TW_TREE_LIST || node->count != 3)
        tw_fill_value_refuse_kind(fill, node, key_path, tw_values_expected(key).text);
    else if (take_numbers(fill, key, node, key_path, NULL, value))
        memcpy(field, value, sizeof value);
}

static void take_rows(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                      const tw_key_path *key_path, tw_scenario_rows *field)
{
    if (node->kind != TW_TREE_LIST || node->count == 0) {
        tw_fill_value_refuse_kind(fill, node, key_path, tw_values_expected(key).text);
        return;
    }
    const size_t columns = key->column_count;
    double *value = malloc(node->count * columns * sizeof *value);
    if (!value) {
        tw_diagnostics_out_of_memory(fill->diagnostics);
        return;
    }
    size_t i = 0;
    for (tw_tree_node *row = node->first; row; row = row->next, i++) {
        const tw_key_path here = {key_path, NULL, i + 1};
        char expected[60];
        snprintf(expected, sizeof expected, "a list of %zu numbers", columns);
        if (row->kind != TW_TREE_LIST || row->count != columns)
            tw_fill_value_refuse_kind(fill, row, &here, expected);
        else
            take_numbers(fill, key, row, &here, key->columns, value + i * columns);
    }
    if (node->invalid)
        free(value);
    else
        *field = (tw_scenario_rows){value, i};
}

/* A list of words, or a single word. */
static void take_set(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                     const tw_key_path *key_path, uint32_t *field)
{
    if (node->kind != TW_TREE_LIST) {
        take_scalar(fill, key, node, key_path, field);
        return;
    }
    size_t i = 0;
    *field = 0;
    for (tw_tree_node *child = node->first; child; child = child->next) {
        const tw_key_path here = {key_path, NULL, ++i};
        take_scalar(fill, key, child, &here, field);
    }
    if (node->invalid) *field = TW_SCENARIO_NO_SET;
}

static void take_pair(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                      const tw_key_path *key_path, char **field)
{
    if (node->kind != TW_TREE_LIST || node->count != 2) {
        tw_fill_value_refuse_kind(fill, node, key_path, tw_values_expected(key).text);
        return;
    }
    size_t i = 0;
    for (tw_tree_node *child = node->first; child; child = child->next, i++) {
        const tw_key_path here = {key_path, NULL, i + 1};
        take_scalar(fill, key, child, &here, &field[i]);
    }
}

void tw_fill_value(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                   const tw_key_path *key_path, void *field)
{
    if (key->type == TW_KEY_VECTOR)
        take_vector(fill, key, node, key_path, field);
    else if (key->type == TW_KEY_ROWS)
        take_rows(fill, key, node, key_path, field);
    else if (key->type == TW_KEY_PAIR)
        take_pair(fill, key, node, key_path, field);
    else if (key->type == TW_KEY_SET)
        take_set(fill, key, node, key_path, field);
    else
        take_scalar(fill, key, node, key_path, field);
}
