/* SPDX-License-Identifier: BSD-3-Clause */
/* Types shared by all parts of twirl: statuses, errors, matrices, rotations, spheres. Source
 * compatible only, before 1.0. */
#ifndef TWIRL_TYPES_H
#define TWIRL_TYPES_H

#include <stdint.h>

#include <twirl/vec3.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All statuses, for the enum below and tw_status_text. Append only: the values are part of the
 * binary interface. */
#define TW_STATUS_LIST(X)                                                                          \
    X(OK, "success")                                                                               \
    X(INPUT, "the input is wrong")                                                                 \
    X(FILE, "a file cannot be read or written")                                                    \
    X(MEMORY, "out of memory")                                                                     \
    X(PHYSICS, "the simulation has left the range of its model")                                   \
    X(VERSION, "the file was written by another version")                                          \
    X(INTERRUPTED, "interrupted on request")                                                       \
    X(DEVICE, "the device cannot be used, or has failed")

/* TW_STATUS_OK is 0. */
typedef enum tw_status {
#define TW_STATUS_MEMBER(name, text) TW_STATUS_##name,
    TW_STATUS_LIST(TW_STATUS_MEMBER)
#undef TW_STATUS_MEMBER
} tw_status;

/* Why a call failed. The text names the file, line, key and value if there are any, and what is
 * expected; it is empty if the status is TW_STATUS_OK. */
typedef struct tw_error {
    tw_status status;
    char text[512];
} tw_error;

/* Row-major: element (row, column) is m[3 * row + column]. */
typedef struct tw_mat3 {
    double m[9];
} tw_mat3;

/* A unit quaternion, scalar first: rotates vectors from the body frame into space. */
typedef struct tw_quat {
    double w, x, y, z;
} tw_quat;

/* A sphere of a shape. Lengths are relative to the size of the body [-] or in [m], as stated where
 * the type is used. */
typedef struct tw_sphere {
    tw_vec3 centre;
    double radius;
} tw_sphere;

/* A short text for any status; never NULL. */
TW_API const char *tw_status_text(tw_status status);

/* Events: EVENT(NAME, name, what happens). Append only. */
#define TW_EVENTS(EVENT)                                                                           \
    EVENT(BODY_CAME, body_came, "a body has been added")                                           \
    EVENT(BODY_LEFT, body_left, "a body has been removed")                                         \
    EVENT(CONTACT_BEGAN, contact_began, "a contact has begun")                                     \
    EVENT(CONTACT_ENDED, contact_ended, "a contact has ended")

typedef enum tw_event_kind {
#define TW_EVENT_NUMBER(NAME, name, text) TW_EVENT_##NAME,
    TW_EVENTS(TW_EVENT_NUMBER) TW_EVENT_KINDS
#undef TW_EVENT_NUMBER
} tw_event_kind;

/* Something that has happened to a simulation: the step at whose end it is seen, and its time. A
 * contact is known as in tw_contact_state; the second body of a body's event is none. */
typedef struct tw_event {
    uint64_t step;
    double time;             /* [s] */
    uint32_t kind;           /* tw_event_kind */
    uint32_t body_p, body_q; /* ids; q = UINT32_MAX: a wall, or no body */
    uint32_t member_p, member_q;
    int8_t shift[3];
    int8_t unused;
    /* Of a body; 0 for contacts. */
    double mass;   /* [kg] */
    double energy; /* kinetic, as it went into `start` of the energy balance; 0 before the
                      simulation is prepared [J] */
    tw_vec3 x;     /* centre of mass [m] */
} tw_event;

/* What a device does: bits. */
enum {
    TW_SIM_DEVICE_HOST = 1, /* threads of this process compute steps: the CPU */
    TW_SIM_DEVICE_GPU = 2,
    TW_SIM_DEVICE_DIVIDED = 4, /* among processes, with other roundings: twirl-lmp */
    TW_SIM_DEVICE_EMULATED = 8
};

/* Where the time of a simulation goes: PHASE(NAME, name, what it is). A thread is in one phase at a
 * time. */
#define TW_SIM_PHASES(PHASE)                                                                       \
    PHASE(SEARCH, search, "neighbour list and tiles")                                              \
    PHASE(MOVE, move, "velocities and positions of bodies")                                        \
    PHASE(DETECT, detect, "ghosts, and contacts that begin")                                       \
    PHASE(FORCE, force, "contacts of spheres")                                                     \
    PHASE(WALLS, walls, "contacts with walls")                                                     \
    PHASE(GATHER, gather, "sums of forces on bodies")                                              \
    PHASE(SERVO, servo, "strain rates that the servo chooses")                                     \
    PHASE(STABLE, stable, "limit of the time step")                                                \
    PHASE(MEASURE, measure, "stress, fabric, energies")                                            \
    PHASE(END, end, "end conditions")                                                              \
    PHASE(OUTPUT, output, "history, frames, checkpoints, log, progress")                           \
    PHASE(OTHER, other, "making the specimen, loading states, the rest")                           \
    PHASE(WAITING, waiting, "threads without work, or for a device")

typedef enum tw_sim_phase {
#define TW_SIM_PHASE_NUMBER(NAME, name, text) TW_SIM_PHASE_##NAME,
    TW_SIM_PHASES(TW_SIM_PHASE_NUMBER) TW_SIM_PHASE_COUNT
#undef TW_SIM_PHASE_NUMBER
} tw_sim_phase;

/* Time spent in each phase, summed over threads [s]: an array of TW_SIM_PHASE_COUNT, with names. */
typedef struct tw_sim_times {
#define TW_SIM_PHASE_MEMBER(NAME, name, text) double name;
    TW_SIM_PHASES(TW_SIM_PHASE_MEMBER)
#undef TW_SIM_PHASE_MEMBER
} tw_sim_times;

#ifdef __cplusplus
}
#endif

#endif
