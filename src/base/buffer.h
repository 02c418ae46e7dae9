/* SPDX-License-Identifier: BSD-3-Clause */
/* Growable arrays, aligned to a cache line. */
#ifndef TW_BASE_BUFFER_H
#define TW_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/types.h>

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

/* The same for arrays that share one capacity, which the caller sets once all have grown. False if
 * there is no memory. */
bool tw_buffer_grow(void *array, size_t capacity, size_t count, size_t size);

/* A new array of `count` zeros, at least one. False if there is no memory. */
bool tw_buffer_zeros(void *array, size_t count, size_t size);

/* Frees the array, and sets its pointer to NULL and its capacity to 0. */
void tw_buffer_free(void *array, size_t *capacity);

/* The same for an array whose capacity is kept elsewhere. */
void tw_buffer_drop(void *array);

#endif
