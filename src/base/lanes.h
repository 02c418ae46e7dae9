/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes: as many numbers as the processor works on at once, in the vector types of GCC and Clang.
 *
 * Only for files that are compiled once per level of base/simd.h. How many lanes there are must
 * show neither in a type that another file sees nor in a result: each lane does what a single
 * number would, and sums go through tw_lanes_sum, which has eight lanes on every machine. */
#ifndef TW_BASE_LANES_H
#define TW_BASE_LANES_H

#ifndef TW_SIMD_LEVEL
#error "compile this file once per level: tw_add_simd_sources in cmake/TwirlBuild.cmake"
#endif

#include <stddef.h>
#include <stdint.h>

#include <twirl/math.h>
#include <twirl/vec3.h>

#include "base/simd.h"
#include "base/sum.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* The level alone decides how many, not the compiler's options: it is part of the name of every
 * external function, so files that disagree cannot be linked together. As many as the vectors of
 * the machine have: the compilers handle those best. */
#define TW_SIMD_LANES_narrow 2
#define TW_SIMD_LANES_avx2 4
#define TW_SIMD_LANES_avx512 8
#define TW_LANES TW_SIMD_NAME(TW_SIMD_LANES)

#if (TW_LANES == 8 && !defined(__AVX512F__)) || (TW_LANES == 4 && !defined(__AVX2__))
#error "compiled without the options of its level: tw_simd_* in cmake/TwirlBuild.cmake"
#endif

typedef double tw_lanes __attribute__((vector_size(8 * TW_LANES)));
typedef int64_t tw_lanes_mask __attribute__((vector_size(8 * TW_LANES)));
typedef uint64_t tw_lanes_bits __attribute__((vector_size(8 * TW_LANES)));

/* Lanes in memory that need not be aligned to their own size. */
typedef double tw_lanes_any __attribute__((vector_size(8 * TW_LANES), aligned(8), may_alias));

#define TW_SPLAT_LANES(number) ((tw_lanes){0} + (number))

TW_INLINE tw_lanes tw_lanes_select(tw_lanes_mask mask, tw_lanes yes, tw_lanes no)
{
    return (tw_lanes)((mask & (tw_lanes_mask)yes) | (~mask & (tw_lanes_mask)no));
}

/* tw_lanes3, and tw_lanes_math_*: exp, expm1, log, log1p. */
#include "base/lanes_params.inc"

#include <twirl/detail/math_ops.inc>
#include <twirl/detail/vec3_ops.inc>

#include <twirl/detail/undef.inc>

/* v where the mask is set, otherwise 0. */
TW_INLINE tw_lanes tw_lanes_only(tw_lanes_mask mask, tw_lanes v)
{
    return (tw_lanes)(mask & (tw_lanes_mask)v);
}

TW_INLINE tw_lanes3 tw_lanes3_select(tw_lanes_mask mask, tw_lanes3 yes, tw_lanes3 no)
{
    return tw_lanes3_make(tw_lanes_select(mask, yes.x, no.x), tw_lanes_select(mask, yes.y, no.y),
                          tw_lanes_select(mask, yes.z, no.z));
}

TW_INLINE tw_lanes3 tw_lanes3_only(tw_lanes_mask mask, tw_lanes3 v)
{
    return tw_lanes3_make(tw_lanes_only(mask, v.x), tw_lanes_only(mask, v.y),
                          tw_lanes_only(mask, v.z));
}

/* The compilers find the vector instruction in a loop of roots only with optimisations that are
 * off here. */
TW_INLINE tw_lanes tw_lanes_sqrt(tw_lanes v)
{
#if TW_LANES == 8
    return (tw_lanes)_mm512_sqrt_pd((__m512d)v);
#elif TW_LANES == 4
    return (tw_lanes)_mm256_sqrt_pd((__m256d)v);
#elif defined(__x86_64__)
    return (tw_lanes)_mm_sqrt_pd((__m128d)v);
#elif defined(__aarch64__)
    return (tw_lanes)vsqrtq_f64((float64x2_t)v);
#else
    tw_lanes root;
    for (int l = 0; l < TW_LANES; l++)
        root[l] = sqrt(v[l]);
    return root;
#endif
}

TW_INLINE int tw_lanes_all(tw_lanes_mask mask)
{
    int64_t all = -1;
    for (int l = 0; l < TW_LANES; l++)
        all &= mask[l];
    return all != 0;
}

TW_INLINE int tw_lanes_any_set(tw_lanes_mask mask)
{
    int64_t any = 0;
    for (int l = 0; l < TW_LANES; l++)
        any |= mask[l];
    return any != 0;
}

TW_INLINE tw_vec3 tw_lanes3_get(const tw_lanes3 *v, size_t lane)
{
    return tw_vec3_make(v->x[lane], v->y[lane], v->z[lane]);
}

TW_INLINE void tw_lanes3_put(tw_lanes3 *to, size_t lane, tw_vec3 v)
{
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

/* array[i[l]] field in lane l; `field` may be empty. */
#if TW_LANES == 8
#define TW_LANES_GATHER(array, i, field)                                                           \
    ((tw_lanes){(array)[i[0]] field, (array)[i[1]] field, (array)[i[2]] field,                     \
                (array)[i[3]] field, (array)[i[4]] field, (array)[i[5]] field,                     \
                (array)[i[6]] field, (array)[i[7]] field})
#elif TW_LANES == 4
#define TW_LANES_GATHER(array, i, field)                                                           \
    ((tw_lanes){(array)[i[0]] field, (array)[i[1]] field, (array)[i[2]] field, (array)[i[3]] field})
#else
#define TW_LANES_GATHER(array, i, field) ((tw_lanes){(array)[i[0]] field, (array)[i[1]] field})
#endif
#define TW_LANES_GATHER3(array, i, field)                                                          \
    tw_lanes3_make(TW_LANES_GATHER(array, i, field.x), TW_LANES_GATHER(array, i, field.y),         \
                   TW_LANES_GATHER(array, i, field.z))

/* Members of a group that begins at `first`, the last of `count` repeated in lanes that are left
 * over. */
TW_INLINE void tw_lanes_members(size_t at[TW_LANES], size_t first, size_t count)
{
    for (size_t l = 0; l < TW_LANES; l++)
        at[l] = first + l < count ? first + l : count - 1;
}

/* A sum in the lanes of base/sum.h. */
enum { TW_SUM_GROUPS = TW_SUM_LANES / TW_LANES };

typedef struct tw_lanes_sum {
    tw_lanes group[TW_SUM_GROUPS];
} tw_lanes_sum;

/* `first` is the number of the item in the first lane, a multiple of TW_LANES. */
TW_INLINE void tw_lanes_sum_add(tw_lanes_sum *sum, size_t first, tw_lanes v)
{
    sum->group[first / TW_LANES % TW_SUM_GROUPS] += v;
}

TW_INLINE double tw_lanes_sum_total(const tw_lanes_sum *sum)
{
    double t[TW_SUM_LANES];
    for (int k = 0; k < TW_SUM_LANES; k++)
        t[k] = sum->group[k / TW_LANES][k % TW_LANES];
    return tw_sum_lanes_join(t);
}

#endif
