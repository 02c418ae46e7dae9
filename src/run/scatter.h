/* SPDX-License-Identifier: BSD-3-Clause */
/* Grains at random positions in a periodic cell, without contacts. */
#ifndef TW_RUN_SCATTER_H
#define TW_RUN_SCATTER_H

#include <stdint.h>

#include <twirl/sim.h>

#include "base/random.h"

enum tw_scatter_result {
    TW_SCATTER_DONE,
    TW_SCATTER_FULL, /* there is no room for all of them */
    TW_SCATTER_STOPPED,
    TW_SCATTER_NO_MEMORY
};

/* Called many times a second with the share of the grains that are placed. Non-zero: stop. */
typedef struct tw_scatter_watch {
    int (*placed)(double share, void *context); /* may be NULL */
    void *context;
} tw_scatter_watch;

/* Calls the watch for every 64th grain. */
int tw_scatter_poll(const tw_scatter_watch *watch, uint64_t grain, double share);

/* Places the bodies so that their bounding spheres, of the given radii, do not overlap. The cell
 * must be upper triangular. */
int tw_scatter(tw_body_def *bodies, const double *radius, uint64_t count, const tw_mat3 *cell,
               tw_random *random, const tw_scatter_watch *watch);

#endif
