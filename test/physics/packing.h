/* SPDX-License-Identifier: BSD-3-Clause */
/* Random packings for the tests, made with the public interface: randomly oriented bodies on a
 * jittered lattice in a loose periodic cell, compressed with low friction and strong damping. */
#ifndef TWIRL_TEST_PHYSICS_PACKING_H
#define TWIRL_TEST_PHYSICS_PACKING_H

#include "tensor.h"

typedef struct packing_def {
    int side;        /* side^3 bodies; 3^3 in quick tests */
    int bumpy;       /* 1: Kuhn's grain with six satellites; 0: spheres */
    double spread;   /* ratio of the largest size to the smallest; at least 1 */
    double friction; /* during compression; later packing_law */
    double overlap;  /* target pressure, as mean overlap relative to the size */
    uint64_t seed;
} packing_def;

packing_def packing_def_default(void);

/* Law of the finished packing: kn = kt = 1e5 N/m, mu = 0.5, for grains of about 1 mm. */
tw_contact_law packing_law(void);

/* Compressed, at rest (zero velocities), no damping, law as above. */
tw_sim *packing_make(const packing_def *wanted);

/* Shears the packing at constant volume: compression along x, extension along y and z. */
tw_mat3 packing_shear(double rate);

/* A rate that is nearly quasi-static: inertial number about 1e-3. */
double packing_slow_rate(void);

#endif
