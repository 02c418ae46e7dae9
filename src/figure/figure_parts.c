/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding figures, lines and shapes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/memory.h"
#include "figure/figure_internal.h"

tw_figure *tw_figure_parts_figure(tw_figure_set *set, const char *kind, const char *group,
                                  const char *title)
{
    if (tw_buffer_reserve(&set->figures, &set->figure_capacity, set->figure_count + 1,
                          sizeof *set->figures) != TW_STATUS_OK)
        return NULL;
    tw_figure *figure = &set->figures[set->figure_count++];
    *figure = (tw_figure){.kind = kind, .group = group, .title = title};
    snprintf(figure->name, sizeof figure->name, "%s", kind);
    return figure;
}

tw_figure_shape *tw_figure_parts_shape(tw_figure *figure, tw_figure_shape_kind kind,
                                       const char *title, size_t count)
{
    tw_figure_shape *more =
        realloc(figure->shapes, (figure->shape_count + 1) * sizeof *figure->shapes);
    if (!more) return NULL;
    figure->shapes = more;
    tw_figure_shape *shape = &more[figure->shape_count];
    *shape = (tw_figure_shape){.kind = kind, .width = 1.0, .count = count};
    snprintf(shape->title, sizeof shape->title, "%s", title);
    shape->at = calloc(count + 1, sizeof *shape->at);
    if (!shape->at) return NULL;
    figure->shape_count++;
    return shape;
}

int tw_figure_parts_line(tw_figure *figure, const tw_figure_set *set, size_t series, size_t x,
                         size_t y, const char *title)
{
    tw_figure_line *more = realloc(figure->lines, (figure->line_count + 1) * sizeof *more);
    if (!more) return 0;
    figure->lines = more;
    more[figure->line_count] = (tw_figure_line){.series = series,
                                                .x = x,
                                                .y = y,
                                                .title = title ? title : set->series[series].label,
                                                .plain = !title,
                                                .style = (int)figure->line_count + 1};
    figure->line_count++;
    return 1;
}

size_t tw_figure_parts_characters(const char *text, int plain)
{
    size_t count = 0;
    for (; *text; text++)
        if (plain || !strchr("{}_^", *text))
            count += ((unsigned char)*text & 0xc0) != 0x80; /* of UTF-8 */
    return count;
}

void tw_figure_parts_cover(tw_figure *f, double margin)
{
    tw_figure_axis *axes[2] = {&f->x, &f->y};
    for (int c = 0; c < 2; c++) {
        tw_figure_axis *a = axes[c];
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t k = 0; k < f->shape_count; k++)
            for (size_t i = 0; i < f->shapes[k].count; i++) {
                const tw_figure_shape *s = &f->shapes[k];
                const double reach = c == 1 && s->deviation ? s->deviation[i] : 0.0;
                if (isnan(s->at[i][c])) continue;
                low = tw_math_min(low, s->at[i][c] - reach);
                high = tw_math_max(high, s->at[i][c] + reach);
            }
        if (a->log || (low >= a->low && high <= a->high)) continue;
        const double more = c == 0 ? margin * (high - low) : 0.0;
        const tw_figure_axis wider = tw_figure_axis_around(tw_math_min(low - more, a->low),
                                                           tw_math_max(high + more, a->high));
        a->low = wider.low;
        a->high = wider.high;
        a->step = wider.step;
        a->decimals = wider.decimals;
    }
}
