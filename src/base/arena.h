/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory of a step: taken piece by piece, given back all at once. */
#ifndef TW_BASE_ARENA_H
#define TW_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_arena_block tw_arena_block;

/* {0} is an empty arena. One thread at a time. */
typedef struct tw_arena {
    tw_arena_block *newest; /* pieces come from this block alone; older ones are full */
    size_t used;            /* bytes taken since the last reset */
    size_t peak;            /* the most that `used` has been */
    uint64_t allocations;   /* blocks asked of the system so far: constant in steady state */
} tw_arena;

/* `count` elements of `size` bytes, 64-byte aligned, uninitialised. NULL if the system has no more
 * memory or the product overflows. */
void *tw_arena_take(tw_arena *arena, size_t count, size_t size);

/* Where an arena stands, to go back to. */
typedef struct tw_arena_mark {
    tw_arena_block *block;
    size_t block_used, used;
} tw_arena_mark;

tw_arena_mark tw_arena_here(const tw_arena *arena);

/* Forgets the pieces taken since the mark. If a block was added since, they stay until the reset.
 */
void tw_arena_go_back(tw_arena *arena, tw_arena_mark mark);

/* Forgets every piece and keeps the memory. If it lies in several blocks they become one, so that
 * from then on any series of pieces whose sum has been seen before needs no system call, in
 * whatever order and sizes it comes. */
void tw_arena_reset(tw_arena *arena);

/* Gives the memory back; the arena is empty again and can be used. */
void tw_arena_free(tw_arena *arena);

#endif
