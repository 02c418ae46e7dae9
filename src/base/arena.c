/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include "base/buffer.h"

#include <stdlib.h>

enum { ARENA_BLOCK_MIN = 1 << 16 };

/* The header fills one alignment unit; the pieces follow it. */
struct tw_arena_block {
    tw_arena_block *older;
    size_t capacity; /* bytes after the header */
    size_t used;
};

static char *arena_pieces(tw_arena_block *block)
{
    return (char *)block + TW_BUFFER_ALIGN;
}

static tw_arena_block *arena_add_block(tw_arena *arena, size_t capacity)
{
    _Static_assert(sizeof(tw_arena_block) <= TW_BUFFER_ALIGN, "header fits an alignment unit");
    tw_arena_block *block = aligned_alloc(TW_BUFFER_ALIGN, TW_BUFFER_ALIGN + capacity);
    if (!block) return NULL;
    arena->allocations++;
    block->older = arena->newest;
    block->capacity = capacity;
    block->used = 0;
    arena->newest = block;
    return block;
}

void *tw_arena_take(tw_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!tw_buffer_bytes(count, size, &bytes)) return NULL;
    tw_arena_block *block = arena->newest;
    if (!block || bytes > block->capacity - block->used) {
        size_t capacity = block ? 2 * block->capacity : ARENA_BLOCK_MIN;
        if (capacity < bytes) capacity = bytes;
        block = arena_add_block(arena, capacity);
        if (!block && capacity > bytes) block = arena_add_block(arena, bytes);
        if (!block) return NULL;
    }
    void *piece = arena_pieces(block) + block->used;
    block->used += bytes;
    arena->used += bytes;
    if (arena->peak < arena->used) arena->peak = arena->used;
    return piece;
}

tw_arena_mark tw_arena_here(const tw_arena *arena)
{
    return (tw_arena_mark){arena->newest, arena->newest ? arena->newest->used : 0, arena->used};
}

void tw_arena_go_back(tw_arena *arena, tw_arena_mark mark)
{
    if (!mark.block || arena->newest != mark.block) return;
    arena->newest->used = mark.block_used;
    arena->used = mark.used;
}

void tw_arena_reset(tw_arena *arena)
{
    arena->used = 0;
    if (!arena->newest) return;
    arena->newest->used = 0;
    if (!arena->newest->older) return;
    size_t capacity = 0;
    for (tw_arena_block *block = arena->newest; block; block = block->older)
        capacity += block->capacity;
    /* Freed before the larger block is allocated, so that both never exist at once. If that fails,
     * the arena is empty and the next tw_arena_take reports it. */
    const size_t peak = arena->peak;
    tw_arena_free(arena);
    arena->peak = peak;
    arena_add_block(arena, capacity);
}

void tw_arena_free(tw_arena *arena)
{
    while (arena->newest) {
        tw_arena_block *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    arena->used = 0;
    arena->peak = 0;
}
