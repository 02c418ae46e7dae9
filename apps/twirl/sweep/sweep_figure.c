/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_figure.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "common/output.h"
#include "render/render_quantity.h"

/* ---- Varied values ---- */

/* The varied key number `which` of those that are not the seed; SIZE_MAX: none. */
static size_t find_key(const tw_sweep_grid *grid, size_t which)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        if (!tw_sweep_vary_is_seed(&grid->vary[k]) && which-- == 0) return k;
    return SIZE_MAX;
}

/* "FIRST, friction 0.3, rate 1e-3": the values of the case but the seed and key `except`. */
static void name_case(char title[TW_FIGURE_TEXT_MAX], const tw_sweep_grid *grid,
                      const tw_sweep_case *one, const char *first, size_t except)
{
    const char *between = *first ? ", " : "";
    size_t used = (size_t)snprintf(title, TW_FIGURE_TEXT_MAX, "%s", first);
    for (size_t k = 0; k < grid->vary_count && used < TW_FIGURE_TEXT_MAX; k++) {
        if (k == except || tw_sweep_vary_is_seed(&grid->vary[k])) continue;
        used += (size_t)snprintf(title + used, TW_FIGURE_TEXT_MAX - used, "%s%s %s", between,
                                 tw_sweep_vary_label(&grid->vary[k]),
                                 tw_sweep_grid_value(grid, one, k));
        between = ", ";
    }
}

/* ---- Curves ---- */

enum { TITLES_MAX = 12 };

/* Up to six values have the colours of the other figures, more a scale from dark to light. */
static void set_colour(tw_figure_line *line, size_t index, size_t count)
{
    line->style = count <= 6 ? (int)index + 1 : 1;
    if (count > 6)
        tw_colour_print(tw_colour_at(TW_COLOUR_VIRIDIS, 0.9 * (double)index / (double)(count - 1)),
                        line->colour);
}

/* The numbers of the cases that are done, which are the runs of the figure. */
static size_t *find_done(const tw_sweep_results *results, size_t *count)
{
    size_t *number = tw_exit_unless(calloc(results->grid->case_count + 1, sizeof *number));
    *count = 0;
    for (size_t i = 0; i < results->grid->case_count; i++)
        if (results->done[i]) number[(*count)++] = i;
    return number;
}

/* The first case of each group has a title. */
static void style_lines(tw_figure_set *set, const size_t *number, const tw_sweep_grid *grid)
{
    tw_figure *f = set->figures;
    const size_t colour = find_key(grid, 0), dash = find_key(grid, 1);
    size_t titles = 0, last = SIZE_MAX;
    for (size_t k = 0; k < f->line_count; k++) {
        tw_figure_line *line = &f->lines[k];
        tw_figure_series *s = &set->series[line->series];
        const tw_sweep_case *one = &grid->cases[number[s->run]];
        if (colour != SIZE_MAX)
            set_colour(line, one->pick[colour], grid->vary[colour].count);
        else
            line->style = 1;
        line->dash = dash != SIZE_MAX ? (int)(one->pick[dash] % 5) + 1 : 0;
        line->width = tw_sweep_grid_has_seeds(grid) ? 1.0 : 0.0;
        name_case(s->label, grid, one, "", SIZE_MAX);
        const bool titled = colour != SIZE_MAX && titles < TITLES_MAX && one->group != last;
        line->title = titled ? s->label : "";
        line->plain = 1;
        titles += titled;
        last = one->group;
    }
    f->key = titles > 1 ? TW_FIGURE_KEY_ABOVE : TW_FIGURE_KEY_NONE;
    snprintf(f->name, sizeof f->name, "sweep");
}

tw_status tw_sweep_figure_curves(tw_figure_set *set, const tw_sweep_results *results,
                                 const char *folder, tw_error *error)
{
    size_t count;
    size_t *number = find_done(results, &count);
    char **input = tw_exit_unless(calloc(count + 1, sizeof *input));
    const char **stage = tw_exit_unless(calloc(count + 1, sizeof *stage));
    tw_figure_request request = tw_figure_request_default();
    tw_status status = TW_STATUS_OK;
    *set = (tw_figure_set){.run_count = 0};
    for (size_t k = 0; k < count; k++) {
        input[k] = tw_exit_text("%s/cases/%s", folder, results->grid->cases[number[k]].name);
        stage[k] = results->test[number[k]];
    }
    request.inputs = (const char *const *)input;
    request.stages = stage;
    request.input_count = request.stage_count = count;
    request.mixed = request.percent = 1;
    if (count > 0) status = tw_figure_set_make(set, &request, error);
    if (status == TW_STATUS_OK && set->figure_count > 0) style_lines(set, number, results->grid);
    for (size_t k = 0; k < count; k++)
        free(input[k]);
    free(input);
    free(stage);
    free(number);
    return status;
}

/* What a band or a bar is: an entry of the key. */
static void explain(tw_figure *f, tw_figure_shape_kind kind, size_t seeds)
{
    char title[TW_FIGURE_TEXT_MAX];
    snprintf(title, sizeof title, "mean \u00b1 s.d., %zu seeds", seeds);
    tw_figure_shape *s = tw_exit_unless(tw_figure_parts_shape(f, kind, title, 1));
    s->deviation = tw_exit_unless(calloc(1, sizeof *s->deviation));
    s->count = 0;
    s->plain = 1;
    s->style = -2;
    s->mark = kind == TW_FIGURE_POINTS;
    s->width = 1.8;
    f->key = TW_FIGURE_KEY_ABOVE;
}

void tw_sweep_figure_means(tw_figure_set *set, const tw_sweep_results *results)
{
    const tw_sweep_grid *grid = results->grid;
    const tw_figure *f = set->figures;
    if (!tw_sweep_grid_has_seeds(grid) || f->line_count == 0) return;
    size_t runs, *number = find_done(results, &runs);
    size_t *group = tw_exit_unless(calloc(f->line_count, sizeof *group));
    for (size_t k = 0; k < f->line_count; k++)
        group[k] = grid->cases[number[set->series[f->lines[k].series].run]].group;
    const int most = tw_figure_means_replace(set, group, grid->group_count);
    tw_exit_unless(most < 0 ? NULL : set);
    if (most > 0) explain(set->figures, TW_FIGURE_CURVE, (size_t)most);
    free(number);
    free(group);
}

/* ---- Results over the first varied value ---- */

typedef struct shown_result {
    const char *name, *title, *label; /* of the axis, of the first that there is */
} shown_result;

/* The first two that a sweep has are drawn. */
static const shown_result shown[] = {
    {"peak_ratio", "peak", "Stress ratio"},
    {"critical_ratio", "critical", "Stress ratio"},
    {"compression_index", "compression index", "Compression index, {K}_0"},
    {"K0", "K0", "Compression index, {K}_0"},
    {"loop_damping_first", "first cycle", "Damping ratio"},
    {"loop_damping_last", "last cycle", "Damping ratio"}};
enum { SHOWN = sizeof shown / sizeof *shown, DRAWN_MAX = 2 };

typedef struct values_figure {
    tw_figure *figure;
    const tw_sweep_results *results;
    size_t key;   /* on the x-axis */
    bool numbers; /* its values are numbers with one unit */
    size_t all;   /* curves in the end */
    size_t seeds; /* of a point, at most */
} values_figure;

/* All values are numbers followed by the same unit. */
static bool are_numbers(const tw_sweep_vary *vary)
{
    char *first = NULL, *end = NULL;
    strtod(vary->value[0], &first);
    for (size_t i = 0; i < vary->count; i++) {
        strtod(vary->value[i], &end);
        if (end == vary->value[i] || strcmp(end, first) != 0) return false;
    }
    return true;
}

/* Words have the points of all curves side by side. */
static double place_of(const values_figure *w, const tw_sweep_case *one)
{
    const double offset = ((double)w->figure->shape_count - 0.5) / (double)w->all - 0.5;
    return w->numbers ? strtod(tw_sweep_grid_value(w->results->grid, one, w->key), NULL)
                      : (double)one->pick[w->key] + 0.6 * offset;
}

/* x, mean and standard deviation, which is 0 for a single value. */
static void add_points(values_figure *w, tw_figure_shape *s, size_t first, size_t column)
{
    const tw_sweep_grid *grid = w->results->grid;
    s->count = 0;
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        if (!one->first || !tw_sweep_grid_alike(grid, &grid->cases[first], one, w->key)) continue;
        const tw_sweep_statistics t = tw_sweep_results_statistics(w->results, one->group, column);
        if (t.count == 0) continue;
        if (t.count > w->seeds) w->seeds = t.count;
        s->at[s->count][0] = place_of(w, one);
        s->at[s->count][1] = t.mean;
        s->deviation[s->count++] = isnan(t.deviation) ? 0.0 : t.deviation;
    }
}

/* Several series: colours and dashes. One: two colours. */
static void add_series(values_figure *w, size_t first, size_t series)
{
    const tw_sweep_grid *grid = w->results->grid;
    const bool several = w->all > DRAWN_MAX;
    for (size_t i = 0, kind = 0; i < SHOWN && kind < DRAWN_MAX; i++) {
        char title[TW_FIGURE_TEXT_MAX];
        const size_t column = tw_sweep_results_find(w->results, shown[i].name);
        if (column == SIZE_MAX) continue;
        name_case(title, grid, &grid->cases[first], shown[i].title, w->key);
        tw_figure_shape *s = tw_exit_unless(tw_figure_parts_shape(
            w->figure, w->numbers ? TW_FIGURE_CURVE : TW_FIGURE_POINTS, title, grid->case_count));
        s->deviation = tw_exit_unless(calloc(grid->case_count + 1, sizeof *s->deviation));
        s->plain = 1;
        s->style = (int)((several ? series : kind) % 6) + 1;
        s->dash = several ? (int)kind + 1 : 1;
        s->mark = kind == 0 ? 1 : 2;
        s->width = 1.8;
        add_points(w, s, first, column);
        if (!tw_sweep_grid_has_seeds(grid)) { /* no bars */
            free(s->deviation);
            s->deviation = NULL;
        }
        if (!*w->figure->y.label)
            snprintf(w->figure->y.label, sizeof w->figure->y.label, "%s", shown[i].label);
        kind++;
    }
}

static void set_axes(values_figure *w)
{
    tw_figure *f = w->figure;
    const tw_sweep_vary *vary = &w->results->grid->vary[w->key];
    char *unit = NULL;
    f->x.low = f->y.low = HUGE_VAL;
    f->x.high = f->y.high = -HUGE_VAL;
    tw_figure_parts_cover(f, 0.05);
    strtod(vary->value[0], &unit);
    const char *name = tw_sweep_vary_label(vary);
    snprintf(f->x.label, sizeof f->x.label, "%s",
             strcmp(name, "friction") == 0 ? "Friction coefficient \u00b5" : name);
    f->x.plain = 1;
    if (w->numbers) {
        snprintf(f->x.unit, sizeof f->x.unit, "%s", unit + strspn(unit, " "));
        return;
    }
    f->x.low = -0.5;
    f->x.high = (double)vary->count - 0.5;
    f->x.words = (const char *const *)vary->value;
    f->x.word_count = vary->count;
}

static void add_values(values_figure *w)
{
    const tw_sweep_grid *grid = w->results->grid;
    size_t columns = 0;
    for (size_t i = 0; i < SHOWN; i++)
        columns += tw_sweep_results_find(w->results, shown[i].name) != SIZE_MAX;
    w->all =
        grid->group_count / grid->vary[w->key].count * (columns < DRAWN_MAX ? columns : DRAWN_MAX);
    for (size_t i = 0, series = 0; i < grid->case_count; i++) {
        size_t j = 0;
        while (!tw_sweep_grid_alike(grid, &grid->cases[j], &grid->cases[i], w->key))
            j++;
        if (j == i) add_series(w, i, series++);
    }
    set_axes(w);
    if (w->figure->shape_count > 1) w->figure->key = TW_FIGURE_KEY_ABOVE;
    if (w->seeds > 1) explain(w->figure, TW_FIGURE_POINTS, w->seeds);
}

void tw_sweep_figure_values(tw_figure_set *set, const tw_sweep_results *results)
{
    const tw_sweep_grid *grid = results->grid;
    values_figure w = {.results = results, .key = find_key(grid, 0)};
    size_t points = 0;
    *set = (tw_figure_set){.run_count = 0};
    if (w.key == SIZE_MAX || grid->vary[w.key].count < 2) return;
    w.numbers = are_numbers(&grid->vary[w.key]);
    w.figure = tw_exit_unless(tw_figure_parts_figure(set, "sweep_values", "sweep", "Results"));
    add_values(&w);
    for (size_t k = 0; k < w.figure->shape_count; k++)
        points += w.figure->shapes[k].count;
    if (points == 0) tw_figure_set_free(set);
}

/* ---- Strength ---- */

/* Peaks of the cases that differ from one in nothing but a key and the seed. */
static size_t find_peaks(const tw_sweep_results *r, size_t first, size_t key,
                         tw_figure_strength_point *peaks, char (*labels)[TW_FIGURE_TEXT_MAX])
{
    static const char *const names[] = {"peak_s1", "peak_s3", "peak_p", "peak_ratio"};
    size_t column[4], count = 0;
    for (int k = 0; k < 4; k++)
        if ((column[k] = tw_sweep_results_find(r, names[k])) == SIZE_MAX) return 0;
    for (size_t i = 0; i < r->grid->case_count; i++) {
        const double *v = r->value + i * r->columns;
        const tw_sweep_case *one = &r->grid->cases[i];
        if (!r->done[i] || !tw_sweep_grid_alike(r->grid, &r->grid->cases[first], one, key))
            continue;
        name_case(labels[count], r->grid, one, "", SIZE_MAX);
        peaks[count] = (tw_figure_strength_point){labels[count], v[column[0]], v[column[1]],
                                                  v[column[2]], v[column[2]] * v[column[3]]};
        count++;
    }
    return count;
}

void tw_sweep_figure_strength(tw_figure_set *set, const tw_sweep_results *r)
{
    const tw_sweep_grid *grid = r->grid;
    tw_figure_strength_point *peaks = tw_exit_unless(calloc(grid->case_count, sizeof *peaks));
    char(*labels)[TW_FIGURE_TEXT_MAX] = tw_exit_unless(calloc(grid->case_count, sizeof *labels));
    tw_figure_strength all;
    *set = (tw_figure_set){.run_count = 0};
    for (size_t key = 0; key < grid->vary_count; key++) {
        for (size_t i = 0; i < grid->case_count && !tw_sweep_vary_is_seed(&grid->vary[key]); i++) {
            char title[TW_FIGURE_TEXT_MAX];
            size_t j = 0; /* the first of its kind */
            while (!tw_sweep_grid_alike(grid, &grid->cases[j], &grid->cases[i], key))
                j++;
            const size_t count = j == i ? find_peaks(r, i, key, peaks, labels) : 0;
            if (!tw_figure_strength_fit(peaks, count, &all)) continue;
            name_case(title, grid, &grid->cases[i], "", key);
            printf("strength%s%s: c %.4g Pa, phi %.4g deg; q = %.4g p; at the peaks of %zu cases\n",
                   *title ? ", " : "", title, all.cohesion, all.angle, all.ratio, count);
            if (count == grid->case_count && set->figure_count == 0)
                (void)tw_exit_unless(tw_figure_strength_add(set, peaks, count, 0) ? set : NULL);
        }
    }
    free(labels);
    free(peaks);
}
