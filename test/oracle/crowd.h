/* SPDX-License-Identifier: BSD-3-Clause */
/* Random crowds of bodies in random cells, and all contacts between them by brute force: every
 * sphere with every other in every image that could reach. */
#ifndef TWIRL_TEST_ORACLE_CROWD_H
#define TWIRL_TEST_ORACLE_CROWD_H

#include "tensor.h"

typedef struct crowd_def {
    uint64_t seed;
    int tries;    /* bodies that are offered; those that would overlap too much stay out */
    double ratio; /* largest size over smallest */
    int clusters; /* 1: clusters among the spheres */
    double room;  /* edges of the cell, in largest radii, about */
    double shear; /* of the first cell, in edges */
    int periodic[3];
    int walls;      /* 1: two planes along each axis that is not periodic */
    double overlap; /* at the start, in parts of the smaller radius, at most */
    double speed;   /* of the bodies, in largest radii per second */
    tw_contact_law law;
    double skin; /* as in tw_sim_def */
} crowd_def;

crowd_def crowd_def_default(uint64_t seed);

tw_sim *crowd_make(const crowd_def *def);

/* What the public interface tells about a state. */
typedef struct crowd_view {
    tw_mat3 cell, inverse;
    int periodic[3];
    tw_sphere_state *spheres;
    size_t sphere_count;
    tw_body_state *bodies;
    size_t body_count;
    tw_wall_state *walls;
    size_t wall_count;
} crowd_view;

crowd_view crowd_look(const tw_sim *sim);
void crowd_view_free(crowd_view *view);

/* One contact; p and q are numbers in view->spheres, or q is that of a wall. */
typedef struct crowd_touch {
    uint32_t p, q;
    int wall;
    int shift[3];
    tw_vec3 branch; /* from p's centre to that of q's image, or to the wall [m] */
    double zeta;    /* [m] */
} crowd_touch;

typedef struct crowd_list {
    crowd_touch *touch;
    size_t count, capacity;
} crowd_list;

/* All with an overlap above `least` (negative: gaps, too), ordered by p, wall, q, shift. Of the two
 * ways to see a pair the one with p's body before q's is listed; of a body and its own image the
 * one whose first shift that is not 0 is positive. */
crowd_list crowd_brute_force(const crowd_view *view, double least);

#endif
