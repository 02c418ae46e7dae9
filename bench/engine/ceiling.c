/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <twirl/math.h>

#include "contact/lanes.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Seconds of work of the calling thread, whoever else uses the machine. */
static double worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Chains of multiply-adds that do not wait for each other: more than it takes to hide the latency
 * of all units (16 on a Neoverse V1: four units of four cycles), and not more than there are
 * registers for. Each has a name, because the compilers leave an array in memory; each takes the
 * product from its neighbour, because a constant one would be pulled out of the loop, and the sum
 * in place, because ARM has no other fused multiply-add. */
#define FIRST(X)                                                                                   \
    X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 8) X(8, 9) X(9, 10) X(10, 11)
#if TW_LANES == 2
#define EACH_CHAIN(X)                                                                              \
    FIRST(X)                                                                                       \
    X(11, 12)                                                                                      \
    X(12, 13)                                                                                      \
    X(13, 14)                                                                                      \
    X(14, 15)                                                                                      \
    X(15, 16) X(16, 17) X(17, 18) X(18, 19) X(19, 20) X(20, 21) X(21, 22) X(22, 23) X(23, 0)
#else
#define EACH_CHAIN(X) FIRST(X) X(11, 0)
#endif
#define START_CHAIN(k, next) tw_lanes chain##k = TW_SPLAT_LANES(0.1 * k);
#define TURN_CHAIN(k, next) chain##k += a * chain##next;
#define COUNT_CHAIN(k, next) +1
#define SUM_CHAIN(k, next) +chain##k[0]

static double flops_of_thread(void)
{
    const long turns = 2000000, chains = EACH_CHAIN(COUNT_CHAIN);
    const tw_lanes a = TW_SPLAT_LANES(1e-9);
    EACH_CHAIN(START_CHAIN)
    const double start = worked();
    for (long turn = 0; turn < turns; turn++) {
        EACH_CHAIN(TURN_CHAIN)
    }
    volatile double keep = EACH_CHAIN(SUM_CHAIN);
    (void)keep;
    return 2.0 * (double)(TW_LANES * chains * turns) / (worked() - start);
}

static double bandwidth_of_thread(double *restrict a, const double *restrict b,
                                  const double *restrict c, size_t count, int turns)
{
    const double start = worked();
    for (int turn = 0; turn < turns; turn++) {
        for (size_t i = 0; i < count; i++)
            a[i] = b[i] + 0.5 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory"); /* or the turns would be taken for one */
    }
    return 24.0 * (double)count * turns / (worked() - start);
}

static double flops_together(int threads)
{
    double sum = 0.0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : sum)
#endif
    sum += flops_of_thread();
    (void)threads;
    return sum;
}

/* Each thread has its own part of every array, and wrote there first. */
static double bandwidth_together(int threads, size_t bytes)
{
    const size_t count = bytes / 24 / (size_t)threads;
    const int turns = 1 + (int)(2e8 / (24.0 * (double)count));
    double sum = 0.0;
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : sum, failed)
#endif
    {
        double *all = malloc(3 * count * sizeof *all);
        failed = !all;
        for (size_t i = 0; all && i < 3 * count; i++)
            all[i] = (double)(i % 7);
#ifdef _OPENMP
#pragma omp barrier
#endif
        if (all) sum = bandwidth_of_thread(all, all + count, all + 2 * count, count, turns);
        free(all);
    }
    if (failed) {
        fprintf(stderr, "ceiling: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return sum;
}

ceiling ceiling_measure(int threads)
{
    /* Within the second level of a core, within the last, and well beyond it. */
    const size_t bytes[CEILING_LEVELS] = {(size_t)threads << 19, (size_t)12 << 20,
                                          (size_t)768 << 20};
    ceiling c = {0};
    for (int run = 0; run < 7; run++) {
        c.flops = tw_math_max(c.flops, flops_together(threads));
        for (int k = 0; k < CEILING_LEVELS; k++) {
            c.level[k].bytes = bytes[k];
            c.level[k].bandwidth =
                tw_math_max(c.level[k].bandwidth, bandwidth_together(threads, bytes[k]));
        }
    }
    return c;
}

double ceiling_bandwidth(const ceiling *c, double bytes)
{
    int k = 0;
    while (k + 1 < CEILING_LEVELS && bytes > (double)c->level[k].bytes)
        k++;
    return c->level[k].bandwidth;
}
