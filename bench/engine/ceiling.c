/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "ceiling.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <twirl/math.h>

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
        __asm__ volatile("" : : "r"(a) : "memory"); /* keeps the compiler from merging turns */
    }
    return 24.0 * (double)count * turns / (ceiling_worked() - start);
}

enum { THREADS_MAX = 1024 };

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    size_t count; /* numbers per array of this thread; 0: measure arithmetic, not bandwidth */
    int turns;
    double rate; /* negative: out of memory */
} worker;

/* Each thread has its own part of every array and touches it first. */
static void *measure(void *argument)
{
    worker *w = argument;
    double *all = w->count > 0 ? malloc(3 * w->count * sizeof *all) : NULL;
    for (size_t i = 0; all && i < 3 * w->count; i++)
        all[i] = (double)(i % 7);
    pthread_barrier_wait(w->start);
    if (w->count == 0)
        w->rate = flops_of_thread[tw_simd_level()]();
    else if (all)
        w->rate = bandwidth_of_thread(all, all + w->count, all + 2 * w->count, w->count, w->turns);
    else
        w->rate = -1.0;
    free(all);
    return NULL;
}

static void stop(const char *what)
{
    fprintf(stderr, "ceiling: %s\n", what);
    exit(1);
}

static double together(int threads, size_t count)
{
    static worker workers[THREADS_MAX];
    pthread_barrier_t start;
    double sum = 0.0;
    if (threads > THREADS_MAX) stop("more than 1024 threads");
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int k = 0; k < threads; k++) {
        const int turns = count > 0 ? 1 + (int)(2e8 / (24.0 * (double)count)) : 0;
        workers[k] = (worker){.start = &start, .count = count, .turns = turns};
        if (pthread_create(&workers[k].thread, NULL, measure, &workers[k]) != 0)
            stop("cannot create a thread");
    }
    for (int k = 0; k < threads; k++) {
        pthread_join(workers[k].thread, NULL);
        if (workers[k].rate < 0.0) stop("no memory");
        sum += workers[k].rate;
    }
    pthread_barrier_destroy(&start);
    return sum;
}

ceiling ceiling_measure(int threads)
{
    /* Within the second-level cache of a core, within the last level, and well beyond it. */
    const size_t bytes[CEILING_LEVELS] = {(size_t)threads << 19, (size_t)12 << 20,
                                          (size_t)768 << 20};
    ceiling c = {0};
    for (int run = 0; run < 7; run++) {
        c.flops = tw_math_max(c.flops, together(threads, 0));
        for (int k = 0; k < CEILING_LEVELS; k++) {
            c.level[k].bytes = bytes[k];
            c.level[k].bandwidth = tw_math_max(c.level[k].bandwidth,
                                               together(threads, bytes[k] / 24 / (size_t)threads));
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
