/* SPDX-License-Identifier: BSD-3-Clause */
/* A YAML document as a tree whose nodes know where they stand.
 *
 * The language is the plain part of YAML: maps, lists and scalars. Anchors, aliases, merge keys,
 * tags and more than one document are refused: a scenario says what it means where it says it, and
 * no input of a few lines can grow to gigabytes. */
#ifndef TW_SCENARIO_TREE_H
#define TW_SCENARIO_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/faults.h"
#include "scenario/place.h"

enum {
    TW_TREE_BYTES_MAX = 1 << 20, /* of a file */
    TW_TREE_DEPTH_MAX = 16,
    TW_TREE_KEYS_MAX = 256 /* of a map */
};

typedef enum tw_node_kind { TW_NODE_SCALAR, TW_NODE_MAP, TW_NODE_LIST } tw_node_kind;

typedef struct tw_node {
    tw_node_kind kind;
    tw_place place;
    char *key; /* in a map; NULL in a list */
    tw_place key_place;
    char *text;  /* of a scalar */
    bool quoted; /* a scalar that is a text whatever it looks like */
    bool faulty; /* something was found wrong in it or below */
    struct tw_node *parent, *first, *last, *next;
    size_t count; /* of children */
} tw_node;

/* `text` as a document; its nodes have the source `source`. NULL: `faults` says why, with `trail`.
 * An empty document is refused. */
tw_node *tw_tree_parse(const char *text, size_t length, size_t source, const tw_trail *trail,
                       tw_faults *faults);
void tw_tree_free(tw_node *node);

/* A scalar or map without place; NULL: out of memory. `text` may be NULL. */
tw_node *tw_tree_make(tw_node_kind kind, const char *text);

/* Puts `child` behind the others; in a map under a copy of `key`. False: out of memory. */
bool tw_tree_append(tw_node *parent, tw_node *child, const char *key);

/* Takes a child out and frees it. */
void tw_tree_remove(tw_node *child);

/* The value of `key` in a map; NULL where there is none, or `map` is NULL or no map. */
tw_node *tw_tree_find(const tw_node *map, const char *key);

/* Item of a list, from 1; NULL where there is none. */
tw_node *tw_tree_item(const tw_node *list, size_t index);

/* Marks the node and all above. */
void tw_tree_blame(tw_node *node);

#endif
