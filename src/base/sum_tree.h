/* SPDX-License-Identifier: BSD-3-Clause */
/* A sum of items 0, 1, 2 ... in a binary tree: neighbours in pairs, then pairs of pairs and so on;
 * what is left over at the end joins last. Any number of items in the memory of a few. */
#ifndef TW_BASE_SUM_TREE_H
#define TW_BASE_SUM_TREE_H

#include <stdint.h>

#include <twirl/math.h>

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

#endif
