/* SPDX-License-Identifier: BSD-3-Clause */
/* What a checkpoint holds, in memory: between a simulation and the items of a file. */
#ifndef TW_SIM_CHECKPOINT_DATA_H
#define TW_SIM_CHECKPOINT_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "control/servo.h"
#include "search/list.h"

/* Model, state, servo, and what is stored in another form than they have. */
typedef struct tw_checkpoint_data {
    tw_model *model;
    tw_state *state;
    tw_servo *servo;
    uint64_t *shape_spheres; /* how many spheres each shape has */
    tw_sphere *spheres;      /* of all shapes, one after the other */
    size_t sphere_count;
    tw_contact_list contacts;
    size_t contact_count;
    int32_t listed;
} tw_checkpoint_data;

/* Of a simulation; only read through `data`. 0: no memory. The caller frees it in either case. */
int tw_checkpoint_data_gather(tw_checkpoint_data *data, const tw_model *model,
                              const tw_state *state, const tw_schedule *schedule,
                              const tw_servo *servo);

/* Room for as many materials, shapes, bodies and walls, for `sphere_count` spheres and
 * `contact_count` contacts, in an empty model and state. */
tw_status tw_checkpoint_data_reserve(tw_checkpoint_data *data, size_t materials, size_t shapes,
                                     size_t bodies, size_t walls, tw_error *error);

/* Gives each shape its spheres; the counts have been checked. 0: no memory. */
int tw_checkpoint_data_scatter(tw_checkpoint_data *data);

/* Frees all but model, state and servo. */
void tw_checkpoint_data_free(tw_checkpoint_data *data);

#endif
