/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls: rigid planes. */
#ifndef TW_WORLD_WALL_H
#define TW_WORLD_WALL_H

#include <stdint.h>

#include <twirl/vec3.h>

typedef struct tw_wall {
    tw_vec3 point, normal; /* normal: unit, towards the grains */
    tw_vec3 v;             /* [m/s] */
    tw_vec3 dx;            /* displacement of the last step [m] */
    tw_vec3 travel;        /* displacement since the neighbour list was made [m] */
    tw_vec3 force;         /* of the grains on the wall [N] */
    int32_t servo;
    uint32_t material;
    double target, gain, v_max;
} tw_wall;

#endif
