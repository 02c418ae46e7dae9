/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories of contacts in bundles, one lane per contact. */
#ifndef TW_WORLD_BUNDLE_H
#define TW_WORLD_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>

/* Contacts in a bundle, and the number of lanes in sums: the same on every machine, and a multiple
 * of the number of lanes of any machine. */
enum { TW_BUNDLE = 8 };

/* Memories of TW_BUNDLE contacts. */
typedef struct tw_bundle {
    double n[3][TW_BUNDLE], zeta[TW_BUNDLE], ft[3][TW_BUNDLE];
} tw_bundle;

typedef struct tw_bundle_number {
    double x[TW_BUNDLE];
} tw_bundle_number;

typedef struct tw_bundle_force {
    double f[3][TW_BUNDLE];
} tw_bundle_force;

TW_INLINE tw_contact_memory tw_bundle_get(const tw_bundle *bundles, uint32_t slot)
{
    const tw_bundle *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    const tw_contact_memory memory = {
        {b->n[0][l], b->n[1][l], b->n[2][l]}, b->zeta[l], {b->ft[0][l], b->ft[1][l], b->ft[2][l]}};
    return memory;
}

TW_INLINE void tw_bundle_put(tw_bundle *bundles, uint32_t slot, const tw_contact_memory *memory)
{
    tw_bundle *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    const tw_vec3 n = memory->n, ft = memory->ft;
    const double parts[7] = {n.x, n.y, n.z, memory->zeta, ft.x, ft.y, ft.z};
    for (int k = 0; k < 3; k++) {
        b->n[k][l] = parts[k];
        b->ft[k][l] = parts[4 + k];
    }
    b->zeta[l] = parts[3];
}

TW_INLINE tw_vec3 tw_bundle_force_get(const tw_bundle_force *bundles, uint32_t slot)
{
    const tw_bundle_force *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    return tw_vec3_make(b->f[0][l], b->f[1][l], b->f[2][l]);
}

TW_INLINE void tw_bundle_force_put(tw_bundle_force *bundles, uint32_t slot, tw_vec3 f)
{
    tw_bundle_force *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    b->f[0][l] = f.x;
    b->f[1][l] = f.y;
    b->f[2][l] = f.z;
}

#endif
