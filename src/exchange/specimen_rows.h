/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables with a sphere per row: what CSV files and those of YADE have in common. Comments start
 * with
 * #; some have a meaning:
 *     # cell: ax ay az bx by bz cx cy cz       the edges [m]
 *     # periodic: 1 1 1                        0 for an edge that is not periodic
 *     #format x_y_z_r                          as YADE writes it
 * Rows with the same body, wherever they are in the file, form one cluster; their centres are used
 * as given, not as nearest images. Bodies are numbered in ascending order of `body`, after the
 * spheres that are in none. */
#ifndef TW_EXCHANGE_SPECIMEN_ROWS_H
#define TW_EXCHANGE_SPECIMEN_ROWS_H

#include "exchange/specimen_reader.h"

typedef struct tw_specimen_rows_row {
    tw_sphere sphere; /* must come first: a row of tw_specimen_add_spheres */
    double body;      /* -1: in none */
    uint32_t type;    /* that of its first sphere is the body's */
    size_t row;
} tw_specimen_rows_row;

typedef struct tw_specimen_rows {
    tw_specimen_reader reader; /* must come first */
    bool periodic_given;
    char format[64]; /* of the comment; "": none */
    tw_specimen_rows_row *row;
    size_t count, capacity;
} tw_specimen_rows;

/* The next line that is neither blank nor a comment; reads comments that have a meaning. */
bool tw_specimen_rows_next(tw_specimen_rows *rows);

/* Adds a sphere; body -1: in none. */
bool tw_specimen_rows_add(tw_specimen_rows *rows, const tw_sphere *sphere, double body,
                          uint32_t type);

/* Makes the bodies and the cell. */
bool tw_specimen_rows_finish(tw_specimen_rows *rows);

#endif
