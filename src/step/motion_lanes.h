/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of motion of TW_LANES bodies, as inline functions. */
#ifndef TW_STEP_MOTION_LANES_H
#define TW_STEP_MOTION_LANES_H

#include "step/rows.h"

static inline tw_lanes3 tw_motion_mul(const tw_mat3 *a, tw_lanes3 v)
{
    const double *m = a->m;
    return tw_lanes3_make(m[0] * v.x + m[1] * v.y + m[2] * v.z,
                          m[3] * v.x + m[4] * v.y + m[5] * v.z,
                          m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

static inline tw_lanes tw_motion_local1(double local, tw_lanes f, tw_lanes v)
{
    const tw_lanes size = tw_lanes_select(f < 0.0, -f, f), zero = TW_SPLAT_LANES(0.0);
    const tw_lanes against = tw_lanes_select(v > 0.0, -size, tw_lanes_select(v < 0.0, size, zero));
    return local * against;
}

/* Cundall's local damping: each component is reduced by the fraction `local` where it drives the
 * motion, and increased where it brakes. */
static inline tw_lanes3 tw_motion_local(double local, tw_lanes3 f, tw_lanes3 v)
{
    return tw_lanes3_make(tw_motion_local1(local, f.x, v.x), tw_motion_local1(local, f.y, v.y),
                          tw_motion_local1(local, f.z, v.z));
}

static inline tw_rows_quat tw_motion_quat_mul(tw_rows_quat a, tw_rows_quat b)
{
    return (tw_rows_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                          a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* Rotation by q, or by its inverse for sign = -1. */
static inline tw_lanes3 tw_motion_quat_rotate(tw_rows_quat q, double sign, tw_lanes3 v)
{
    const tw_lanes3 u = tw_lanes3_scale(TW_SPLAT_LANES(sign), tw_lanes3_make(q.x, q.y, q.z));
    const tw_lanes3 t = tw_lanes3_scale(TW_SPLAT_LANES(2.0), tw_lanes3_cross(u, v));
    return tw_lanes3_add(tw_lanes3_add_scaled(v, q.w, t), tw_lanes3_cross(u, t));
}

/* For a quaternion whose length differs little from 1, as after a step: series of 1/sqrt(1 + e),
 * whose next term is below 1e-20. */
static inline tw_rows_quat tw_motion_quat_normalise(tw_rows_quat q)
{
    const tw_lanes square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, e = square - 1.0;
    const tw_lanes_mask little = (e < 1e-4) & (e > -1e-4);
    tw_lanes s = 1.0 - e * (1.0 / 2 - e * (3.0 / 8 - e * (5.0 / 16 - e * (35.0 / 128))));
    if (!tw_lanes_all(little)) s = tw_lanes_select(little, s, 1.0 / tw_lanes_sqrt(square));
    return (tw_rows_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* Upper bound of the angle between two orientations, as in search/travel.c. */
static inline tw_lanes tw_motion_angle(tw_rows_quat a, tw_rows_quat b)
{
    const tw_rows_quat back = {b.w, -b.x, -b.y, -b.z}, d = tw_motion_quat_mul(a, back);
    const tw_lanes s = tw_lanes_sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return tw_lanes_select(s < 0.1, 2.004 * s, 3.1416 * s);
}

/* Lanes with three equal moments. */
static inline tw_lanes_mask tw_motion_isotropic(tw_lanes3 inertia)
{
    return (inertia.x == inertia.y) & (inertia.y == inertia.z);
}

/* Angular velocity in space from the angular momentum l. */
static inline tw_lanes3 tw_motion_omega(tw_rows_quat q, tw_lanes3 inertia, tw_lanes3 l)
{
    const tw_lanes_mask isotropic = tw_motion_isotropic(inertia);
    const tw_lanes3 simple = tw_lanes3_scale(1.0 / inertia.x, l);
    if (tw_lanes_all(isotropic)) return simple;
    const tw_lanes3 b = tw_motion_quat_rotate(q, -1.0, l);
    const tw_lanes3 omega = tw_motion_quat_rotate(
        q, 1.0, tw_lanes3_make(b.x / inertia.x, b.y / inertia.y, b.z / inertia.z));
    return tw_lanes3_select(isotropic, simple, omega);
}

/* Gibbs vector of the free rotation of a body with unequal moments during dt: rotations about the
 * principal axes in the order x y z y x, each exact for its part of the energy. Symplectic,
 * reversible, second order; conserves the angular momentum l. */
static inline tw_lanes3 tw_motion_turn_any(tw_rows_quat q, tw_lanes3 inertia, tw_lanes3 l,
                                           double dt)
{
    static const int axis[5] = {0, 1, 2, 1, 0};
    static const double share[5] = {0.25, 0.25, 0.5, 0.25, 0.25};
    const tw_lanes moment[3] = {inertia.x, inertia.y, inertia.z}, zero = TW_SPLAT_LANES(0.0);
    const tw_lanes3 body = tw_motion_quat_rotate(q, -1.0, l);
    tw_lanes b[3] = {body.x, body.y, body.z};
    tw_rows_quat turned = q;
    for (int k = 0; k < 5; k++) {
        const int a = axis[k], i = (a + 1) % 3, j = (a + 2) % 3;
        /* Cayley's formula: no trigonometric functions. */
        const tw_lanes g = share[k] * dt * b[a] / moment[a], inv = 1.0 / (1.0 + g * g);
        const tw_lanes cosine = (1.0 - g * g) * inv, sine = 2.0 * g * inv;
        const tw_lanes bi = cosine * b[i] + sine * b[j];
        b[j] = cosine * b[j] - sine * b[i];
        b[i] = bi;
        turned = tw_motion_quat_mul(turned, (tw_rows_quat){TW_SPLAT_LANES(1.0), a == 0 ? g : zero,
                                                           a == 1 ? g : zero, a == 2 ? g : zero});
    }
    const tw_rows_quat back = {q.w, -q.x, -q.y, -q.z};
    const tw_rows_quat turn = tw_motion_quat_mul(turned, back);
    return tw_lanes3_scale(1.0 / turn.w, tw_lanes3_make(turn.x, turn.y, turn.z));
}

static inline tw_lanes3 tw_motion_turn(tw_rows_quat q, tw_lanes3 inertia, tw_lanes3 l, double dt)
{
    const tw_lanes_mask isotropic = tw_motion_isotropic(inertia);
    const tw_lanes3 simple = tw_lanes3_scale(0.5 * dt / inertia.x, l);
    if (tw_lanes_all(isotropic)) return simple;
    return tw_lanes3_select(isotropic, simple, tw_motion_turn_any(q, inertia, l, dt));
}

#endif
