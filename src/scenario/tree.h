/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents as trees of nodes with source locations, and what is reported about them. */
#ifndef TW_SCENARIO_TREE_H
#define TW_SCENARIO_TREE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/scenario.h>

#include "base/error.h"

/* Source location of a value: a position in the scenario file, or a command-line setting. */
typedef struct tw_tree_location {
    size_t source;       /* 0: the file; k: the k-th setting */
    size_t line, column; /* from 1, in the file; 0: not known */
} tw_tree_location;

/* ---- Errors and warnings of a scenario, each with its source location and key ---- */

enum { TW_DIAGNOSTICS_MAX = 1000 }; /* further errors are dropped, and further warnings */

typedef struct tw_diagnostics_item {
    tw_tree_location location;
    char *text;
    bool warning;
} tw_diagnostics_item;

typedef struct tw_diagnostics {
    const char *name;            /* of the file */
    const char *const *settings; /* as given by the user */
    tw_diagnostics_item *item;
    size_t count, capacity;
    size_t warnings; /* among the items */
    bool out_of_memory;
    bool begun; /* the run has begun: files that it started from need not be there */
} tw_diagnostics;

void tw_diagnostics_out_of_memory(tw_diagnostics *diagnostics);

/* Errors alone. */
static inline size_t tw_diagnostics_errors(const tw_diagnostics *diagnostics)
{
    return diagnostics->count - diagnostics->warnings;
}

static inline bool tw_diagnostics_any(const tw_diagnostics *diagnostics)
{
    return tw_diagnostics_errors(diagnostics) > 0 || diagnostics->out_of_memory;
}

static inline bool tw_diagnostics_full(const tw_diagnostics *diagnostics)
{
    return tw_diagnostics_errors(diagnostics) >= TW_DIAGNOSTICS_MAX || diagnostics->out_of_memory;
}

/* ---- The tree ---- */

typedef enum tw_tree_kind { TW_TREE_SCALAR, TW_TREE_MAP, TW_TREE_LIST } tw_tree_kind;

typedef struct tw_tree_node {
    tw_tree_kind kind;
    tw_tree_location location;
    char *key; /* in a map; NULL in a list */
    tw_tree_location key_location;
    char *text;   /* of a scalar */
    bool quoted;  /* a scalar in quotes, never a null */
    bool invalid; /* an error was reported in it or below it */
    struct tw_tree_node *parent, *first, *last, *next;
    size_t count; /* of children */
} tw_tree_node;

/* Frees the node and everything below it. */
void tw_tree_free(tw_tree_node *node);

/* The value of `key` in a map; NULL if there is none, or `map` is NULL or not a map. */
tw_tree_node *tw_tree_find(const tw_tree_node *map, const char *key);

/* Location of the value of `key`, or of the map if it has no such key. */
tw_tree_location tw_tree_locate(const tw_tree_node *map, const char *key);

/* Item of a list, from 1; NULL if there is none. */
tw_tree_node *tw_tree_item(const tw_tree_node *list, size_t index);

/* Whether a value is null: empty, ~ or null. */
bool tw_tree_is_null(const tw_tree_node *node);

/* Marks the node and all its ancestors. */
static inline void tw_tree_mark_invalid(tw_tree_node *node)
{
    for (; node && !node->invalid; node = node->parent)
        node->invalid = true;
}

/* Adds a line "LOCATION: KEY: message" and marks the node as invalid. KEY is the path of the node,
 * and of `key` in it unless that is NULL: "stages[2].rate". Without a node there is no KEY. */
void tw_diagnostics_add(tw_diagnostics *diagnostics, tw_tree_location location, tw_tree_node *node,
                        const char *key, const char *format, ...) TW_PRINTF_LIKE(5, 6);

/* tw_diagnostics_add with a list of arguments. A warning, "LOCATION: KEY: warning: message", does
 * not make the scenario invalid. */
void tw_diagnostics_add_list(tw_diagnostics *diagnostics, bool warning, tw_tree_location location,
                             tw_tree_node *node, const char *key, const char *format,
                             va_list arguments);

/* Moves the lines to `errors`, sorted by location with settings last. Leaves `diagnostics` empty.
 */
void tw_diagnostics_release(tw_diagnostics *diagnostics, tw_scenario_errors *errors);

/* Scenarios use the plain part of YAML: maps, lists and scalars. Anchors, aliases, merge keys, tags
 * and multiple documents are refused: each value is written where it applies, and no short input
 * can expand to gigabytes. */

enum {
    TW_TREE_PARSE_BYTES_MAX = 1 << 20, /* of a document */
    TW_TREE_PARSE_DEPTH_MAX = 16,
    TW_TREE_PARSE_KEYS_MAX = 256 /* of a map */
};

/* Parses one document; `source` goes into the locations of its nodes. NULL: the error has been
 * added to `diagnostics`. An empty document is an error. */
tw_tree_node *tw_tree_parse(const char *text, size_t length, size_t source,
                            tw_diagnostics *diagnostics);

/* Applies diagnostics->settings[source - 1], such as "stages[2].rate=1e-3", before the tree is
 * checked. List items are addressed by number, from 1, or by name. The value is YAML; an empty
 * value removes the key. */
void tw_tree_apply_setting(tw_tree_node *root, size_t source, tw_diagnostics *diagnostics);

#endif
