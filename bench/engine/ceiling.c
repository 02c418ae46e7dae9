/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "ceiling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

double ceiling_worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double (*const flops_of_thread[])(void) = {TW_SIMD_EACH(ceiling_flops)};

static double bandwidth_of_thread(double *restrict a, const double *restrict b,
                                  const double *restrict c, size_t count, int turns)
{
    const double start = ceiling_worked();
    for (int turn = 0; turn < turns; turn++) {
        for (size_t i = 0; i < count; i++)
            a[i] = b[i] + 0.5 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory"); /* or the turns would be taken for one */
    }
    return 24.0 * (double)count * turns / (ceiling_worked() - start);
}

static double flops_together(int threads)
{
    double sum = 0.0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : sum)
#endif
    sum += flops_of_thread[tw_simd_level()]();
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
        c.flops = fmax(c.flops, flops_together(threads));
        for (int k = 0; k < CEILING_LEVELS; k++) {
            c.level[k].bytes = bytes[k];
            c.level[k].bandwidth =
                fmax(c.level[k].bandwidth, bandwidth_together(threads, bytes[k]));
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
