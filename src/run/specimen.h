/* SPDX-License-Identifier: BSD-3-Clause */
/* The specimen before it is compressed. */
#ifndef TW_RUN_SPECIMEN_H
#define TW_RUN_SPECIMEN_H

#include <twirl/scenario.h>
#include <twirl/sim.h>

#include "base/random.h"
#include "run/regions.h"

/* ---- Grains at random positions in a periodic cell, without contacts ---- */

/* Called many times a second with the share of the grains that are placed. Non-zero: stop. */
typedef struct tw_run_scatter_watch {
    int (*placed)(double share, void *context); /* may be NULL */
    void *context;
} tw_run_scatter_watch;

/* Places the bodies so that their bounding spheres, of the given radii, do not overlap. The cell
 * must be upper triangular. */
tw_run_scatter_result tw_run_scatter(tw_body_def *bodies, const double *radius, uint64_t count,
                                     const tw_mat3 *cell, tw_random *random,
                                     const tw_run_scatter_watch *watch);

/* ---- Grains of `arrangement: regions`: any of them, and any region, alone ---- */

typedef struct tw_run_recipe tw_run_recipe;

/* The scenario must outlive it. NULL on failure. */
tw_run_recipe *tw_run_recipe_open(const tw_scenario *scenario, tw_error *error);
void tw_run_recipe_free(tw_run_recipe *recipe); /* NULL: none */

/* The regions of a cell. NULL: it is too small. */
const tw_run_regions *tw_run_recipe_divide(tw_run_recipe *recipe, const tw_mat3 *cell);

/* The grains of a region, as in tw_run_regions_scatter. */
tw_run_scatter_result tw_run_recipe_make(const tw_run_recipe *recipe, uint64_t region,
                                         tw_body_def *bodies);

/* ---- The initial specimen: from a file or checkpoint, a lattice, or random positions ---- */

/* Law of the first material, damping and time step of the scenario. */
tw_sim_def tw_run_grains_definition(const tw_scenario *scenario);

/* NULL on failure, or if `watch` stopped the placement: TW_STATUS_INTERRUPTED. A device that can
 * make the grains itself does so, and has the simulation; others get it later, by
 * tw_run_grains_set_device. *porosity: of the generated grains; NaN for a specimen from a file. */
tw_sim *tw_run_grains_make(const tw_scenario *scenario, const char *device,
                           const tw_run_scatter_watch *watch, double *porosity, tw_error *error);

/* Its steps are computed on a device, as in tw_sim_set_device. TW_STATUS_INPUT: the device cannot
 * do that, and the text names the key that has the specimen. */
tw_status tw_run_grains_set_device(const tw_scenario *scenario, tw_sim *sim, const char *device,
                                   tw_error *error);

/* n^3 periodic copies of a generated specimen, without the tangential forces of its contacts. NULL
 * on failure. */
tw_sim *tw_run_grains_repeat(const tw_scenario *scenario, const tw_sim *sim, int n,
                             tw_error *error);

#endif
