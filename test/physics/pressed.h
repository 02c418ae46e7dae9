/* SPDX-License-Identifier: BSD-3-Clause */
/* Some 500 spheres of unequal size, pressed from a loose start by the engine's own servo, for the
 * tests of the control of the cell. */
#ifndef TWIRL_TEST_PHYSICS_PRESSED_H
#define TWIRL_TEST_PHYSICS_PRESSED_H

#include "tensor.h"

/* kn = 2e5 N/m, kt = 0.8 kn, grains of about 2 mm, p = 1e5 Pa: overlaps of a thousandth of the
 * diameter. */
extern const double pressed_p, pressed_diameter;
tw_contact_law pressed_law(double mu);

/* Contact damping of this share of the root of mass and stiffness [N s/m]. */
double pressed_nu(double share);

/* side^3 that are not yet pressed: out of contact, in motion, porosity 0.65. */
tw_sim *pressed_loose(int side, double mu, uint64_t seed);

/* All six components: p, and no shear stress. */
tw_control pressed_isotropic(double p);

/* 8^3 (4^3 where the tests are not thorough) pressed with this friction, at rest, all six
 * components under control. */
tw_sim *pressed_make(double mu, uint64_t seed);

/* The same specimen, by way of a checkpoint of this name, with this friction and this share of
 * contact damping, and no other damping. */
tw_sim *pressed_copy(const tw_sim *sim, double mu, double damping);

/* The strain rate of an inertial number at pressed_p. */
double pressed_rate(double inertial);

void pressed_control(tw_sim *sim, const tw_control *control);

/* Stress of contacts and velocities together, from tw_sim_measure. */
tw_mat3 pressed_stress(tw_sim *sim);

/* Runs, and looks at the stress every few steps with eyes of its own: the largest error of any row
 * of stress against its set point, relative to p or the largest set point. */
double pressed_watch(tw_sim *sim, const tw_control *control, uint64_t steps);

#endif
