/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_STAGES_H
#define TW_SCENARIO_REVIEW_STAGES_H

#include "scenario/review.h"

/* Checks each stage, and the stages against each other. */
void tw_review_stages(const tw_review *review);

#endif
