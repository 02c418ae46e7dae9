/* SPDX-License-Identifier: BSD-3-Clause */
#include "contact/contact_batch.h"

void tw_contact_alone(const tw_contact_law *law, const tw_contact_motion *motion,
                      const tw_contact_trial *trial, tw_contact_memory *memory,
                      tw_contact_load *load)
{
    tw_contact_advance_any(law->kind, tw_contact_refine_of(law), law, motion, trial, memory, load);
}
