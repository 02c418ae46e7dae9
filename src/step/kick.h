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

/* Energies of the state [J]. It lies in the middle of the next kick: half of the dissipation and of
 * the work of the cell in that kick belongs to the time before. */
typedef struct tw_move_energy {
    double translation, rotation;   /* kinetic */
    double damping_work, cell_work; /* half of the kick's body damping and work of the cell */
} tw_move_energy;

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
    const tw_mat3 rate =
        tw_mat3_add_scaled(tw_cell_carried(&state->cell), model->damping_mass, one);
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

TW_INLINE tw_kick_velocity tw_kick_present(const tw_model *model, const tw_state *state, size_t i)
{
    return tw_kick_present_with(model, state, i, state->dt);
}

/* Sets v and l of body i so that `present` is its velocity at the present time. */
TW_INLINE void tw_kick_set(const tw_model *model, tw_state *state, size_t i,
                           tw_kick_velocity present)
{
    tw_kick_set_with(model, state, i, state->dt, present);
}

/* Of a body with the flag TW_BODY_PRESENT, once forces and dt are known. */
TW_INLINE void tw_kick_convert_body(const tw_model *model, tw_state *state, size_t i)
{
    const tw_kick_velocity present = {state->bodies.v[i], state->bodies.l[i]};
    state->bodies.flags[i] &= ~(uint32_t)TW_BODY_PRESENT;
    tw_kick_set(model, state, i, present);
}

/* Angular velocity of body i, which is not fixed, from its angular momentum. */
TW_INLINE tw_vec3 tw_kick_omega(const tw_bodies *b, size_t i, tw_vec3 l)
{
    const tw_vec3 o = tw_quat_rotate_back(b->q[i], l), m = b->inertia[i];
    return tw_quat_rotate(b->q[i], tw_vec3_make(o.x / m.x, o.y / m.y, o.z / m.z));
}

/* The part of body i in tw_move_energies. */
TW_INLINE tw_move_energy tw_kick_energy(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    tw_move_energy energy = {0.0, 0.0, 0.0, 0.0};
    if (b->flags[i] & TW_BODY_FIXED) return energy;
    const tw_kick_equations e = tw_kick_equations_of(model, state, i, state->dt);
    const tw_kick_body k = tw_kick_body_of(model, state, i, &e);
    const double mass = b->mass[i];
    const tw_vec3 v1 = tw_vec3_add_scaled(tw_vec3_scale(2.0, k.v), -1.0, k.v0);
    const tw_vec3 l1 = tw_vec3_add_scaled(tw_vec3_scale(2.0, k.l), -1.0, k.l0);
    const tw_vec3 omega = tw_kick_omega(b, i, k.l);
    const double by_mass = e.dt * model->damping_mass * tw_vec3_dot(k.v, k.v);
    const double by_cell = 2.0 * tw_vec3_dot(tw_vec3_sub(k.u, k.v), k.v) - by_mass;
    const double lost =
        mass * by_mass + e.dt * (model->damping_spin * tw_vec3_dot(k.l, omega) -
                                 tw_vec3_dot(k.drag, k.v) - tw_vec3_dot(k.brake, omega));
    energy.translation = 0.5 * mass * tw_vec3_dot(k.v0, v1);
    energy.rotation = 0.5 * tw_vec3_dot(k.l0, tw_kick_omega(b, i, l1));
    energy.damping_work = 0.5 * lost;
    energy.cell_work = -0.5 * mass * by_cell;
    return energy;
}

/* Adds the energy of a body, `factor` times, to the start of the energy balance: changes that are
 * not work leave the residual as it is. */
TW_INLINE void tw_kick_book(tw_energy_balance *balance, const tw_move_energy *energy, double factor)
{
    balance->start += factor * (energy->translation + energy->rotation);
    balance->body_damping -= factor * energy->damping_work;
    balance->cell -= factor * energy->cell_work;
}

TW_INLINE void tw_kick_account(const tw_model *model, tw_state *state, size_t i, double factor)
{
    const tw_move_energy energy = tw_kick_energy(model, state, i);
    tw_kick_book(&state->balance, &energy, factor);
}

/* Whether body i has yet to get the flag TW_BODY_PRESENT, and its velocity at the present time. */
TW_INLINE int tw_kick_is_earlier(const tw_bodies *bodies, size_t i)
{
    return !(bodies->flags[i] & (TW_BODY_FIXED | TW_BODY_PRESENT));
}

TW_INLINE void tw_kick_hold_velocity(const tw_model *model, tw_state *state, size_t i)
{
    const tw_kick_velocity present = tw_kick_present(model, state, i);
    state->bodies.flags[i] |= TW_BODY_PRESENT;
    state->bodies.v[i] = present.v;
    state->bodies.l[i] = present.l;
}

/* Its energy is no longer in the balance. */
TW_INLINE void tw_kick_hold_body(const tw_model *model, tw_state *state, size_t i)
{
    if (!tw_kick_is_earlier(&state->bodies, i)) return;
    tw_kick_account(model, state, i, -1.0);
    tw_kick_hold_velocity(model, state, i);
}

#endif
