/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_LOADING_H
#define TW_SCENARIO_REVIEW_LOADING_H

#include "scenario/review.h"

/* Checks whether the stages of a resolved scenario make sense as tests: rates, numbers of steps,
 * jumps of stress, targets beyond the strength of grains, fits of probes. */
void tw_review_loading(const tw_review *review);

#endif
