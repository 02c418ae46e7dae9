/* SPDX-License-Identifier: BSD-3-Clause */
/* The initial specimen: from a file or checkpoint, a lattice, or grains at random positions. */
#ifndef TW_RUN_GRAINS_H
#define TW_RUN_GRAINS_H

#include <twirl/scenario.h>
#include <twirl/sim.h>

#include "run/scatter.h"

/* Law of the first material, damping and time step of the scenario. */
tw_sim_def tw_grains_definition(const tw_scenario *scenario);

/* NULL on failure, or if `watch` stopped the placement: TW_STATUS_INTERRUPTED. *porosity: of the
 * generated grains; NaN for a specimen from a file. */
tw_sim *tw_grains_make(const tw_scenario *scenario, const tw_scatter_watch *watch, double *porosity,
                       tw_error *error);

/* n^3 periodic copies of a generated specimen, without the tangential forces of its contacts. NULL
 * on failure. */
tw_sim *tw_grains_repeat(const tw_scenario *scenario, const tw_sim *sim, int n, tw_error *error);

#endif
