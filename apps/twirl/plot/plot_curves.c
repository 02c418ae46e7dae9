/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_curves.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/row_writer.h"
#include "plot/curve_label.h"
#include "plot/figure_table.h"
#include "plot/plot_figure.h"
#include "plot/plot_plane.h"

/* ---- Which figures ---- */

static bool fits_cycles(const tw_series *s, unsigned flags)
{
    const bool by_stress = s->stage && isnan(s->stage->cycle.strain);
    if (flags & TW_FIGURE_TABLE_STRESS_CYCLES) return by_stress;
    if (flags & TW_FIGURE_TABLE_STRAIN_CYCLES) return !by_stress;
    return true;
}

static bool is_member(const tw_plot_curves *d, size_t i, const tw_figure_table_entry *e,
                      const tw_figure_table_group *g, tw_curve x)
{
    const uint32_t kind = (uint32_t)1 << d->series[i].kind;
    bool any = false;
    for (int k = 0; k < e->count; k++)
        any = any || d->present[i][e->lines[k].curve];
    return (e->kinds & g->kinds & kind) && d->present[i][x] && any &&
           fits_cycles(&d->series[i], e->flags) && d->series[i].count > 1;
}

/* A figure that can be drawn: an entry of the table, for a group of kinds. */
typedef struct choice {
    const tw_figure_table_entry *entry;
    const tw_figure_table_group *group;
    tw_curve x;
    bool repeated; /* another group before has a figure of this name */
    size_t members;
} choice;

static bool choose(const tw_plot_curves *d, int entry, int group, choice *c)
{
    bool needed = false;
    c->entry = &tw_figure_table[entry];
    c->group = &tw_figure_table_groups[group];
    c->x = c->entry->x == TW_CURVES ? c->group->x : c->entry->x;
    c->members = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (!is_member(d, i, c->entry, c->group, c->x)) continue;
        c->members++;
        needed = needed || (c->entry->needs & (uint32_t)1 << d->series[i].kind);
    }
    if (d->overlay && (c->members != d->count || (c->entry->flags & TW_FIGURE_TABLE_EACH)))
        return false;
    return needed;
}

/* Figures in the order of the table. False: no more. */
static bool next_choice(const tw_plot_curves *d, int *at, choice *c)
{
    const int groups = tw_figure_table_group_count;
    for (; *at < tw_figure_table_count * groups; (*at)++) {
        if (!choose(d, *at / groups, *at % groups, c)) continue;
        c->repeated = false;
        for (int before = 0; before < *at && !c->repeated; before++) {
            choice other;
            c->repeated = strcmp(tw_figure_table[before / groups].name, c->entry->name) == 0 &&
                          choose(d, before / groups, before % groups, &other);
        }
        (*at)++;
        return true;
    }
    return false;
}

/* ---- curves.csv ---- */

static void write_header(tw_row_writer *writer, const tw_plot_curves *d)
{
    tw_row_writer_add(writer, "label");
    for (int c = 0; c < TW_CURVES; c++)
        if (d->used[c]) tw_row_writer_add(writer, ",%s", tw_curve_labels[c].column);
    tw_row_writer_add(writer, "\n");
}

static void write_row(tw_row_writer *writer, const tw_plot_curves *d, const tw_series *s,
                      const char *label, size_t row)
{
    double value[TW_CURVES];
    tw_curve_values(s, row, value);
    tw_row_writer_add(writer, "\"%s\"", label);
    for (int c = 0; c < TW_CURVES; c++) {
        if (!d->used[c]) continue;
        if (isnan(value[c])) /* printf may write "-nan" */
            tw_row_writer_add(writer, ",nan");
        else
            tw_row_writer_add(writer, ",%.17g", value[c] + 0.0);
    }
    tw_row_writer_add(writer, "\n");
}

/* A blank line between series: gnuplot does not join across it. */
static tw_status write_curves(const tw_plot_curves *d, const char *directory, tw_error *error)
{
    char path[PATH_MAX + 16], label[TW_SERIES_LABEL_MAX];
    tw_row_writer writer;
    snprintf(path, sizeof path, "%s/curves.csv", directory);
    const tw_status status = tw_row_writer_open(&writer, path, error);
    if (status != TW_STATUS_OK) return status;
    write_header(&writer, d);
    for (size_t i = 0; i < d->count; i++) {
        if (i > 0) tw_row_writer_add(&writer, "\n");
        snprintf(label, sizeof label, "%s", d->series[i].label);
        for (char *quote = label; (quote = strchr(quote, '"')) != NULL;)
            *quote = '\'';
        for (size_t row = 0; row < d->series[i].count; row++)
            write_row(&writer, d, &d->series[i], label, row);
    }
    return tw_row_writer_finish(&writer, error);
}

/* ---- Drawing ---- */

static tw_status draw_lines(const tw_plot_curves *d, const choice *c, const char *directory,
                            const char *name, size_t only, tw_error *error)
{
    const size_t most = d->count * (size_t)c->entry->count;
    tw_plot_figure_line *line = malloc(most * sizeof *line);
    if (!line) return tw_error_set_memory(error);
    size_t lines = 0;
    for (size_t i = 0; i < d->count; i++) {
        if ((only < d->count && i != only) || !is_member(d, i, c->entry, c->group, c->x)) continue;
        for (int k = 0; k < c->entry->count; k++) {
            const tw_figure_table_line *l = &c->entry->lines[k];
            if (!d->present[i][l->curve]) continue;
            line[lines++] = (tw_plot_figure_line){&d->series[i], i, l->curve,
                                                  l->title ? l->title : d->series[i].label};
        }
    }
    const tw_plot_figure figure = {.directory = directory,
                                   .name = name,
                                   .x = c->x,
                                   .log_x = c->group->log && c->x == c->group->x,
                                   .log_y = c->entry->flags & TW_FIGURE_TABLE_LOG_Y,
                                   .line = line,
                                   .count = lines,
                                   .style = d->style};
    const tw_status status = tw_plot_figure_draw(&figure, error);
    free(line);
    return status;
}

static void add_name(tw_text_buffer *names, const char *name)
{
    tw_text_buffer_add(names, "%s%s", names->length > 0 ? ", " : "", name);
}

static tw_status draw_choice(const tw_plot_curves *d, const choice *c, const char *directory,
                             tw_text_buffer *names, tw_error *error)
{
    char name[2 * TW_HISTORY_STAGE_MAX];
    tw_status status = TW_STATUS_OK;
    if (!(c->entry->flags & TW_FIGURE_TABLE_EACH)) {
        snprintf(name, sizeof name, "%s%s%s", c->entry->name, c->repeated ? "_" : "",
                 c->repeated ? c->group->name : "");
        add_name(names, name);
        return draw_lines(d, c, directory, name, d->count, error);
    }
    for (size_t i = 0; i < d->count && status == TW_STATUS_OK; i++) {
        if (!is_member(d, i, c->entry, c->group, c->x)) continue;
        const bool several = d->count > 1;
        snprintf(name, sizeof name, "%s%s%s", c->entry->name, several ? "_" : "",
                 several ? d->series[i].name : "");
        add_name(names, name);
        status = draw_lines(d, c, directory, name, i, error);
    }
    return status;
}

tw_status tw_plot_curves_make(tw_plot_curves *curves, const tw_series_list *list,
                              const tw_plot_style *style, tw_error *error)
{
    choice c;
    int at = 0;
    bool any = false;
    *curves = (tw_plot_curves){
        .series = list->series, .count = list->count, .overlay = list->runs > 1, .style = style};
    curves->present = calloc(list->count + 1, sizeof *curves->present);
    if (!curves->present) return tw_error_set_memory(error);
    for (size_t i = 0; i < list->count; i++)
        tw_curve_find(&list->series[i], curves->present[i]);
    while (next_choice(curves, &at, &c)) {
        any = true;
        curves->used[c.x] = true;
        for (int k = 0; k < c.entry->count; k++)
            for (size_t i = 0; i < list->count; i++)
                if (curves->present[i][c.entry->lines[k].curve])
                    curves->used[c.entry->lines[k].curve] = true;
    }
    if (tw_plot_plane_can(curves->series, curves->count, curves->overlay))
        curves->used[TW_CURVE_PI_X] = curves->used[TW_CURVE_PI_Y] = true;
    return any ? TW_STATUS_OK : tw_error_set(error, TW_STATUS_INPUT, "nothing to draw");
}

void tw_plot_curves_free(tw_plot_curves *curves)
{
    free(curves->present);
    curves->present = NULL;
}

tw_status tw_plot_curves_draw(const tw_plot_curves *curves, const char *directory,
                              tw_text_buffer *names, tw_error *error)
{
    choice c;
    int at = 0;
    tw_status status = write_curves(curves, directory, error);
    while (status == TW_STATUS_OK && next_choice(curves, &at, &c))
        status = draw_choice(curves, &c, directory, names, error);
    if (status == TW_STATUS_OK &&
        tw_plot_plane_can(curves->series, curves->count, curves->overlay)) {
        add_name(names, "pi_plane");
        status = tw_plot_plane_draw(curves->series, curves->count, curves->style, directory, error);
    }
    return status;
}
