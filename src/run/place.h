/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a run is, apart from the state of the simulation: plain numbers, written beside each
 * checkpoint. Together they are all a run needs to go on. */
#ifndef TW_RUN_PLACE_H
#define TW_RUN_PLACE_H

#include <stdint.h>

#include <twirl/types.h>

enum { TW_PLACE_COMPRESS, TW_PLACE_SETTLE, TW_PLACE_STAGES, TW_PLACE_DONE };

/* One list for fields, writer and reader: name, length. */
#define TW_PLACE_COUNTS(X)                                                                         \
    X(phase, 1)       /* one of the above */                                                       \
    X(stage, 1)       /* which, from 0 */                                                          \
    X(begun, 1)       /* 1: the phase or stage is under way */                                     \
    X(steps, 1)       /* of the run */                                                             \
    X(stage_steps, 1) /* of the phase or stage */                                                  \
    X(row_at, 1)      /* stage_steps of the last row, plus 1; 0: none */                           \
    X(frames, 2)      /* the same for frames: VTK, LAMMPS */                                       \
    X(history, 1)     /* bytes of the table of measures */                                         \
    X(log, 1)         /* bytes of the log */                                                       \
    X(slot, 1)        /* which of the two checkpoint files */                                      \
    X(trial, 1)       /* of the friction of preparation, from 0 */                                 \
    X(reversals, 1)   /* of a cyclic stage */                                                      \
    X(calm, 1)        /* looks in a row at which a state before probes was at rest */              \
    X(probing, 1)     /* 1: it is, and the probes are being run */
#define TW_PLACE_NUMBERS(X)                                                                        \
    X(time, 1)       /* of the run [s] */                                                          \
    X(stage_time, 1) /* of the stage [s] */                                                        \
    X(clock, 1)      /* time of the simulation when last looked at [s] */                          \
    X(strain, 6)     /* since the stage began, compression positive [-] */                         \
    X(volume, 1)     /* when it began [m^3] */                                                     \
    X(travelled, 1)  /* strain of the path, back and forth added up [-] */                         \
    X(before, 1)     /* strain of the path at the last step [-] */                                 \
    X(rate, 1)       /* of the stage [1/s] */                                                      \
    X(target, 1)     /* stress that it holds [Pa] */                                               \
    X(start, 7)      /* stress, q, p, ratio, cycled stress when it began; before probes also the   \
                        share of contacts at the friction limit and the unbalanced force */        \
    X(worst, 1)      /* deviation of the servo under earlier controls of the stage [-] */          \
    X(friction, 1)   /* of the preparation [-] */                                                  \
    X(low, 2)        /* friction and void ratio that are too low [-] */                            \
    X(high, 2)       /* and too high [-]; no void ratio: not tried yet */

typedef struct tw_place {
#define TW_PLACE_COUNT(name, length) uint64_t name[length];
#define TW_PLACE_NUMBER(name, length) double name[length];
    TW_PLACE_COUNTS(TW_PLACE_COUNT)
    TW_PLACE_NUMBERS(TW_PLACE_NUMBER)
#undef TW_PLACE_COUNT
#undef TW_PLACE_NUMBER
} tw_place;

/* Replaces the file at once or not at all. */
tw_status tw_place_write(const tw_place *place, const char *path, tw_error *error);
tw_status tw_place_read(tw_place *place, const char *path, tw_error *error);

#endif
