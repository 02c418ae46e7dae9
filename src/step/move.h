/* SPDX-License-Identifier: BSD-3-Clause */
/* The move phase: velocities from the forces of the last step, then cell, bodies and walls to the
 * end of the step. Each tile loads its own bodies. */
#ifndef TW_STEP_MOVE_H
#define TW_STEP_MOVE_H

#include "world/schedule.h"

void tw_move_bodies(const tw_model *model, tw_state *state, tw_schedule *schedule);

/* Whether the cell moves little in a step with its present velocity gradient. */
tw_status tw_move_check_cell(const tw_mat3 *gradient, double dt, tw_error *error);

/* Energies of the state [J]. It lies in the middle of the next kick: half of the dissipation and of
 * the work of the cell in that kick belongs to the time before. */
typedef struct tw_move_energy {
    double translation, rotation;   /* kinetic */
    double damping_work, cell_work; /* half of the kick's body damping and work of the cell */
} tw_move_energy;

tw_move_energy tw_move_energies(const tw_model *model, const tw_state *state,
                                tw_schedule *schedule);

#endif
