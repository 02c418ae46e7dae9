/* SPDX-License-Identifier: BSD-3-Clause */
/* A short summary of a scenario. */
#ifndef TWIRL_APP_SCENARIO_SUMMARY_H
#define TWIRL_APP_SCENARIO_SUMMARY_H

#include <twirl/run.h>
#include <twirl/scenario.h>

/* Prints the summary, with the steps and times of the estimate, or, if it is NULL, only with the
 * steps that follow from the scenario. Reads the file of the specimen, if there is one; returns an
 * exit status, as that may fail. */
int tw_scenario_summary(const tw_scenario *scenario, const char *path,
                        const tw_run_estimate *estimate, const char *command);

/* The part of it about the materials. */
void tw_scenario_summary_materials(const tw_scenario *scenario, int label_width);

#endif
