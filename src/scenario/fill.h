/* SPDX-License-Identifier: BSD-3-Clause */
/* From the tree of a file to a structure, by the list of keys. Everything the list knows is checked
 * here: names, types, ranges, which key belongs where, which exclude each other, which are needed.
 */
#ifndef TW_SCENARIO_FILL_H
#define TW_SCENARIO_FILL_H

#include "scenario/faults.h"
#include "scenario/keys.h"
#include "scenario/tree.h"

enum { TW_FILL_ITEMS_MAX = 1000 }; /* sections of one list */

typedef struct tw_fill {
    tw_faults *faults;
    const char *folder; /* of the scenario: files it names are looked for there */
} tw_fill;

/* All fields of a section, and of those below, not set. */
void tw_fill_clear(const tw_section *section, void *structure);

/* Gives back all memory below `structure`. */
void tw_fill_free(const tw_section *section, void *structure);

/* `map` may be NULL: then all is default. `above` are the kinds of the section around it. */
void tw_fill_map(const tw_fill *fill, const tw_section *section, tw_node *map,
                 const tw_trail *trail, uint32_t above, void *structure);

/* Where the value of a key stands; if it is not there, where the map does. */
tw_place tw_fill_place(const tw_node *map, const char *key);

#endif
