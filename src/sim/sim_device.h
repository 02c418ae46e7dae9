/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation on a device: which of the two copies of its data is newer, and steps. Numbers (time,
 * cell, walls, energy balance, servo) are brought back after every run; arrays (bodies, contacts,
 * neighbour list) when something here needs them. A function of src/sim that reads arrays begins
 * with tw_sim_device_fetch, one that writes them with tw_sim_device_take; one that writes numbers
 * calls tw_sim_device_renew. On the CPU they do nothing. The neighbour list of the host is made
 * only where it is needed, for steps on the CPU above all: tw_sim_device_list. */
#ifndef TW_SIM_DEVICE_H
#define TW_SIM_DEVICE_H

#include "device/device.h"
#include "sim/sim_inside.h"

/* Brings the arrays. After an error they are as they were when last brought, and the simulation has
 * failed. */
tw_status tw_sim_device_fetch(const tw_sim *sim, tw_error *error);

/* The same, and makes the neighbour list of the host. */
tw_status tw_sim_device_list(const tw_sim *sim, tw_error *error);

/* As tw_sim_device_fetch, and the arrays go back to the device before its next step. */
tw_status tw_sim_device_take(tw_sim *sim, tw_error *error);

/* Whether the device has the present state, and the host has no list of it. */
int tw_sim_device_is_better(const tw_sim *sim);

/* The sums of a measure of a simulation whose state the device has, without the arrays. */
tw_status tw_sim_device_tally(tw_sim *sim, tw_tally *tally, tw_move_energy *energy,
                              tw_error *error);

/* Numbers have changed here. */
void tw_sim_device_renew(tw_sim *sim);

/* Steps, if the simulation is not on the CPU. It is prepared. */
int tw_sim_device_used(const tw_sim *sim);
tw_status tw_sim_device_run(tw_sim *sim, uint64_t steps, tw_error *error);
tw_status tw_sim_device_rotate(tw_sim *sim, tw_vec3 turn, tw_error *error);

/* The steps of its last run that the device remembers: TW_DEVICE_PASSED at most. Returns their
 * number. */
size_t tw_sim_device_passed(const tw_sim *sim, tw_sim_passed *out);

#endif
