/* SPDX-License-Identifier: BSD-3-Clause */
/* Advances contacts of one law, several at once. */
#ifndef TW_CONTACT_CONTACT_BATCH_H
#define TW_CONTACT_CONTACT_BATCH_H

#include <twirl/contact.h>

#include "base/simd.h"

TW_SIMD_DECLARE(void, tw_contact_batch, const tw_contact_law *law, const tw_contact_motion *motion,
                double dt, tw_contact_memory *memory, tw_contact_extra *extra,
                tw_contact_load *load, size_t count);

#endif
