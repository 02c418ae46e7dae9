/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_LAW_H
#define TW_SCENARIO_REVIEW_LAW_H

#include "scenario/review.h"

/* Checks the resolved scenario for what does not suit Hertz contacts: the law of the paper, an
 * implausible modulus. */
void tw_review_law(const tw_review *review);

#endif
