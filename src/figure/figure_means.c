/* SPDX-License-Identifier: BSD-3-Clause */
/* Means of replicates: lines of a figure that are alike but for chance. */
#include "figure/figure_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

enum { POINTS = 201 };

/* Lines of a group, and the range of x that all of them have. */
typedef struct replicates {
    const tw_figure_set *set;
    const tw_figure_line **line;
    size_t count;
    double way, from, to; /* way is 1 or -1: along x, or against it */
} replicates;

static const double *values_of(const replicates *r, size_t k, bool y)
{
    const tw_figure_line *line = r->line[k];
    return r->set->series[line->series].values[y ? line->y : line->x];
}

/* False: x goes back and forth, so that there is no mean over it. */
static bool add_range(replicates *r)
{
    const size_t k = r->count++, rows = r->set->series[r->line[k]->series].count;
    const double *x = values_of(r, k, false);
    if (!x || !values_of(r, k, true) || rows < 2) return false;
    const double way = x[rows - 1] >= x[0] ? 1.0 : -1.0;
    for (size_t i = 1; i < rows; i++)
        if (!(way * x[i] >= way * x[i - 1])) return false;
    r->from = k > 0 ? tw_math_max(r->from, way * x[0]) : way * x[0];
    r->to = k > 0 ? tw_math_min(r->to, way * x[rows - 1]) : way * x[rows - 1];
    if (k == 0) r->way = way;
    return way == r->way && r->to > r->from;
}

/* False: the lines of the group have no mean. */
static bool find(replicates *r, const size_t *groups, size_t group)
{
    const tw_figure *f = r->set->figures;
    bool good = true;
    r->count = 0;
    for (size_t k = 0; good && k < f->line_count; k++) {
        if (groups[k] != group) continue;
        r->line[r->count] = &f->lines[k];
        good = add_range(r);
    }
    return good;
}

/* Mean and standard deviation, with n - 1, at a place. */
static void add_mean(const replicates *r, tw_figure_shape *s, size_t k)
{
    const tw_figure *f = r->set->figures;
    const double share = (double)k / (POINTS - 1);
    const double place = f->x.log && r->from > 0.0
                             ? r->from * tw_math_exp(share * tw_math_log(r->to / r->from))
                             : r->from + share * (r->to - r->from);
    const double at = r->way * tw_math_min(place, r->to);
    double mean = 0.0, square = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        const double n = (double)i + 1.0;
        const double off = tw_figure_result_where(values_of(r, i, false), values_of(r, i, true),
                                                  r->set->series[r->line[i]->series].count, at) -
                           mean;
        mean += off / n;
        square += off * off * (n - 1.0) / n;
    }
    s->at[k][0] = f->x.factor * at;
    s->at[k][1] = f->y.factor * mean;
    s->deviation[k] = f->y.factor * (r->count > 1 ? sqrt(square / (double)(r->count - 1)) : 0.0);
}

static bool add_band(tw_figure *f, const replicates *r)
{
    const tw_figure_line *first = r->line[0];
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, first->title, POINTS);
    if (!s || !(s->deviation = calloc(POINTS, sizeof *s->deviation))) return false;
    s->plain = 1;
    s->style = first->style;
    s->dash = first->dash;
    s->width = 1.8;
    memcpy(s->colour, first->colour, sizeof s->colour);
    for (size_t k = 0; k < POINTS; k++)
        add_mean(r, s, k);
    return true;
}

int tw_figure_means_replace(tw_figure_set *set, const size_t *groups, size_t count)
{
    tw_figure *f = set->figures;
    replicates r = {.set = set, .line = malloc((f->line_count + 1) * sizeof *r.line)};
    size_t most = 0;
    bool good = r.line != NULL, known = good;
    for (size_t g = 0; known && g < count; g++) {
        known = find(&r, groups, g);
        most = r.count > most ? r.count : most;
    }
    known = known && most > 1;
    for (size_t g = 0; known && good && g < count; g++)
        good = !find(&r, groups, g) || r.count == 0 || add_band(f, &r);
    free(r.line);
    if (!known || !good) return good ? 0 : -1;
    f->line_count = 0;
    tw_figure_parts_cover(f, 0.0);
    return (int)most;
}
