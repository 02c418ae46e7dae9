/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of the scenario structures, by key. A field that is not set is NaN, TW_SCENARIO_NONE, -1,
 * TW_SCENARIO_NO_SET or NULL, depending on its type. */
#ifndef TW_SCENARIO_FIELDS_H
#define TW_SCENARIO_FIELDS_H

#include "scenario/key.h"

static inline void *tw_fields_at(const tw_key *key, void *structure)
{
    return (char *)structure + key->offset;
}

static inline const void *tw_fields_at_const(const tw_key *key, const void *structure)
{
    return (const char *)structure + key->offset;
}

/* The items of a list of sections. */
typedef struct tw_fields_list {
    char *items;
    size_t count;
} tw_fields_list;

tw_fields_list tw_fields_get_list(const tw_key *key, const void *structure);
void tw_fields_set_list(const tw_key *key, void *structure, tw_fields_list list);

/* Marks one field as not set. Not for maps and lists. */
void tw_fields_clear_one(const tw_key *key, void *field);

/* Marks all fields of a section and its subsections as not set. */
void tw_fields_clear(const tw_key_section *section, void *structure);

/* Whether a field is set; for a section, whether any of its fields is. */
bool tw_fields_any(const tw_key *key, const void *structure);

/* Frees all memory below `structure`. */
void tw_fields_free(const tw_key_section *section, void *structure);

#endif
