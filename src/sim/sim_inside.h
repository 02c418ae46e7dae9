/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a tw_sim, for the files of this folder. */
#ifndef TW_SIM_INSIDE_H
#define TW_SIM_INSIDE_H

#include <math.h>

#include <twirl/sim.h>

#include "control/servo.h"
#include "device/device.h"
#include "world/schedule.h"

struct tw_sim {
    tw_model model;
    tw_state state;
    tw_schedule schedule;
    tw_servo servo;
    const char *place; /* where steps are computed: see sim_place.h */
    tw_device *device; /* NULL: the CPU, or not opened yet */
    int loaded;        /* the device has our arrays: bodies, contacts, list */
    int ahead;         /* its arrays are newer than ours; numbers never are */
    int updated;       /* it has our numbers: settings, cell, walls, servo */
    int tallied;       /* `tally` and `energy` are of the state that it has */
    tw_tally tally;
    tw_move_energy energy;
    int threads;                      /* 0: the default */
    tw_status failed;                 /* a step failed: the state is neither continued nor saved */
    char label[TW_SIM_LABEL_MAX + 1]; /* of the checkpoint it was loaded from */
};

/* A force that is not known before preparation: NaN. */
static inline tw_vec3 tw_sim_inside_unknown(void)
{
    const double nan = (double)NAN;
    return tw_vec3_make(nan, nan, nan);
}

/* An empty simulation, for tw_sim_free. */
tw_sim *tw_sim_inside_make(tw_error *error);

/* Refuses instructions that TWIRL_SIMD names and the processor does not have. */
tw_status tw_sim_inside_check_simd(tw_error *error);

/* Sets the number of threads of the calling thread's parallel loops. */
void tw_sim_inside_use_threads(const tw_sim *sim);

/* The error of a simulation that has failed. */
tw_status tw_sim_inside_refuse_failed(const tw_sim *sim, tw_error *error);

/* The error of a simulation that is not prepared. */
tw_status tw_sim_inside_refuse_unprepared(tw_error *error);

int tw_sim_inside_is_finite(tw_vec3 v);

/* Index of the body with this id; SIZE_MAX if there is none. */
size_t tw_sim_inside_index_of(const tw_sim *sim, uint32_t id);

/* The periodic edge (0 to 2) that is not parallel to a wall, or -1. */
int tw_sim_inside_edge_across(const tw_state *state, const tw_wall *wall);

#endif
