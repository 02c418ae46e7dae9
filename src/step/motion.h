/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of single bodies, and what the tiles of the move phase share: inline code for the CPU
 * and for devices. */
#ifndef TW_STEP_MOTION_H
#define TW_STEP_MOTION_H

#include "world/schedule.h"

/* Rotations of single bodies, as inline functions. */

/* The Gibbs vector of a rotation by less than a half turn. */
TW_INLINE tw_vec3 tw_motion_gibbs(tw_quat turn)
{
    return tw_vec3_scale(1.0 / turn.w, tw_vec3_make(turn.x, turn.y, turn.z));
}

/* The Gibbs vector of a body in the step. */
TW_INLINE tw_vec3 tw_motion_gibbs_of(const tw_state *state, const tw_schedule *schedule,
                                     uint32_t body)
{
    const tw_tiles *t = &schedule->tiles;
    if (!t->gibbs_in_half) return state->bodies.gibbs[body];
    const tw_tile *tile = &t->tile[tw_tiles_home(t, body)];
    const double *g = t->half[tile->body_slot + (body - tile->body)].v;
    return tw_vec3_make(g[0], g[1], g[2]);
}

/* The rotation vector of a Gibbs vector. */
TW_INLINE tw_vec3 tw_motion_rotation(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* 2 atan(t)/t */
    const double s = t < 1e-2 ? 2.0 - t2 * (2.0 / 3 - t2 * (2.0 / 5 - t2 * (2.0 / 7)))
                              : 2.0 * tw_math_atan(t) / t;
    return tw_vec3_scale(s, g);
}

/* Work of the present force and torque over the movement of the last step, from the columns. */
TW_INLINE double tw_motion_work(const tw_bodies *b, size_t i)
{
    return tw_vec3_dot(b->force[i], b->dx[i]) +
           tw_vec3_dot(b->torque[i], tw_motion_rotation(b->gibbs[i]));
}

/* Displacement of the centre of a sphere in the step. */
TW_INLINE tw_vec3 tw_motion_displacement(const tw_state *state, const tw_schedule *schedule,
                                         uint32_t sphere)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t body = schedule->spheres.body[sphere];
    const tw_vec3 arm = tw_vec3_sub(tw_schedule_sphere_centre(state, schedule, sphere), b->x[body]);
    const tw_vec3 g = tw_motion_gibbs_of(state, schedule, body);
    const tw_quat turned = tw_quat_normalise(tw_quat_make(1.0, g.x, g.y, g.z));
    const tw_vec3 before = tw_quat_rotate_back(turned, arm);
    return tw_vec3_add(b->dx[body], tw_vec3_sub(arm, before));
}

/* Constants of a kick: (1 + dt (grad v + damping)/2) v_after = (1 - ...) v_before + dt f/m. */
typedef struct tw_move_kick {
    tw_mat3 inverse; /* of the factor of v_after */
    double spin_keep, spin_gain;
    double dt;
    int has_damping, has_gravity;
} tw_move_kick;

/* The affine map of the step by the midpoint rule: a rotation for a spin, second order otherwise.
 */
typedef struct tw_move_flow {
    tw_mat3 map;     /* x -> x + dt grad v (x + x')/2 */
    tw_mat3 own;     /* its effect on the fluctuation displacement */
    tw_mat3 forward; /* map - 1 */
    tw_mat3 back;    /* 1 - map^-1 */
} tw_move_flow;

/* What the tiles of the move phase share. */
typedef struct tw_move_context {
    const tw_model *model;
    const tw_state *state;
    tw_state *out; /* the same state, to be written; NULL where only energies are computed */
    tw_schedule *schedule;
    tw_move_kick kick;
    tw_move_flow flow;
    int masses;     /* some law asks for the masses of bodies */
    tw_mat3 affine; /* from the cell of the neighbour list to the present one */
} tw_move_context;

/* Sums of a tile. */
enum {
    TW_MOVE_DAMPING,
    TW_MOVE_CELL,
    TW_MOVE_TRANSLATION,
    TW_MOVE_ROTATION,
    TW_MOVE_GRAVITY,
    TW_MOVE_LANE_SUMS, /* the ones above are summed in lanes */
    TW_MOVE_DRIVEN = TW_MOVE_LANE_SUMS,
    TW_MOVE_SUMS
};

/* The equations of motion of one body, with the bits of those in step/move_lanes.c:
 * tw_motion_body_*. */

#include <twirl/detail/scalar_params.inc>
#define TW_QUAT tw_quat
#undef TW_NAME
#define TW_NAME(verb) tw_motion_body_##verb
#include "step/motion_ops.inc"

#include <twirl/detail/undef.inc>

/* Moves body i with its given velocities, where `l` is its angular velocity, from position x and
 * orientation q. Returns the work done on it by half of the contact forces [J]. */
TW_INLINE double tw_move_driven(tw_bodies *b, size_t i, double dt, tw_vec3 x, tw_quat q)
{
    const tw_quat turn = tw_quat_from_rotation(tw_vec3_scale(dt, b->l[i]));
    b->dx[i] = tw_vec3_scale(dt, b->v[i]);
    b->x[i] = tw_vec3_add(x, b->dx[i]);
    b->q[i] = tw_quat_normalise(tw_quat_mul(turn, q));
    b->gibbs[i] = tw_motion_gibbs(turn);
    return 0.5 * tw_motion_work(b, i);
}

/* A rigid rotation about the origin. */
typedef struct tw_rotate {
    tw_quat q;
    tw_mat3 r;
    tw_vec3 gibbs;
} tw_rotate;

TW_INLINE tw_rotate tw_rotate_of(tw_vec3 turn)
{
    tw_rotate rotate;
    rotate.q = tw_quat_from_rotation(turn);
    rotate.r = tw_quat_matrix(rotate.q);
    rotate.gibbs = tw_motion_gibbs(rotate.q);
    return rotate;
}

TW_INLINE void tw_rotate_body(const tw_rotate *by, tw_bodies *b, size_t i)
{
    const tw_vec3 x = tw_mat3_mul_vec(by->r, b->x[i]);
    b->dx[i] = tw_vec3_sub(x, b->x[i]);
    b->x[i] = x;
    b->q[i] = tw_quat_normalise(tw_quat_mul(by->q, b->q[i]));
    b->gibbs[i] = by->gibbs;
    b->v[i] = tw_mat3_mul_vec(by->r, b->v[i]);
    b->l[i] = tw_mat3_mul_vec(by->r, b->l[i]);
}

/* Cell and walls. */
TW_INLINE void tw_rotate_frame(const tw_rotate *by, tw_state *state)
{
    tw_cell *cell = &state->cell;
    cell->h_before = cell->h;
    cell->h = tw_mat3_mul(by->r, cell->h);
    cell->inverse = tw_mat3_inverse(cell->h);
    for (size_t k = 0; k < state->wall_count; k++) {
        tw_wall *wall = &state->walls[k];
        const tw_vec3 point = tw_mat3_mul_vec(by->r, wall->point);
        wall->dx = tw_vec3_sub(point, wall->point);
        wall->travel = tw_vec3_add(wall->travel, wall->dx);
        wall->point = point;
        wall->normal = tw_mat3_mul_vec(by->r, wall->normal);
        wall->v = tw_mat3_mul_vec(by->r, wall->v);
        wall->q = tw_quat_normalise(tw_quat_mul(by->q, wall->q));
        wall->spin = tw_mat3_mul_vec(by->r, wall->spin);
        wall->along = tw_mat3_mul_vec(by->r, wall->along);
    }
}

#endif
