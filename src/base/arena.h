/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory of a step: allocated piece by piece, released all at once. */
#ifndef TW_BASE_ARENA_H
#define TW_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_arena_block tw_arena_block;

/* {0} is an empty arena. Not thread-safe. */
typedef struct tw_arena {
    tw_arena_block *newest; /* pieces come from this block; older blocks are full */
    size_t used;            /* bytes taken since the last reset */
    size_t peak;            /* maximum of `used` */
    uint64_t allocations;   /* blocks allocated so far: constant in steady state */
} tw_arena;

/* `count` elements of `size` bytes, 64-byte aligned, uninitialised. NULL if memory
 * runs out or the product overflows. */
void *tw_arena_take(tw_arena *arena, size_t count, size_t size);

/* A position in an arena, to return to. */
typedef struct tw_arena_mark {
    tw_arena_block *block;
    size_t block_used, used;
} tw_arena_mark;

tw_arena_mark tw_arena_here(const tw_arena *arena);

/* Releases the pieces taken since the mark. If a block was added since, they stay until the reset.
 */
void tw_arena_go_back(tw_arena *arena, tw_arena_mark mark);

/* Releases all pieces and keeps the memory. Several blocks are replaced by one of their total size:
 * any later series of pieces, in any order and sizes, allocates nothing unless its sum is a new
 * maximum. */
void tw_arena_reset(tw_arena *arena);

/* Frees the memory. The arena is empty and can be used again. */
void tw_arena_free(tw_arena *arena);

#endif
