/* SPDX-License-Identifier: BSD-3-Clause */
/* The named paths of loading, as rows for the servo; and what strain and stress mean on each. */
#ifndef TW_RUN_PATH_H
#define TW_RUN_PATH_H

#include <stdbool.h>

#include <twirl/scenario.h>
#include <twirl/sim.h>

#include "run/place.h"

/* Stress as the servo knows it: contacts and velocities, symmetric, compression positive [Pa]; and
 * how the cell moves. */
typedef struct tw_path_stress {
    double s[TW_COMPONENTS];
    double p, q;
    double rate[TW_COMPONENTS]; /* of the cell, extension positive [1/s] */
} tw_path_stress;

/* Rates of the components, those of shear engineering ones. */
void tw_path_components(const tw_mat3 *gradient, double out[TW_COMPONENTS]);

tw_path_stress tw_path_stress_of(const double stress[TW_COMPONENTS], const tw_mat3 *gradient);

/* The path itself, or the base of a cyclic one. */
int32_t tw_path_base(const tw_scenario_stage *stage);

/* 1 for compression and forward, -1 for extension and backward: the way it goes first. */
double tw_path_sign(const tw_scenario_stage *stage);

/* Strain and stress of the path: axial, of shear, or as docs/guide/scenario.md says. */
double tw_path_strain(const tw_scenario_stage *stage, const double strain[TW_COMPONENTS]);
double tw_path_stress_along(const tw_scenario_stage *stage, const tw_path_stress *stress);
double tw_path_ratio(const tw_scenario_stage *stage, const tw_path_stress *stress);
/* The stress that goes back and forth in a cyclic stage: q with its sign, the axial stress, the
 * shear stress. */
double tw_path_cycled(const tw_scenario_stage *stage, const tw_path_stress *stress);

/* Whether strain drives it, so that rows and frames may go by strain. */
bool tw_path_is_driven(const tw_scenario_stage *stage);

/* The stress that the path holds: as given, or as it is now [Pa]; NaN where it holds none. */
double tw_path_target(const tw_scenario_stage *stage, const tw_path_stress *now);

/* `way` is 1 or -1: the present direction against the first one. `now` serves stages that hold
 * what they find, or go there in a given time. */
tw_control tw_path_control(const tw_scenario_stage *stage, double rate, double target, double way,
                           const tw_path_stress *now);

/* Of a specimen that is made: to a pressure, the shape of the cell kept, or at a rate. */
tw_control tw_path_press(double pressure, double rate);
tw_control tw_path_shrink(double rate);
/* All six stresses. */
tw_control tw_path_isotropic(double pressure);

#endif
