/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine can do at most, measured: arithmetic in the lanes the engine uses, and the
 * bandwidth of each level of memory. */
#ifndef BENCH_ENGINE_CEILING_H
#define BENCH_ENGINE_CEILING_H

#include "base/simd.h"

#include <stddef.h>

enum { CEILING_LEVELS = 3 };

typedef struct ceiling {
    double flops; /* per second; plain products and sums */
    struct {
        size_t bytes;     /* of the three arrays of the triad, all threads together */
        double bandwidth; /* bytes read and written per second */
    } level[CEILING_LEVELS];
} ceiling;

/* Of this many threads together. The best of several runs, by the processor time of each thread. */
ceiling ceiling_measure(int threads);

/* The bandwidth where this much data lives. */
double ceiling_bandwidth(const ceiling *c, double bytes);

/* Seconds of work of the calling thread, whoever else uses the machine. */
double ceiling_worked(void);

/* Operations per second of the calling thread. */
TW_SIMD_DECLARE(double, ceiling_flops, void);

#endif
