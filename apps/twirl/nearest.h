/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": the known name nearest to a mistyped one. */
#ifndef TWIRL_APP_NEAREST_H
#define TWIRL_APP_NEAREST_H

#include <stddef.h>

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other;
 * upper and lower case are the same. Characters beyond the 63rd are not compared. */
size_t tw_nearest_distance(const char *a, const char *b);

/* The first of the nearest among known[0..count); NULL only if count is 0. */
const char *tw_nearest(const char *word, const char *const *known, size_t count);

#endif
