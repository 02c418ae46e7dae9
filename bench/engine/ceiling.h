/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured limits of the machine: arithmetic in lanes of the width used by the engine, and the
 * bandwidth of each level of memory. */
#ifndef BENCH_ENGINE_CEILING_H
#define BENCH_ENGINE_CEILING_H

#include "base/simd.h"

#include <stddef.h>

enum { CEILING_LEVELS = 3 };

typedef struct ceiling {
    double flops; /* per second; unfused products and sums */
    struct {
        size_t bytes;     /* of the three arrays of the triad, over all threads */
        double bandwidth; /* bytes read and written per second */
    } level[CEILING_LEVELS];
} ceiling;

/* Measures this many threads together: the best of several runs, by the processor time of each
 * thread. */
ceiling ceiling_measure(int threads);

/* The bandwidth for a working set of this size. */
double ceiling_bandwidth(const ceiling *c, double bytes);

/* Processor time of the calling thread [s]. */
double ceiling_worked(void);

/* Operations per second of the calling thread. */
TW_SIMD_DECLARE(double, ceiling_flops, void);

#endif
