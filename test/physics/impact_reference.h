/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference solutions for an oblique impact, independent of the engine. */
#ifndef TWIRL_TEST_PHYSICS_IMPACT_REFERENCE_H
#define TWIRL_TEST_PHYSICS_IMPACT_REFERENCE_H

/* The piecewise closed form for linear springs, in the limit of overlaps much smaller than the
 * radius.
 *
 * A sphere of mass m hits a wall with normal velocity V and tangential velocity a mu V. Time is in
 * units of 1/omega, omega^2 = kn/m; friction F in units of mu kn V/omega, so that the limit is
 * sin(t) and the contact ends at t = pi; velocity s of the contact point in units of mu V:
 *
 *     s' = -7/2 F            since 1/m + R^2/I = 7/(2 m)
 *     stick: F' = s/kappa    kappa = kn/kt; harmonic with the frequency sqrt(7/(2 kappa))
 *     slip:  F = +-sin(t)    until kt s falls below the rate of the limit, |s| = kappa cos(t)
 *
 * Two equal spheres, each with half of the relative velocity, obey the same equations. */
typedef struct impact_result {
    double impulse;  /* tangential, in units of mu m V: 2 for full slip */
    int starts_slip; /* 1: slips from the start */
    int sticks;      /* 1: sticks for a while */
} impact_result;

impact_result impact_closed_form(double a, double kappa);

/* The same with finite overlaps: lever arm R - zeta/2 and, for two spheres, a rotating normal.
 * Plane motion; fourth-order Runge-Kutta integration of the rate equations. */
typedef struct impact_pair {
    int sides; /* 1: sphere on a wall, 2: two equal spheres */
    double radius, mass, kn, kt, mu;
    double normal, tangential; /* relative velocity at first touch [m/s] */
    int hertz;                 /* 1: fn = kn zeta^(3/2); the tangential stiffness is kt zeta^(1/2),
                                  and the force shrinks with it */
    double nu_t;               /* dashpot beside the tangential spring, with zeta^(1/4) if Hertz;
                                  friction limits the sum of both */
} impact_pair;

typedef struct impact_end {
    double normal, tangential; /* relative velocity after the impact, along the initial normal and
                                  tangent [m/s] */
    double spin;               /* of each sphere [rad/s] */
} impact_end;

impact_end impact_integrate(const impact_pair *pair, int steps);

#endif
