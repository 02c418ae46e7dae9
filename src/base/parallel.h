/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel loops, the threads that run them, and the decision whether they are worth it. */
#ifndef TW_BASE_PARALLEL_H
#define TW_BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/types.h>

/* Parallel loops over independent parts. */

enum { TW_PARALLEL_PARTS_MAX = 64 }; /* of prefix sums and sorting */

typedef struct tw_parallel_range {
    size_t begin, end;
} tw_parallel_range;

/* Number of threads of the next parallel loop of the calling thread. */
int tw_parallel_threads(void);

/* Sets it, for the calling thread only, so that simulations driven by different threads do not
 * interfere. Values below 1 count as 1. */
void tw_parallel_set_threads(int threads);

/* The default: OMP_NUM_THREADS, which clusters set, or the number of processors that the calling
 * thread may use. */
int tw_parallel_default(void);

/* Range number `part` of [0, n) divided into `parts` ranges whose lengths differ by one at most. */
tw_parallel_range tw_parallel_part(size_t n, size_t parts, size_t part);

/* Number of parts for n items whose result does not depend on the order (integers): the number of
 * threads, but at least `grain` items per part. */
size_t tw_parallel_parts(size_t n, size_t grain);

/* Calls `body` for the parts 0 .. parts - 1, concurrently and in no fixed order. A loop within a
 * part runs on its thread alone. On a busy machine, where several threads get no more done than
 * one, the calling thread runs all parts. */
void tw_parallel_run(size_t parts, void (*body)(void *context, size_t part), void *context);

/* Calls `body` for [0, n) in chunks of exactly `grain` items (the last may be shorter), whatever
 * the number of threads. Chunks run concurrently and in no fixed order. */
void tw_parallel_for(size_t n, size_t grain, void (*body)(void *context, size_t begin, size_t end),
                     void *context);

/* Calls `task` for 0 .. n - 1 on `threads` threads (0: the default), each as soon as a thread is
 * free. For long tasks of unequal length that share no data. */
void tw_parallel_tasks(size_t n, int threads, void (*task)(void *context, size_t index),
                       void *context);

/* The time spent in each phase so far by the calling thread and those that share its loops, up to
 * `threads` in all. */
tw_sim_times tw_parallel_times(int threads);

/* Lowers *first to `item`. With SIZE_MAX at the start it ends as the first failing item, whatever
 * the order of threads. */
static inline void tw_parallel_note_first(atomic_size_t *first, size_t item)
{
    size_t known = atomic_load(first);
    while (item < known && !atomic_compare_exchange_weak(first, &known, item)) {
    }
}

/* A pool of threads that share the parts of a loop. Each thread that runs loops has a team of its
 * own, which lives as long as the thread. */

enum { TW_TEAM_MAX = 4096 };

/* Processors that the calling thread may use. */
int tw_team_processors(void);

/* Decides whether parallel loops are worth it. On a machine shared with other users several threads
 * may get less done than one: the system divides the processors among users, and threads that wait
 * for each other waste part of their share. */

/* Initially all zero. */
typedef struct tw_pace {
    double wall, work; /* of the current window [s] */
    double rate[2];    /* work per wall time, in parallel and serial; 0: unknown */
    int mode;          /* index of `rate` */
    int windows;       /* since the other mode was last tried */
} tw_pace;

/* Whether to run the next loop in parallel. */
bool tw_pace_together(const tw_pace *pace);

/* Records a loop run in this mode: its wall time and the processor time of all its parts [s]. */
void tw_pace_record(tw_pace *pace, double wall, double work);

#endif
