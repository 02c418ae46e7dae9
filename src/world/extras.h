/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories that only some laws need, in bundles, by contact slot: rolling, twisting, damping. */
#ifndef TW_WORLD_EXTRAS_H
#define TW_WORLD_EXTRAS_H

#include <stdbool.h>

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
tw_contact_extra tw_extras_get(const tw_extras *extras, uint32_t slot);
void tw_extras_put(tw_extras *extras, uint32_t slot, const tw_contact_extra *extra);

/* The same contact with p and q exchanged. */
tw_contact_extra tw_extras_exchanged(const tw_contact_extra *extra);

/* As it is after a rigid rotation of both bodies. */
tw_contact_extra tw_extras_turned(const tw_contact_extra *extra, tw_vec3 turn);

/* A copy for `bundles` bundles with these parts, of which the first `had` are kept; the rest is
 * zero. False: no memory, and nothing is left to be freed. */
bool tw_extras_copy(tw_extras *to, const tw_extras *from, uint32_t parts, size_t had,
                    size_t bundles);
void tw_extras_free(tw_extras *extras);

/* Frees all parts but these. */
void tw_extras_keep(tw_extras *extras, uint32_t parts);

#endif
