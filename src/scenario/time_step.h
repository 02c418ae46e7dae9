/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_TIME_STEP_H
#define TW_SCENARIO_TIME_STEP_H

#include <twirl/scenario.h>

/* The engine's stable step for the smallest grain of a generated specimen, taken as a sphere with
 * `contacts` contacts [s]. NaN for a specimen from a file. */
double tw_time_step_stable(const tw_scenario *scenario, double contacts);

#endif
