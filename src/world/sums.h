/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of the last step. */
#ifndef TW_WORLD_SUMS_H
#define TW_WORLD_SUMS_H

#include <stddef.h>

#include <twirl/types.h>

/* Sums over the contacts and bodies of the last step. */
typedef struct tw_sums {
    tw_mat3 moment;           /* sum of branch (x) force on p [J] */
    double normal;            /* stored normal energy [J] */
    double tangential;        /* stored tangential energy [J] */
    double rolling, twisting; /* stored energy of rolling and twisting [J] */
    size_t contacts, sliding;
} tw_sums;

#endif
