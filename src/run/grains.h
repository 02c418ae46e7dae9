/* SPDX-License-Identifier: BSD-3-Clause */
/* The specimen before it is compressed: from a file, a lattice, or grains at random places. */
#ifndef TW_RUN_GRAINS_H
#define TW_RUN_GRAINS_H

#include <twirl/scenario.h>
#include <twirl/sim.h>

/* Law, damping and step as the scenario gives them. */
tw_sim_def tw_grains_definition(const tw_scenario *scenario);

/* NULL on failure. *porosity: at which the grains lie; NaN for one from a file. */
tw_sim *tw_grains_make(const tw_scenario *scenario, double *porosity, tw_error *error);

#endif
