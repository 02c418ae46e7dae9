/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose parts are independent, on as many threads as the caller has chosen. team.h has the
 * threads. */
#ifndef TW_BASE_PARALLEL_H
#define TW_BASE_PARALLEL_H

#include <stdatomic.h>
#include <stddef.h>

enum { TW_PARALLEL_PARTS_MAX = 64 }; /* of the integer passes (prefix sums, sorting) */

typedef struct tw_parallel_range {
    size_t begin, end;
} tw_parallel_range;

/* How many threads the next parallel loop of the calling thread will have. */
int tw_parallel_threads(void);

/* Sets it, for the calling thread alone: simulations driven by different threads do not meddle.
 * Values under 1 count as 1. */
void tw_parallel_set_threads(int threads);

/* Threads where nobody has chosen: OMP_NUM_THREADS, which clusters set, or one per processor that
 * the calling thread may use. */
int tw_parallel_default(void);

/* Part number `part` of [0, n) cut into `parts` parts that differ by one at most. */
tw_parallel_range tw_parallel_part(size_t n, size_t parts, size_t part);

/* In how many parts to cut n items for which order does not matter to the bits (integers): as many
 * as there are threads, one if a part would have fewer than `grain` items. */
size_t tw_parallel_parts(size_t n, size_t grain);

/* Calls `body` for the parts 0 .. parts - 1. They run at the same time and in no fixed order; a
 * loop within a part stays on its thread. Where the machine is so busy that several threads get no
 * more done than one, the calling one does it alone. */
void tw_parallel_run(size_t parts, void (*body)(void *context, size_t part), void *context);

/* Calls `body` for [0, n) in chunks of exactly `grain` items (the last may be shorter), whatever
 * the number of threads. Chunks run at the same time and in no fixed order. */
void tw_parallel_for(size_t n, size_t grain, void (*body)(void *context, size_t begin, size_t end),
                     void *context);

/* Calls `task` for 0 .. n - 1, each when a thread is free, on so many threads; 0: the
 * default. For tasks that are long and unequal, and write to places of their own. */
void tw_parallel_tasks(size_t n, int threads, void (*task)(void *context, size_t index),
                       void *context);

/* Lowers *first to `item`. With SIZE_MAX at the start it ends as the first failing item, whatever
 * the order of threads. */
static inline void tw_parallel_note_first(atomic_size_t *first, size_t item)
{
    size_t known = atomic_load(first);
    while (item < known && !atomic_compare_exchange_weak(first, &known, item)) {
    }
}

#endif
