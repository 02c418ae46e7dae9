/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of LAMMPS: the first edge of the cell along x, the second in the x-y plane towards y,
 * the third towards z, no tilt above half an edge. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_FRAME_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_FRAME_H

#include <twirl/sim.h>

/* 4 pi/3 with the digits of LAMMPS, which makes masses of densities. */
#define TW_LAMMPS_FRAME_4PI3 4.18879020478639098461685784437

typedef struct tw_lammps_frame {
    tw_mat3 turn;    /* rotation from space into the frame */
    tw_mat3 h;       /* edges as columns, upper triangular [m] */
    tw_vec3 low;     /* corner [m]; the origin along periodic edges */
    int periodic[3]; /* along each edge */
} tw_lammps_frame;

/* Edges that are not periodic are made perpendicular to the others; tw_lammps_frame_enclose sets
 * their length and where they begin. */
tw_lammps_frame tw_lammps_frame_make(const tw_mat3 *cell, const int *periodic);

/* Extends the edges that are not periodic to enclose a sphere at x, in the frame; the first sphere
 * sets the bounds. */
void tw_lammps_frame_enclose(tw_lammps_frame *frame, tw_vec3 x, double radius, int first);

tw_vec3 tw_lammps_frame_turn(const tw_lammps_frame *frame, tw_vec3 v);

/* turn m turn^T */
tw_mat3 tw_lammps_frame_turn_tensor(const tw_lammps_frame *frame, const tw_mat3 *m);

/* Wraps x into the cell along periodic edges; image[k] is the number of edges taken off. */
tw_vec3 tw_lammps_frame_wrap(const tw_lammps_frame *frame, tw_vec3 x, int *image);

/* The centre of the cell, about which LAMMPS deforms it. */
tw_vec3 tw_lammps_frame_middle(const tw_lammps_frame *frame);

#endif
