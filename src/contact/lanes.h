/* SPDX-License-Identifier: BSD-3-Clause */
/* The elastic step and the short slide of the kernel for TW_LANES contacts at once. */
#ifndef TW_CONTACT_LANES_H
#define TW_CONTACT_LANES_H

#include <twirl/contact_inline.h>

#include "base/lanes.h"

/* Constants of one contact per lane. */
typedef struct tw_lanes_law {
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio) tw_lanes name;
#include <twirl/detail/contact_constants.def>
    int32_t kind;
    uint32_t refine;
    int32_t normal;
    uint32_t flags;
} tw_lanes_law;

TW_INLINE tw_lanes_law tw_lanes_law_choices(const tw_contact_law *law)
{
    tw_lanes_law out;
    out.kind = law->kind;
    out.refine = law->refine;
    out.normal = law->normal;
    out.flags = law->flags;
    return out;
}

/* One law for all lanes. */
TW_INLINE tw_lanes_law tw_lanes_law_splat(const tw_contact_law *law)
{
    tw_lanes_law out = tw_lanes_law_choices(law);
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio)                               \
    out.name = TW_SPLAT_LANES(law->name);
#include <twirl/detail/contact_constants.def>
    return out;
}

/* Law number index[l] in lane l; the choices are those of the first. */
TW_INLINE tw_lanes_law tw_lanes_law_gather(const tw_contact_law *laws, const uint16_t *index)
{
    tw_lanes_law out = tw_lanes_law_choices(laws);
    for (size_t l = 0; l < TW_LANES; l++) {
        const tw_contact_law *law = &laws[index[l]];
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio) out.name[l] = law->name;
#include <twirl/detail/contact_constants.def>
    }
    return out;
}

#include "base/lanes_params.inc"

#include <twirl/detail/contact_law.inc>
/* The law comes first. */
#include <twirl/detail/contact_hertz.inc>

#include <twirl/detail/contact_elastic.inc>
#include <twirl/detail/contact_motion.inc>
#include <twirl/detail/contact_slide.inc>

#include <twirl/detail/contact_twisting.inc>

#include <twirl/detail/contact_damping.inc>

#include <twirl/detail/undef.inc>

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

TW_INLINE tw_contact_springs tw_lanes_springs_get(const tw_lanes_springs *springs, size_t lane)
{
    tw_contact_springs c;
    c.p0 = springs->p0[lane];
    c.p1 = springs->p1[lane];
    c.r0 = springs->r0[lane];
    c.r1 = springs->r1[lane];
    c.i0 = springs->i0[lane];
    c.i1 = springs->i1[lane];
    c.t = springs->t[lane];
    c.growth = springs->growth[lane];
    c.mean = springs->mean[lane];
    c.root = springs->root[lane];
    c.gain = springs->gain[lane];
    c.ma = springs->ma[lane];
    c.mb = springs->mb[lane];
    c.md = springs->md[lane];
    c.shrinks = springs->shrinks[lane] != 0;
    return c;
}

TW_INLINE tw_contact_slide tw_lanes_slide_get(const tw_lanes_slide *slide, size_t lane)
{
    tw_contact_slide s;
    s.ft = tw_lanes3_get(&slide->ft, lane);
    s.work = slide->work[lane];
    s.change = slide->change[lane];
    s.alpha = slide->alpha[lane];
    s.micro = slide->micro[lane];
    s.lost = slide->lost[lane];
    s.holds = slide->holds[lane] != 0;
    return s;
}

#endif
