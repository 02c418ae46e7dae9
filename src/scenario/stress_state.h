/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about the stress at the start of each stage before the scenario is run. */
#ifndef TW_SCENARIO_STRESS_STATE_H
#define TW_SCENARIO_STRESS_STATE_H

#include <stdbool.h>

#include <twirl/scenario.h>

typedef struct tw_stress_state {
    double p;       /* mean stress [Pa]; NaN: not known */
    bool isotropic; /* known to be isotropic */

    /* Direction of the deviator in the pi-plane: the stress along axis j is
     * p +- 2/3 q cos(angle - j 120 deg). NaN: isotropic, or not known [rad] */
    double angle;

    /* The axial stress, as far as a series of oedometer stages along one axis bounds it [Pa]; NaN:
     * not known. */
    int32_t axis;
    double axial_low, axial_high;
} tw_stress_state;

/* At the start of each stage, for the caller to free; NULL: out of memory, or no stages. */
tw_stress_state *tw_stress_state_predict(const tw_scenario *scenario);

/* The direction in which a stage loads, as `angle` above; NaN: none. */
double tw_stress_state_direction(const tw_scenario_stage *stage);

/* Whether two directions are known and differ, apart from the sign. */
bool tw_stress_state_differ(double a, double b);

#endif
