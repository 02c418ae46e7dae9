/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_table.h"

#include "base/error.h"
#include "common/row_writer.h"
#include "sweep/sweep_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Quoted if need be: RFC 4180. */
static void add_text(tw_row_writer *writer, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        tw_row_writer_add(writer, "%s", text);
        return;
    }
    tw_row_writer_add(writer, "\"");
    for (; *text; text++)
        tw_row_writer_add(writer, *text == '"' ? "\"\"" : "%c", *text);
    tw_row_writer_add(writer, "\"");
}

static void add_number(tw_row_writer *writer, double value)
{
    if (isnan(value)) /* printf may write "-nan" */
        tw_row_writer_add(writer, ",nan");
    else
        tw_row_writer_add(writer, ",%.17g", value + 0.0);
}

static void add_case(tw_row_writer *writer, const tw_sweep_results *r, size_t i)
{
    const tw_sweep_grid *grid = r->grid;
    add_text(writer, grid->cases[i].name);
    for (size_t k = 0; k < grid->vary_count; k++) {
        tw_row_writer_add(writer, ",");
        add_text(writer, tw_sweep_grid_value(grid, &grid->cases[i], k));
    }
    tw_row_writer_add(writer, r->done[i] ? ",done" : ",failed");
    for (size_t c = 0; c < r->columns; c++)
        add_number(writer, tw_sweep_results_at(r, i, c));
    tw_row_writer_add(writer, "\n");
}

tw_status tw_sweep_table_write(const tw_sweep_results *r, const char *folder, tw_error *error)
{
    tw_row_writer writer;
    const tw_folder_path path = tw_folder_path_join(folder, "table.csv");
    const tw_status status = tw_row_writer_open(&writer, path.text, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&writer, "case");
    for (size_t k = 0; k < r->grid->vary_count; k++)
        tw_row_writer_add(&writer, ",%s", r->grid->vary[k].key);
    tw_row_writer_add(&writer, ",status");
    for (size_t c = 0; c < r->columns; c++) {
        tw_row_writer_add(&writer, ",");
        add_text(&writer, r->name[c]);
    }
    tw_row_writer_add(&writer, "\n");
    for (size_t i = 0; i < r->grid->case_count; i++)
        add_case(&writer, r, i);
    return tw_row_writer_finish(&writer, error);
}

/* ---- Means ---- */

static void add_mean_header(tw_row_writer *writer, const tw_sweep_results *r)
{
    for (size_t k = 0; k < r->grid->vary_count; k++)
        if (!tw_sweep_vary_is_seed(&r->grid->vary[k]))
            tw_row_writer_add(writer, "%s,", r->grid->vary[k].key);
    tw_row_writer_add(writer, "count");
    for (size_t c = 0; c < r->columns; c++) {
        tw_row_writer_add(writer, ",");
        add_text(writer, r->name[c]);
        tw_row_writer_add(writer, ",");
        tw_text_buffer deviation = {0};
        tw_text_buffer_add(&deviation, "%s_sd", r->name[c]);
        if (!deviation.failed) add_text(writer, deviation.text);
        tw_text_buffer_free(&deviation);
    }
    tw_row_writer_add(writer, "\n");
}

/* `first`: the first case of the group, `count`: its cases that are done. */
static void add_mean(tw_row_writer *writer, const tw_sweep_results *r, const size_t *group,
                     size_t first)
{
    const tw_sweep_grid *grid = r->grid;
    size_t count = 0;
    for (size_t i = 0; i < grid->case_count; i++)
        count += group[i] == group[first] && r->done[i];
    for (size_t k = 0; k < grid->vary_count; k++) {
        if (tw_sweep_vary_is_seed(&grid->vary[k])) continue;
        add_text(writer, tw_sweep_grid_value(grid, &grid->cases[first], k));
        tw_row_writer_add(writer, ",");
    }
    tw_row_writer_add(writer, "%zu", count);
    for (size_t c = 0; c < r->columns; c++) {
        const tw_sweep_statistics s = tw_sweep_results_statistics(r, group, group[first], c);
        add_number(writer, s.mean);
        add_number(writer, s.deviation);
    }
    tw_row_writer_add(writer, "\n");
}

tw_status tw_sweep_table_write_means(const tw_sweep_results *r, const char *folder, tw_error *error)
{
    tw_row_writer writer;
    const tw_folder_path path = tw_folder_path_join(folder, "table_mean.csv");
    size_t *group = calloc(r->grid->case_count, sizeof *group);
    if (!group) return tw_error_set_memory(error);
    const size_t groups = tw_sweep_results_groups(r->grid, group);
    const tw_status status = tw_row_writer_open(&writer, path.text, error);
    if (status != TW_STATUS_OK) {
        free(group);
        return status;
    }
    add_mean_header(&writer, r);
    for (size_t g = 0, i = 0; g < groups; g++) {
        for (i = 0; group[i] != g;)
            i++;
        add_mean(&writer, r, group, i);
    }
    free(group);
    return tw_row_writer_finish(&writer, error);
}
