/* SPDX-License-Identifier: BSD-3-Clause */
/* A YAML document as a tree of nodes with source locations. */
#ifndef TW_SCENARIO_TREE_H
#define TW_SCENARIO_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/location.h"

typedef enum tw_tree_kind { TW_TREE_SCALAR, TW_TREE_MAP, TW_TREE_LIST } tw_tree_kind;

typedef struct tw_tree_node {
    tw_tree_kind kind;
    tw_location location;
    char *key; /* in a map; NULL in a list */
    tw_location key_location;
    char *text;   /* of a scalar */
    bool quoted;  /* a scalar in quotes, never a null */
    bool invalid; /* an error was reported in it or below it */
    struct tw_tree_node *parent, *first, *last, *next;
    size_t count; /* of children */
} tw_tree_node;

/* A node without location; NULL: out of memory. `text` is the text of a scalar, otherwise NULL. */
tw_tree_node *tw_tree_make(tw_tree_kind kind, const char *text);

/* Frees the node and everything below it. */
void tw_tree_free(tw_tree_node *node);

/* Appends `child`; in a map under a copy of `key`. False: out of memory. */
bool tw_tree_append(tw_tree_node *parent, tw_tree_node *child, const char *key);

/* Removes a child and frees it. */
void tw_tree_remove(tw_tree_node *child);

/* Puts `fresh` where `old` is, with the same key, and frees `old`. */
void tw_tree_replace(tw_tree_node *old, tw_tree_node *fresh);

/* The value of `key` in a map; NULL if there is none, or `map` is NULL or not a map. */
tw_tree_node *tw_tree_find(const tw_tree_node *map, const char *key);

/* Location of the value of `key`, or of the map if it has no such key. */
tw_location tw_tree_locate(const tw_tree_node *map, const char *key);

/* Item of a list, from 1; NULL if there is none. */
tw_tree_node *tw_tree_item(const tw_tree_node *list, size_t index);

/* Whether a value is null: empty, ~ or null. */
bool tw_tree_is_null(const tw_tree_node *node);

/* Marks the node and all its ancestors. */
void tw_tree_mark_invalid(tw_tree_node *node);

#endif
