/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories of contacts, by contact slot. */
#ifndef TW_WORLD_CONTACTS_H
#define TW_WORLD_CONTACTS_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact_law.h>

#include "world/extras.h"

typedef struct tw_contacts {
    tw_bundle *bundle;
    tw_extras extras;
    uint8_t *sliding;
    size_t capacity; /* slots */
} tw_contacts;

/* Force of a contact on p, damping included. */
TW_INLINE tw_vec3 tw_contacts_force(const tw_contacts *contacts, const tw_contact_law *law,
                                    uint32_t slot)
{
    const tw_contact_memory memory = tw_bundle_get(contacts->bundle, slot);
    const tw_vec3 f = tw_contact_law_elastic_force(law, &memory);
    if (!contacts->extras.drag) return f;
    return tw_vec3_add(f, tw_bundle_force_get(contacts->extras.drag, slot));
}

#endif
