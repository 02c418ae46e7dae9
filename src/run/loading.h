/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading paths: their servo controls, and the strain and stress that each is described by. */
#ifndef TW_RUN_LOADING_H
#define TW_RUN_LOADING_H

#include <stdbool.h>

#include <twirl/scenario.h>
#include <twirl/sim.h>

/* Stress as the servo controls it (contact and kinetic parts, symmetric, compression positive), and
 * the strain rate of the cell. */
typedef struct tw_run_loading_stress {
    double s[TW_COMPONENTS];    /* [Pa] */
    double p, q;                /* q: sqrt(3 J2) [Pa] */
    double rate[TW_COMPONENTS]; /* extension positive [1/s] */
} tw_run_loading_stress;

/* Strain rates from the velocity gradient; shears are engineering rates. */
void tw_run_loading_components(const tw_mat3 *gradient, double out[TW_COMPONENTS]);

tw_run_loading_stress tw_run_loading_stress_from(const double stress[TW_COMPONENTS],
                                                 const tw_mat3 *gradient);

/* First direction of the stage: 1 for compression and forward, -1 for extension and backward. */
double tw_run_loading_sign(const tw_scenario_stage *stage);

/* Path strain and path stress: axial, shear, or as described in docs/guide/scenario.md. */
double tw_run_loading_path_strain(const tw_scenario_stage *stage,
                                  const double strain[TW_COMPONENTS]);
double tw_run_loading_path_stress(const tw_scenario_stage *stage,
                                  const tw_run_loading_stress *stress);

/* The path stress for end conditions: shear stress counts in the first direction of the stage; the
 * sign of an axial stress does not depend on it. */
double tw_run_loading_end_stress(const tw_scenario_stage *stage,
                                 const tw_run_loading_stress *stress);

/* The deviator stress q of the path: the axial stress minus the mean of the lateral ones, and q in
 * the direction of the Lode angle; in plane strain and on the path general sqrt(3 J2) with the sign
 * of that difference. Negative in extension. sqrt(3 J2) in simple shear and without a path [Pa]. */
double tw_run_loading_q(const tw_scenario_stage *stage, const tw_run_loading_stress *stress);

/* q/p, or in simple shear the shear stress over the normal stress, in the first direction of the
 * stage. */
double tw_run_loading_ratio(const tw_scenario_stage *stage, const tw_run_loading_stress *stress);

/* As tw_run_loading_ratio, on all paths: its largest value is the peak. */
double tw_run_loading_mobilised(const tw_scenario_stage *stage,
                                const tw_run_loading_stress *stress);

/* The stress that alternates in a cyclic stage: q, axial stress or shear stress. */
double tw_run_loading_cycled(const tw_scenario_stage *stage, const tw_run_loading_stress *stress);

/* Effective stress that would be total, and constant, if the specimen of an undrained path had
 * water in its pores: the mean lateral stress, or the normal stress in simple shear. What is lost
 * of it is the pore pressure. NaN for drained paths [Pa]. */
double tw_run_loading_confining(const tw_scenario_stage *stage,
                                const tw_run_loading_stress *stress);

/* Whether the fluid in the pores has a stiffness. The stresses that the path keeps constant are
 * then total ones. */
bool tw_run_loading_has_fluid(const tw_scenario_stage *stage);

/* The stress that the path keeps constant: as given, or its current value with the pressure of the
 * fluid; NaN if there is none [Pa]. */
double tw_run_loading_target(const tw_scenario_stage *stage, const tw_run_loading_stress *now,
                             double pore_pressure);

/* Control of a stage. `direction` is 1, or -1 after an odd number of reversals. `now` is needed by
 * paths that hold current values or ramp from them. False: the path has none, its cell is fixed. */
bool tw_run_loading_control(const tw_scenario_stage *stage, double rate, double target,
                            double direction, const tw_run_loading_stress *now,
                            tw_control *control);

/* Controls of preparation: to a pressure, at a limited rate, with the shape of the cell kept; at a
 * constant rate; under an isotropic stress. */
tw_control tw_run_loading_press(double pressure, double rate);
tw_control tw_run_loading_shrink(double rate);
tw_control tw_run_loading_isotropic(double pressure);

#endif
