/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_SHAPES_H
#define TW_SCENARIO_REVIEW_SHAPES_H

#include "scenario/review.h"

/* Checks the shapes of a generated specimen. `specimen` is its section. */
void tw_review_shapes(const tw_review *review, const tw_tree_node *specimen,
                      const tw_key_path *key_path);

#endif
