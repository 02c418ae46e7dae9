/* SPDX-License-Identifier: BSD-3-Clause */
/* Grains at random places in a periodic cell, none touching another. */
#ifndef TW_RUN_SCATTER_H
#define TW_RUN_SCATTER_H

#include <stdint.h>

#include <twirl/sim.h>

#include "base/random.h"

/* Gives each body a place such that the spheres of these radii about the bodies do not overlap. The
 * cell is an upper triangle. 1: done, 0: there was no room, -1: no memory. */
int tw_scatter(tw_body_def *bodies, const double *radius, uint64_t count, const tw_mat3 *cell,
               tw_random *random);

#endif
