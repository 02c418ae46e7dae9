/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of the contact library with what only some laws need as values. */
#ifndef TWIRL_TEST_PARTS_H
#define TWIRL_TEST_PARTS_H

#include <twirl/contact_parts.h>

static inline tw_contact_extra support_extra(const tw_contact_parts *parts)
{
    return tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, (double *)parts);
}

static inline void support_advance(const tw_contact_law *law, const tw_contact_motion *motion,
                                   double dt, tw_contact_memory *memory, tw_contact_parts *parts,
                                   tw_contact_load *load)
{
    const tw_contact_extra extra = support_extra(parts);
    tw_contact_advance(law, motion, dt, memory, &extra, load);
}

static inline const char *support_derivative(const tw_contact_law *law,
                                             const tw_contact_motion *motion,
                                             const tw_contact_memory *memory,
                                             const tw_contact_parts *parts,
                                             tw_contact_tangent *tangent)
{
    const tw_contact_extra extra = support_extra(parts);
    return tw_contact_derivative(law, motion, memory, &extra, tangent);
}

static inline const char *support_derivative_rate(const tw_contact_law *law,
                                                  const tw_contact_memory *memory,
                                                  const tw_contact_parts *parts, double radius,
                                                  uint32_t branch, tw_contact_tangent *tangent)
{
    const tw_contact_extra extra = support_extra(parts);
    return tw_contact_derivative_rate(law, memory, &extra, radius, branch, tangent);
}

#endif
