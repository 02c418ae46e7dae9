/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share: the inside of a tw_sim, and its copy on a device. */
#ifndef TW_SIM_SIM_INTERNAL_H
#define TW_SIM_SIM_INTERNAL_H

#include <math.h>

#include <twirl/sim.h>
#include <twirl/types.h>

#include "control/servo.h"
#include "device/device.h"
#include "sim/checkpoint_items.h"
#include "world/events.h"
#include "world/schedule.h"

/* Who has the present arrays: bodies, contacts, list. The numbers are always here. */
typedef enum tw_sim_owner {
    TW_SIM_OWNER_HOST,
    TW_SIM_OWNER_BOTH,
    TW_SIM_OWNER_DEVICE
} tw_sim_owner;

/* What belongs to the present state. */
enum {
    TW_SIM_VALID_NUMBERS = 1, /* those of the device: settings, cell, walls, servo */
    TW_SIM_VALID_SIZES = 2,   /* `sizes`, of bodies that the device has made and alone has had */
    TW_SIM_VALID_TALLY = 4,   /* `tally` and `energy` */
    TW_SIM_VALID_HASH = 8     /* `hash`, which was saved in parts */
};

struct tw_sim {
    tw_model model;
    tw_state state;
    tw_schedule schedule;
    tw_servo servo;
    const tw_device_place *place; /* where steps are computed */
    tw_device *device;            /* NULL: the CPU, or not opened yet */
    tw_sim_owner owner;
    unsigned valid; /* bits, above */
    uint32_t *ids;  /* of the bodies in ascending order, if some have left */
    size_t id_capacity;
    tw_events events; /* not taken yet */
    tw_sim_sizes sizes;
    tw_tally tally;
    tw_move_energy energy;
    tw_servo_bodies bodies; /* of those that the device has; kinetic: as they were given to it */
    uint64_t hash;
    int threads;                      /* 0: the default */
    tw_status failed;                 /* a step failed: the state is neither continued nor saved */
    char label[TW_SIM_LABEL_MAX + 1]; /* of the checkpoint it was loaded from */
    tw_sim_times times;               /* without those of the functions under way */
    tw_sim_times timed_from;          /* those of the threads when the outermost began */
    int timed, timed_threads;         /* functions under way; threads then */
};

/* The time from here to wherever the function returns is that of the simulation. */
tw_sim *tw_sim_internal_times_begin(tw_sim *sim);
void tw_sim_internal_times_end(tw_sim **sim);
#define TW_SIM_TIMES_HERE(sim)                                                                     \
    tw_sim *timed_sim __attribute__((cleanup(tw_sim_internal_times_end), unused)) =                \
        tw_sim_internal_times_begin(sim)

/* A force that is not known before preparation: NaN. */
static inline tw_vec3 tw_sim_internal_unknown(void)
{
    const double nan = (double)NAN;
    return tw_vec3_make(nan, nan, nan);
}

/* An empty simulation, for tw_sim_free. */
tw_sim *tw_sim_internal_make(tw_error *error);

/* Sets the number of threads of the calling thread's parallel loops. */
void tw_sim_internal_use_threads(const tw_sim *sim);

/* The error of a simulation that has failed. */
tw_status tw_sim_internal_refuse_failed(const tw_sim *sim, tw_error *error);

/* Refuses a simulation that is not prepared. */
tw_status tw_sim_internal_check_prepared(const tw_sim *sim, tw_error *error);

int tw_sim_internal_is_finite(tw_vec3 v);

/* Index of the body with this id; SIZE_MAX if there is none. */
size_t tw_sim_internal_index_of(const tw_sim *sim, uint32_t id);

/* The ids that there are in ascending order, from the list of spheres; nothing if none has left. */
tw_status tw_sim_internal_order_ids(const tw_state *state, const tw_spheres *spheres,
                                    uint32_t **ids, size_t *capacity, tw_error *error);

/* The error of a device that does not record events of contacts. */
tw_status tw_sim_internal_no_events(const tw_device_place *place, tw_error *error);

/* The error of an id that no body has. */
tw_status tw_sim_internal_no_body(const tw_sim *sim, uint32_t id, tw_error *error);

/* What is wrong with a part of the prescribed motion of a wall, of a known kind and with the rows
 * that it says; NULL: nothing. */
const char *tw_sim_internal_drive_wrong(const tw_wall *wall, const tw_drive_part *part,
                                        const tw_drive_row *row);

/* What is wrong with the servo of a wall; NULL: nothing. */
const char *tw_sim_internal_servo_wrong(const tw_cell *cell, const tw_wall *wall);

/* The periodic edge (0 to 2) that is not parallel to a wall, or -1. */
int tw_sim_internal_edge_across(const tw_state *state, const tw_wall *wall);

/* A simulation on a device: which of the two copies of its data is newer, and steps. Numbers (time,
 * cell, walls, energy balance, servo) are brought back after every run; arrays (bodies, contacts,
 * neighbour list) when something here needs them. A function of src/sim that reads arrays begins
 * with tw_sim_device_fetch, one that writes them with tw_sim_device_take; one that writes numbers
 * calls tw_sim_device_renew. On the CPU they do nothing. The neighbour list of the host is made
 * only where it is needed, for steps on the CPU above all: tw_sim_device_list. */

/* Whether a device that streams its state has the arrays: there are none here. */
int tw_sim_device_streams(const tw_sim *sim);

/* The arrays in parts, if so. The numbers are brought first. */
tw_status tw_sim_device_stream(tw_sim *sim, const tw_device_sink *sink, tw_error *error);

/* Bodies that the device makes: whether it can, and has it make them. The numbers are those of a
 * prepared state. *room: 0 if they did not fit into the cell. */
tw_status tw_sim_device_generates(tw_sim *sim, int *there, tw_error *error);
tw_status tw_sim_device_generate(tw_sim *sim, size_t count, const char *recipe, int *room,
                                 tw_error *error);

/* Brings the arrays. After an error they are as they were when last brought, and the simulation has
 * failed; a device that streams them still has them then, and the host has none. */
tw_status tw_sim_device_fetch(const tw_sim *sim, tw_error *error);

/* As tw_sim_device_fetch, and makes the neighbour list of the host. */
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

/* Bodies that come and go there, if the device has the state; columns here have room. *done: 0 if
 * that is to be done here, and nothing has changed. */
tw_status tw_sim_device_exchange(tw_sim *sim, const tw_device_bodies *bodies, int *done,
                                 tw_error *error);

/* Steps, if the simulation is not on the CPU. It is prepared. */
int tw_sim_device_used(const tw_sim *sim);
tw_status tw_sim_device_run(tw_sim *sim, uint64_t steps, tw_error *error);
tw_status tw_sim_device_rotates(tw_sim *sim, int *there, tw_error *error); /* not on the host */
tw_status tw_sim_device_rotate(tw_sim *sim, tw_vec3 turn, tw_error *error);

/* The steps of its last run that the device remembers: TW_DEVICE_HISTORY_STEPS at most. Returns
 * their number. */
size_t tw_sim_device_history(const tw_sim *sim, tw_sim_step_record *out);

/* The last step of loading: from what a checkpoint holds to a simulation that can run. `data` is as
 * tw_checkpoint_read leaves it. Checks the numbers and gives the contacts to the state. On failure
 * the simulation can only be freed. */
tw_status tw_sim_restore(tw_sim *sim, tw_checkpoint_data *data, const char *path, tw_error *error);

/* What a checkpoint of a simulation holds. The numbers are those that tw_sim_restore would accept:
 * a state that it refuses is not worth saving, and must not replace a good file. The caller frees
 * the data in any case. */
tw_status tw_sim_gather(const tw_sim *sim, tw_checkpoint_data *data, tw_error *error);

#endif
