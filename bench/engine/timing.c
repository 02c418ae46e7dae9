/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "scene.h"

enum { ENOUGH = 10 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double timing_now(int threads)
{
    return seconds(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

/* One step: processor time summed over threads, wall time, and wall times of the phases summed over
 * threads [s]. */
typedef struct sample {
    double own, wall, phase[PHASES];
    int quiet;
} sample;

/* Number of involuntary context switches of this program. */
static long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void phases_of(const tw_sim *sim, double *phase)
{
    const tw_sim_times t = tw_sim_get_times(sim);
    phase[PHASE_MOVE] = t.move;
    phase[PHASE_DETECT] = t.detect;
    phase[PHASE_FORCE] = t.force + t.walls;
    phase[PHASE_GATHER] = t.gather;
    phase[PHASE_SEARCH] = t.search;
}

static sample sample_step(tw_sim *sim)
{
    sample s;
    double before[PHASES];
    phases_of(sim, before);
    const double wall = seconds(CLOCK_MONOTONIC), own = seconds(CLOCK_PROCESS_CPUTIME_ID);
    scene_run(sim, 1);
    s.own = seconds(CLOCK_PROCESS_CPUTIME_ID) - own;
    s.wall = seconds(CLOCK_MONOTONIC) - wall;
    phases_of(sim, s.phase);
    for (int k = 0; k < PHASES; k++)
        s.phase[k] -= before[k];
    return s;
}

/* Sorts undisturbed steps first; returns their number. */
static int sort_quiet(sample *samples, int count)
{
    int quiet = 0;
    for (int k = 0; k < count; k++) {
        const sample s = samples[k];
        if (!s.quiet) continue;
        samples[k] = samples[quiet];
        samples[quiet++] = s;
    }
    return quiet;
}

enum { WALL = PHASES, OWN };

static double value_of(const sample *s, int which)
{
    return which < PHASES ? s->phase[which] : which == WALL ? s->wall : s->own;
}

static double median_of(const sample *samples, int count, int which)
{
    double *values = malloc((size_t)count * sizeof *values);
    if (!values) exit(1);
    for (int k = 0; k < count; k++)
        values[k] = value_of(&samples[k], which);
    const double middle = timing_median(values, count);
    free(values);
    return middle;
}

/* For long steps on a busy machine: the median processor time, divided among the phases in
 * proportion to wall time. */
static double share_of(const sample *samples, int count, int which, int threads)
{
    double sum = 0.0, wall = 0.0;
    for (int k = 0; k < count; k++) {
        sum += value_of(&samples[k], which);
        wall += samples[k].wall;
    }
    return sum / wall * median_of(samples, count, OWN) / threads;
}

timing timing_take(tw_sim *sim, int threads, int steps)
{
    timing t;
    int count = 0;
    long before = -1, now = switches();
    sample *samples = malloc((size_t)steps * sizeof *samples);
    if (!samples) exit(1);
    for (int k = 0; k < steps; k++) {
        const long start = now;
        samples[count] = sample_step(sim);
        now = switches();
        /* The step before counts too: a thread that lost its processor there may still be waiting
         * for it. */
        samples[count].quiet = now == before;
        before = start;
        count += !(samples[count].phase[PHASE_SEARCH] > 0.0);
    }
    if (count == 0) count = 1; /* each did a search */
    t.quiet = sort_quiet(samples, count);
    if (t.quiet < ENOUGH) t.quiet = 0;
    for (int k = 0; k <= WALL; k++) {
        const double value =
            t.quiet ? median_of(samples, t.quiet, k) : share_of(samples, count, k, threads);
        *(k < PHASES ? &t.phase[k] : &t.step) = k < PHASES ? value / threads : value;
    }
    free(samples);
    return t;
}

void timing_print(const timing *t, int steps)
{
    if (t->quiet)
        printf("medians over the undisturbed steps, %d of %d\n", t->quiet, steps);
    else
        printf("processor time: too few of the %d steps were undisturbed\n", steps);
}
