/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of motion of one body, as inline functions shared by the phases. */
#ifndef TW_STEP_MOTION_H
#define TW_STEP_MOTION_H

#include "world/world.h"

/* Constants of a kick: (1 + dt (grad v + damping)/2) v_after = (1 - ...) v_before + dt f/m. */
typedef struct tw_kick {
    tw_mat3 keep, push; /* v_after = keep v_before + push (dt/m) f */
    double spin_keep, spin_push;
    double dt;
} tw_kick;

static inline tw_kick tw_kick_make(const tw_world *w)
{
    tw_kick k;
    const tw_mat3 one = tw_mat3_identity();
    const tw_mat3 rate = tw_mat3_add_scaled(w->cell.gradient, w->damping_mass, one);
    k.push = tw_mat3_inverse(tw_mat3_add_scaled(one, 0.5 * w->dt, rate));
    k.keep = tw_mat3_mul(k.push, tw_mat3_add_scaled(one, -0.5 * w->dt, rate));
    k.spin_push = 1.0 / (1.0 + 0.5 * w->dt * w->damping_spin);
    k.spin_keep = (1.0 - 0.5 * w->dt * w->damping_spin) * k.spin_push;
    k.dt = w->dt;
    return k;
}

/* Cundall's local damping: each component loses the share `local` where it drives the motion, and
 * gains it where it brakes. */
static inline tw_vec3 tw_motion_local(double local, tw_vec3 f, tw_vec3 v)
{
    return tw_vec3_make(-local * fabs(f.x) * (v.x > 0.0 ? 1.0 : (v.x < 0.0 ? -1.0 : 0.0)),
                        -local * fabs(f.y) * (v.y > 0.0 ? 1.0 : (v.y < 0.0 ? -1.0 : 0.0)),
                        -local * fabs(f.z) * (v.z > 0.0 ? 1.0 : (v.z < 0.0 ? -1.0 : 0.0)));
}

static inline tw_vec3 tw_motion_force(const tw_world *w, size_t i)
{
    return tw_vec3_add_scaled(w->bodies.force[i], w->bodies.mass[i], w->gravity);
}

static inline tw_vec3 tw_motion_kicked(const tw_world *w, const tw_kick *k, size_t i, tw_vec3 f)
{
    return tw_vec3_add(tw_mat3_mul_vec(k->keep, w->bodies.v[i]),
                       tw_mat3_mul_vec(k->push, tw_vec3_scale(k->dt / w->bodies.mass[i], f)));
}

static inline tw_vec3 tw_motion_spun(const tw_world *w, const tw_kick *k, size_t i, tw_vec3 torque)
{
    return tw_vec3_add_scaled(tw_vec3_scale(k->spin_keep, w->bodies.l[i]), k->dt * k->spin_push,
                              torque);
}

static inline int tw_motion_isotropic(tw_vec3 inertia)
{
    return inertia.x == inertia.y && inertia.y == inertia.z;
}

/* Angular velocity in space that goes with the angular momentum l. */
static inline tw_vec3 tw_motion_omega(tw_quat q, tw_vec3 inertia, tw_vec3 l)
{
    if (tw_motion_isotropic(inertia)) return tw_vec3_scale(1.0 / inertia.x, l);
    const tw_vec3 b = tw_quat_rotate_back(q, l);
    return tw_quat_rotate(q, tw_vec3_make(b.x / inertia.x, b.y / inertia.y, b.z / inertia.z));
}

/* Rotation with the Gibbs vector g: by Cayley's formula no trigonometric function is needed. */
static inline tw_quat tw_motion_turned(tw_vec3 g)
{
    const double inv = 1.0 / sqrt(1.0 + tw_vec3_dot(g, g));
    return tw_quat_make(inv, g.x * inv, g.y * inv, g.z * inv);
}

/* Rotation in space during dt of a body that turns freely. For unequal moments: rotations about the
 * principal axes, x y z y x, each exact for its own part of the energy. Symplectic, reversible,
 * second order; the angular momentum l is kept. */
static inline tw_quat tw_motion_rotate(tw_quat q, tw_vec3 inertia, tw_vec3 l, double dt)
{
    if (tw_motion_isotropic(inertia))
        return tw_motion_turned(tw_vec3_scale(0.5 * dt / inertia.x, l));
    static const int axis[5] = {0, 1, 2, 1, 0};
    static const double share[5] = {0.5, 0.5, 1.0, 0.5, 0.5};
    const double moment[3] = {inertia.x, inertia.y, inertia.z};
    const tw_quat back = tw_quat_conj(q);
    tw_vec3 b = tw_quat_rotate_back(q, l);
    for (int k = 0; k < 5; k++) {
        const int a = axis[k];
        const double part[3] = {b.x, b.y, b.z};
        const double g = 0.5 * share[k] * dt * part[a] / moment[a];
        const tw_quat turn =
            tw_motion_turned(tw_vec3_make(a == 0 ? g : 0.0, a == 1 ? g : 0.0, a == 2 ? g : 0.0));
        q = tw_quat_mul(q, turn);
        b = tw_quat_rotate_back(turn, b);
    }
    return tw_quat_mul(q, back);
}

/* The Gibbs vector of a rotation by less than a half turn. */
static inline tw_vec3 tw_motion_gibbs(tw_quat turn)
{
    return tw_vec3_scale(1.0 / turn.w, tw_vec3_make(turn.x, turn.y, turn.z));
}

/* The rotation vector of a Gibbs vector. */
static inline tw_vec3 tw_motion_rotation(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* 2 atan(t)/t */
    const double s =
        t < 1e-2 ? 2.0 - t2 * (2.0 / 3 - t2 * (2.0 / 5 - t2 * (2.0 / 7))) : 2.0 * atan(t) / t;
    return tw_vec3_scale(s, g);
}

/* Work of the present force and torque over the movement of the last step. */
static inline double tw_motion_work(const tw_bodies *b, size_t i)
{
    return tw_vec3_dot(b->force[i], b->dx[i]) +
           tw_vec3_dot(b->torque[i], tw_motion_rotation(b->gibbs[i]));
}

#endif
