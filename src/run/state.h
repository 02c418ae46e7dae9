/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run apart from the state of the simulation: plain numbers, written with each
 * checkpoint. The two together are all that a run needs to resume. There are two such pairs, used
 * in turn: run_state_a.txt with checkpoint_a.h5, and the same with b. */
#ifndef TW_RUN_STATE_H
#define TW_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/control.h>

#include "base/error.h"

enum tw_run_state_phase {
    TW_RUN_STATE_START, /* the grains are made again */
    TW_RUN_STATE_COMPRESS,
    TW_RUN_STATE_SETTLE,
    TW_RUN_STATE_STAGES,
    TW_RUN_STATE_DONE
};

/* Formats of frames. */
enum { TW_RUN_STATE_VTK, TW_RUN_STATE_LAMMPS, TW_RUN_STATE_ON_WAY, TW_RUN_STATE_FORMATS };
enum { TW_RUN_STATE_MARKS = 10 }; /* in the strain over which a dilation rate is measured */

typedef struct tw_run_state {
#define COUNT(name) uint64_t name;
#define COUNTS(name, length) uint64_t name[length];
#define HASH(name) uint64_t name;
#define NUMBER(name) double name;
#define NUMBERS(name, length) double name[length];
#include "run/run_state.def"
} tw_run_state;

/* The pair of a run state: "a" for even commits, "b" for odd ones. */
const char *tw_run_state_pair(const tw_run_state *state);

/* Replaces the file atomically. */
tw_status tw_run_state_write(const tw_run_state *state, const char *path, tw_error *error);

/* Refuses a file that is damaged or of another version, and says which. */
tw_status tw_run_state_read(tw_run_state *state, const char *path, tw_error *error);

/* The newer run state of a folder, if *found. One that is damaged counts only if there is no other.
 */
tw_status tw_run_state_newest(tw_run_state *state, const char *folder, bool *found,
                              tw_error *error);

#endif
