/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_REVIEW_METHOD_H
#define TW_SCENARIO_REVIEW_METHOD_H

#include "scenario/review.h"

/* Checks whether a resolved scenario makes sense as a computation: size of the cell, stiffness,
 * time step. */
void tw_review_method(const tw_review *review);

#endif
