/* SPDX-License-Identifier: BSD-3-Clause */
/* The stock pair style computes the relative motion from velocities, which must then include the
 * affine part; pair_style twirl uses positions, which `fix deform` moves. */
#include "exchange/lammps/lammps_run.h"

#include <twirl/math.h>

#include "base/mat3.h"
#include "base/quat.h"

tw_lammps_options tw_lammps_options_default(void)
{
    const tw_lammps_options options = {.pair = TW_LAMMPS_TWIRL, .steps = 1000};
    return options;
}

/* LAMMPS' frame rotates with the cell where the gradient would rotate it out of the frame. Only the
 * angular velocities of bodies depend on that. */
static void remove_rotation(tw_lammps_run *run)
{
    double *g = run->gradient.m;
    run->spin = tw_vec3_make(g[7], -g[6], g[3]);
    g[1] += g[3];
    g[2] += g[6];
    g[5] += g[7];
    g[3] = g[6] = g[7] = 0.0;
}

tw_status tw_lammps_run_begin(tw_lammps_run *run, const tw_sim *sim, const char *prefix,
                              const tw_lammps_options *options, tw_error *error)
{
    *run = (tw_lammps_run){.sim = sim, .def = tw_sim_definition(sim), .options = *options};
    run->prefix = prefix;
    tw_status status = tw_frame_take(&run->frame, sim, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_lammps_types_make(&run->types, sim, TW_LAMMPS_RUN_FIXED, error);
    if (status != TW_STATUS_OK) {
        tw_frame_free(&run->frame);
        return status;
    }
    for (uint32_t a = 0; a < tw_sim_materials(sim); a++) {
        for (uint32_t b = a; b < tw_sim_materials(sim); b++) {
            const tw_contact_law law = tw_lammps_run_law(run, a, b);
            run->extras |= tw_contact_law_extras(&law);
        }
    }
    const tw_mat3 cell = tw_sim_cell(sim), gradient = tw_sim_velocity_gradient(sim);
    run->box = tw_lammps_frame_make(&cell, run->def.periodic);
    if (!options->hold) run->gradient = tw_lammps_frame_turn_tensor(&run->box, &gradient);
    remove_rotation(run);
    return TW_STATUS_OK;
}

void tw_lammps_run_end(tw_lammps_run *run)
{
    tw_frame_free(&run->frame);
    tw_lammps_types_free(&run->types);
}

tw_contact_law tw_lammps_run_law(const tw_lammps_run *run, uint32_t a, uint32_t b)
{
    tw_contact_law law = run->def.law;
    tw_sim_pair_law(run->sim, a, b, &law, NULL); /* they exist */
    return law;
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

/* Solves (1 + dt gradient/2) v = u for the velocity at the present time, like the engine, but with
 * the gradient in LAMMPS' frame, which may rotate, or none if the cell is held. */
static tw_vec3 mean_velocity(const tw_mat3 *gradient, double dt, tw_vec3 u)
{
    const double h = 0.5 * dt, *g = gradient->m;
    const double z = u.z / (1.0 + h * g[8]);
    const double y = (u.y - h * g[5] * z) / (1.0 + h * g[4]);
    const double x = (u.x - h * (g[1] * y + g[2] * z)) / (1.0 + h * g[0]);
    return tw_vec3_make(x, y, z);
}

tw_lammps_run_body tw_lammps_run_get_body(const tw_lammps_run *run, uint32_t id)
{
    const tw_lammps_frame *box = &run->box;
    tw_lammps_run_body b = {0};
    tw_sim_body(run->sim, id, &b.state, NULL); /* it exists */
    const tw_body_state *s = &b.state;
    const size_t bodies = tw_sim_bodies(run->sim);
    b.first = run->frame.first[id];
    b.count = (id + 1 < bodies ? run->frame.first[id + 1] : run->frame.sphere_count) - b.first;
    b.mover = s->fixed      ? TW_LAMMPS_RUN_FIXED
              : b.count > 1 ? TW_LAMMPS_RUN_MEMBER
                            : TW_LAMMPS_RUN_SPHERE;
    b.type = tw_lammps_types_of_body(&run->types, s, (uint32_t)(b.mover - TW_LAMMPS_RUN_SPHERE));
    b.x = tw_lammps_frame_wrap(box, tw_lammps_frame_turn(box, s->x), b.image);
    const tw_mat3 axes = tw_quat_matrix(s->axes);
    const tw_mat3 tensor = tensor_of(&axes, s->inertia);
    b.inertia = tw_lammps_frame_turn_tensor(box, &tensor);
    if (s->fixed) return b;
    const double dt = tw_sim_dt(run->sim);
    const tw_vec3 u = tw_vec3_add_scaled(s->v_half, 0.5 * dt / s->mass, s->force);
    b.v = mean_velocity(&run->gradient, dt, tw_lammps_frame_turn(box, u));
    if (run->options.pair == TW_LAMMPS_HOOKE) {
        const tw_vec3 from_middle = tw_vec3_sub(b.x, tw_lammps_frame_middle(box));
        b.v = tw_vec3_add(b.v, tw_mat3_mul_vec(run->gradient, from_middle));
    }
    /* w follows from the angular momentum and the orientation, both at the end of the step */
    const tw_vec3 l = tw_vec3_add_scaled(tw_mat3_mul_vec(tensor, s->w_half), 0.5 * dt, s->torque);
    const tw_vec3 own = tw_mat3_transpose_mul_vec(axes, l);
    const tw_vec3 w = {own.x / s->inertia.x, own.y / s->inertia.y, own.z / s->inertia.z};
    b.w = tw_vec3_sub(tw_lammps_frame_turn(box, tw_mat3_mul_vec(axes, w)), run->spin);
    b.l = tw_mat3_mul_vec(b.inertia, b.w);
    return b;
}

void tw_lammps_run_survey(tw_lammps_run *run)
{
    const size_t bodies = tw_sim_bodies(run->sim);
    const tw_frame *f = &run->frame;
    for (size_t i = 0; i < f->sphere_count; i++) {
        const tw_vec3 x = tw_lammps_frame_turn(&run->box, f->spheres[i].x);
        tw_lammps_frame_enclose(&run->box, x, f->spheres[i].radius, i == 0);
        run->radius_mean += f->spheres[i].radius / (double)f->sphere_count;
        run->radius_max = tw_math_max(run->radius_max, f->spheres[i].radius);
    }
    for (uint32_t id = 0; id < bodies; id++) {
        const tw_lammps_run_body b = tw_lammps_run_get_body(run, id);
        run->atoms[b.mover] += b.count;
        run->clusters += b.mover == TW_LAMMPS_RUN_MEMBER;
        run->molecules = run->molecules || b.count > 1;
        run->mass_mean += b.state.mass / (double)bodies;
        for (size_t i = b.first; i < b.first + b.count; i++)
            run->extent =
                tw_math_max(run->extent, tw_vec3_norm(tw_vec3_sub(f->spheres[i].x, b.state.x)));
    }
}
