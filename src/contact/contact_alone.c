/* SPDX-License-Identifier: BSD-3-Clause */
#include "contact/contact_alone.h"

void tw_contact_alone(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                      const tw_contact_trial *trial, tw_contact_memory *memory,
                      tw_contact_load *load)
{
    const uint32_t refine = tw_contact_refine_of(law->kind, law->refine);
    tw_contact_advance_any(law->kind, refine, law, motion, dt, trial, memory, load);
}
