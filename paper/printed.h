/* SPDX-License-Identifier: BSD-3-Clause */
/* The paper's algorithm as its text prints it, for the replay. */
#ifndef PAPER_PRINTED_H
#define PAPER_PRINTED_H

#include "states.h"

/* One sub-step, from the share s0 of the way to s1. The text says that after the instant alpha_s at
 * which slip starts the movement is alpha_s dxi; what is left is (1 - alpha_s) dxi, which is what
 * the law `paper` takes. */
void paper_printed_advance(const tw_contact_law *law, const paper_pair *pair, double s0, double s1,
                           tw_contact_memory *memory, tw_contact_load *load);

/* The same sub-step with a law of the kernel. */
void paper_kernel_advance(const tw_contact_law *law, const paper_pair *pair, double s0, double s1,
                          tw_contact_memory *memory, tw_contact_load *load);

#endif
