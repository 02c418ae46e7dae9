/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums in eight lanes: item i of 0, 1, 2 ... goes to lane i modulo TW_SUM_LANES, on every machine.
 * Shorter chains of additions round less, and lanes can be added at the same time. */
#ifndef TW_BASE_SUM_LANES_H
#define TW_BASE_SUM_LANES_H

#include <twirl/math.h>

enum { TW_SUM_LANES = 8 };

/* The sum of the lanes. */
TW_INLINE double tw_sum_lanes_join(const double t[TW_SUM_LANES])
{
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}

#endif
