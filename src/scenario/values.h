/* SPDX-License-Identifier: BSD-3-Clause */
/* Single values: from the words of a file to a field, and what would be right. */
#ifndef TW_SCENARIO_VALUES_H
#define TW_SCENARIO_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/keys.h"

/* Room for the part of a message that says what is wrong; what would be right; and in which limits.
 */
typedef struct tw_values_words {
    char text[512];
} tw_values_words;

typedef struct tw_values_right {
    char text[400];
} tw_values_right;

typedef struct tw_values_limits {
    char text[80];
} tw_values_limits;

/* "a stress above 0 [Pa] or 'hold'", "one of x, y, z". */
tw_values_right tw_values_expected(const tw_key *key);

/* "above 0", "from 2 to 8"; empty where any number will do. */
tw_values_limits tw_values_range(const tw_key *key);

/* Marks a field as not set. Not for maps and lists. */
void tw_values_clear(const tw_key *key, void *field);

/* Puts a number, count, switch, choice or text into its field; a word of a set is added to it.
 * False: `why` is what follows the quoted text in a message. No memory: false, and `why` is empty.
 */
bool tw_values_read(const tw_key *key, const char *text, void *field, tw_values_words *why);

/* The same for a number that is one of a vector or row. */
bool tw_values_number(tw_unit unit, const tw_key_range *range, const char *text, double *value,
                      tw_values_words *why);

/* The default of a key that has one; not for maps and lists. */
void tw_values_standard(const tw_key *key, void *field);

#endif
