/* SPDX-License-Identifier: BSD-3-Clause */
/* Exit statuses of the program. */
#ifndef TWIRL_APP_EXIT_STATUS_H
#define TWIRL_APP_EXIT_STATUS_H

#include <twirl/types.h>

enum {
    TW_EXIT_OK = 0,
    TW_EXIT_ENVIRONMENT = 1, /* disk full, out of memory, gnuplot not installed */
    TW_EXIT_USAGE = 2,       /* bad options or bad input */
    TW_EXIT_PHYSICS = 3,     /* the simulation left the range of its model */
    TW_EXIT_SIGNAL = 128     /* plus the number of the signal that ended the run */
};

/* After an error while reading input: a file that cannot be read is bad input. */
int tw_exit_status_reading(tw_status status);

/* After an error while running or writing. */
int tw_exit_status_running(tw_status status);

#endif
