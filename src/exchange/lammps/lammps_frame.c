/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps/lammps_frame.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include <twirl/math.h>

#include "base/mat3.h"

/* Divides rather than multiplies, so that rounding does not rotate a cell already in the frame. */
static tw_vec3 unit(tw_vec3 v)
{
    const double length = tw_vec3_norm(v);
    return tw_vec3_make(v.x / length, v.y / length, v.z / length);
}

/* Makes open edges perpendicular to the periodic ones and to each other. The periodic lattice stays
 * the same. */
static void square_open_edges(tw_vec3 *edge, const int *periodic)
{
    bool done[3] = {periodic[0] != 0, periodic[1] != 0, periodic[2] != 0};
    for (int k = 0; k < 3; k++) {
        if (periodic[k]) continue;
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        if (done[i] && done[j]) {
            const tw_vec3 n = unit(tw_vec3_cross(edge[i], edge[j]));
            edge[k] = tw_vec3_scale(tw_vec3_dot(edge[k], n), n);
        } else if (done[i] || done[j]) {
            const tw_vec3 along = unit(edge[done[i] ? i : j]);
            edge[k] = tw_vec3_add_scaled(edge[k], -tw_vec3_dot(edge[k], along), along);
        }
        done[k] = true;
    }
}

/* b - round(b.k / a.k) a */
static tw_vec3 shorten(tw_vec3 b, tw_vec3 a, double b_part, double a_part)
{
    return tw_vec3_add_scaled(b, -round(b_part / a_part), a);
}

tw_lammps_frame tw_lammps_frame_make(const tw_mat3 *cell, const int *periodic)
{
    tw_vec3 edge[3] = {tw_mat3_column(*cell, 0), tw_mat3_column(*cell, 1),
                       tw_mat3_column(*cell, 2)};
    square_open_edges(edge, periodic);
    if (tw_vec3_dot(tw_vec3_cross(edge[0], edge[1]), edge[2]) < 0.0)
        edge[2] = tw_vec3_scale(-1.0, edge[2]); /* right-handed; the lattice is the same */
    const tw_vec3 x = unit(edge[0]), z = unit(tw_vec3_cross(edge[0], edge[1]));
    const tw_vec3 y = tw_vec3_cross(z, x);
    tw_lammps_frame frame = {.turn = tw_mat3_from_rows(x, y, z)};
    for (int k = 0; k < 3; k++) {
        frame.periodic[k] = periodic[k] != 0;
        edge[k] = tw_mat3_mul_vec(frame.turn, edge[k]);
    }
    /* zero except for rounding */
    edge[0].y = edge[0].z = edge[1].z = 0.0;
    edge[1] = shorten(edge[1], edge[0], edge[1].x, edge[0].x);
    edge[2] = shorten(edge[2], edge[1], edge[2].y, edge[1].y);
    edge[2] = shorten(edge[2], edge[0], edge[2].x, edge[0].x);
    if (!periodic[1]) edge[1].x = edge[2].y = 0.0;
    if (!periodic[0]) edge[1].x = edge[2].x = 0.0;
    if (!periodic[2]) edge[2].x = edge[2].y = 0.0;
    frame.h =
        (tw_mat3){{edge[0].x, edge[1].x, edge[2].x, 0, edge[1].y, edge[2].y, 0, 0, edge[2].z}};
    return frame;
}

void tw_lammps_frame_enclose(tw_lammps_frame *frame, tw_vec3 x, double radius, int first)
{
    const double at[3] = {x.x, x.y, x.z};
    double low[3] = {frame->low.x, frame->low.y, frame->low.z};
    for (size_t k = 0; k < 3; k++) {
        if (frame->periodic[k]) continue;
        double *edge = &frame->h.m[4 * k], high = low[k] + *edge;
        low[k] = first ? at[k] - radius : tw_math_min(low[k], at[k] - radius);
        high = first ? at[k] + radius : tw_math_max(high, at[k] + radius);
        *edge = high - low[k];
    }
    frame->low = tw_vec3_make(low[0], low[1], low[2]);
}

tw_vec3 tw_lammps_frame_turn(const tw_lammps_frame *frame, tw_vec3 v)
{
    return tw_mat3_mul_vec(frame->turn, v);
}

tw_mat3 tw_lammps_frame_turn_tensor(const tw_lammps_frame *frame, const tw_mat3 *m)
{
    return tw_mat3_mul(tw_mat3_mul(frame->turn, *m), tw_mat3_transpose(frame->turn));
}

tw_vec3 tw_lammps_frame_wrap(const tw_lammps_frame *frame, tw_vec3 x, int *image)
{
    const double *h = frame->h.m;
    for (ptrdiff_t k = 2; k >= 0; k--) { /* the third edge has a part along each axis */
        const double at = k == 0 ? x.x : k == 1 ? x.y : x.z;
        const double edges = frame->periodic[k] ? floor(at / h[4 * k]) : 0.0;
        image[k] = (int)tw_math_min(tw_math_max(edges, INT_MIN), INT_MAX);
        x = tw_vec3_add_scaled(x, -edges, tw_vec3_make(h[k], h[3 + k], h[6 + k]));
    }
    return x;
}

tw_vec3 tw_lammps_frame_middle(const tw_lammps_frame *frame)
{
    const tw_vec3 half = {0.5, 0.5, 0.5};
    return tw_vec3_add(frame->low, tw_mat3_mul_vec(frame->h, half));
}
