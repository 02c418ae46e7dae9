/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses YAML into a tree.
 *
 * Scenarios use the plain part of YAML: maps, lists and scalars. Anchors, aliases, merge keys, tags
 * and multiple documents are refused: each value is written where it applies, and no short input
 * can expand to gigabytes. */
#ifndef TW_SCENARIO_TREE_PARSE_H
#define TW_SCENARIO_TREE_PARSE_H

#include "scenario/diagnostics.h"
#include "scenario/tree.h"

enum {
    TW_TREE_PARSE_BYTES_MAX = 1 << 20, /* of a document */
    TW_TREE_PARSE_DEPTH_MAX = 16,
    TW_TREE_PARSE_KEYS_MAX = 256 /* of a map */
};

/* Parses one document; `source` goes into the locations of its nodes. NULL: the error has been
 * added to `diagnostics`. An empty document is an error. */
tw_tree_node *tw_tree_parse(const char *text, size_t length, size_t source,
                            tw_diagnostics *diagnostics);

#endif
