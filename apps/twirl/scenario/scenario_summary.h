/* SPDX-License-Identifier: BSD-3-Clause */
/* A scenario in short lines, for people. */
#ifndef TWIRL_APP_SCENARIO_SUMMARY_H
#define TWIRL_APP_SCENARIO_SUMMARY_H

#include <twirl/scenario.h>

/* Prints it; the file of a specimen is read for that. Returns an exit status: that file may be no
 * good. */
int tw_scenario_summary(const tw_scenario *scenario, const char *path, const char *command);

#endif
