/* SPDX-License-Identifier: BSD-3-Clause */
/* Suggestions for misspelt names: "did you mean". */
#ifndef TW_BASE_NEAREST_H
#define TW_BASE_NEAREST_H

#include <stddef.h>

/* The number of insertions, deletions, replacements and swaps of neighbours between two words,
 * ignoring case. Characters beyond the 63rd are not compared. */
size_t tw_nearest_distance(const char *a, const char *b);

/* The nearest of known[0..count), the first if there are several; NULL if count is 0. */
const char *tw_nearest(const char *word, const char *const *known, size_t count);

#endif
