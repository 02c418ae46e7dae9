/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sum.h"

#include "base/parallel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Groups of parts that threads share. */
enum { GROUPS_MAX = 256 };

typedef struct sum_context {
    tw_sum_part part;
    void *context;
    size_t wide;
    double *room;
} sum_context;

static void sum_part(void *context, size_t c)
{
    const sum_context *p = context;
    /* Summed in a local array, so that threads do not share a cache line. */
    double own[TW_SUM_WIDTH_MAX];
    memset(own, 0, p->wide * sizeof *own);
    p->part(p->context, c, own);
    memcpy(p->room + c * p->wide, own, p->wide * sizeof *own);
}

/* Groups of 2^k parts are branches of the tree. */
typedef struct sum_groups {
    tw_sum_part part;
    void *context;
    size_t parts, size, wide;
} sum_groups;

static void group_part(void *context, size_t group, double *sum)
{
    const sum_groups *g = context;
    const size_t begin = group * g->size, end = begin + g->size;
    tw_sum_tree tree[TW_SUM_WIDTH_MAX];
    for (size_t k = 0; k < g->wide; k++)
        tree[k].count = 0;
    for (size_t c = begin; c < end && c < g->parts; c++) {
        double own[TW_SUM_WIDTH_MAX] = {0.0};
        g->part(g->context, c, own);
        for (size_t k = 0; k < g->wide; k++)
            tw_sum_tree_add(&tree[k], own[k]);
    }
    for (size_t k = 0; k < g->wide; k++)
        sum[k] = tw_sum_tree_total(&tree[k]);
}

static void sum_without_room(size_t parts, int width, tw_sum_part part, void *context,
                             double *result)
{
    sum_groups g = {part, context, parts, 1, (size_t)width};
    double room[GROUPS_MAX * TW_SUM_WIDTH_MAX];
    while (parts > GROUPS_MAX * g.size)
        g.size *= 2;
    tw_sum_parts((parts + g.size - 1) / g.size, width, group_part, &g, room, result);
}

void tw_sum_parts(size_t parts, int width, tw_sum_part part, void *context, double *room,
                  double *result)
{
    assert(width > 0 && width <= TW_SUM_WIDTH_MAX);
    const size_t wide = (size_t)width, bytes = wide * sizeof(double);
    sum_context all = {part, context, wide, room};
    if (!room) {
        sum_without_room(parts, width, part, context, result);
        return;
    }
    tw_parallel_run(parts, sum_part, &all);
    for (size_t step = 1; step < parts; step *= 2)
        for (size_t c = 0; c + step < parts; c += 2 * step)
            for (size_t k = 0; k < wide; k++)
                room[c * wide + k] += room[(c + step) * wide + k];
    if (parts > 0)
        memcpy(result, room, bytes);
    else
        memset(result, 0, bytes);
}

typedef struct sum_chunks {
    tw_sum_chunk chunk;
    void *context;
    size_t n;
} sum_chunks;

static void chunk_part(void *context, size_t part, double *sum)
{
    const sum_chunks *c = context;
    const size_t begin = part * TW_SUM_CHUNK;
    c->chunk(c->context, begin, c->n - begin < TW_SUM_CHUNK ? c->n : begin + TW_SUM_CHUNK, sum);
}

void tw_sum_chunks(size_t n, int width, tw_sum_chunk chunk, void *context, double *result)
{
    sum_chunks c = {chunk, context, n};
    tw_sum_parts((n + TW_SUM_CHUNK - 1) / TW_SUM_CHUNK, width, chunk_part, &c, NULL, result);
}

/* Between two powers of two all sums are multiples of the same unit, and x is rounded to the same
 * multiple of it each time; where x lies in the middle of two, from the second time on. So many
 * additions are one exact multiplication. */
double tw_sum_repeated(double x, uint64_t n)
{
    double sum = 0.0;
    while (n > 0) {
        int exponent;
        const double before = sum;
        sum += x;
        n--;
        if (before < x) continue;
        (void)frexp(before, &exponent);
        const double top = ldexp(1.0, exponent), step = (sum + x) - sum;
        const double times = step > 0.0 ? floor((top - sum) / step) - 2.0 : 0.0;
        if (!(times > 0.0)) continue; /* also at a power of two */
        const uint64_t skipped = times < (double)n ? (uint64_t)times : n;
        sum += (double)skipped * step;
        n -= skipped;
    }
    return sum;
}
