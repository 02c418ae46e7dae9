/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/figure.h>

#include <stdio.h>
#include <stdlib.h>

tw_figure *tw_figure_parts_figure(tw_figure_set *set, const char *kind, const char *group,
                                  const char *title)
{
    if (set->figure_count == set->figure_capacity) {
        const size_t capacity = set->figure_capacity ? 2 * set->figure_capacity : 16;
        tw_figure *more = realloc(set->figures, capacity * sizeof *more);
        if (!more) return NULL;
        set->figures = more;
        set->figure_capacity = capacity;
    }
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
                                                .style = (int)figure->line_count + 1};
    figure->line_count++;
    return 1;
}
