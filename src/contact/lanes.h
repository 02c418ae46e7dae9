/* SPDX-License-Identifier: BSD-3-Clause */
/* The elastic step of contact_elastic.h for TW_LANES contacts at once, in the vector types of GCC
 * and Clang: one instruction stream on NEON, SVE, AVX2 and AVX-512 alike. */
#ifndef TW_CONTACT_LANES_H
#define TW_CONTACT_LANES_H

#include <twirl/contact_inline.h>

/* As many lanes as the machine's own vectors have: the compilers handle those best. TW_GATHER takes
 * array[i[l]] field for every lane l. */
#if defined(__AVX__)
#define TW_LANES 4
#define TW_GATHER(array, i, field)                                                                 \
    ((tw_lanes){array[i[0]] field, array[i[1]] field, array[i[2]] field, array[i[3]] field})
#else
#define TW_LANES 2
#define TW_GATHER(array, i, field) ((tw_lanes){array[i[0]] field, array[i[1]] field})
#endif
#define TW_GATHER3(array, i, field)                                                                \
    tw_lanes3_make(TW_GATHER(array, i, field.x), TW_GATHER(array, i, field.y),                     \
                   TW_GATHER(array, i, field.z))

typedef double tw_lanes __attribute__((vector_size(8 * TW_LANES)));
typedef int64_t tw_lanes_mask __attribute__((vector_size(8 * TW_LANES)));

#define TW_SPLAT_LANES(number) ((tw_lanes){0} + (number))

#define TW_REAL tw_lanes
#define TW_VEC tw_lanes3
#define TW_VEC_NAME(verb) tw_lanes3_##verb
#include <twirl/vec3_ops.h>
#define TW_MASK tw_lanes_mask
#define TW_NAME(verb) tw_lanes_##verb
#define TW_SPLAT TW_SPLAT_LANES
#include <twirl/contact_elastic.h>
#undef TW_REAL
#undef TW_MASK
#undef TW_VEC
#undef TW_VEC_NAME
#undef TW_NAME
#undef TW_SPLAT

TW_INLINE tw_vec3 tw_lanes3_get(const tw_lanes3 *v, size_t lane)
{
    return tw_vec3_make(v->x[lane], v->y[lane], v->z[lane]);
}

/* One lane, for contacts that go on alone. */
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

/* Members of a group that begins at `first`, the last of `count` repeated in lanes that are left
 * over: a contact gets the same instructions, and so the same bits, wherever it stands. */
TW_INLINE void tw_lanes_members(size_t at[TW_LANES], size_t first, size_t count)
{
    for (size_t l = 0; l < TW_LANES; l++)
        at[l] = first + l < count ? first + l : count - 1;
}

#endif
