/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a step and its phases, robust on a shared machine. */
#ifndef BENCH_ENGINE_TIMING_H
#define BENCH_ENGINE_TIMING_H

#include <twirl/sim.h>

enum { PHASE_MOVE, PHASE_DETECT, PHASE_FORCE, PHASE_GATHER, PHASE_SEARCH, PHASES };

/* Seconds per step. Times of phases are averages over threads. */
typedef struct timing {
    double step, phase[PHASES];
    int quiet; /* number of undisturbed steps; 0: too few */
} timing;

/* Runs `steps` steps and takes medians over the undisturbed ones. If there are too few, takes the
 * median processor time over all steps, divided among the phases in proportion to wall time. Steps
 * with a search are left out: they are too rare for a reliable average. */
timing timing_take(tw_sim *sim, int threads, int steps);

double timing_median(double *values, int count);

/* Prints what the timing is based on. */
void timing_print(const timing *t, int steps);

/* Wall time [s], or processor time with one thread. */
double timing_now(int threads);

#endif
