/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a step takes, and its phases, on a machine that others use too. */
#ifndef BENCH_ENGINE_TIMING_H
#define BENCH_ENGINE_TIMING_H

#include <twirl/sim.h>

enum { PHASE_MOVE, PHASE_MEET, PHASE_FORCE, PHASE_GATHER, PHASE_SEARCH, PHASES };

/* Seconds per step. Those of a phase are what each thread has on average. */
typedef struct timing {
    double step, phase[PHASES];
    int quiet; /* steps in which no thread lost its processor to others; 0: too few */
} timing;

/* Runs so many steps. Medians over the quiet ones; where there are too few of them, the median time
 * of the processor over all steps, phases by their share of the time on the wall. Steps that make a
 * list are no part of it: they are rare, and an average over few steps would be chance. */
timing timing_take(tw_sim *sim, int threads, int steps);

double timing_median(double *values, int count);

/* What the timing stands on, for people. */
void timing_tell(const timing *t, int steps);

/* Seconds of the wall, or with one thread of the processor. */
double timing_now(int threads);

#endif
