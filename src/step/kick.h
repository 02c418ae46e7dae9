/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities at the present time, of single bodies. The leap-frog keeps those of half a step
 * earlier; the velocity at the present time is the mean of those before and after the pending kick,
 * the kick of step/move_lanes.c: contact forces, gravity, damping, velocity gradient. Inline code
 * in C11, C++17 and CUDA. */
#ifndef TW_STEP_KICK_H
#define TW_STEP_KICK_H

#include "step/motion.h"

typedef struct tw_kick_velocity {
    tw_vec3 v; /* fluctuation velocity [m/s] */
    tw_vec3 l; /* angular momentum [kg m^2/s]; of a fixed body: angular velocity [rad/s] */
} tw_kick_velocity;

/* The equations of a kick: (1 + X) v = v_before + dt f/(2m) for the mean velocity v, and
 * (1 + y) l = l_before + dt t/2 for the mean angular momentum. */
typedef struct tw_kick_equations {
    tw_mat3 factor; /* 1 + X, with X = dt (grad v + damping_mass)/2 */
    double spin;    /* 1 + y, with y = dt damping_spin/2 */
    double dt;
    tw_vec3 force, torque; /* without local damping */
} tw_kick_equations;

/* A body before the kick, at the present time, and the forces of local damping. */
typedef struct tw_kick_body {
    tw_vec3 v0, l0, u, v, l, drag, brake;
} tw_kick_body;

TW_INLINE tw_kick_equations tw_kick_equations_of(const tw_model *model, const tw_state *state,
                                                 size_t i, double dt)
{
    const tw_bodies *b = &state->bodies;
    const tw_mat3 one = tw_mat3_identity();
    const tw_mat3 rate = tw_mat3_add_scaled(state->cell.gradient, model->damping_mass, one);
    tw_kick_equations e;
    e.factor = tw_mat3_add_scaled(one, 0.5 * dt, rate);
    e.spin = 1.0 + 0.5 * dt * model->damping_spin;
    e.dt = dt;
    e.force = tw_vec3_add_scaled(b->force[i], b->mass[i], model->gravity);
    e.torque = b->torque[i];
    return e;
}

TW_INLINE tw_kick_body tw_kick_body_of(const tw_model *model, const tw_state *state, size_t i,
                                       const tw_kick_equations *e)
{
    const double h = 0.5 * e->dt, hm = h / state->bodies.mass[i], local = model->damping_local;
    tw_kick_body k;
    k.v0 = state->bodies.v[i];
    k.l0 = state->bodies.l[i];
    k.drag = tw_motion_body_local(local, e->force, tw_vec3_add_scaled(k.v0, hm, e->force));
    k.brake = tw_motion_body_local(local, e->torque, tw_vec3_add_scaled(k.l0, h, e->torque));
    k.u = tw_vec3_add_scaled(k.v0, hm, tw_vec3_add(e->force, k.drag));
    k.v = tw_mat3_mul_vec(tw_mat3_inverse(e->factor), k.u);
    k.l =
        tw_vec3_scale(1.0 / e->spin, tw_vec3_add_scaled(k.l0, h, tw_vec3_add(e->torque, k.brake)));
    return k;
}

/* Velocity of body i at the present time, where that kept is one of dt/2 earlier. */
TW_INLINE tw_kick_velocity tw_kick_present_with(const tw_model *model, const tw_state *state,
                                                size_t i, double dt)
{
    const tw_bodies *b = &state->bodies;
    tw_kick_velocity present;
    present.v = b->v[i];
    present.l = b->l[i];
    if (b->flags[i] & (TW_BODY_FIXED | TW_BODY_PRESENT)) return present;
    const tw_kick_equations e = tw_kick_equations_of(model, state, i, dt);
    const tw_kick_body k = tw_kick_body_of(model, state, i, &e);
    present.v = k.v;
    present.l = k.l;
    return present;
}

/* Sets v and l of body i to those of dt/2 earlier. */
TW_INLINE void tw_kick_set_with(const tw_model *model, tw_state *state, size_t i, double dt,
                                tw_kick_velocity present)
{
    tw_bodies *b = &state->bodies;
    b->v[i] = present.v;
    b->l[i] = present.l;
    if (b->flags[i] & TW_BODY_FIXED) return;
    const tw_kick_equations e = tw_kick_equations_of(model, state, i, dt);
    const double h = 0.5 * e.dt, hm = h / b->mass[i], local = model->damping_local;
    /* u = v_before + dt f/(2m) with local damping, whose sign is that of u without it, and of u. */
    const tw_vec3 u = tw_mat3_mul_vec(e.factor, present.v), w = tw_vec3_scale(e.spin, present.l);
    const tw_vec3 drag = tw_motion_body_local(local, e.force, u);
    const tw_vec3 brake = tw_motion_body_local(local, e.torque, w);
    b->v[i] = tw_vec3_add_scaled(tw_vec3_add_scaled(u, -hm, e.force), -hm, drag);
    b->l[i] = tw_vec3_add_scaled(tw_vec3_add_scaled(w, -h, e.torque), -h, brake);
}

/* dt has changed: half a step earlier is now another time, and the present velocity stays. */
TW_INLINE void tw_kick_rebase_body(const tw_model *model, tw_state *state, size_t i, double was)
{
    if (state->bodies.flags[i] & TW_BODY_PRESENT) return;
    const tw_kick_velocity present = tw_kick_present_with(model, state, i, was);
    tw_kick_set_with(model, state, i, state->dt, present);
}

#endif
