/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_values.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct shown_result {
    const char *name, *title;
} shown_result;

/* The first two that a sweep has are drawn. */
static const shown_result shown[] = {{"peak_ratio", "peak"},
                                     {"critical_ratio", "critical"},
                                     {"compression_index", "compression index"},
                                     {"K0", "K0"},
                                     {"loop_damping_first", "first cycle"},
                                     {"loop_damping_last", "last cycle"}};
enum { SHOWN = sizeof shown / sizeof *shown, DRAWN_MAX = 2 };

typedef struct values_writing {
    tw_sweep_figure *figure;
    const tw_sweep_results *results;
    size_t *group;
    size_t key;   /* on the x-axis */
    bool numbers; /* its values are numbers with one unit */
    size_t drawn; /* curves so far */
    size_t all;   /* curves in the end */
} values_writing;

/* ---- The x-axis ---- */

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

static void add_x_axis(const values_writing *w)
{
    const tw_sweep_vary *vary = &w->results->grid->vary[w->key];
    tw_text_buffer *text = &w->figure->settings;
    char *unit = NULL;
    strtod(vary->value[0], &unit);
    tw_text_buffer_add(text, "set xlabel \"%s", tw_sweep_vary_label(vary));
    if (w->numbers) {
        unit += strspn(unit, " ");
        const char *const around[] = {*unit ? "  [" : "", *unit ? "]" : ""};
        tw_text_buffer_add(text, "%s", around[0]);
        for (; *unit; unit++) /* gnuplot runs commands in backquotes */
            if (!strchr("\"\\`", *unit)) tw_text_buffer_add(text, "%c", *unit);
        tw_text_buffer_add(text, "%s\\n \" noenhanced\nset offsets graph 0.05, graph 0.05\n",
                           around[1]);
        return;
    }
    tw_text_buffer_add(text, "\\n \" noenhanced\nset xrange [-0.5:%zu.5]\nset xtics noenhanced (",
                       vary->count - 1);
    for (size_t i = 0; i < vary->count; i++) {
        tw_text_buffer_add(text, "%s'", i > 0 ? ", " : "");
        for (const char *at = vary->value[i]; *at; at++)
            if (*at != '\'') tw_text_buffer_add(text, "%c", *at);
        tw_text_buffer_add(text, "' %zu", i);
    }
    tw_text_buffer_add(text, ")\n");
}

/* ---- Curves ---- */

/* Whether two cases differ in the key of the x-axis and the seed only. */
static bool same_curve(const values_writing *w, const tw_sweep_case *a, const tw_sweep_case *b)
{
    const tw_sweep_grid *grid = w->results->grid;
    for (size_t k = 0; k < grid->vary_count; k++)
        if (k != w->key && !tw_sweep_vary_is_seed(&grid->vary[k]) && a->pick[k] != b->pick[k])
            return false;
    return true;
}

static bool is_first_of_group(const values_writing *w, size_t index)
{
    size_t i = 0;
    while (w->group[i] != w->group[index])
        i++;
    return i == index;
}

/* Words have the points of all curves side by side. */
static double place_of(const values_writing *w, const tw_sweep_case *one)
{
    const double beside = ((double)w->drawn + 0.5) / (double)w->all - 0.5;
    return w->numbers ? strtod(tw_sweep_grid_value(w->results->grid, one, w->key), NULL)
                      : (double)one->pick[w->key] + 0.6 * beside;
}

/* A block of data: x, mean and standard deviation, which is 0 for a single value. False: there is
 * no number. */
static bool add_data(const values_writing *w, size_t first, size_t column)
{
    const tw_sweep_grid *grid = w->results->grid;
    tw_text_buffer rows = {0};
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        if (!same_curve(w, &grid->cases[first], one) || !is_first_of_group(w, i)) continue;
        const tw_sweep_statistics s =
            tw_sweep_results_statistics(w->results, w->group, w->group[i], column);
        if (s.count > 0)
            tw_text_buffer_add(&rows, "%.12g,%.9g,%.9g\n", place_of(w, one), s.mean,
                               isnan(s.deviation) ? 0.0 : s.deviation);
    }
    const bool any = rows.length > 0;
    if (any)
        tw_text_buffer_add(&w->figure->settings, "$values_%zu << END\nx,y,deviation\n%sEND\n",
                           w->drawn, rows.text);
    w->figure->settings.failed |= rows.failed;
    tw_text_buffer_free(&rows);
    return any;
}

static size_t count_shown(const tw_sweep_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < SHOWN; i++)
        count += tw_sweep_results_find(results, shown[i].name) != SIZE_MAX;
    return count < DRAWN_MAX ? count : DRAWN_MAX;
}

/* Several series: colours and dashes. One: two colours. */
static void add_curves(values_writing *w, size_t first, size_t series)
{
    const tw_sweep_grid *grid = w->results->grid;
    const bool several = w->all > DRAWN_MAX;
    for (size_t i = 0, kind = 0; i < SHOWN && kind < DRAWN_MAX; i++) {
        const size_t column = tw_sweep_results_find(w->results, shown[i].name);
        if (column == SIZE_MAX) continue;
        if (add_data(w, first, column)) {
            tw_text_buffer *text = &w->figure->curves;
            tw_text_buffer_add(text,
                               "%s $values_%zu using 1:2:3 with %s linetype %zu dashtype %zu "
                               "pointtype %d",
                               w->drawn > 0 ? ", \\\n    " : "plot", w->drawn,
                               w->numbers ? "yerrorlines" : "yerrorbars",
                               (several ? series : kind) % 6 + 1, several ? kind + 1 : 1,
                               kind == 0 ? 7 : 6);
            tw_sweep_figure_add_title(text, grid, &grid->cases[first], shown[i].title, w->key);
            w->drawn++;
        }
        kind++;
    }
}

static void add_y_axis(const values_writing *w)
{
    const bool ratio = tw_sweep_results_find(w->results, "peak_ratio") != SIZE_MAX;
    const bool loops = tw_sweep_results_find(w->results, "loop_damping_first") != SIZE_MAX;
    tw_text_buffer_add(&w->figure->settings, "set ylabel '%s'\n",
                       ratio   ? "Stress ratio  [–]"
                       : loops ? "Damping ratio  [–]"
                               : "Compression index, K_0  [–]");
}

tw_status tw_sweep_values_draw(tw_sweep_figure *figure, const tw_sweep_results *results,
                               tw_error *error)
{
    const tw_sweep_grid *grid = results->grid;
    values_writing w = {.figure = figure, .results = results, .key = tw_sweep_figure_key(grid, 0)};
    *figure = (tw_sweep_figure){.any = false};
    if (w.key == SIZE_MAX || grid->vary[w.key].count < 2) return TW_STATUS_OK;
    w.group = calloc(grid->case_count, sizeof *w.group);
    if (!w.group) return tw_error_set_memory(error);
    const size_t groups = tw_sweep_results_groups(grid, w.group);
    w.all = groups / grid->vary[w.key].count * count_shown(results);
    w.numbers = are_numbers(&grid->vary[w.key]);
    add_x_axis(&w);
    add_y_axis(&w);
    for (size_t i = 0, series = 0; i < grid->case_count; i++) {
        size_t j = 0;
        while (!same_curve(&w, &grid->cases[j], &grid->cases[i]))
            j++;
        if (j == i) add_curves(&w, i, series++);
    }
    tw_text_buffer_add(&figure->curves, "\n");
    figure->any = w.drawn > 0;
    free(w.group);
    return TW_STATUS_OK;
}
