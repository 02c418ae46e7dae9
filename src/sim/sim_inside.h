/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a tw_sim, for the files of this folder. */
#ifndef TW_SIM_INSIDE_H
#define TW_SIM_INSIDE_H

#include <twirl/sim.h>

#include "control/servo.h"
#include "world/world.h"

struct tw_sim {
    tw_world world;
    tw_servo servo;
    int threads; /* 0: the default */
    int failed;  /* the last run ended with TW_STATUS_PHYSICS */
};

/* The periodic edge that the plane of a wall cuts (0 to 2), or -1. */
int tw_sim_edge_across(const tw_world *world, const tw_wall *wall);

/* Refuses instructions that TWIRL_SIMD names and the processor does not have. */
tw_status tw_sim_check_simd(tw_error *error);

/* Takes up the thread count for what follows on this thread. */
void tw_sim_use_threads(const tw_sim *sim);

#endif
