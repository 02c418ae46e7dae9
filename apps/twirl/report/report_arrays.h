/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies and contacts of a state as binary arrays in base64: little-endian, in single precision,
 * which is enough to draw them. web/DATA.md describes the members. */
#ifndef TWIRL_APP_REPORT_ARRAYS_H
#define TWIRL_APP_REPORT_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/sim.h>

#include "base/text.h"

/* Adds the members cell ... contacts of a snapshot, without a comma before the first. A specimen of
 * more than `most` bodies is cut to a slab with about that many. False: out of memory. */
bool tw_report_arrays_add(tw_text_buffer *out, const tw_sim *sim, size_t most);

#endif
