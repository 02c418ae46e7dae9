/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithm exactly as the paper prints it, for the replay. */
#ifndef PAPER_PRINTED_H
#define PAPER_PRINTED_H

#include "pairs.h"

/* One sub-step, from the fraction s0 of the movement to s1. In the printed text the movement after
 * the instant alpha_s at which slip starts is alpha_s dxi. The remaining movement is
 * (1 - alpha_s) dxi, which the law `paper` uses. */
void paper_printed_advance(const tw_contact_law *law, const paper_pair *pair, double s0, double s1,
                           tw_contact_memory *memory, tw_contact_load *load);

#endif
