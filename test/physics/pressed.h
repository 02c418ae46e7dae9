/* SPDX-License-Identifier: BSD-3-Clause */
/* About 500 spheres of different sizes, compressed from a loose state by the engine's servo, for
 * the tests of the cell control. */
#ifndef TWIRL_TEST_PHYSICS_PRESSED_H
#define TWIRL_TEST_PHYSICS_PRESSED_H

#include "tensor.h"

/* kn = 2e5 N/m, kt = 0.8 kn, grains of about 2 mm, p = 1e5 Pa: overlaps of a thousandth of the
 * diameter. */
extern const double pressed_p, pressed_diameter;
tw_contact_law pressed_law(double mu);

/* Contact damping as this fraction of sqrt(mass stiffness) [N s/m]. */
double pressed_nu(double share);

/* side^3 spheres before compression: not touching, moving, porosity 0.65. */
tw_sim *pressed_loose(int side, double mu, uint64_t seed);

/* All six components: p, and no shear stress. */
tw_control pressed_isotropic(double p);

/* 8^3 spheres (4^3 in quick tests) compressed with this friction, in equilibrium, all six
 * components controlled. */
tw_sim *pressed_make(double mu, uint64_t seed);

/* The same specimen, copied through a checkpoint of this name, with this friction, this fraction of
 * contact damping, and no other damping. */
tw_sim *pressed_copy(const tw_sim *sim, double mu, double damping);

/* The strain rate for an inertial number at pressed_p. */
double pressed_rate(double inertial);

void pressed_control(tw_sim *sim, const tw_control *control);

/* Stress of contacts and velocities together, from tw_sim_measure. */
tw_mat3 pressed_stress(tw_sim *sim);

/* The largest error of any stress row against its set point, relative to p or the largest set
 * point.
 */
typedef struct pressed_seen {
    double worst; /* of all samples */
    uint64_t
        compared;     /* samples of steps in which no contact ended: the report of the engine has */
    double confirmed; /* the same forces. The largest error of these, */
    double differs;   /* and its largest difference from that of the report */
} pressed_seen;

/* Runs and measures the stress every few steps. */
pressed_seen pressed_watch(tw_sim *sim, const tw_control *control, uint64_t steps);

#endif
