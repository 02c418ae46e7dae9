/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_curves.h"

#include "base/error.h"
#include "common/row_writer.h"
#include "response/response_curve.h"
#include "sweep/sweep_folder.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { TITLES_MAX = 12 };

typedef struct curves_writing {
    tw_sweep_figure *figure;
    const tw_sweep_results *results;
    tw_row_writer *writer;
    const size_t *group;
    size_t drawn, titles;
} curves_writing;

static tw_status write_points(const curves_writing *w, const tw_scenario_stage *stage,
                              const char *path, tw_error *error)
{
    const tw_response_curve curve = tw_response_curve_of(stage);
    tw_history_table table;
    tw_history_rows history;
    tw_response_rows rows;
    tw_status status = TW_STATUS_OK;
    if (!tw_history_table_read(&table, path) ||
        !tw_history_table_find(&table, path, stage->name, &history)) {
        status = tw_error_set(error, TW_STATUS_FILE, "%s", table.error);
    } else if (!tw_response_rows_make(&rows, stage, history, 0.01)) {
        status = tw_error_set_memory(error);
    } else {
        for (size_t i = 0; i < rows.count; i++) {
            const double x = curve.x_factor * rows.column[curve.x][i];
            const double y = curve.y_factor * rows.column[curve.y][i];
            if (!isnan(x) && !isnan(y))
                tw_row_writer_add(w->writer, "%.9g,%.9g\n", x + 0.0, y + 0.0);
        }
        tw_response_rows_free(&rows);
    }
    tw_history_table_free(&table);
    return status;
}

static bool is_first_of_group(const curves_writing *w, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (w->group[i] == w->group[index] && w->results->done[i]) return false;
    return true;
}

static size_t pick_of(const tw_sweep_case *one, size_t key)
{
    return key == SIZE_MAX ? 0 : one->pick[key];
}

static void add_curve(curves_writing *w, size_t index)
{
    const tw_sweep_grid *grid = w->results->grid;
    const tw_sweep_case *one = &grid->cases[index];
    const size_t colour = tw_sweep_figure_key(grid, 0), dash = tw_sweep_figure_key(grid, 1);
    tw_text_buffer *text = &w->figure->curves;
    tw_text_buffer_add(text, "%s 'curves.csv' every :::%zu::%zu using 1:2 with lines",
                       w->drawn > 0 ? ", \\\n    " : "plot", w->drawn, w->drawn);
    tw_sweep_figure_add_colour(text, pick_of(one, colour),
                               colour == SIZE_MAX ? 1 : grid->vary[colour].count);
    if (dash != SIZE_MAX) tw_text_buffer_add(text, " dashtype %zu", one->pick[dash] % 5 + 1);
    if (tw_sweep_grid_has_seeds(grid)) tw_text_buffer_add(text, " linewidth 1");
    if (colour != SIZE_MAX && w->titles < TITLES_MAX && is_first_of_group(w, index)) {
        tw_sweep_figure_add_title(text, grid, one, "", SIZE_MAX);
        w->titles++;
    } else {
        tw_text_buffer_add(text, " notitle");
    }
    w->drawn++;
}

static tw_status add_curves(curves_writing *w, const char *folder, const char *stage_name,
                            tw_error *error)
{
    const tw_sweep_grid *grid = w->results->grid;
    tw_status status = TW_STATUS_OK;
    for (size_t i = 0; status == TW_STATUS_OK && i < grid->case_count; i++) {
        if (!w->results->done[i]) continue;
        const tw_scenario_stage stage = tw_sweep_results_stage(grid->cases[i].scenario, stage_name);
        const tw_sweep_path run = tw_sweep_folder_path_in(folder, "cases", grid->cases[i].name, "");
        tw_row_writer_add(w->writer, w->drawn > 0 ? "\n" : "x,y\n");
        status = write_points(w, &stage, tw_sweep_folder_path(run.text, "history.csv").text, error);
        if (!w->figure->any) {
            const tw_response_curve curve = tw_response_curve_of(&stage);
            tw_text_buffer_add(
                &w->figure->settings,
                "set xlabel \"%s\\n \"\nset ylabel '%s'\nset autoscale xfix\n%s", curve.x_label,
                curve.y_label,
                curve.log_x
                    ? "set logscale x\nset xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, "
                      "2000, 5000, 10000, 20000, 50000)\n"
                    : "");
        }
        w->figure->any = true;
        add_curve(w, i);
    }
    tw_text_buffer_add(&w->figure->curves, "\n");
    return status;
}

tw_status tw_sweep_curves_draw(tw_sweep_figure *figure, const tw_sweep_results *results,
                               const char *folder, const char *stage, tw_error *error)
{
    tw_row_writer writer;
    *figure = (tw_sweep_figure){.any = false};
    size_t *group = calloc(results->grid->case_count, sizeof *group);
    if (!group) return tw_error_set_memory(error);
    tw_sweep_results_groups(results->grid, group);
    tw_status status =
        tw_row_writer_open(&writer, tw_sweep_folder_path(folder, "curves.csv").text, error);
    if (status == TW_STATUS_OK) {
        curves_writing w = {
            .figure = figure, .results = results, .writer = &writer, .group = group};
        status = add_curves(&w, folder, stage, error);
        if (status == TW_STATUS_OK)
            status = tw_row_writer_finish(&writer, error);
        else
            tw_row_writer_abandon(&writer);
    }
    free(group);
    return status;
}
