/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool tw_buffer_bytes(size_t count, size_t size, size_t *bytes)
{
    const size_t most = PTRDIFF_MAX - 2 * (size_t)TW_BUFFER_ALIGN;
    if (size != 0 && count > most / size) return false;
    *bytes = (count * size + TW_BUFFER_ALIGN - 1) / TW_BUFFER_ALIGN * TW_BUFFER_ALIGN;
    return true;
}

tw_status tw_buffer_reserve(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return TW_STATUS_OK;
    size_t room = *capacity + *capacity / 2, bytes;
    if (room < count) room = count;
    if (!tw_buffer_bytes(room, size, &bytes)) {
        room = count;
        if (!tw_buffer_bytes(room, size, &bytes)) return TW_STATUS_MEMORY;
    }
    void *fresh = aligned_alloc(TW_BUFFER_ALIGN, bytes ? bytes : TW_BUFFER_ALIGN);
    if (!fresh) return TW_STATUS_MEMORY;
    void *old;
    memcpy(&old, array, sizeof old);
    if (old) memcpy(fresh, old, *capacity * size);
    free(old);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = room;
    return TW_STATUS_OK;
}

bool tw_buffer_grow(void *array, size_t capacity, size_t count, size_t size)
{
    return tw_buffer_reserve(array, &capacity, count, size) == TW_STATUS_OK;
}

bool tw_buffer_zeros(void *array, size_t count, size_t size)
{
    const size_t room = count > 0 ? count : 1;
    void *start = NULL;
    if (!tw_buffer_grow(&start, 0, room, size)) return false;
    memset(start, 0, room * size);
    memcpy(array, &start, sizeof start);
    return true;
}

void tw_buffer_drop(void *array)
{
    void *old;
    memcpy(&old, array, sizeof old);
    free(old);
    old = NULL;
    memcpy(array, &old, sizeof old);
}

void tw_buffer_free(void *array, size_t *capacity)
{
    tw_buffer_drop(array);
    *capacity = 0;
}

enum { ARENA_BLOCK_MIN = 1 << 16, ARENA_LARGE = 1 << 26 };

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
    if (!arena->newest->older && arena->newest->capacity < ARENA_LARGE) return;
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
