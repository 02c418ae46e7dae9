/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories that only some laws need, in bundles, by contact slot: rolling, twisting, damping. */
#ifndef TW_WORLD_EXTRAS_H
#define TW_WORLD_EXTRAS_H

#include <stdbool.h>
#include <string.h>

#include "base/quat.h"
#include "world/bundle.h"

typedef struct tw_extras {
    uint32_t parts; /* in use: bits of tw_contact_law_extras. The arrays of others are NULL */
#define TW_EXTRA_VECTOR(bit, name) tw_bundle_force *name;
#define TW_EXTRA_NUMBER(bit, name) tw_bundle_number *name;
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
} tw_extras;

/* Parts that are not in use are zero. */
TW_INLINE tw_contact_extra tw_extras_get(const tw_extras *extras, uint32_t slot)
{
    tw_contact_extra extra;
    memset(&extra, 0, sizeof extra);
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (extras->name) extra.name = tw_bundle_force_get(extras->name, slot);
#define TW_EXTRA_NUMBER(bit, name)                                                                 \
    if (extras->name) extra.name = extras->name[slot / TW_BUNDLE].x[slot % TW_BUNDLE];
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return extra;
}

TW_INLINE void tw_extras_put(tw_extras *extras, uint32_t slot, const tw_contact_extra *extra)
{
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (extras->name) tw_bundle_force_put(extras->name, slot, extra->name);
#define TW_EXTRA_NUMBER(bit, name)                                                                 \
    if (extras->name) extras->name[slot / TW_BUNDLE].x[slot % TW_BUNDLE] = extra->name;
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
}

/* The same contact with p and q exchanged. Rolling and twisting movements are products of the
 * normal and a difference of rotations: both change their signs, so the forces, which belong to q
 * and to p, do not. */
TW_INLINE tw_contact_extra tw_extras_exchanged(const tw_contact_extra *extra)
{
    tw_contact_extra other = *extra;
    other.drag = tw_vec3_scale(-1.0, extra->drag);
    other.rate = tw_vec3_scale(-1.0, extra->rate);
    return other;
}

/* As it is after a rigid rotation of both bodies. */
TW_INLINE tw_contact_extra tw_extras_turned(const tw_contact_extra *extra, tw_vec3 turn)
{
    const tw_quat q = tw_quat_from_rotation(turn);
    tw_contact_extra turned = *extra;
#define TW_EXTRA_VECTOR(bit, name) turned.name = tw_quat_rotate(q, extra->name);
#define TW_EXTRA_NUMBER(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return turned;
}

/* A copy for `bundles` bundles with these parts, of which the first `had` are kept; the rest is
 * zero. False: no memory, and nothing is left to be freed. */
bool tw_extras_copy(tw_extras *to, const tw_extras *from, uint32_t parts, size_t had,
                    size_t bundles);
void tw_extras_free(tw_extras *extras);

/* Frees all parts but these. */
void tw_extras_keep(tw_extras *extras, uint32_t parts);

#endif
