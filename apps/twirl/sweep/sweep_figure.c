/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_figure.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "common/output.h"

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
    static const double stops[][3] = {{0.267, 0.005, 0.329},
                                      {0.229, 0.322, 0.546},
                                      {0.128, 0.567, 0.551},
                                      {0.369, 0.789, 0.383},
                                      {0.780, 0.860, 0.180}};
    line->style = count <= 6 ? (int)index + 1 : 1;
    if (count <= 6) return;
    const double at = 4.0 * (double)index / (double)(count - 1);
    const int low = at >= 4.0 ? 3 : (int)at;
    unsigned part[3];
    for (int c = 0; c < 3; c++)
        part[c] =
            (unsigned)(255.0 * (stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c])));
    snprintf(line->colour, sizeof line->colour, "#%02x%02x%02x", part[0] & 255, part[1] & 255,
             part[2] & 255);
}

/* The inputs of the figure: cases that are done. */
typedef struct done_cases {
    size_t *number; /* of the case */
    char **input;
    const char **stage;
    size_t count;
} done_cases;

static done_cases find_cases(const tw_sweep_results *results, const char *folder)
{
    const tw_sweep_grid *grid = results->grid;
    const size_t most = grid->case_count;
    done_cases d = {.number = tw_exit_unless(calloc(most, sizeof *d.number)),
                    .input = tw_exit_unless(calloc(most, sizeof *d.input)),
                    .stage = tw_exit_unless(calloc(most, sizeof *d.stage))};
    for (size_t i = 0; i < grid->case_count; i++) {
        if (!results->done[i]) continue;
        d.number[d.count] = i;
        d.input[d.count] = tw_exit_text("%s/cases/%s", folder, grid->cases[i].name);
        d.stage[d.count++] = results->test[i];
    }
    return d;
}

static void free_cases(done_cases *d)
{
    for (size_t k = 0; k < d->count; k++)
        free(d->input[k]);
    free(d->number);
    free(d->input);
    free(d->stage);
}

/* The first case of each group has a title. */
static void style_lines(tw_figure_set *set, const done_cases *d, const tw_sweep_grid *grid)
{
    tw_figure *f = set->figures;
    const size_t colour = find_key(grid, 0), dash = find_key(grid, 1);
    size_t titles = 0, last = SIZE_MAX;
    f->longest = 0;
    for (size_t k = 0; k < f->line_count; k++) {
        tw_figure_line *line = &f->lines[k];
        tw_figure_series *s = &set->series[line->series];
        const tw_sweep_case *one = &grid->cases[d->number[s->run]];
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
        if (titled && strlen(s->label) > f->longest) f->longest = strlen(s->label);
        last = one->group;
    }
    f->key = titles > 1 ? TW_FIGURE_KEY_ABOVE : TW_FIGURE_KEY_NONE;
    snprintf(f->name, sizeof f->name, "sweep");
}

tw_status tw_sweep_figure_curves(tw_figure_set *set, const tw_sweep_results *results,
                                 const char *folder, tw_error *error)
{
    done_cases d = find_cases(results, folder);
    tw_figure_request request = tw_figure_request_default();
    tw_status status = TW_STATUS_OK;
    *set = (tw_figure_set){.run_count = 0};
    request.inputs = (const char *const *)d.input;
    request.input_count = request.stage_count = d.count;
    request.stages = d.stage;
    request.mixed = request.percent = 1;
    if (d.count > 0) status = tw_figure_set_make(set, &request, error);
    if (status == TW_STATUS_OK && set->figure_count > 0) style_lines(set, &d, results->grid);
    free_cases(&d);
    return status;
}

/* ---- Means of replicates ---- */

enum { MEAN_POINTS = 201 };

/* Cases of one group, as lines of the figure, and the range of x that all of them have. */
typedef struct replicates {
    const tw_figure_line *line[TW_SWEEP_CASES_MAX];
    size_t count;
    double way, from, to; /* way is 1 or -1: along x, or against it */
} replicates;

/* The group of each line. */
static size_t *groups_of(const tw_figure_set *set, const tw_sweep_results *results)
{
    const tw_figure *f = set->figures;
    const tw_sweep_grid *grid = results->grid;
    size_t *input = tw_exit_unless(calloc(grid->case_count + 1, sizeof *input)), inputs = 0;
    size_t *group = tw_exit_unless(calloc(f->line_count + 1, sizeof *group));
    for (size_t i = 0; i < grid->case_count; i++)
        if (results->done[i]) input[inputs++] = grid->cases[i].group;
    for (size_t k = 0; k < f->line_count; k++)
        group[k] = input[set->series[f->lines[k].series].run];
    free(input);
    return group;
}

/* False: x goes back and forth, so that there is no mean over it. */
static bool add_range(replicates *r, const double *x, size_t count)
{
    if (!x || count < 2) return false;
    const double way = x[count - 1] >= x[0] ? 1.0 : -1.0;
    for (size_t i = 1; i < count; i++)
        if (!(way * x[i] >= way * x[i - 1])) return false;
    if (r->count == 0) *r = (replicates){.way = way, .from = -HUGE_VAL, .to = HUGE_VAL};
    r->from = tw_math_max(r->from, way * x[0]);
    r->to = tw_math_min(r->to, way * x[count - 1]);
    return way == r->way && r->to > r->from;
}

/* The lines of a group. False: they have no mean. */
static bool find_replicates(replicates *r, const tw_figure_set *set, const size_t *groups,
                            size_t group)
{
    const tw_figure *f = set->figures;
    r->count = 0;
    for (size_t k = 0; k < f->line_count; k++) {
        const tw_figure_line *line = &f->lines[k];
        const tw_figure_series *s = &set->series[line->series];
        if (groups[k] != group) continue;
        if (!s->values[line->y] || !add_range(r, s->values[line->x], s->count)) return false;
        r->line[r->count++] = line;
    }
    return true;
}

/* Mean and standard deviation, with n - 1, at a place. */
static void add_mean(const tw_figure_set *set, const replicates *r, tw_figure_shape *s, size_t k)
{
    const tw_figure *f = set->figures;
    const double share = (double)k / (MEAN_POINTS - 1);
    const double place = f->x.log && r->from > 0.0
                             ? r->from * tw_math_exp(share * tw_math_log(r->to / r->from))
                             : r->from + share * (r->to - r->from);
    const double at = r->way * tw_math_min(place, r->to);
    double mean = 0.0, square = 0.0, n = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        const tw_figure_series *one = &set->series[r->line[i]->series];
        const double *x = one->values[r->line[i]->x], *y = one->values[r->line[i]->y];
        const double off = tw_figure_result_where(x, y, one->count, at) - mean;
        n += 1.0;
        mean += off / n;
        square += off * off * (n - 1.0) / n;
    }
    s->at[k][0] = f->x.factor * at;
    s->at[k][1] = f->y.factor * mean;
    s->deviation[k] = f->y.factor * (n > 1.0 ? sqrt(square / (n - 1.0)) : 0.0);
}

/* The range of y holds the bands, too. */
static void widen(tw_figure_axis *y, const tw_figure_shape *s)
{
    double low = y->low, high = y->high;
    for (size_t k = 0; k < s->count; k++) {
        if (isnan(s->at[k][1])) continue;
        low = tw_math_min(low, s->at[k][1] - s->deviation[k]);
        high = tw_math_max(high, s->at[k][1] + s->deviation[k]);
    }
    if (y->log || (low >= y->low && high <= y->high)) return;
    const tw_figure_axis wider = tw_figure_axis_around(low, high);
    y->low = wider.low;
    y->high = wider.high;
    y->step = wider.step;
    y->decimals = wider.decimals;
}

static void add_band(tw_figure_set *set, const replicates *r)
{
    tw_figure *f = set->figures;
    tw_figure_shape *s =
        tw_exit_unless(tw_figure_parts_shape(f, TW_FIGURE_CURVE, r->line[0]->title, MEAN_POINTS));
    s->deviation = tw_exit_unless(calloc(MEAN_POINTS, sizeof *s->deviation));
    s->plain = 1;
    s->style = r->line[0]->style;
    s->dash = r->line[0]->dash;
    s->width = 1.8;
    memcpy(s->colour, r->line[0]->colour, sizeof s->colour);
    for (size_t k = 0; k < MEAN_POINTS; k++)
        add_mean(set, r, s, k);
    widen(&f->y, s);
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
    if (strlen(title) > f->longest) f->longest = strlen(title);
}

void tw_sweep_figure_means(tw_figure_set *set, const tw_sweep_results *results)
{
    const size_t groups = results->grid->group_count;
    size_t most = 0;
    bool good = true;
    if (!tw_sweep_grid_has_seeds(results->grid) || set->figures->line_count == 0) return;
    replicates *r = tw_exit_unless(calloc(1, sizeof *r));
    size_t *group = groups_of(set, results);
    for (size_t g = 0; good && g < groups; g++) {
        good = find_replicates(r, set, group, g);
        if (r->count > most) most = r->count;
    }
    good = good && most > 1;
    for (size_t g = 0; good && g < groups; g++)
        if (find_replicates(r, set, group, g) && r->count > 0) add_band(set, r);
    if (good) {
        set->figures->line_count = 0;
        explain(set->figures, TW_FIGURE_CURVE, most);
    }
    free(group);
    free(r);
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

/* Ranges that show all points with their deviations. */
static void set_axes(values_figure *w)
{
    tw_figure *f = w->figure;
    const tw_sweep_vary *vary = &w->results->grid->vary[w->key];
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < f->shape_count; k++) {
        const tw_figure_shape *s = &f->shapes[k];
        if (strlen(s->title) > f->longest) f->longest = strlen(s->title);
        for (size_t i = 0; i < s->count; i++) {
            for (int c = 0; c < 2; c++) {
                const double reach = c == 1 && s->deviation ? s->deviation[i] : 0.0;
                low[c] = tw_math_min(low[c], s->at[i][c] - reach);
                high[c] = tw_math_max(high[c], s->at[i][c] + reach);
            }
        }
    }
    char label[sizeof f->y.label], *unit = NULL;
    memcpy(label, f->y.label, sizeof label);
    const double margin = 0.05 * (high[0] - low[0]);
    f->x = tw_figure_axis_around(low[0] - margin, high[0] + margin);
    f->y = tw_figure_axis_around(low[1], high[1]);
    memcpy(f->y.label, label, sizeof label);
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
                         tw_figure_strength_point *peaks)
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
        peaks[count++] = (tw_figure_strength_point){one->name, v[column[0]], v[column[1]],
                                                    v[column[2]], v[column[2]] * v[column[3]]};
    }
    return count;
}

void tw_sweep_figure_strength(tw_figure_set *set, const tw_sweep_results *r)
{
    const tw_sweep_grid *grid = r->grid;
    tw_figure_strength_point *peaks = tw_exit_unless(calloc(grid->case_count, sizeof *peaks));
    tw_figure_strength all;
    *set = (tw_figure_set){.run_count = 0};
    for (size_t key = 0; key < grid->vary_count; key++) {
        for (size_t i = 0; i < grid->case_count && !tw_sweep_vary_is_seed(&grid->vary[key]); i++) {
            char title[TW_FIGURE_TEXT_MAX];
            size_t j = 0; /* the first of its kind */
            while (!tw_sweep_grid_alike(grid, &grid->cases[j], &grid->cases[i], key))
                j++;
            const size_t count = j == i ? find_peaks(r, i, key, peaks) : 0;
            if (!tw_figure_strength_fit(peaks, count, &all)) continue;
            name_case(title, grid, &grid->cases[i], "", key);
            printf("strength%s%s: c %.4g Pa, phi %.4g deg; q = %.4g p; at the peaks of %zu cases\n",
                   *title ? ", " : "", title, all.cohesion, all.angle, all.ratio, count);
            if (count == grid->case_count && set->figure_count == 0)
                (void)tw_exit_unless(tw_figure_strength_add(set, peaks, count) ? set : NULL);
        }
    }
    free(peaks);
}
