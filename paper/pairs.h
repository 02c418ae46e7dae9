/* SPDX-License-Identifier: BSD-3-Clause */
/* The movement of every contact between two states of one assembly. */
#ifndef PAPER_PAIRS_H
#define PAPER_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/sim.h>

/* Two spheres that touch in at least one of the states. [0] before, [1] after. */
typedef struct paper_pair {
    tw_contact_memory memory; /* before; zeta < 0: no contact yet */
    tw_vec3 branch[2];        /* between the centres of the spheres [m] */
    tw_vec3 body_branch[2];   /* between the centres of their bodies [m] */
    tw_vec3 turn_p, turn_q;   /* rotations of the bodies from one state to the other [rad] */
    double radius_p, radius_q;
} paper_pair;

typedef struct paper_pairs {
    paper_pair *pair;
    size_t count;
    double volume[2]; /* of the cell [m^3] */
} paper_pairs;

/* The branch after the fraction s of the movement. */
TW_INLINE tw_vec3 paper_pair_branch(const paper_pair *pair, double s)
{
    return tw_vec3_add_scaled(pair->branch[0], s, tw_vec3_sub(pair->branch[1], pair->branch[0]));
}

/* One sub-step with a law of the kernel, from the fraction s0 of the movement to s1. */
void paper_pair_advance(const tw_contact_law *law, const paper_pair *pair, double s0, double s1,
                        tw_contact_memory *memory, tw_contact_load *load);

/* False: see error. The law is that of the state before. */
bool paper_pairs_read(const char *before, const char *after, paper_pairs *pairs,
                      tw_contact_law *law, tw_error *error);

#endif
