/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/parallel.h"

#include "base/clock.h"
#include "base/pace.h"
#include "base/team.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

static _Thread_local int requested; /* 0: the default */
static _Thread_local tw_pace pace;

int tw_parallel_threads(void)
{
    if (tw_team_inside()) return 1;
    return requested > 0 ? requested : tw_parallel_default();
}

void tw_parallel_set_threads(int threads)
{
    requested = threads > 1 ? threads : 1;
}

int tw_parallel_default(void)
{
    const char *setting = getenv("OMP_NUM_THREADS");
    const long threads = setting ? strtol(setting, NULL, 10) : 0;
    return threads > 0 && threads <= TW_TEAM_MAX ? (int)threads : tw_team_processors();
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

static double run(size_t parts, int threads, void (*body)(void *context, size_t part),
                  void *context)
{
    const int before = requested; /* a part may set its own */
    const double work = tw_team_run(parts, threads, body, context);
    requested = before;
    return work;
}

void tw_parallel_run(size_t parts, void (*body)(void *context, size_t part), void *context)
{
    const int threads = parts > 1 ? tw_parallel_threads() : 1;
    const bool together = threads > 1 && tw_pace_together(&pace);
    const double start = threads > 1 ? tw_clock() : 0.0;
    const double work = run(parts, together ? threads : 1, body, context);
    if (threads > 1 && work >= 0.0) tw_pace_record(&pace, tw_clock() - start, work);
}

typedef struct parallel_chunks {
    size_t n, grain;
    void (*body)(void *context, size_t begin, size_t end);
    void *context;
} parallel_chunks;

static void run_chunk(void *context, size_t part)
{
    const parallel_chunks *c = context;
    const size_t begin = part * c->grain;
    c->body(c->context, begin, c->n - begin < c->grain ? c->n : begin + c->grain);
}

void tw_parallel_for(size_t n, size_t grain, void (*body)(void *context, size_t begin, size_t end),
                     void *context)
{
    assert(grain > 0);
    parallel_chunks c = {n, grain, body, context};
    tw_parallel_run(n / grain + (n % grain > 0), run_chunk, &c);
}

void tw_parallel_tasks(size_t n, int threads, void (*task)(void *context, size_t index),
                       void *context)
{
    run(n, threads > 0 ? threads : tw_parallel_default(), task, context);
}
