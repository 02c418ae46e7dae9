/* SPDX-License-Identifier: BSD-3-Clause */
/* Where something stands: in the file, or in a setting of the command line; and under which key. */
#ifndef TW_SCENARIO_PLACE_H
#define TW_SCENARIO_PLACE_H

#include <stddef.h>

typedef struct tw_place {
    size_t source;       /* 0: the file; k: the k-th setting */
    size_t line, column; /* from 1; of the file alone */
} tw_place;

/* The way from the root to a key: "stages[2].rate" has three parts. */
typedef struct tw_trail {
    const struct tw_trail *parent; /* NULL: below the root */
    const char *name;              /* NULL: an item of a list */
    size_t index;                  /* of an item, from 1 */
} tw_trail;

#endif
