/* SPDX-License-Identifier: BSD-3-Clause */
/* One collision: a sphere with a wall, or two spheres, in a random frame. */
#ifndef TWIRL_TEST_PHYSICS_COLLISION_H
#define TWIRL_TEST_PHYSICS_COLLISION_H

#include "tensor.h"

typedef struct collision {
    int sides;                 /* 1: p hits a wall, 2: p and q collide */
    tw_contact_law law;        /* of the pair */
    double radius, radius_q;   /* [m]; q as p if 0 */
    double density, density_q; /* [kg/m3]; q as p if 0 */
    double normal;             /* approach [m/s] */
    double tangential;         /* of q or the wall relative to p, along t [m/s] */
    double spin, spin_q;       /* about n x t, before [rad/s] */
    double time;               /* roughly the duration of the contact [s] */
    double steps;              /* in that time */
    double phase;              /* steps before the first touch */
} collision;

typedef struct collision_end {
    double normal, tangential; /* velocity of q or the wall relative to p; receding is positive */
    double spin, spin_q;
    double duration;       /* of the contact [s] */
    double overlap, force; /* largest, of springs; between steps by a parabola */
    int slid_first;        /* 1: slid in the first step of the contact */
    int slid_always;       /* 1: slid in all steps of the contact */
    double before, after;  /* kinetic energy */
    tw_energy energy;
} collision_end;

double collision_mass(double radius, double density);
/* Reduced mass and radius. */
double collision_reduced_mass(const collision *c);
double collision_reduced_radius(const collision *c);

collision_end collision_run(const collision *c);

/* A Hertz contact of reduced mass m, force k z^(3/2): closed forms of an elastic impact. */
double collision_hertz_overlap(double m, double k, double speed);
double collision_hertz_time(double m, double k, double speed);

#endif
