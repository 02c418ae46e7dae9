/* SPDX-License-Identifier: BSD-3-Clause */
/* Advances contacts of one law, several at once. */
#ifndef TW_CONTACT_CONTACT_BATCH_H
#define TW_CONTACT_CONTACT_BATCH_H

#include <twirl/contact_inline.h>

#include "base/simd.h"

/* The first contact is number `first` in `extra`. */
TW_SIMD_DECLARE(void, tw_contact_batch, const tw_contact_law *law, const tw_contact_motion *motion,
                double dt, tw_contact_memory *memory, const tw_contact_extra *extra, size_t first,
                tw_contact_load *load, size_t count);

/* tw_contact_advance with the parts as values; NULL: the law needs none. */
void tw_contact_advance_parts(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                              tw_contact_memory *memory, tw_contact_parts *parts,
                              tw_contact_load *load);

/* A contact that the lanes could not advance: `trial` did not hold. Compiled once for all levels.
 */
void tw_contact_alone(const tw_contact_law *law, const tw_contact_motion *motion,
                      const tw_contact_trial *trial, tw_contact_memory *memory,
                      tw_contact_load *load);

#endif
