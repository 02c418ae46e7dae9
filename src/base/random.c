/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal deviates by Karney's rejection method (ACM TOMS 42, 2016, algorithms N, H and B). It only
 * compares uniform numbers, so the bits are the same everywhere; Box-Muller and Marsaglia's method
 * are faster but depend on the last bit of the platform's logarithm. */
#include "base/random.h"

#include <stdbool.h>

/* True with probability exp(-1/2): von Neumann's descending run below 1/2 has even length. */
static bool random_half(tw_random *random)
{
    double top = 0.5;
    for (bool even = true;; even = !even) {
        const double u = tw_random_uniform(random);
        if (u >= top) return even;
        top = u;
    }
}

/* True with probability exp(-x (2k + x) / (2k + 2)), by a run in which each number must also pass
 * with probability (2k + x) / (2k + 2). */
static bool random_within(tw_random *random, int k, double x)
{
    const double pass = (2 * k + x) / (2 * k + 2);
    double top = x;
    for (bool even = true;; even = !even) {
        const double u = tw_random_uniform(random);
        if (u >= top || tw_random_uniform(random) >= pass) return even;
        top = u;
    }
}

/* Integer part k with weight exp(-k^2/2), or -1: try again. */
static int random_whole(tw_random *random)
{
    int k = 0;
    while (random_half(random))
        k++;
    for (int i = k * (k - 1); i > 0; i--)
        if (!random_half(random)) return -1;
    return k;
}

double tw_random_normal(tw_random *random)
{
    for (;;) {
        const int k = random_whole(random);
        if (k < 0) continue;
        const double x = tw_random_uniform(random);
        int left = k + 1;
        while (left > 0 && random_within(random, k, x))
            left--;
        if (left > 0) continue;
        return tw_random_next(random) >> 63 ? -(k + x) : k + x;
    }
}
