/* SPDX-License-Identifier: BSD-3-Clause */
/* Source location of a value: a position in the scenario file, or a command-line setting. */
#ifndef TW_SCENARIO_LOCATION_H
#define TW_SCENARIO_LOCATION_H

#include <stddef.h>

typedef struct tw_location {
    size_t source;       /* 0: the file; k: the k-th setting */
    size_t line, column; /* from 1, in the file; 0: not known */
} tw_location;

#endif
