/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_MATERIALS_H
#define TW_SCENARIO_REVIEW_MATERIALS_H

#include "scenario/review.h"

/* Checks the list of materials, the pairs, and every mention of a material. */
void tw_review_materials(const tw_review *review);

#endif
