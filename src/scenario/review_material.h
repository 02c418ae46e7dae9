/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_MATERIAL_H
#define TW_SCENARIO_REVIEW_MATERIAL_H

#include "scenario/review.h"

/* Checks the material and the time step against the specimen. */
void tw_review_material(const tw_review *review);

#endif
