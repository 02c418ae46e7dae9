/* SPDX-License-Identifier: BSD-3-Clause */
/* Path from the root to a key: "stages[2].rate" has three parts. */
#ifndef TW_SCENARIO_KEY_PATH_H
#define TW_SCENARIO_KEY_PATH_H

#include <stddef.h>

typedef struct tw_key_path {
    const struct tw_key_path *parent; /* NULL: top level */
    const char *name;                 /* NULL: an item of a list */
    size_t index;                     /* of a list item, from 1 */
} tw_key_path;

#endif
