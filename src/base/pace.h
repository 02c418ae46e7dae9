/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether parallel loops are worth it. On a machine shared with other users several threads
 * may get less done than one: the system divides the processors among users, and threads that wait
 * for each other waste part of their share. */
#ifndef TW_BASE_PACE_H
#define TW_BASE_PACE_H

#include <stdbool.h>

/* Initially all zero. */
typedef struct tw_pace {
    double wall, work; /* of the current window [s] */
    double rate[2];    /* work per wall time, in parallel and serial; 0: unknown */
    int mode;          /* index of `rate` */
    int windows;       /* since the other mode was last tried */
} tw_pace;

/* Whether to run the next loop in parallel. */
bool tw_pace_together(const tw_pace *pace);

/* Records a loop run in this mode: its wall time and the processor time of all its parts [s]. */
void tw_pace_record(tw_pace *pace, double wall, double work);

#endif
