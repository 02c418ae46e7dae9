/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: growable arrays, and scratch memory of a step. */
#ifndef TW_BASE_MEMORY_H
#define TW_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Growable arrays, aligned to a cache line. */

enum { TW_BUFFER_ALIGN = 64 };

/* `count` elements of `size` bytes in whole alignment units; false if that is more than an object
 * can have (PTRDIFF_MAX, with one unit to spare for a header). */
bool tw_buffer_bytes(size_t count, size_t size, size_t *bytes);

/* Makes room for at least `count` elements of `size` bytes:
 *
 *     double *x = NULL;
 *     size_t capacity = 0;
 *     tw_status status = tw_buffer_reserve(&x, &capacity, n, sizeof *x);
 *
 * `array` is the address of the array's pointer, of any object type (hence not void **, which would
 * need a cast and break the aliasing rules). Existing elements are kept, new ones are not
 * initialised. Capacity grows by half or more at a time and never shrinks. On TW_STATUS_MEMORY
 * (also for a size that overflows) nothing has changed. */
tw_status tw_buffer_reserve(void *array, size_t *capacity, size_t count, size_t size);

/* As tw_buffer_reserve, for arrays that share one capacity, which the caller sets once all have
 * grown. False if there is no memory. */
bool tw_buffer_grow(void *array, size_t capacity, size_t count, size_t size);

/* A new array of `count` zeros, at least one. False if there is no memory. */
bool tw_buffer_zeros(void *array, size_t count, size_t size);

/* Frees the array, and sets its pointer to NULL and its capacity to 0. */
void tw_buffer_free(void *array, size_t *capacity);

/* As tw_buffer_free, for an array whose capacity is kept elsewhere. */
void tw_buffer_drop(void *array);

/* Scratch memory of a step: allocated piece by piece, released all at once. */

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
 * maximum. A block of 64 MiB or more is replaced as well, since pages that are not touched again
 * then take no memory. */
void tw_arena_reset(tw_arena *arena);

/* Frees the memory. The arena is empty and can be used again. */
void tw_arena_free(tw_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
