/* SPDX-License-Identifier: BSD-3-Clause */
/* The grains that a scenario generates: any of them, and any region of them, alone. */
#ifndef TW_RUN_RECIPE_H
#define TW_RUN_RECIPE_H

#include <twirl/scenario.h>
#include <twirl/sim.h>

#include "run/regions.h"

typedef struct tw_run_recipe tw_run_recipe;

/* The scenario must outlive it. NULL on failure. */
tw_run_recipe *tw_run_recipe_open(const tw_scenario *scenario, tw_error *error);
void tw_run_recipe_free(tw_run_recipe *recipe); /* NULL: none */

/* The shapes of its grains. */
tw_status tw_run_recipe_add_shapes(const tw_scenario *scenario, tw_sim *sim, tw_error *error);

/* A grain without position. Returns its volume. */
double tw_run_recipe_grain(const tw_run_recipe *recipe, uint64_t grain, tw_body_def *body);

/* The volume of all grains. False: stopped. */
bool tw_run_recipe_add_volumes(const tw_run_recipe *recipe, const tw_run_scatter_watch *watch,
                               double *sum);

/* The regions of a cell. */
const tw_run_regions *tw_run_recipe_divide(tw_run_recipe *recipe, const tw_mat3 *cell);

/* The grains of a region, and all of them, as in tw_run_regions_scatter. */
tw_run_scatter_result tw_run_recipe_make(const tw_run_recipe *recipe, uint64_t region,
                                         const tw_run_scatter_watch *watch, tw_body_def *bodies);
tw_run_scatter_result tw_run_recipe_make_all(const tw_run_recipe *recipe,
                                             const tw_run_scatter_watch *watch,
                                             tw_body_def *bodies);

#endif
