/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps_frame.h"

#include <math.h>
#include <stdbool.h>
#include <twirl/math.h>

tw_vec3 tw_lammps_apply(const tw_mat3 *m, tw_vec3 v)
{
    const double *a = m->m;
    return tw_vec3_make(a[0] * v.x + a[1] * v.y + a[2] * v.z, a[3] * v.x + a[4] * v.y + a[5] * v.z,
                        a[6] * v.x + a[7] * v.y + a[8] * v.z);
}

/* Divided, not multiplied: a cell that is in the frame already is not turned by a rounding. */
static tw_vec3 unit(tw_vec3 v)
{
    const double length = tw_vec3_norm(v);
    return tw_vec3_make(v.x / length, v.y / length, v.z / length);
}

/* Open edges become perpendicular to the periodic ones and to each other. What repeats is the same.
 */
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
    const double *h = cell->m;
    tw_vec3 edge[3] = {{h[0], h[3], h[6]}, {h[1], h[4], h[7]}, {h[2], h[5], h[8]}};
    square_open_edges(edge, periodic);
    if (tw_vec3_dot(tw_vec3_cross(edge[0], edge[1]), edge[2]) < 0.0)
        edge[2] = tw_vec3_scale(-1.0, edge[2]); /* right-handed; the lattice is the same */
    const tw_vec3 x = unit(edge[0]), z = unit(tw_vec3_cross(edge[0], edge[1]));
    const tw_vec3 y = tw_vec3_cross(z, x);
    tw_lammps_frame frame = {.turn = {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}}};
    for (int k = 0; k < 3; k++) {
        frame.periodic[k] = periodic[k] != 0;
        edge[k] = tw_lammps_apply(&frame.turn, edge[k]);
    }
    /* zero but for roundings */
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
    for (int k = 0; k < 3; k++) {
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
    return tw_lammps_apply(&frame->turn, v);
}

static tw_mat3 multiply(const tw_mat3 *a, const tw_mat3 *b, bool transposed)
{
    tw_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += a->m[3 * i + k] * (transposed ? b->m[3 * j + k] : b->m[3 * k + j]);
            c.m[3 * i + j] = sum;
        }
    }
    return c;
}

tw_mat3 tw_lammps_frame_turn_tensor(const tw_lammps_frame *frame, const tw_mat3 *m)
{
    const tw_mat3 half = multiply(&frame->turn, m, false);
    return multiply(&half, &frame->turn, true);
}

tw_vec3 tw_lammps_frame_wrap(const tw_lammps_frame *frame, tw_vec3 x, int *image)
{
    const double *h = frame->h.m;
    for (int k = 2; k >= 0; k--) { /* the third edge reaches into all three directions */
        const double at = k == 0 ? x.x : k == 1 ? x.y : x.z;
        const double edges = frame->periodic[k] ? floor(at / h[4 * k]) : 0.0;
        image[k] = (int)edges;
        x = tw_vec3_add_scaled(x, -edges, tw_vec3_make(h[k], h[3 + k], h[6 + k]));
    }
    return x;
}

tw_vec3 tw_lammps_frame_middle(const tw_lammps_frame *frame)
{
    const tw_vec3 half = {0.5, 0.5, 0.5};
    return tw_vec3_add(frame->low, tw_lammps_apply(&frame->h, half));
}
