/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/key_place.h"

#include <math.h>

#include <stdbool.h>
#include <twirl/math.h>

typedef struct box {
    double x[2], y[2];
} box;

static bool is_inside(const box *b, double x, double y)
{
    return x >= b->x[0] && x <= b->x[1] && y >= b->y[0] && y <= b->y[1];
}

/* At points so near that a curve does not get past the box between them. */
static bool is_crossed(const box *b, tw_key_place_point from, tw_key_place_point to)
{
    const double longest = tw_math_max(fabs(to.x - from.x), fabs(to.y - from.y));
    const int parts = isfinite(longest) ? 1 + (int)tw_math_min(100.0 * longest, 1000.0) : 1;
    for (int k = 0; k <= parts; k++) {
        const double t = (double)k / parts;
        if (is_inside(b, from.x + t * (to.x - from.x), from.y + t * (to.y - from.y))) return true;
    }
    return false;
}

static bool is_free(const box *b, const tw_key_place_point *point, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool ends = i + 1 == count || isnan(point[i + 1].x) || isnan(point[i + 1].y);
        if (is_crossed(b, point[i], ends ? point[i] : point[i + 1])) return false;
    }
    return true;
}

const char *tw_key_place_find(const tw_key_place_point *point, size_t count, double width,
                              double height)
{
    static const struct {
        const char *words;
        bool right, top;
    } corners[] = {{"top right", true, true},
                   {"top left", false, true},
                   {"bottom right", true, false},
                   {"bottom left", false, false}};
    if (width > 0.95 || height > 0.95) return NULL;
    for (int k = 0; k < 4; k++) {
        const bool right = corners[k].right, top = corners[k].top;
        const box b = {{right ? 1.0 - width : 0.0, right ? 1.0 : width},
                       {top ? 1.0 - height : 0.0, top ? 1.0 : height}};
        if (is_free(&b, point, count)) return corners[k].words;
    }
    return NULL;
}
