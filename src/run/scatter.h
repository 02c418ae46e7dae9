/* SPDX-License-Identifier: BSD-3-Clause */
/* Grains at random positions in a periodic cell, without contacts. */
#ifndef TW_RUN_SCATTER_H
#define TW_RUN_SCATTER_H

#include <stdint.h>

#include <twirl/sim.h>

#include "base/random.h"

/* Places the bodies so that their bounding spheres, of the given radii, do not overlap. The cell
 * must be upper triangular. Returns 1 if done, 0 if the cell is too full, -1 if out of memory. */
int tw_scatter(tw_body_def *bodies, const double *radius, uint64_t count, const tw_mat3 *cell,
               tw_random *random);

#endif
