/* SPDX-License-Identifier: BSD-3-Clause */
/* What readers and writers of LAMMPS files share: its frame, contact laws, types of atoms. */
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
    tw_vec3 low;     /* corner [m]; the origin along periodic edges */
    int periodic[3]; /* along each edge */
} tw_lammps_frame;

/* Edges that are not periodic are made perpendicular to the others; tw_lammps_frame_enclose sets
 * their length and where they begin. */
tw_lammps_frame tw_lammps_frame_make(const tw_mat3 *cell, const int *periodic);

/* Extends the edges that are not periodic to enclose a sphere at x, in the frame; the first sphere
 * sets the bounds. */
void tw_lammps_frame_enclose(tw_lammps_frame *frame, tw_vec3 x, double radius, int first);

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

/* Wraps x into the cell along periodic edges; image[k] is the number of edges taken off. */
tw_vec3 tw_lammps_frame_wrap(const tw_lammps_frame *frame, tw_vec3 x, int *image);

/* The centre of the cell, about which LAMMPS deforms it. */
tw_vec3 tw_lammps_frame_middle(const tw_lammps_frame *frame);

/* Contact laws in the words of pair_style twirl: the coefficients of pair_coeff, fix wall/twirl and
 * of the section PairIJ Coeffs of a data file; the columns of contact files. */

/* " linear kn kt mu", or linear/radius, hertz or hertz/radius, and keywords with values. */
void tw_lammps_law_print(tw_outfile *out, const tw_contact_law *law);

/* Reads these words from the current line. Kind and refinements stay. */
bool tw_lammps_law_read(tw_lines *lines, char **words, size_t count, tw_contact_law *law);

/* A group of columns of a contact file, after ids, normal, overlap and tangential force: numbers of
 * a tw_contact_extra from `begin` on. */
typedef struct tw_lammps_law_columns {
    const char *name;
    uint32_t extra; /* a bit of tw_contact_law_extras */
    int begin, count;
} tw_lammps_law_columns;

enum { TW_LAMMPS_LAW_COLUMNS = 8, TW_LAMMPS_LAW_EXTRAS = 18 };
extern const tw_lammps_law_columns tw_lammps_law_columns_of_extras[TW_LAMMPS_LAW_COLUMNS];

/* Atom types of a run that continues in LAMMPS. The type of an atom says which material its body
 * has and what moves it; walls of a material that no body has get a type without atoms. */

typedef struct tw_lammps_types {
    uint32_t labels;    /* largest type of a body in the simulation */
    uint32_t base;      /* types of single spheres: the labels, or, where bodies with one label have
                           several materials, a block of labels for each material */
    uint32_t count;     /* all types, with those of walls */
    uint32_t *material; /* of types 1 to count */
} tw_lammps_types;

tw_status tw_lammps_types_make(tw_lammps_types *types, const tw_sim *sim, uint32_t movers,
                               tw_error *error);
void tw_lammps_types_free(tw_lammps_types *types);

/* The type of the atoms of a body; mover 0 is the first block. */
uint32_t tw_lammps_types_of_body(const tw_lammps_types *types, const tw_body_state *body,
                                 uint32_t mover);

/* A type with this material. */
uint32_t tw_lammps_types_of_material(const tw_lammps_types *types, uint32_t material);

#endif
