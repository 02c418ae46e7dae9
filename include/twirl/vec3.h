/* SPDX-License-Identifier: BSD-3-Clause */
/* Three-vectors, as inline code that compiles as C11, C++17 and CUDA. Calls may overlap in several
 * threads. Source compatible only, before 1.0. */
#ifndef TWIRL_VEC3_H
#define TWIRL_VEC3_H

#include <twirl/detail/api.h>
#include <twirl/math.h>

/* tw_vec3 {x, y, z} with make, add, sub, scale, add_scaled, dot, cross. */
#include <twirl/detail/scalar_params.inc>

#include <twirl/detail/vec3_ops.inc>

#include <twirl/detail/undef.inc>

TW_INLINE double tw_vec3_norm(tw_vec3 a)
{
    return sqrt(tw_vec3_dot(a, a));
}

/* Largest component by magnitude. */
TW_INLINE double tw_vec3_max_abs(tw_vec3 a)
{
    return tw_math_max(fabs(a.x), tw_math_max(fabs(a.y), fabs(a.z)));
}

/* Length of any finite vector: squares that overflow or underflow are avoided by scaling first.
 * A length beyond the range of double is given as DBL_MAX. */
TW_INLINE double tw_vec3_norm_scaled(tw_vec3 a)
{
    const double big = tw_vec3_max_abs(a);
    if (!(big > 0.0)) return 0.0;
    const tw_vec3 unit = tw_vec3_make(a.x / big, a.y / big, a.z / big);
    const double length = big * tw_vec3_norm(unit);
    return length < DBL_MAX ? length : DBL_MAX;
}

#endif
