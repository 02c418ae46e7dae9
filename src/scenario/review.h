/* SPDX-License-Identifier: BSD-3-Clause */
/* What the list of keys cannot know: whether the parts of a scenario go together. A section in
 * which something is wrong already is not looked at. */
#ifndef TW_SCENARIO_REVIEW_H
#define TW_SCENARIO_REVIEW_H

#include "scenario/faults.h"
#include "scenario/tree.h"

typedef struct tw_review {
    const tw_scenario *scenario;
    tw_node *root;
    tw_faults *faults;
} tw_review;

void tw_review_specimen(const tw_review *review);
void tw_review_material(const tw_review *review);
void tw_review_stages(const tw_review *review);
/* "KEY: text" at the value of `key` in `map`, or at the map where it has none. */
void tw_review_say(const tw_review *review, tw_node *map, const tw_trail *trail, const char *key,
                   const char *format, ...) TW_FAULTS_PRINTF(5, 6);

/* What is known of the stress at the start of a stage. */
typedef struct tw_review_state {
    double p;       /* mean stress [Pa]; NaN: not known */
    bool isotropic; /* and that there is no other */
} tw_review_state;

/* At the start of each stage; `states` has room for all. */
void tw_review_states(const tw_scenario *scenario, tw_review_state *states);

/* Does a stage end? `node` is that of the stage. */
void tw_review_end(const tw_review *review, const tw_scenario_stage *stage, tw_review_state start,
                   tw_node *node, const tw_trail *trail);

/* The largest q/p that stresses without tension can have, at a Lode angle [rad]. */
double tw_review_ratio_limit(double lode_angle);

#endif
