/* SPDX-License-Identifier: BSD-3-Clause */
/* One time-step, phase by phase. The state between steps: positions and forces at the present time,
 * velocities half a step back (leap-frog). */
#ifndef TW_STEP_STEP_H
#define TW_STEP_STEP_H

#include "search/search.h"

/* Advances the world by one step of world->dt. */
tw_status tw_step_advance(tw_world *world, tw_error *error);

/* Turns everything rigidly about the origin by `turn`, contacts advanced by their law. */
tw_status tw_step_rotate(tw_world *world, tw_vec3 turn, tw_error *error);

/* Finds the contacts and forces of bodies that have been placed or changed, without moving them.
 * Called before the first step. */
tw_status tw_step_prepare(tw_world *world, tw_error *error);

/* The phases. */
/* Kicks and moves; returns how far bodies are from where the list was made. */
tw_travel tw_move_bodies(tw_world *world);
tw_status tw_touch_contacts(tw_world *world, const tw_vec3 *rigid_turn, tw_error *error);
tw_status tw_gather_forces(tw_world *world, tw_error *error);

/* An upper bound of the stable step, and the body that sets it. */
typedef struct tw_stable_limit {
    double dt;        /* [s] */
    size_t body;      /* index */
    double stiffness; /* sum over its contacts [N/m] */
    uint32_t contacts;
} tw_stable_limit;

tw_stable_limit tw_stable_find(const tw_world *world);

/* Chooses dt, or refuses one above the stable step. */
tw_status tw_step_check_dt(tw_world *world, tw_error *error);

/* Energies of the state between two kicks [J]. The state lies in the middle of the kick that is
 * due: half of what that will dissipate or take from the cell belongs to the time before. */
typedef struct tw_move_energy {
    double translation, rotation; /* kinetic */
    double damped, cell_work;       /* half of the kick's body damping and of its work by the cell */
} tw_move_energy;

tw_move_energy tw_move_energies(const tw_world *world);

#endif
