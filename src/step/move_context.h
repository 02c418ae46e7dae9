/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tiles of the move phase share. */
#ifndef TW_STEP_MOVE_CONTEXT_H
#define TW_STEP_MOVE_CONTEXT_H

#include "world/schedule.h"

/* Constants of a kick: (1 + dt (grad v + damping)/2) v_after = (1 - ...) v_before + dt f/m. */
typedef struct tw_move_kick {
    tw_mat3 inverse; /* of the factor of v_after */
    double spin_keep, spin_gain;
    double dt;
    int damped, heavy; /* there is body damping; there is gravity */
} tw_move_kick;

/* The affine map of the step by the midpoint rule: a rotation for a spin, second order otherwise.
 */
typedef struct tw_move_flow {
    tw_mat3 map;     /* x -> x + dt grad v (x + x')/2 */
    tw_mat3 own;     /* its effect on the fluctuation displacement */
    tw_mat3 forward; /* map - 1 */
    tw_mat3 back;    /* 1 - map^-1 */
} tw_move_flow;

typedef struct tw_move_context {
    const tw_model *model;
    const tw_state *state;
    tw_state *out; /* the same state, to be written; NULL where only energies are computed */
    tw_schedule *schedule;
    tw_move_kick kick;
    tw_move_flow flow;
    int masses;     /* some law asks for the masses of bodies */
    tw_mat3 affine; /* from the cell of the neighbour list to the present one */
} tw_move_context;

/* Sums of a tile. */
enum {
    TW_MOVE_DAMPING,
    TW_MOVE_CELL,
    TW_MOVE_TRANSLATION,
    TW_MOVE_ROTATION,
    TW_MOVE_GRAVITY,
    TW_MOVE_LANE_SUMS, /* the ones above are summed in lanes */
    TW_MOVE_DRIVEN = TW_MOVE_LANE_SUMS,
    TW_MOVE_SECONDS,
    TW_MOVE_SUMS
};

#endif
