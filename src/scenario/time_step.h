/* SPDX-License-Identifier: BSD-3-Clause */
/* The stable time step, before there is a simulation. */
#ifndef TW_SCENARIO_TIME_STEP_H
#define TW_SCENARIO_TIME_STEP_H

#include <twirl/scenario.h>

/* For the smallest grain of a generated specimen, a sphere with that many contacts; `p` is the
 * pressure, on which the stiffness of Hertz contacts depends. NaN where it is not known [s]. */
double tw_time_step_stable(const tw_scenario *scenario, double contacts, double p);

/* The time step of a run at this pressure; NaN likewise [s]. */
double tw_time_step_expected(const tw_scenario *scenario, double p);

#endif
