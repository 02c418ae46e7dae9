/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_parts.h"

#include <stdlib.h>

bool tw_render_parts_add(tw_render_parts *parts, tw_vec3 a, tw_vec3 b, double radius,
                         tw_colour colour)
{
    if (parts->count == parts->capacity) {
        const size_t capacity = parts->capacity ? 2 * parts->capacity : 1024;
        tw_render_part *more = realloc(parts->part, capacity * sizeof *more);
        if (!more) return false;
        parts->part = more;
        parts->capacity = capacity;
    }
    parts->part[parts->count++] = (tw_render_part){a, b, radius, colour};
    return true;
}

void tw_render_parts_free(tw_render_parts *parts)
{
    free(parts->part);
    *parts = (tw_render_parts){0};
}
