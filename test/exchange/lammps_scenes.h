/* SPDX-License-Identifier: BSD-3-Clause */
/* Small dense simulations for the tests of dumps, and of contacts set from outside. */
#ifndef TWIRL_TEST_LAMMPS_SCENES_H
#define TWIRL_TEST_LAMMPS_SCENES_H

#include <twirl/sim.h>

typedef struct lammps_scene {
    const char *name;
    tw_mat3 cell, gradient;
    tw_mat3 lattice; /* if not zero, an equivalent cell with shorter edges, to place bodies by */
    int open;        /* 1: not periodic along the third edge, with two walls */
    int clusters;
    double mu, nu;
    int materials; /* 3: Hertz contacts of three materials, with rolling, twisting and damping
                      ratios */
} lammps_scene;

/* spheres:  a cell in no special frame, shrinking evenly
 * clusters: spheres, clusters and a fixed body in a cell in LAMMPS' frame but for its large tilts;
 *           with shear and stretch together
 * walls:    spheres between two walls
 * mixed:    like friction, with Hertz contacts of three materials, and walls of one of them
 * friction: like clusters, with friction and damping, in a cell at rest
 * rubbing:  spheres with friction and damping, in a cell at rest in no special frame */
extern const lammps_scene lammps_scenes[];
enum { LAMMPS_SCENES = 6 };

/* A few dozen bodies in contact, after some steps; exits on failure. */
tw_sim *lammps_scene_make(const lammps_scene *scene);

#endif
