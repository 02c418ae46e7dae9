/* SPDX-License-Identifier: BSD-3-Clause */
/* Small dense simulations for the tests of what goes to LAMMPS and comes back. */
#ifndef TWIRL_TEST_LAMMPS_SCENES_H
#define TWIRL_TEST_LAMMPS_SCENES_H

#include <twirl/sim.h>

typedef struct lammps_scene {
    const char *name;
    tw_mat3 cell, gradient;
    tw_mat3 seats; /* the same lattice with shorter edges, if not zero: bodies are placed by it */
    int open;      /* 1: along the third edge, with two walls */
    int clusters;
    double mu, nu;
} lammps_scene;

/* spheres:  a cell in no special frame, shrinking evenly
 * clusters: spheres, clusters and a fixed body in a cell in LAMMPS' frame but for its large tilts;
 *           with shear and stretch together
 * walls:    spheres between two walls
 * friction: as clusters, with friction and damping, all the cell at rest
 * rubbing:  spheres with friction and damping, in a cell at rest in no special frame */
extern const lammps_scene lammps_scenes[];
enum { LAMMPS_SCENES = 5 };

/* Some dozens of bodies that touch, after some steps; ends the program on failure. */
tw_sim *lammps_scene_make(const lammps_scene *scene);

#endif
