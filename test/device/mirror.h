/* SPDX-License-Identifier: BSD-3-Clause */
/* The world of a device made from a simulation of the CPU, by plain loops: for tests of its phases
 * one by one, without the search of the device. Arrays of model, state and schedule are those of
 * the simulation. */
#ifndef MIRROR_H
#define MIRROR_H

#include "device/device_world.h"
#include "sim/sim_internal.h"

/* `sim` is prepared. */
void mirror_make(tw_device_world *w, tw_sim *sim);
void mirror_free(tw_device_world *w);

/* Numbers of the world to the simulation; candidates of its tiles are not kept up. */
void mirror_back(tw_device_world *w, tw_sim *sim);

/* Takes `steps` steps on the mirror, searches by the CPU. Returns run.halt if it is not one of
 * those that are acted on. */
uint32_t mirror_run(tw_device_world *w, tw_sim *sim, uint64_t steps);

/* Rotates everything rigidly, likewise. 0: done. */
uint32_t mirror_rotate(tw_device_world *w, tw_sim *sim, tw_vec3 turn);

/* Stored energies of the world, after a step. */
void mirror_stored(tw_device_world *w);

#endif
