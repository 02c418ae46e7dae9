/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the move phase share. */
#ifndef TW_STEP_MOVE_H
#define TW_STEP_MOVE_H

#include "base/simd.h"
#include "world/world.h"

/* Constants of a kick: (1 + dt (grad v + damping)/2) v_after = (1 - ...) v_before + dt f/m. */
typedef struct tw_kick {
    tw_mat3 inverse; /* the inverse of the factor of v_after */
    double spin_keep, spin_gain;
    double dt;
    int damped, heavy; /* bodies are damped; there is gravity */
} tw_kick;

/* The affine map of the step by the midpoint rule: a rotation for a spin, second order otherwise.
 */
typedef struct tw_flow {
    tw_mat3 map;     /* x -> x + dt grad v (x + x')/2 */
    tw_mat3 own;     /* its effect on the fluctuation displacement */
    tw_mat3 forward; /* map - 1 */
    tw_mat3 back;    /* 1 - map^-1 */
} tw_flow;

typedef struct tw_move {
    tw_world *world;
    tw_kick kick;
    tw_flow flow;
    tw_mat3 affine; /* from the cell of the list to the present one */
} tw_move;

/* Sums of a tile. */
enum {
    TW_MOVE_DAMPING,
    TW_MOVE_CELL,
    TW_MOVE_TRANSLATION,
    TW_MOVE_ROTATION,
    TW_MOVE_GRAVITY,
    TW_MOVE_LANE_SUMS, /* those before are sums in lanes */
    TW_MOVE_DRIVEN = TW_MOVE_LANE_SUMS,
    TW_MOVE_SECONDS,
    TW_MOVE_SUMS
};

/* A tile of a tw_move: its energies between the steps; its step. For tw_sum_parts. */
TW_SIMD_DECLARE(void, tw_move_lanes_energies, void *move, size_t tile, double *sum);
TW_SIMD_DECLARE(void, tw_move_lanes_tile, void *move, size_t tile, double *sum);

/* Moves a driven body, whose `l` is its angular velocity, from position x and orientation q. */
void tw_move_driven(const tw_world *world, size_t i, tw_vec3 x, tw_quat q, double *sum);

#endif
