/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys, which the list of keys cannot express. A section that already has an error is
 * skipped. */
#ifndef TW_SCENARIO_REVIEW_H
#define TW_SCENARIO_REVIEW_H

#include "scenario/diagnostics.h"
#include "scenario/tree.h"

typedef struct tw_review {
    const tw_scenario *scenario;
    tw_tree_node *root;
    tw_diagnostics *diagnostics;
} tw_review;

/* Whether a section is given and has no error so far. */
bool tw_review_is_valid(const tw_tree_node *node);

/* Whether a value is a number without unit or percent sign. */
bool tw_review_is_bare(const tw_tree_node *value);

/* Reports "KEY: message" at the value of `key` in `map`, or at the map if it has no such key. */
void tw_review_error(const tw_review *review, tw_tree_node *map, const tw_key_path *key_path,
                     const char *key, const char *format, ...) TW_PRINTF_LIKE(5, 6);

/* The same for a warning, which leaves the section valid. */
void tw_review_warn(const tw_review *review, const tw_tree_node *map, const tw_key_path *key_path,
                    const char *key, const char *format, ...) TW_PRINTF_LIKE(5, 6);

#endif
