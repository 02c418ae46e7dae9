/* SPDX-License-Identifier: BSD-3-Clause */
/* From the tree of a file to a structure, by the list of keys, with all checks that the list
 * implies: names, types, ranges, and which keys are used, required or exclude each other. */
#ifndef TW_SCENARIO_FILL_H
#define TW_SCENARIO_FILL_H

#include "scenario/key.h"
#include "scenario/tree.h"
#include "scenario/values.h"

enum { TW_FILL_ITEMS_MAX = 1000 }; /* sections of one list */

/* Fills a cleared structure. `map` may be NULL: all defaults. `above` are the kinds of the parent
 * section. */
void tw_fill_section(const tw_fill_context *fill, const tw_key_section *section, tw_tree_node *map,
                     const tw_key_path *key_path, uint32_t above, void *structure);

#endif
