/* SPDX-License-Identifier: BSD-3-Clause */
/* A short summary of a scenario. */
#ifndef TWIRL_APP_SCENARIO_SUMMARY_H
#define TWIRL_APP_SCENARIO_SUMMARY_H

#include <twirl/scenario.h>

/* Prints the summary. Reads the file of the specimen, if there is one; returns an exit status, as
 * that may fail. */
int tw_scenario_summary(const tw_scenario *scenario, const char *path, const char *command);

#endif
