/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on three-vectors, written once for numbers and once more for lanes of numbers:
 * included by twirl/vec3.h and by code for lanes, with TW_REAL (the component), TW_VEC (the
 * vector) and TW_VEC_NAME (the prefix) defined. */

typedef struct TW_VEC {
    TW_REAL x, y, z;
} TW_VEC;

TW_INLINE TW_VEC TW_VEC_NAME(make)(TW_REAL x, TW_REAL y, TW_REAL z)
{
    TW_VEC v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

TW_INLINE TW_VEC TW_VEC_NAME(add)(TW_VEC a, TW_VEC b)
{
    return TW_VEC_NAME(make)(a.x + b.x, a.y + b.y, a.z + b.z);
}

TW_INLINE TW_VEC TW_VEC_NAME(sub)(TW_VEC a, TW_VEC b)
{
    return TW_VEC_NAME(make)(a.x - b.x, a.y - b.y, a.z - b.z);
}

TW_INLINE TW_VEC TW_VEC_NAME(scale)(TW_REAL s, TW_VEC a)
{
    return TW_VEC_NAME(make)(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
TW_INLINE TW_VEC TW_VEC_NAME(add_scaled)(TW_VEC a, TW_REAL s, TW_VEC b)
{
    return TW_VEC_NAME(make)(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

TW_INLINE TW_REAL TW_VEC_NAME(dot)(TW_VEC a, TW_VEC b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TW_INLINE TW_VEC TW_VEC_NAME(cross)(TW_VEC a, TW_VEC b)
{
    return TW_VEC_NAME(make)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
