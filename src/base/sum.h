/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums with the same bits for any number of threads: items are added in chunks that depend only on
 * their number, and the sums of chunks are added in a fixed binary tree. */
#ifndef TW_BASE_SUM_H
#define TW_BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/math.h>

/* Sums in eight lanes: item i of 0, 1, 2 ... goes to lane i modulo TW_SUM_LANES, on every machine.
 * Shorter chains of additions round less, and lanes can be added at the same time. */

enum { TW_SUM_LANES = 8 };

/* The sum of the lanes. */
TW_INLINE double tw_sum_lanes_join(const double t[TW_SUM_LANES])
{
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}

/* A sum of items 0, 1, 2 ... in a binary tree: neighbours in pairs, then pairs of pairs and so on;
 * what is left over at the end joins last. Any number of items in the memory of a few. */

enum { TW_SUM_TREE_LEVELS = 32 };

typedef struct tw_sum_tree {
    double level[TW_SUM_TREE_LEVELS]; /* level[k]: a sum of 2^k items, if bit k of `count` is set */
    uint32_t count;
} tw_sum_tree;

TW_INLINE void tw_sum_tree_add(tw_sum_tree *tree, double x)
{
    uint32_t k = 0;
    for (; tree->count >> k & 1u; k++)
        x = tree->level[k] + x;
    tree->level[k] = x;
    tree->count++;
}

TW_INLINE double tw_sum_tree_total(const tw_sum_tree *tree)
{
    double sum = 0.0;
    uint32_t k = 0, left = tree->count;
    if (left == 0) return sum;
    for (; !(left >> k & 1u); k++) {
    }
    sum = tree->level[k];
    for (left &= left - 1; left; left &= left - 1) {
        for (k++; !(left >> k & 1u); k++) {
        }
        sum = tree->level[k] + sum;
    }
    return sum;
}

/* Items in a chunk of tw_sum_chunks: few, so that many threads of a device can share the work. */
enum { TW_SUM_WIDTH_MAX = 32, TW_SUM_CHUNK = 64 };

/* Adds the contributions of items begin..end-1 to sum[0..width-1], initially zero. Called by
 * several threads at once. */
typedef void (*tw_sum_chunk)(void *context, size_t begin, size_t end, double *sum);

/* `width` sums at once over n items, whose contributions are computed on the fly. */
void tw_sum_chunks(size_t n, int width, tw_sum_chunk chunk, void *context, double *result);

/* Likewise over parts defined by the caller. `room` holds parts * width numbers; NULL: none, and
 * neighbouring parts share a thread where there are many. */
typedef void (*tw_sum_part)(void *context, size_t part, double *sum);

void tw_sum_parts(size_t parts, int width, tw_sum_part part, void *context, double *room,
                  double *result);

/* x + x + x ..., n times one after the other, rounded each time: x is positive. Takes as long for
 * many as for few. */
double tw_sum_repeated(double x, uint64_t n);

#endif
