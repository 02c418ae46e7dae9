/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/buffer.h"

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
