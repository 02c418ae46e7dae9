/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_parts.h"

#include <stdlib.h>

bool tw_render_parts_add(tw_render_parts *parts, const tw_render_part *part)
{
    if (parts->count == parts->capacity) {
        const size_t capacity = parts->capacity ? 2 * parts->capacity : 1024;
        tw_render_part *more = realloc(parts->part, capacity * sizeof *more);
        if (!more) return false;
        parts->part = more;
        parts->capacity = capacity;
    }
    parts->part[parts->count++] = *part;
    return true;
}

void tw_render_parts_free(tw_render_parts *parts)
{
    free(parts->part);
    *parts = (tw_render_parts){0};
}
