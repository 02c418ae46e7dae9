/* SPDX-License-Identifier: BSD-3-Clause */
/* The elastic step and the short slide of the kernel for TW_LANES contacts at once. */
#ifndef TW_CONTACT_LANES_H
#define TW_CONTACT_LANES_H

#include <twirl/contact_inline.h>

#include "base/lanes.h"

#define TW_REAL tw_lanes
#define TW_VEC tw_lanes3
#define TW_VEC_NAME(verb) tw_lanes3_##verb
#define TW_MASK tw_lanes_mask
#define TW_NAME(verb) tw_lanes_##verb
#define TW_SPLAT TW_SPLAT_LANES
#define TW_SELECT tw_lanes_select
#define TW_SQRT tw_lanes_sqrt
#define TW_ANY tw_lanes_any_set
#define TW_MATH_NAME(verb) tw_lanes_math_##verb
#define TW_NOT(mask) (~(mask))
#include <twirl/detail/contact_law.inc>
/* The law comes first. */
#include <twirl/detail/contact_elastic.inc>
#include <twirl/detail/contact_motion.inc>
#include <twirl/detail/contact_slide.inc>

/* One lane. */
TW_INLINE tw_contact_trial tw_lanes_trial_get(const tw_lanes_trial *trial, size_t lane)
{
    tw_contact_trial t;
    t.ft0 = tw_lanes3_get(&trial->ft0, lane);
    t.dxi = tw_lanes3_get(&trial->dxi, lane);
    t.ft = tw_lanes3_get(&trial->ft, lane);
    t.phi = trial->phi[lane];
    t.small = trial->small[lane] != 0;
    t.inside = trial->inside[lane] != 0;
    return t;
}

#endif
