/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy balance. */
#ifndef TW_WORLD_ENERGY_BALANCE_H
#define TW_WORLD_ENERGY_BALANCE_H

#include <stdint.h>

/* Sums over time [J]. */
typedef struct tw_energy_balance {
    double friction, contact_damping, body_damping;
    double cell, walls, gravity;
    double start; /* kinetic and stored energy at the start, and changes that were not work */
    int32_t started, unused;
    double micro_slip, rolling, twisting; /* dissipated */
} tw_energy_balance;

#endif
