/* SPDX-License-Identifier: BSD-3-Clause */
/* Suggestions for misspelt names: "did you mean". */
#ifndef TW_BASE_NEAREST_H
#define TW_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* The number of insertions, deletions, replacements and swaps of neighbours between two words,
 * ignoring case. Characters beyond the 63rd are not compared. */
size_t tw_nearest_distance(const char *a, const char *b);

/* Whether `word` may be a misspelling of `known`: one error, two in words of more than five
 * letters, or its first letters, at least three. A single letter is never near. */
bool tw_nearest_is_near(const char *word, const char *known);

/* The nearest of known[0..count), the first if there are several; NULL if none is near. */
const char *tw_nearest(const char *word, const char *const *known, size_t count);

#endif
