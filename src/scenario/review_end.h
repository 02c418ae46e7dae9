/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_END_H
#define TW_SCENARIO_REVIEW_END_H

#include "scenario/review.h"
#include "scenario/stress_state.h"

/* Checks that a stage has an end condition, and that it can be reached. `node` and `key_path` are
 * those of the stage, `start` the stress at its start. */
void tw_review_end(const tw_review *review, const tw_scenario_stage *stage, tw_stress_state start,
                   tw_tree_node *node, const tw_key_path *key_path);

#endif
