/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_SPECIMEN_H
#define TW_SCENARIO_REVIEW_SPECIMEN_H

#include "scenario/review.h"

/* Checks a generated specimen and its preparation. */
void tw_review_specimen(const tw_review *review);

#endif
