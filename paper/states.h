/* SPDX-License-Identifier: BSD-3-Clause */
/* The movement of every contact between two states of one assembly. */
#ifndef PAPER_STATES_H
#define PAPER_STATES_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/sim.h>

/* Two spheres that touch in one of the states at least. [0] before, [1] after. */
typedef struct paper_pair {
    tw_contact_memory memory; /* before; zeta < 0: no contact yet */
    tw_vec3 branch[2];        /* between the centres of the spheres [m] */
    tw_vec3 body_branch[2];   /* between those of their bodies [m] */
    tw_vec3 turn_p, turn_q;   /* rotations of the bodies from one state to the other [rad] */
    double radius_p, radius_q;
} paper_pair;

typedef struct paper_pairs {
    paper_pair *pair;
    size_t count;
    double volume[2]; /* of the cell [m^3] */
} paper_pairs;

/* The branch after the share s of the way. */
TW_INLINE tw_vec3 paper_pair_branch(const paper_pair *pair, double s)
{
    return tw_vec3_add_scaled(pair->branch[0], s, tw_vec3_sub(pair->branch[1], pair->branch[0]));
}

/* False: the error says why. The law is that of the state before. */
bool paper_pairs_read(const char *before, const char *after, paper_pairs *pairs,
                      tw_contact_law *law, tw_error *error);

#endif
