/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that the lanes could not advance, one at a time. Compiled once for all levels. */
#ifndef TW_CONTACT_CONTACT_ALONE_H
#define TW_CONTACT_CONTACT_ALONE_H

#include <twirl/contact_inline.h>

/* `trial` did not hold. */
void tw_contact_alone(const tw_contact_law *law, const tw_contact_motion *motion,
                      const tw_contact_trial *trial, tw_contact_memory *memory,
                      tw_contact_load *load);

#endif
