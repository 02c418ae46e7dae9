/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of LAMMPS: the first edge of the cell along x, the second in the x-y plane towards y,
 * the third towards z, no tilt above half an edge. */
#ifndef TW_EXCHANGE_LAMMPS_FRAME_H
#define TW_EXCHANGE_LAMMPS_FRAME_H

#include <twirl/sim.h>

typedef struct tw_lammps_frame {
    tw_mat3 turn;    /* from space into the frame: a rotation */
    tw_mat3 h;       /* edges as columns, upper triangular [m] */
    tw_vec3 low;     /* corner [m]; the origin along periodic edges */
    int periodic[3]; /* along each edge */
} tw_lammps_frame;

/* Edges along which nothing repeats are made perpendicular to the others; how long they are, and
 * where they begin, is left to tw_lammps_frame_enclose. */
tw_lammps_frame tw_lammps_frame_make(const tw_mat3 *cell, const int *periodic);

/* Makes room along the open edges for a sphere at x of the frame. The first one, with `first`, sets
 * the bounds. */
void tw_lammps_frame_enclose(tw_lammps_frame *frame, tw_vec3 x, double radius, int first);

tw_vec3 tw_lammps_frame_turn(const tw_lammps_frame *frame, tw_vec3 v);

/* turn m turn^T */
tw_mat3 tw_lammps_frame_turn_tensor(const tw_lammps_frame *frame, const tw_mat3 *m);

/* x back into the cell along periodic edges; image[k] is how many edges were taken off. */
tw_vec3 tw_lammps_frame_wrap(const tw_lammps_frame *frame, tw_vec3 x, int *image);

/* The middle of the cell, about which LAMMPS deforms it. */
tw_vec3 tw_lammps_frame_middle(const tw_lammps_frame *frame);

/* m v */
tw_vec3 tw_lammps_apply(const tw_mat3 *m, tw_vec3 v);

#endif
