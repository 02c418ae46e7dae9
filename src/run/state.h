/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run apart from the state of the simulation: plain numbers, written with each
 * checkpoint. The two together are all that a run needs to resume. There are two such pairs, used
 * in turn: run_state_a.txt with checkpoint_a.h5, and the same with b. */
#ifndef TW_RUN_STATE_H
#define TW_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
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

/* A series of the run. */
enum { TW_RUN_STATE_SERIES = 8 }; /* at most */
typedef struct tw_run_state_series {
    char name[32];         /* of its file; "": none */
    uint64_t length, hash; /* of the file [bytes] */
} tw_run_state_series;

typedef struct tw_run_state {
#define COUNT(name) uint64_t name;
#define COUNTS(name, length) uint64_t name[length];
#define HASH(name) uint64_t name;
#define NUMBER(name) double name;
#define NUMBERS(name, length) double name[length];
#define FILES(name, count) tw_run_state_series name[count];
#include "run/run_state.def"
} tw_run_state;

/* What a run appends to: files.txt, run.log, warnings.txt, then tables: the history, and series. */
enum {
    TW_RUN_STATE_HISTORY = 3,
    TW_RUN_STATE_FILES = TW_RUN_STATE_HISTORY + 1 + TW_RUN_STATE_SERIES
};
typedef struct tw_run_state_file {
    const char *name;
    uint64_t *length, *hash; /* in the state */
} tw_run_state_file;

/* Returns how many there are. */
size_t tw_run_state_files(tw_run_state *state, tw_run_state_file list[TW_RUN_STATE_FILES]);

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
