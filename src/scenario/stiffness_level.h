/* SPDX-License-Identifier: BSD-3-Clause */
/* How stiff grains are at a pressure: about the inverse of the overlap, relative to the diameter.
 *
 * A contact that carries p d^2 has the overlap d/level. That is kn/(p d) for linear springs. Two
 * Hertz spheres of diameter d have fn = (2/3) E* sqrt(d) zeta^(3/2), 1/E* = 2 (1 -
 * poisson^2)/young, and hence the level (young/(3 p (1 - poisson^2)))^(2/3). */
#ifndef TW_SCENARIO_STIFFNESS_LEVEL_H
#define TW_SCENARIO_STIFFNESS_LEVEL_H

#include <twirl/scenario.h>

/* Of a resolved material, for pressure p and diameter d. */
double tw_stiffness_level(const tw_scenario_material *material, double p, double d);

/* That of the softest material; NaN where p or d is not known. */
double tw_stiffness_level_least(const tw_scenario *scenario, double p,
                                const tw_scenario_material **softest);

/* Young's modulus of Hertz contacts with this level at pressure p [Pa]. */
double tw_stiffness_level_young(double level, double p, double poisson);

#endif
