/* SPDX-License-Identifier: BSD-3-Clause */
/* The thin layer over OpenMP; without OpenMP the same code runs on one thread. */
#ifndef TW_BASE_PARALLEL_H
#define TW_BASE_PARALLEL_H

#include <stddef.h>

/* Stands before a `for` whose turns are independent. Static: equal shares, in order, to each
 * thread. Where `worth` is false the loop stays on the calling thread, and no team is woken for it.
 */
#ifdef _OPENMP
#define TW_PARALLEL_PRAGMA(text) _Pragma(#text)
#define TW_PARALLEL_LOOP(worth) TW_PARALLEL_PRAGMA(omp parallel for schedule(static) if (worth))
#else
#define TW_PARALLEL_LOOP(worth)
#endif

enum { TW_PARALLEL_PARTS_MAX = 64 }; /* of the integer passes (prefix sums, sorting) */

typedef struct tw_parallel_range {
    size_t begin, end;
} tw_parallel_range;

/* How many threads the next parallel loop of the calling thread will have. */
int tw_parallel_threads(void);

/* Sets it, for the calling thread alone: simulations driven by different threads do not meddle.
 * Values under 1 count as 1. */
void tw_parallel_set_threads(int threads);

/* Threads where nobody has chosen: OMP_NUM_THREADS, or one per processor. */
int tw_parallel_default(void);

/* Part number `part` of [0, n) cut into `parts` parts that differ by one at most. */
tw_parallel_range tw_parallel_part(size_t n, size_t parts, size_t part);

/* In how many parts to cut n items for which order does not matter to the bits (integers): as many
 * as there are threads, one if a part would have fewer than `grain` items. */
size_t tw_parallel_parts(size_t n, size_t grain);

/* Calls `body` for [0, n) in chunks of exactly `grain` items (the last may be shorter), whatever
 * the number of threads. Chunks run at the same time and in no fixed order. */
void tw_parallel_for(size_t n, size_t grain, void (*body)(void *context, size_t begin, size_t end),
                     void *context);

/* Calls `task` for 0 .. n - 1, each when a thread is free, on so many threads; 0: the
 * default. For tasks that are long and unequal, and write to places of their own. */
void tw_parallel_tasks(size_t n, int threads, void (*task)(void *context, size_t index),
                       void *context);

#endif
