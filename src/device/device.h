/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation on a device: model, state and servo are copied there, and steps are taken there,
 * with the bits of src/step. The caller's model, state, schedule and servo are the host's copy, and
 * the caller knows which of the two is newer. */
#ifndef TW_DEVICE_DEVICE_H
#define TW_DEVICE_DEVICE_H

#include "control/servo.h"
#include "step/move.h"
#include "world/schedule.h"
#include "world/tally.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device of some kind, and what the functions of its kind take. */
typedef struct tw_device_instance tw_device_instance;
typedef struct tw_device {
    const struct tw_device_kind *kind;
    tw_device_instance *own;
} tw_device;

/* What the device remembers of its last steps, so that the caller need not fetch after each. */
enum { TW_DEVICE_HISTORY_STEPS = 64 };
typedef struct tw_device_history_step {
    double time;      /* at the end of the step [s] */
    tw_mat3 gradient; /* velocity gradient in it [1/s] */
} tw_device_history_step;

/* Contacts of a device, some of them. */
typedef struct tw_device_contacts {
    const struct tw_contact_list *list; /* in the order of pairs; slots as a new list has them */
    size_t all;                         /* that the device has */
} tw_device_contacts;

/* Where bodies and contacts go that a device hands over in parts: first all bodies, in the order
 * that the spheres of contacts are counted by. After an error nothing more comes. */
typedef struct tw_device_sink {
    void *context;
    tw_status (*bodies)(void *context, const tw_bodies *part, tw_error *error);
    tw_status (*contacts)(void *context, const tw_device_contacts *part, tw_error *error);
} tw_device_sink;

/* Copies everything but the arrays, which stay those of `to`. */
static inline void tw_device_copy_model(tw_model *to, const tw_model *from)
{
    const tw_model had = *to;
    *to = *from;
    to->shapes = had.shapes;
    to->materials = had.materials;
    to->laws = had.laws;
    to->surfaces = had.surfaces;
    to->surface_capacity = had.surface_capacity;
    to->drive = had.drive;
    to->drive_row = had.drive_row;
    to->shape_capacity = had.shape_capacity;
}

static inline void tw_device_copy_state(tw_state *to, const tw_state *from)
{
    const tw_state had = *to;
    *to = *from;
    to->bodies = had.bodies;
    to->bodies.count = from->bodies.count;
    to->walls = had.walls;
    to->wall_capacity = had.wall_capacity;
    to->contacts = had.contacts;
}

/* Bodies that come and go between steps. */
typedef struct tw_device_bodies {
    const uint32_t *gone; /* ids; each there, once */
    size_t leaving;
    const tw_bodies *coming; /* with ids from `first` on */
    uint32_t first;          /* the next id */
    struct tw_events *events;
} tw_device_bodies;

/* What a device of a kind can do: device->kind->run(device->own, steps, error). */
typedef struct tw_device_kind {
    tw_status (*open)(tw_device **device, tw_error *error);
    void (*close)(tw_device_instance *device);

    /* Whether the device has enough free memory, by the number of contacts, or of those of a dense
     * packing if they are not known; a conservative estimate. TW_STATUS_MEMORY: the text says how
     * many bodies would fit. */
    tw_status (*fits)(tw_device_instance *device, const tw_model *model, const tw_state *state,
                      const tw_schedule *schedule, tw_error *error);

    /* Copies everything to the device and makes its neighbour list there. The state is prepared.
     * What the device cannot do is refused with TW_STATUS_INPUT; TW_STATUS_MEMORY: the text says
     * how many bodies would fit. */
    tw_status (*upload)(tw_device_instance *device, const tw_model *model, const tw_state *state,
                        const tw_schedule *schedule, const tw_servo *servo, tw_error *error);

    /* Instead of an upload: makes the bodies there, at rest and without contacts, by a recipe that
     * the device can read; the state has their number, and no columns. *room: 0 if they
     * did not fit into the cell. NULL: bodies are made here. */
    tw_status (*generate)(tw_device_instance *device, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule, const tw_servo *servo, const char *recipe,
                          int *room, tw_error *error);

    /* Copies what is not an array: settings, laws, cell, dt, time, energy balance, walls, servo. */
    void (*update)(tw_device_instance *device, const tw_model *model, const tw_state *state,
                   const tw_servo *servo);

    /* Displacements are counted from the present positions: copies the columns x_start and image,
     * or sets them there, on a device that streams its state. */
    void (*reset_displacements)(tw_device_instance *device, const tw_state *state);

    /* Takes steps, or rotates everything. After TW_STATUS_PHYSICS the caller fetches the state, for
     * the text: it has the bits of the CPU, and so has the error. TW_STATUS_DEVICE: the device has
     * failed, and everything since the last fetch is lost. rotate is NULL: the CPU does it. */
    tw_status (*run)(tw_device_instance *device, uint64_t steps, tw_error *error);
    tw_status (*rotate)(tw_device_instance *device, tw_vec3 turn, tw_error *error);

    /* What is not an array, back to the host: after each run. */
    void (*numbers)(tw_device_instance *device, tw_state *state, tw_schedule *schedule,
                    tw_servo *servo);

    /* The steps of the last run that are complete, TW_DEVICE_HISTORY_STEPS of them at most, the
     * last one last. Returns their number. */
    size_t (*history)(tw_device_instance *device, tw_device_history_step *out);

    /* Bodies and contacts, back to the host, whose neighbour list is deferred: tw_search_complete.
     * NULL: the device streams them in parts, and the host has no arrays while it takes steps. */
    tw_status (*fetch)(tw_device_instance *device, const tw_model *model, tw_state *state,
                       tw_schedule *schedule, tw_error *error);

    /* The sums of a measure, after steps; `numbers` then has the energies stored in contacts. */
    tw_status (*tally)(tw_device_instance *device, const tw_model *model, tw_tally *tally,
                       tw_move_energy *energy, tw_error *error);

    /* Array `number` of 0, 1, 2 ... on the device: the bytes it needs now, and those it needed when
     * all together needed most. The last one is the workspace of the search. 0: no such array.
     * NULL: they are not known. */
    int (*array)(tw_device_instance *device, size_t number, const char **name, size_t *bytes,
                 size_t *peak);

    /* Bodies and contacts in parts, as of a neighbour list that is made now (x_ref, q_ref); the
     * caller sets h_ref. NULL: all at once, by fetch. */
    tw_status (*stream_state)(tw_device_instance *device, const tw_model *model,
                              const tw_device_sink *sink, tw_error *error);

    /* Takes bodies out and in, with the bits of src/sim/sim_bodies.c. *done: 0 if it is left to the
     * host, because it is refused, memory runs out, or no body would be left; the state is then as
     * it was, for `fetch` and another upload. NULL: always. */
    tw_status (*exchange)(tw_device_instance *device, const tw_device_bodies *bodies, int *done,
                          tw_error *error);
} tw_device_kind;

extern const tw_device_kind tw_device_emulated, tw_device_cuda; /* cuda: in a build with CUDA */

/* Where steps are computed, by its name. The only table of names: what a place does is in its
 * traits. */
typedef struct tw_device_place {
    const char *name;
    unsigned traits;            /* TW_SIM_DEVICE_HOST ... */
    const tw_device_kind *kind; /* NULL: the CPU, or not in this build or program, */
    const char *missing;        /* which is what to do about it */
} tw_device_place;

/* The place with this name; NULL: the one that TWIRL_DEVICE names, or the CPU. Returns NULL if
 * there is none. */
const tw_device_place *tw_device_find(const char *name, tw_error *error);

/* The kind of a place, of a program that has it: "lammps" in twirl-lmp. Call it before any
 * simulation. */
void tw_device_register(const char *name, const tw_device_kind *kind);

/* Not the CPU. TW_STATUS_DEVICE: there is no device, or the build or the program has no such kind.
 */
tw_status tw_device_open(const tw_device_place *place, tw_device **device, tw_error *error);
void tw_device_close(tw_device *device); /* NULL: none */

/* For tests: TWIRL_DEVICE_TEST in the environment, such as "spare=1 memory=20000", asks for contact
 * slots of a tile beyond those in use (spare), events after which steps halt (events), bytes of an
 * emulated device (memory), or a step in which it fails (fail_at) or loses a body (lose_at), one
 * from which on a process dies that streams its bodies (die_at), or that arrays are brought before
 * they are saved (whole). 0: `name` is not among them, and *value stays. */
int tw_device_test(const char *name, uint64_t *value);

#ifdef __cplusplus
}
#endif

#endif
