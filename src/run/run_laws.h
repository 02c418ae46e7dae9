/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact laws of a run: those of the materials, and what preparation and stages change. */
#ifndef TW_RUN_RUN_LAWS_H
#define TW_RUN_RUN_LAWS_H

#include "run/run.h"

/* Keeps the laws that `sim` has if it is a checkpoint, whose values count where the scenario has
 * none. */
tw_status tw_run_laws_keep(tw_run *run, const tw_sim *sim);
void tw_run_laws_free(tw_run *run);

/* Sets the laws of a stage; NULL: those of the materials. */
tw_status tw_run_laws_set(tw_run *run, const tw_scenario_stage *stage);

/* Sets the friction of all contacts; NaN leaves it as it is in the materials. */
tw_status tw_run_laws_set_friction(const tw_run *run, tw_sim *sim, double friction);

#endif
