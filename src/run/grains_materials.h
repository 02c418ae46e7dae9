/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of materials of a scenario in a simulation. Nothing happens without a list. */
#ifndef TW_RUN_GRAINS_MATERIALS_H
#define TW_RUN_GRAINS_MATERIALS_H

#include <stdbool.h>

#include <twirl/exchange.h>
#include <twirl/scenario.h>

/* Makes the materials of a new simulation, with the laws of their pairs. */
bool tw_grains_materials_add(tw_sim *sim, const tw_scenario *scenario, tw_error *error);

/* Whether the list has exactly the materials of a checkpoint. */
bool tw_grains_materials_check(const tw_sim *sim, const tw_scenario *scenario, tw_error *error);

/* Sets the material of each body of a file by its type. */
bool tw_grains_materials_find(tw_specimen *specimen, const tw_scenario *scenario, tw_error *error);

#endif
