/* SPDX-License-Identifier: BSD-3-Clause */
/* A rigid rotation about the origin, as inline code for the CPU and for devices. */
#ifndef TW_STEP_ROTATE_H
#define TW_STEP_ROTATE_H

#include "step/motion.h"

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
    }
}

#endif
