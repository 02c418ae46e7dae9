/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit quaternions as rotations, scalar first: inline code in C11, C++17 and CUDA. */
#ifndef TW_BASE_QUAT_H
#define TW_BASE_QUAT_H

#include "base/mat3.h"

TW_INLINE tw_quat tw_quat_make(double w, double x, double y, double z)
{
    const tw_quat q = {w, x, y, z};
    return q;
}

TW_INLINE tw_quat tw_quat_identity(void)
{
    return tw_quat_make(1.0, 0.0, 0.0, 0.0);
}

/* The inverse rotation. */
TW_INLINE tw_quat tw_quat_conj(tw_quat q)
{
    return tw_quat_make(q.w, -q.x, -q.y, -q.z);
}

/* Rotation by b, then by a. */
TW_INLINE tw_quat tw_quat_mul(tw_quat a, tw_quat b)
{
    return tw_quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

TW_INLINE tw_quat tw_quat_normalise(tw_quat q)
{
    const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return tw_quat_make(s * q.w, s * q.x, s * q.y, s * q.z);
}

/* v + 2 w (u x v) + 2 u x (u x v), with u the vector part. */
TW_INLINE tw_vec3 tw_quat_rotate(tw_quat q, tw_vec3 v)
{
    const tw_vec3 u = tw_vec3_make(q.x, q.y, q.z);
    const tw_vec3 t = tw_vec3_scale(2.0, tw_vec3_cross(u, v));
    return tw_vec3_add(tw_vec3_add_scaled(v, q.w, t), tw_vec3_cross(u, t));
}

/* Rotates by the inverse. */
TW_INLINE tw_vec3 tw_quat_rotate_back(tw_quat q, tw_vec3 v)
{
    return tw_quat_rotate(tw_quat_conj(q), v);
}

TW_INLINE tw_mat3 tw_quat_matrix(tw_quat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, yz = q.y * q.z, zx = q.z * q.x;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    const tw_mat3 r = {{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (zx + wy), 2.0 * (xy + wz),
                        1.0 - 2.0 * (zz + xx), 2.0 * (yz - wx), 2.0 * (zx - wy), 2.0 * (yz + wx),
                        1.0 - 2.0 * (xx + yy)}};
    return r;
}

/* From a proper rotation matrix, by Shepperd's method: the largest component is found first, which
 * avoids division by a small number. The scalar part of the result is not negative. */
TW_INLINE tw_quat tw_quat_from_matrix(tw_mat3 r)
{
    const double xx = r.m[0], yy = r.m[4], zz = r.m[8], trace = xx + yy + zz;
    tw_quat q;
    if (trace >= xx && trace >= yy && trace >= zz)
        q = tw_quat_make(1.0 + trace, r.m[7] - r.m[5], r.m[2] - r.m[6], r.m[3] - r.m[1]);
    else if (xx >= yy && xx >= zz)
        q = tw_quat_make(r.m[7] - r.m[5], 1.0 + xx - yy - zz, r.m[1] + r.m[3], r.m[2] + r.m[6]);
    else if (yy >= zz)
        q = tw_quat_make(r.m[2] - r.m[6], r.m[1] + r.m[3], 1.0 + yy - zz - xx, r.m[5] + r.m[7]);
    else
        q = tw_quat_make(r.m[3] - r.m[1], r.m[2] + r.m[6], r.m[5] + r.m[7], 1.0 + zz - xx - yy);
    q = tw_quat_normalise(q);
    return q.w < 0.0 ? tw_quat_make(-q.w, -q.x, -q.y, -q.z) : q;
}

/* From a rotation vector [rad] of any length. Below |v|^2 = 1e-5 by the series, whose next terms
 * are under 1e-19. */
TW_INLINE tw_quat tw_quat_from_rotation(tw_vec3 v)
{
    const double a2 = tw_vec3_dot(v, v);
    double w = 1.0 - a2 * (1.0 / 8.0 - a2 / 384.0);
    double s = 0.5 - a2 * (1.0 / 48.0 - a2 / 3840.0);
    if (a2 > 1e-5) {
        const double a = sqrt(a2);
        w = tw_math_cos(0.5 * a);
        s = tw_math_sin(0.5 * a) / a;
    }
    return tw_quat_make(w, s * v.x, s * v.y, s * v.z);
}

/* An upper bound of the angle between two orientations [rad]. */
TW_INLINE double tw_quat_angle(tw_quat a, tw_quat b)
{
    const tw_quat d = tw_quat_mul(a, tw_quat_conj(b));
    const double s = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return s < 0.1 ? 2.004 * s : 3.1416 * s;
}

/* The rotation vector [rad], at most pi long. */
TW_INLINE tw_vec3 tw_quat_rotation(tw_quat q)
{
    const tw_vec3 u = tw_vec3_make(q.x, q.y, q.z);
    const double s = tw_vec3_norm_scaled(u), w = fabs(q.w);
    const double factor = s > 0.0 ? 2.0 * tw_math_atan2(s, w) / s : 2.0;
    return tw_vec3_scale(q.w < 0.0 ? -factor : factor, u);
}

#endif
