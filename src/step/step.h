/* SPDX-License-Identifier: BSD-3-Clause */
/* One time step, phase by phase. The state between steps: positions and forces at the present time,
 * velocities half a step earlier (leap-frog). */
#ifndef TW_STEP_STEP_H
#define TW_STEP_STEP_H

#include "world/schedule.h"

/* Advances the state by one step of state->dt. After TW_STATUS_MEMORY the call can be repeated and
 * completes the step. */
tw_status tw_step_advance(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error);

/* Rotates everything rigidly about the origin by the rotation vector `turn`, the contacts advanced
 * by their law. */
tw_status tw_step_rotate(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_vec3 turn, tw_error *error);

/* Moves the cell and the bodies by a gradient, and bodies besides, as in tw_sim_displace, whose
 * moves are in the order of `ids`; NULL: those are 0, 1, 2 ... After an error the state cannot be
 * continued. */
tw_status tw_step_displace(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           const tw_mat3 *gradient, const uint32_t *ids, const double *moves,
                           tw_error *error);

/* Finds contacts and forces of bodies that have been added or changed, without moving them. Called
 * before the first step. */
tw_status tw_step_prepare(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error);

/* Makes the list of a state whose bodies are others than before; `pairs` holds the contacts of
 * those that stay, which keep their memories. Contacts that are new begin without a tangential
 * force. Forces stay as they are. */
tw_status tw_step_relist(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_error *error);

/* As tw_step_check_dt, and where dt changes the energies of bodies change without work. Velocities
 * are then those of the present time, until tw_kick_convert. */
tw_status tw_step_renew_dt(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_error *error);

/* The error of a step that has failed, from the state that it left: for a step that was computed
 * elsewhere. TW_STATUS_OK: nothing is wrong with it. */
tw_status tw_step_explain(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_error *error);

/* Sets an automatic dt, and moves the velocities to half a new step ago; or refuses a given one
 * above the stable step. Forces are known. */
tw_status tw_step_check_dt(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_error *error);

/* Another dt; 0: a new automatic one. If it is refused it stays as it was. */
tw_status tw_step_set_dt(const tw_model *model, tw_state *state, tw_schedule *schedule, double dt,
                         tw_error *error);

#endif
