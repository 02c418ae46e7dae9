/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* strnlen */
#include "base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { LENGTH_MAX = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int folded(char c)
{
    return tolower((unsigned char)c);
}

/* Optimal string alignment: a swap counts once, as the most common typing error. */
size_t tw_nearest_distance(const char *a, const char *b)
{
    size_t cost[LENGTH_MAX + 1][LENGTH_MAX + 1];
    const size_t rows = strnlen(a, LENGTH_MAX);
    const size_t columns = strnlen(b, LENGTH_MAX);
    for (size_t j = 0; j <= columns; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        cost[i][0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t differ = folded(a[i - 1]) != folded(b[j - 1]);
            size_t best = least(cost[i - 1][j], cost[i][j - 1]) + 1;
            best = least(best, cost[i - 1][j - 1] + differ);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1])) {
                best = least(best, cost[i - 2][j - 2] + 1);
            }
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

static bool is_start_of(const char *word, const char *known)
{
    size_t length = 0;
    for (; word[length]; length++)
        if (folded(word[length]) != folded(known[length])) return false;
    return length >= 3;
}

bool tw_nearest_is_near(const char *word, const char *known)
{
    const size_t length = strnlen(word, LENGTH_MAX), allowed = length > 5 ? 2 : length > 1;
    return is_start_of(word, known) || tw_nearest_distance(word, known) <= allowed;
}

const char *tw_nearest(const char *word, const char *const *known, size_t count)
{
    const char *nearest = NULL;
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = tw_nearest_distance(word, known[i]);
        if (distance >= shortest || !tw_nearest_is_near(word, known[i])) continue;
        shortest = distance;
        nearest = known[i];
    }
    return nearest;
}
