/* SPDX-License-Identifier: BSD-3-Clause */
/* The atoms of a LAMMPS file: columns by name, rows, and molecules that become rigid bodies. */
#ifndef TW_EXCHANGE_LAMMPS_ATOMS_H
#define TW_EXCHANGE_LAMMPS_ATOMS_H

#include <stdbool.h>

#include "exchange/specimen.h"

/* The columns that are read, in the order of their names in atoms.c. Of a vector only the first
 * component is named; the other two follow it. */
typedef enum tw_atoms_column {
    TW_ATOMS_ID,
    TW_ATOMS_TYPE,
    TW_ATOMS_MOL,
    TW_ATOMS_BODY, /* as tw_export_lammps writes it: molecule - 1 */
    TW_ATOMS_X,
    TW_ATOMS_XU = TW_ATOMS_X + 3,  /* unwrapped */
    TW_ATOMS_XS = TW_ATOMS_XU + 3, /* in fractions of the box */
    TW_ATOMS_IX = TW_ATOMS_XS + 3,
    TW_ATOMS_RADIUS = TW_ATOMS_IX + 3,
    TW_ATOMS_DIAMETER,
    TW_ATOMS_MASS,
    TW_ATOMS_DENSITY,
    TW_ATOMS_VX,
    TW_ATOMS_WX = TW_ATOMS_VX + 3,
    TW_ATOMS_CONTACTS = TW_ATOMS_WX + 3, /* this and those below as tw_export_lammps writes them */
    TW_ATOMS_DISPLACEMENT,
    TW_ATOMS_STRESS_XX = TW_ATOMS_DISPLACEMENT + 3,
    TW_ATOMS_COLUMNS = TW_ATOMS_STRESS_XX + 3
} tw_atoms_column;

enum { TW_ATOMS_FIELDS_MAX = 128 };

typedef struct tw_atoms_atom {
    tw_sphere sphere; /* must come first: a row of tw_specimen_add_spheres */
    uint64_t id, mol; /* mol 0: not in a molecule */
    uint32_t type;
    double mass; /* 0: not given */
    tw_vec3 v, w;
    tw_specimen_result result;
    size_t line;
    bool moves; /* its velocity has been read */
} tw_atoms_atom;

typedef struct tw_atoms {
    tw_specimen_reader reader;          /* must come first */
    tw_mat3 h;                          /* edges of the box as columns */
    tw_vec3 origin;                     /* its corner */
    int column_of[TW_ATOMS_FIELDS_MAX]; /* by field; -1: ignored */
    size_t fields;
    bool present[TW_ATOMS_COLUMNS];
    tw_atoms_atom *atom;
    size_t count, capacity;
} tw_atoms;

/* Assigns columns to fields by name; unknown names are ignored. */
bool tw_atoms_set_columns(tw_atoms *atoms, char **names, size_t count);

/* Adds an atom from the current line. */
bool tw_atoms_read_row(tw_atoms *atoms);

/* Reads the velocity of an atom from the current line: id vx vy vz [wx wy wz]. The atoms must have
 * been sorted. */
bool tw_atoms_read_velocity(tw_atoms *atoms);

/* Sorts by id; an id that occurs twice is an error. */
bool tw_atoms_sort(tw_atoms *atoms);

/* Turns molecules into bodies. The atoms must have been sorted. */
bool tw_atoms_finish(tw_atoms *atoms);

/* Reads a whole file: `read` fills the atoms, whose reader it gets. */
tw_specimen *tw_atoms_read(const char *path, bool (*read)(tw_specimen_reader *reader),
                           tw_error *error);

#endif
