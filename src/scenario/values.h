/* SPDX-License-Identifier: BSD-3-Clause */
/* Scalar values: from the text in a file to a field, and descriptions of what is accepted. */
#ifndef TW_SCENARIO_VALUES_H
#define TW_SCENARIO_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/key.h"

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

/* What a key accepts: "a stress above 0 [Pa] or 'hold'", "one of x, y, z". */
tw_values_expectation tw_values_expected(const tw_key *key);

/* "above 0", "from 2 to 8"; empty if any number is accepted. */
tw_values_limits tw_values_range(const tw_key *key);

/* Reads a number, count, switch, choice or text into its field; a word of a set is added to the
 * set. False: `why` continues a sentence that begins with the quoted text; it is empty if memory
 * ran out. */
bool tw_values_read(const tw_key *key, const char *text, void *field, tw_values_error *why);

/* The same for one number of a vector or row. */
bool tw_values_read_number(tw_unit unit, const tw_key_range *range, const char *text, double *value,
                           tw_values_error *why);

/* Sets the default of a key that has one. Not for maps and lists. */
void tw_values_set_default(const tw_key *key, void *field);

#endif
