/* SPDX-License-Identifier: BSD-3-Clause */
/* What readers and writers of LAMMPS files share: its frame; contact laws. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/sim.h>

#include "base/text_file.h"

/* The id of an atom, or the number of a molecule, from a field of a file; 0: it is neither. */
uint64_t tw_lammps_id(double value);

/* The frame of LAMMPS: the first edge of the cell along x, the second in the x-y plane towards y,
 * the third towards z, no tilt above half an edge. */

/* 4 pi/3 with the digits of LAMMPS, which makes masses of densities. */
#define TW_LAMMPS_FRAME_4PI3 4.18879020478639098461685784437

typedef struct tw_lammps_frame {
    tw_mat3 turn;    /* rotation from space into the frame */
    tw_mat3 h;       /* edges as columns, upper triangular [m] */
    int periodic[3]; /* along each edge */
} tw_lammps_frame;

/* Edges that are not periodic are made perpendicular to the others. */
tw_lammps_frame tw_lammps_frame_make(const tw_mat3 *cell, const int *periodic);

/* The current line, that of the item UNITS in a dump: "si rotation" and the matrix of a frame that
 * tw_export_lammps has turned; any other is LAMMPS' own. */
bool tw_lammps_frame_read_turn(tw_lines *lines, tw_mat3 *turn, bool *turned);

/* The columns of a dump of contacts. */
#define TW_LAMMPS_FRAME_CONTACTS                                                                   \
    "ParticleIdentifiers.1 ParticleIdentifiers.2 PeriodicImage.X PeriodicImage.Y "                 \
    "PeriodicImage.Z body_p body_q fn zeta sliding force.X force.Y force.Z ft.X ft.Y ft.Z "        \
    "point.X point.Y point.Z"

tw_vec3 tw_lammps_frame_turn(const tw_lammps_frame *frame, tw_vec3 v);

/* turn m turn^T */
tw_mat3 tw_lammps_frame_turn_tensor(const tw_lammps_frame *frame, const tw_mat3 *m);

/* Contact laws in the words of pair_style twirl: the coefficients of pair_coeff, fix wall/twirl and
 * of the section PairIJ Coeffs of a data file; the columns of contact files. */

/* Reads these words from the current line. Kind and refinements stay. */
bool tw_lammps_law_read(tw_lines *lines, char **words, size_t count, tw_contact_law *law);

#endif
