/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_MATERIAL_H
#define TW_SCENARIO_REVIEW_MATERIAL_H

#include "scenario/review.h"

/* Where a section is in the file. */
typedef struct tw_review_place {
    tw_tree_node *node; /* NULL: it is not given */
    tw_key_path path;
} tw_review_place;

/* The place of material `index`, of tw_scenario_material_at. */
tw_review_place tw_review_material_place(const tw_review *review, size_t index);

/* Whether the keys given in a material or pair, at `place`, suit linear or Hertz contacts and each
 * other. */
void tw_review_material_keys(const tw_review *review, const tw_review_place *place, int32_t normal);

/* Checks each material, frictions and the time step. */
void tw_review_material(const tw_review *review);

#endif
