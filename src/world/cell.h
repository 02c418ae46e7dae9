/* SPDX-License-Identifier: BSD-3-Clause */
/* The cell: three edge vectors, periodic or not, and the velocity gradient that deforms it. */
#ifndef TW_WORLD_CELL_H
#define TW_WORLD_CELL_H

#include <stdint.h>

#include "base/mat3.h"
#include "world/shift.h"

typedef struct tw_cell {
    tw_mat3 h;        /* edges as columns [m] */
    tw_mat3 inverse;  /* of h [1/m] */
    tw_mat3 h_before; /* h at the start of the last step [m] */
    tw_mat3 h_ref;    /* h when the neighbour list was made [m] */
    tw_mat3 gradient; /* grad v [1/s] */
    int periodic[3];
} tw_cell;

TW_INLINE double tw_cell_volume(const tw_cell *cell)
{
    return fabs(tw_mat3_det(cell->h));
}

/* Vector from the cell to its image. */
TW_INLINE tw_vec3 tw_cell_offset(const tw_mat3 *h, tw_shift s)
{
    return tw_mat3_mul_vec(*h, tw_vec3_make(s.i, s.j, s.k));
}

#endif
