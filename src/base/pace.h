/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether threads together get more done than one alone. On a machine that others use too they may
 * not: the system shares out the processors among users, and threads that have to wait for each
 * other make less of their share than one does. */
#ifndef TW_BASE_PACE_H
#define TW_BASE_PACE_H

#include <stdbool.h>

/* All zero at the start. */
typedef struct tw_pace {
    double wall, work; /* of the present window [s] */
    double rate[2];    /* work per time in the last windows: together, and alone; 0: not known */
    int mode;          /* index of `rate` */
    int windows;       /* since the other mode was tried */
} tw_pace;

/* How the next loop is to be run. */
bool tw_pace_together(const tw_pace *pace);

/* After a loop that was run so: how long it took, and how long its parts kept processors busy,
 * all of them together [s]. */
void tw_pace_note(tw_pace *pace, double wall, double work);

#endif
