/* SPDX-License-Identifier: BSD-3-Clause */
/* A body as LAMMPS wants it: with the velocity of full steps, not of half steps as the engine has
 * it. The stock pair style moves contacts by velocities, which must then contain the affine part;
 * ours by places, and `fix deform` moves these. */
#include "exchange/lammps_run.h"

static tw_mat3 matrix_of(tw_quat q)
{
    const double w = q.w, x = q.x, y = q.y, z = q.z;
    const tw_mat3 r = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    return r;
}

/* r diag(d) r^T */
static tw_mat3 tensor_of(const tw_mat3 *r, tw_vec3 d)
{
    const double moment[3] = {d.x, d.y, d.z};
    tw_mat3 m = {{0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                m.m[3 * i + j] += r->m[3 * i + k] * moment[k] * r->m[3 * j + k];
        }
    }
    return m;
}

/* (1 + dt gradient/2) v = u: what the engine solves in a kick, for the velocity in its middle. */
static tw_vec3 mean_velocity(const tw_mat3 *gradient, double dt, tw_vec3 u)
{
    const double h = 0.5 * dt, *g = gradient->m;
    const double z = u.z / (1.0 + h * g[8]);
    const double y = (u.y - h * g[5] * z) / (1.0 + h * g[4]);
    const double x = (u.x - h * (g[1] * y + g[2] * z)) / (1.0 + h * g[0]);
    return tw_vec3_make(x, y, z);
}

tw_lammps_body tw_lammps_run_body(const tw_lammps_run *run, uint32_t id)
{
    const tw_lammps_frame *box = &run->box;
    tw_lammps_body b = {.state = tw_sim_body(run->sim, id)};
    const tw_body_state *s = &b.state;
    const size_t bodies = tw_sim_bodies(run->sim);
    b.first = run->frame.first[id];
    b.count = (id + 1 < bodies ? run->frame.first[id + 1] : run->frame.sphere_count) - b.first;
    b.type = s->fixed ? TW_LAMMPS_FIXED : b.count > 1 ? TW_LAMMPS_MEMBER : TW_LAMMPS_SPHERE;
    b.x = tw_lammps_frame_wrap(box, tw_lammps_frame_turn(box, s->x), b.image);
    const tw_mat3 axes = matrix_of(s->axes);
    const tw_mat3 tensor = tensor_of(&axes, s->inertia);
    b.inertia = tw_lammps_frame_turn_tensor(box, &tensor);
    if (s->fixed) return b;
    const double dt = tw_sim_dt(run->sim);
    const tw_vec3 u = tw_vec3_add_scaled(s->v, 0.5 * dt / s->mass, s->force);
    b.v = mean_velocity(&run->gradient, dt, tw_lammps_frame_turn(box, u));
    if (run->options.pair == TW_LAMMPS_HOOKE) {
        const tw_vec3 from_middle = tw_vec3_sub(b.x, tw_lammps_frame_middle(box));
        b.v = tw_vec3_add(b.v, tw_lammps_apply(&run->gradient, from_middle));
    }
    /* w(t) goes with l(t) in the orientation of t */
    const tw_vec3 l = tw_vec3_add_scaled(tw_lammps_apply(&tensor, s->w), 0.5 * dt, s->torque);
    const tw_mat3 back = {{axes.m[0], axes.m[3], axes.m[6], axes.m[1], axes.m[4], axes.m[7],
                           axes.m[2], axes.m[5], axes.m[8]}};
    const tw_vec3 own = tw_lammps_apply(&back, l);
    const tw_vec3 spin = {own.x / s->inertia.x, own.y / s->inertia.y, own.z / s->inertia.z};
    b.w = tw_vec3_sub(tw_lammps_frame_turn(box, tw_lammps_apply(&axes, spin)), run->turning);
    b.l = tw_lammps_apply(&b.inertia, b.w);
    return b;
}
