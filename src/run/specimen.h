/* SPDX-License-Identifier: BSD-3-Clause */
/* The specimen before it is compressed: from a file or checkpoint, a lattice, or at random
 * positions. */
#ifndef TW_RUN_SPECIMEN_H
#define TW_RUN_SPECIMEN_H

#include <twirl/scenario.h>
#include <twirl/sim.h>

#include "run/regions.h"

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

#endif
