/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of keys, by their types: from a text or a node of the tree to a field, descriptions of
 * what is accepted, and fields that are set or not. A field that is not set is NaN,
 * TW_SCENARIO_NONE, -1, TW_SCENARIO_NO_SET or NULL, depending on its type. */
#ifndef TW_SCENARIO_VALUES_H
#define TW_SCENARIO_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "scenario/schema.h"
#include "scenario/tree.h"

/* Parts of messages; each has room for the ones below it. */
typedef struct tw_values_error {
    char text[800];
} tw_values_error;

typedef struct tw_values_expectation {
    char text[400];
} tw_values_expectation;

typedef struct tw_values_limits {
    char text[80];
} tw_values_limits;

/* "number", "list of choices". */
const char *tw_values_type_name(const tw_key *key);

/* What a key accepts: "a stress above 0 [Pa] or 'hold'", "one of x, y, z". */
tw_values_expectation tw_values_expected(const tw_key *key);

/* "above 0", "from 2 to 8"; empty if any number is accepted. */
tw_values_limits tw_values_range(const tw_key *key);

/* Reads a number, count, switch, choice or text into its field; a word of a set is added to the
 * set. False: `why` continues a sentence that begins with the quoted text; it is empty if memory
 * ran out. */
bool tw_values_read(const tw_key *key, const char *text, void *field, tw_values_error *why);

/* Reads one number of a vector or row, in the same way. */
bool tw_values_read_number(tw_unit unit, const tw_key_range *range, const char *text, double *value,
                           tw_values_error *why);

/* Sets the default of a key that has one. Not for maps and lists. */
void tw_values_set_default(const tw_key *key, void *field);

/* Reads and checks the value of a key. Not for maps and lists of sections. */
void tw_values_take(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                    void *field);

/* Reports a node of the wrong kind: "is a list of 2 items; expected EXPECTED". */
void tw_values_refuse_kind(tw_diagnostics *diagnostics, tw_tree_node *node, const char *expected);

/* A text that is being written, as YAML, as JSON or in words. */
typedef struct tw_values_writer {
    tw_text_buffer text;
    bool json, words;
} tw_values_writer;

/* Writes a value that is set. Not for maps and lists of sections. */
void tw_values_put(tw_values_writer *writer, const tw_key *key, const void *field);

/* ---- Fields ---- */

static inline void *tw_values_at(const tw_key *key, void *structure)
{
    return (char *)structure + key->offset;
}

static inline const void *tw_values_at_const(const tw_key *key, const void *structure)
{
    return (const char *)structure + key->offset;
}

/* The items of a list of sections. */
typedef struct tw_values_list {
    char *items;
    size_t count;
} tw_values_list;

tw_values_list tw_values_get_list(const tw_key *key, const void *structure);
void tw_values_set_list(const tw_key *key, void *structure, tw_values_list list);

/* Marks one field as not set. Not for maps and lists. */
void tw_values_clear_one(const tw_key *key, void *field);

/* Marks all fields of a section and its subsections as not set. */
void tw_values_clear(const tw_key_section *section, void *structure);

/* Whether a field is set; for a section, whether any of its fields is. */
bool tw_values_any(const tw_key *key, const void *structure);

/* Frees all memory below `structure`. */
void tw_values_free(const tw_key_section *section, void *structure);

/* ---- Sections ---- */

/* "path: triaxial, undrained", or "a generated specimen, specimen.file"; empty for all kinds. */
void tw_key_describe_kinds(const tw_key_section *section, uint32_t kinds, char *text, size_t size);

/* What to say about a word that is not a key or choice, but known from elsewhere. */
typedef struct tw_hint {
    const char *place; /* section of a key, or "KEY:" for a choice of KEY; a note for "" applies
                          everywhere */
    const char *words; /* separated by spaces */
    const char *name;  /* the name here, or NULL */
    const char *note;  /* without `name`: what to do instead */
} tw_hint;

/* All hints, in the order of hints.def. */
const tw_hint *tw_hint_list(size_t *count);

/* The hint for a word in a place, ignoring case and the difference of '-' and '_'; NULL: none. */
const tw_hint *tw_hint_find(const char *place, const char *word);

/* "use 'NAME'" or the note. */
void tw_hint_describe(const tw_hint *hint, char *text, size_t size);

enum { TW_FILL_ITEMS_MAX = 1000 }; /* sections of one list */

/* Fills a cleared structure from the tree, by the list of keys, with all checks that the list
 * implies: names, types, ranges, and which keys are used, required or exclude each other. `map` may
 * be NULL: all defaults. `above` are the kinds of the parent section. */
void tw_fill_section(tw_diagnostics *diagnostics, const tw_key_section *section, tw_tree_node *map,
                     uint32_t above, void *structure);

#endif
