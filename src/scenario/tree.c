/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/tree.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/text_copy.h"

tw_tree_node *tw_tree_make(tw_tree_kind kind, const char *text)
{
    tw_tree_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    if (text) node->text = tw_text_copy(text, strlen(text));
    if (!text || node->text) return node;
    free(node);
    return NULL;
}

/* Recursion is safe: the depth is limited when the tree is made. */
void tw_tree_free(tw_tree_node *node)
{
    if (!node) return;
    for (tw_tree_node *child = node->first, *next; child; child = next) {
        next = child->next;
        tw_tree_free(child);
    }
    free(node->key);
    free(node->text);
    free(node);
}

bool tw_tree_append(tw_tree_node *parent, tw_tree_node *child, const char *key)
{
    if (key) {
        child->key = tw_text_copy(key, strlen(key));
        if (!child->key) return false;
    }
    child->parent = parent;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
    return true;
}

void tw_tree_remove(tw_tree_node *child)
{
    tw_tree_node *parent = child->parent, *before = NULL;
    for (tw_tree_node *at = parent->first; at != child; at = at->next)
        before = at;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = before;
    parent->count--;
    tw_tree_free(child);
}

void tw_tree_replace(tw_tree_node *old, tw_tree_node *fresh)
{
    tw_tree_node *parent = old->parent;
    tw_tree_node **link = &parent->first;
    while (*link != old)
        link = &(*link)->next;
    *link = fresh;
    fresh->next = old->next;
    fresh->parent = parent;
    if (parent->last == old) parent->last = fresh;
    fresh->key = old->key;
    old->key = NULL;
    tw_tree_free(old);
}

tw_tree_node *tw_tree_find(const tw_tree_node *map, const char *key)
{
    if (!map || map->kind != TW_TREE_MAP) return NULL;
    for (tw_tree_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

tw_location tw_tree_locate(const tw_tree_node *map, const char *key)
{
    const tw_tree_node *node = tw_tree_find(map, key);
    return node ? node->location : map->location;
}

tw_tree_node *tw_tree_item(const tw_tree_node *list, size_t index)
{
    if (!list || list->kind != TW_TREE_LIST || index == 0) return NULL;
    tw_tree_node *child = list->first;
    while (child && --index > 0)
        child = child->next;
    return child;
}

bool tw_tree_is_null(const tw_tree_node *node)
{
    return node->kind == TW_TREE_SCALAR && !node->quoted &&
           (*node->text == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

void tw_tree_mark_invalid(tw_tree_node *node)
{
    for (; node && !node->invalid; node = node->parent)
        node->invalid = true;
}
