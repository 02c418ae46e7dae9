/* SPDX-License-Identifier: BSD-3-Clause */
/* Random crowds of bodies in random cells, and all their contacts by brute force: every pair of
 * spheres in every image within reach. */
#ifndef TWIRL_TEST_ORACLE_CROWD_H
#define TWIRL_TEST_ORACLE_CROWD_H

#include "tensor.h"

enum { CROWD_MATERIALS = 3 };

typedef struct crowd_def {
    uint64_t seed;
    int tries;    /* bodies to try; those that would overlap too much are left out */
    double ratio; /* largest size over smallest */
    int clusters; /* 1: clusters among the spheres */
    double room;  /* approximate edges of the cell, in largest radii */
    double shear; /* of the first cell, in edges */
    int periodic[3];
    int walls;      /* 1: two planes along each axis that is not periodic */
    double overlap; /* largest initial overlap, relative to the smaller radius */
    double speed;   /* of the bodies, in largest radii per second */
    tw_contact_law law;
    const tw_contact_law *laws; /* of CROWD_MATERIALS x CROWD_MATERIALS materials; NULL: one law */
    double skin;                /* as in tw_sim_def */
} crowd_def;

crowd_def crowd_def_default(uint64_t seed);

tw_sim *crowd_make(const crowd_def *def);

/* A state as seen through the public interface. */
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

crowd_view crowd_view_of(const tw_sim *sim);
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

/* All contacts with an overlap above `least` (negative: also gaps), ordered by p, wall, q, shift.
 * Each pair is listed once: with p's body before q's, or for a body and its own image with a
 * positive first non-zero shift. */
crowd_list crowd_brute_force(const crowd_view *view, double least);

#endif
