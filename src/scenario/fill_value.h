/* SPDX-License-Identifier: BSD-3-Clause */
/* From a node of the tree to the field of a key. */
#ifndef TW_SCENARIO_FILL_VALUE_H
#define TW_SCENARIO_FILL_VALUE_H

#include "scenario/fill_context.h"
#include "scenario/key.h"
#include "scenario/tree.h"

/* Reads and checks the value of a key. Not for maps and lists of sections. */
void tw_fill_value(const tw_fill_context *fill, const tw_key *key, tw_tree_node *node,
                   const tw_key_path *key_path, void *field);

/* Reports a node of the wrong kind: "is a list of 2 items; expected EXPECTED". */
void tw_fill_value_refuse_kind(const tw_fill_context *fill, tw_tree_node *node,
                               const tw_key_path *key_path, const char *expected);

#endif
