/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/parallel.h"

#include <assert.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

int tw_parallel_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

void tw_parallel_set_threads(int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads > 1 ? threads : 1);
#else
    (void)threads;
#endif
}

/* Not omp_get_max_threads(): an earlier choice in this process has changed that. */
int tw_parallel_default(void)
{
#ifdef _OPENMP
    const char *wish = getenv("OMP_NUM_THREADS");
    const long threads = wish ? strtol(wish, NULL, 10) : 0;
    return threads > 0 && threads <= omp_get_thread_limit() ? (int)threads : omp_get_num_procs();
#else
    return 1;
#endif
}

tw_parallel_range tw_parallel_part(size_t n, size_t parts, size_t part)
{
    const size_t share = n / parts, longer = n % parts; /* the first `longer` parts have one more */
    tw_parallel_range range;
    range.begin = share * part + (part < longer ? part : longer);
    range.end = range.begin + share + (part < longer ? 1 : 0);
    return range;
}

size_t tw_parallel_parts(size_t n, size_t grain)
{
    size_t parts = (size_t)tw_parallel_threads();
    if (parts > TW_PARALLEL_PARTS_MAX) parts = TW_PARALLEL_PARTS_MAX;
    if (parts > n / grain) parts = n / grain;
    return parts > 1 ? parts : 1;
}

void tw_parallel_for(size_t n, size_t grain, void (*body)(void *context, size_t begin, size_t end),
                     void *context)
{
    assert(grain > 0);
    const size_t chunks = n / grain + (n % grain > 0);
    TW_PARALLEL_LOOP(chunks > 1)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t begin = chunk * grain;
        body(context, begin, n - begin < grain ? n : begin + grain);
    }
}

void tw_parallel_tasks(size_t n, int threads, void (*task)(void *context, size_t index),
                       void *context)
{
#ifdef _OPENMP
    if (threads < 1) threads = tw_parallel_default();
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
#else
    (void)threads;
#endif
    for (size_t index = 0; index < n; index++)
        task(context, index);
}
