/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls do not rotate with the cell: they would be cut by a periodic edge that tilts. */
#ifndef TW_WORLD_WALL_TILT_H
#define TW_WORLD_WALL_TILT_H

#include "base/error.h"
#include "world/state.h"

/* Finds the first wall that the velocity gradient tilts an edge out of; 0: there is none. */
TW_INLINE int tw_wall_tilt_find(const tw_state *state, uint32_t *wall, uint32_t *edge)
{
    const tw_mat3 tilt = tw_mat3_mul(state->cell.gradient, state->cell.h);
    for (uint32_t k = 0; k < state->wall_count; k++)
        for (int e = 0; e < 3; e++) {
            const double along = tw_vec3_dot(state->walls[k].normal, tw_mat3_column(tilt, e));
            if (!state->cell.periodic[e] || !(fabs(along) > 1e-9 * tw_mat3_max_abs(tilt))) continue;
            *wall = k;
            *edge = (uint32_t)e;
            return 1;
        }
    return 0;
}

static inline tw_status tw_wall_tilt_refuse(uint32_t wall, uint32_t edge, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "wall %u: the velocity gradient tilts edge %c of the cell, which is "
                        "periodic, out of the plane of the wall",
                        wall, "abc"[edge]);
}

#endif
