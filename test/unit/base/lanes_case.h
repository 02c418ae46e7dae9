/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of base/lanes.h for arrays, for one level of base/simd.h. */
#ifndef TWIRL_TEST_UNIT_LANES_CASE_H
#define TWIRL_TEST_UNIT_LANES_CASE_H

#include <stddef.h>

#include "base/simd.h"

enum { LANES_CASE_COUNT = 64 };

typedef struct lanes_case {
    double a[LANES_CASE_COUNT], b[LANES_CASE_COUNT];  /* given */
    size_t count;                                     /* of the sum and of the members */
    double select[LANES_CASE_COUNT];                  /* a where a < b, else b */
    double only[LANES_CASE_COUNT];                    /* a where a < b, else 0 */
    double root[LANES_CASE_COUNT];                    /* of |a| */
    int all[LANES_CASE_COUNT], any[LANES_CASE_COUNT]; /* of a < b, by group */
    size_t member[LANES_CASE_COUNT];                  /* by lane */
    double sum;                                       /* of a[0 .. count - 1] */
    size_t lanes;
} lanes_case;

TW_SIMD_DECLARE(void, lanes_case_run, lanes_case *c);

#endif
