/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON document of a set. README.md describes it. */
#include <twirl/figure.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/text.h"
#include "figure/figure_internal.h"

enum { FORMAT = 1, TICKS_MAX = 256 };

static void add_text(tw_text_buffer *out, const char *name, const char *text)
{
    tw_text_buffer_add(out, "\"%s\": ", name);
    tw_text_buffer_add_json_string(out, text);
}

static void add_number(tw_text_buffer *out, const char *name, double value)
{
    tw_text_buffer_add(out, "\"%s\": ", name);
    tw_text_buffer_add_json_number(out, value);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static const char *comma(size_t k)
{
    return k > 0 ? ", " : "";
}

/* ---- Tables ---- */

static void add_quantities(tw_text_buffer *out)
{
    tw_text_buffer_add(out, ", \"quantities\": [");
    for (size_t k = 0; k < tw_figure_quantity_count(); k++) {
        const tw_figure_quantity *q = tw_figure_quantity_at(k);
        tw_text_buffer_add(out, "%s{", comma(k));
        add_text(out, "name", q->name);
        tw_text_buffer_add(out, ", ");
        add_text(out, "label", q->label);
        tw_text_buffer_add(out, ", \"word\": \"%s\", \"dimension\": \"%s\", \"zero\": %s}", q->word,
                           tw_figure_axis_dimensions[q->dimension].name, truth(q->zero));
    }
    tw_text_buffer_add(out, "],\n \"columns\": [");
    for (int c = 0; c < TW_HISTORY_COLUMN_COUNT; c++) {
        const tw_history_column column = (tw_history_column)c;
        tw_text_buffer_add(out, "%s{\"name\": \"%s\", \"dimension\": \"%s\", \"text\": \"%s\"}",
                           comma((size_t)c), tw_figure_history_name(column),
                           tw_figure_axis_dimensions[tw_figure_history_dimension(column)].name,
                           tw_figure_history_text(column));
    }
    tw_text_buffer_add(out, "]");
}

static void add_dimensions(tw_text_buffer *out)
{
    tw_text_buffer_add(out, ",\n \"dimensions\": [");
    for (size_t d = 0; d < TW_FIGURE_DIMENSIONS; d++) {
        const tw_figure_axis_units *units = &tw_figure_axis_dimensions[d];
        tw_text_buffer_add(out, "%s{\"name\": \"%s\", \"si\": \"%s\", \"units\": [", comma(d),
                           units->name, units->si);
        for (size_t k = 0; k < units->count; k++)
            tw_text_buffer_add(out, "%s{\"name\": \"%s\", \"size\": %.17g, \"from\": %.17g}",
                               comma(k), units->unit[k].name, units->unit[k].size,
                               units->unit[k].from);
        tw_text_buffer_add(out, "]}");
    }
    tw_text_buffer_add(out, "]");
}

/* ---- Runs and series ---- */

typedef struct warning_list {
    tw_text_buffer *out;
    size_t count;
} warning_list;

static void add_warning(void *target, const char *text)
{
    warning_list *l = target;
    tw_text_buffer_add(l->out, "%s", comma(l->count++));
    tw_text_buffer_add_json_string(l->out, text);
}

/* The last part of the path. */
static void name_run(const tw_figure_run *run, char name[TW_FIGURE_TEXT_MAX])
{
    size_t end = strlen(run->input);
    while (end > 1 && run->input[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && run->input[start - 1] != '/')
        start--;
    snprintf(name, TW_FIGURE_TEXT_MAX, "%.*s", (int)(end - start), run->input + start);
}

/* The path as given where two are alike. */
static void add_name(tw_text_buffer *out, const tw_figure_set *set, size_t number)
{
    char own[TW_FIGURE_TEXT_MAX], other[TW_FIGURE_TEXT_MAX];
    bool alike = false;
    name_run(&set->runs[number], own);
    for (size_t k = 0; k < set->run_count; k++) {
        name_run(&set->runs[k], other);
        alike = alike || (k != number && strcmp(own, other) == 0);
    }
    add_text(out, "name", alike ? set->runs[number].input : own);
}

static void add_runs(tw_text_buffer *out, const tw_figure_set *set)
{
    tw_text_buffer_add(out, ",\n \"runs\": [");
    for (size_t r = 0; r < set->run_count; r++) {
        const tw_figure_run *run = &set->runs[r];
        warning_list warnings = {.out = out};
        tw_text_buffer_add(out, "%s{", comma(r));
        add_name(out, set, r);
        tw_text_buffer_add(out, ", ");
        add_text(out, "input", run->input);
        tw_text_buffer_add(out, ", \"warnings\": [");
        for (size_t k = 0; run->scenario && k < run->scenario->stage_count; k++)
            tw_figure_warnings(&run->history, &run->scenario->stages[k], add_warning, &warnings);
        tw_text_buffer_add(out, "], ");
        add_text(out, "problem", *run->warning ? run->warning : NULL);
        tw_text_buffer_add(out, "}");
    }
    tw_text_buffer_add(out, "]");
}

static void add_values(tw_text_buffer *out, const tw_figure_series *s, size_t from, bool columns)
{
    size_t count = 0;
    tw_text_buffer_add(out, "\"values\": {");
    for (size_t k = 0; k < tw_figure_quantity_count(); k++) {
        const int column = columns ? tw_figure_quantity_column(s, k) : -1;
        if (!s->values[k]) continue;
        tw_text_buffer_add(out, "%s\"%s\": ", comma(count++), tw_figure_quantity_at(k)->name);
        if (column >= 0) {
            tw_text_buffer_add(out, "\"%s\"", tw_figure_history_name((tw_history_column)column));
            continue;
        }
        tw_text_buffer_add(out, "[");
        for (size_t i = from; i < s->count; i++) {
            if (i > from) tw_text_buffer_add(out, ", ");
            tw_text_buffer_add_json_number(out, s->values[k][i]);
        }
        tw_text_buffer_add(out, "]");
    }
    tw_text_buffer_add(out, "}");
}

static void add_series(tw_text_buffer *out, const tw_figure_set *set,
                       const tw_figure_request *request)
{
    tw_text_buffer_add(out, ",\n \"series\": [");
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        const size_t before = request->from > s->first ? request->from - s->first : 0;
        const size_t from = before < s->count ? before : s->count;
        tw_text_buffer_add(out, "%s{\"run\": %zu, ", i > 0 ? ",\n  " : "", s->run);
        add_text(out, "stage", s->stage);
        tw_text_buffer_add(out, ", ");
        add_text(out, "label", s->label);
        tw_text_buffer_add(
            out,
            ", \"kind\": \"%s\", \"loading\": %s, \"axis\": %d, \"drawn\": %s, \"abscissa\": "
            "\"%s\", \"first\": %zu, \"rows\": %zu, \"from\": %zu, ",
            tw_figure_kind_name(s->kind), truth(tw_figure_series_is_loading(s->kind)), s->axis,
            truth(s->drawn), tw_figure_set_abscissa(s->kind), s->first, s->count, from);
        add_values(out, s, from, request->columns);
        tw_text_buffer_add(out, "}");
    }
    tw_text_buffer_add(out, "]");
}

/* ---- Figures ---- */

static void add_ticks(tw_text_buffer *out, const tw_figure_axis *axis)
{
    tw_figure_tick tick[TICKS_MAX];
    const size_t count = tw_figure_axis_ticks(axis, tick, TICKS_MAX);
    for (int small = 0; small < 2; small++) {
        size_t written = 0;
        tw_text_buffer_add(out, small ? "], \"minor\": [" : "\"ticks\": [");
        for (size_t k = 0; k < count; k++) {
            if ((*tick[k].text == '\0') != (small == 1)) continue;
            tw_text_buffer_add(out, small ? "%s" : "%s[", comma(written++));
            tw_text_buffer_add_json_number(out, tick[k].at);
            if (!small) tw_text_buffer_add(out, ", \"%s\"]", tick[k].text);
        }
    }
    tw_text_buffer_add(out, "]");
}

static void add_axis(tw_text_buffer *out, const char *name, const tw_figure_axis *axis)
{
    tw_text_buffer_add(out, "\"%s\": {", name);
    add_text(out, "label", axis->label);
    tw_text_buffer_add(out, ", ");
    add_text(out, "unit", axis->unit);
    tw_text_buffer_add(out, ", ");
    add_text(out, "q", axis->quantity);
    tw_text_buffer_add(out, ", ");
    add_number(out, "factor", axis->factor);
    tw_text_buffer_add(out, ", ");
    add_number(out, "low", axis->low);
    tw_text_buffer_add(out, ", ");
    add_number(out, "high", axis->high);
    tw_text_buffer_add(out, ", \"log\": %s, \"zero\": %s, ", truth(axis->log), truth(axis->zero));
    add_number(out, "step", axis->step);
    tw_text_buffer_add(out, ", \"decimals\": %d, ", axis->decimals);
    add_ticks(out, axis);
    tw_text_buffer_add(out, "}, ");
}

static void add_lines(tw_text_buffer *out, const tw_figure *f)
{
    tw_text_buffer_add(out, "\"lines\": [");
    for (size_t k = 0; k < f->line_count; k++) {
        const tw_figure_line *line = &f->lines[k];
        tw_text_buffer_add(out, "%s{\"series\": %zu, \"x\": \"%s\", \"y\": \"%s\", ", comma(k),
                           line->series, tw_figure_quantity_at(line->x)->name,
                           tw_figure_quantity_at(line->y)->name);
        add_text(out, "title", line->title);
        tw_text_buffer_add(out, ", \"style\": %d}", line->style);
    }
    tw_text_buffer_add(out, "], ");
}

static void add_shapes(tw_text_buffer *out, const tw_figure *f)
{
    static const char *const kinds[] = {"curve", "points", "arrow", "note"};
    tw_text_buffer_add(out, "\"shapes\": [");
    for (size_t k = 0; k < f->shape_count; k++) {
        const tw_figure_shape *s = &f->shapes[k];
        tw_text_buffer_add(out, "%s{\"kind\": \"%s\", ", comma(k), kinds[s->kind]);
        add_text(out, "title", s->title);
        tw_text_buffer_add(out,
                           ", \"plain\": %s, \"style\": %d, \"dash\": %d, \"mark\": %d, \"side\": "
                           "%d, \"width\": %g",
                           truth(s->plain), s->style, s->dash, s->mark, s->side, s->width);
        for (int c = 0; c < 2; c++) {
            tw_text_buffer_add(out, ", \"%c\": [", "xy"[c]);
            for (size_t i = 0; i < s->count; i++) {
                if (i > 0) tw_text_buffer_add(out, ", ");
                tw_text_buffer_add_json_number(out, s->at[i][c]);
            }
            tw_text_buffer_add(out, "]");
        }
        tw_text_buffer_add(out, "}");
    }
    tw_text_buffer_add(out, "], ");
}

static void add_triple(tw_text_buffer *out, const double v[3])
{
    for (int k = 0; k < 3; k++) {
        tw_text_buffer_add(out, k > 0 ? ", " : "[");
        tw_text_buffer_add_json_number(out, v[k]);
    }
    tw_text_buffer_add(out, "]");
}

static void add_surface(tw_text_buffer *out, const tw_figure_surface *s)
{
    if (!s) {
        tw_text_buffer_add(out, "\"surface\": null, ");
        return;
    }
    tw_text_buffer_add(out, "\"surface\": {\"points\": [");
    for (size_t i = 0; i < s->point_count; i++) {
        tw_text_buffer_add(out, "%s", comma(i));
        add_triple(out, s->points[i]);
    }
    tw_text_buffer_add(out, "], \"shares\": [");
    for (size_t i = 0; i < s->point_count; i++) {
        tw_text_buffer_add(out, "%s", comma(i));
        tw_text_buffer_add_json_number(out, s->shares[i]);
    }
    tw_text_buffer_add(out, "], \"triangles\": [");
    for (size_t t = 0; t < s->triangle_count; t++)
        tw_text_buffer_add(out, "%s[%zu, %zu, %zu]", comma(t), s->triangles[t][0],
                           s->triangles[t][1], s->triangles[t][2]);
    tw_text_buffer_add(out, "], ");
    add_number(out, "reach", s->reach);
    tw_text_buffer_add(out, ", \"radius\": ");
    add_triple(out, s->radius);
    tw_text_buffer_add(out, ", \"labels\": [");
    for (int k = 0; k < 3; k++) {
        tw_text_buffer_add(out, "%s", comma((size_t)k));
        tw_text_buffer_add_json_string(out, s->labels[k]);
    }
    tw_text_buffer_add(out, "]}, ");
}

static void add_figure(tw_text_buffer *out, const tw_figure *f)
{
    static const char *const keys[] = {"none",        "top right", "top left", "bottom right",
                                       "bottom left", "above",     "beside"};
    tw_text_buffer_add(out, "{");
    add_text(out, "name", f->name);
    tw_text_buffer_add(out, ", \"kind\": \"%s\", \"group\": \"%s\", \"title\": \"%s\", ", f->kind,
                       f->group, f->title);
    add_text(out, "stage", f->stage);
    if (f->stage)
        tw_text_buffer_add(out, ", \"run\": %zu, ", f->run);
    else
        tw_text_buffer_add(out, ", \"run\": null, ");
    add_text(out, "sheet", f->sheet);
    tw_text_buffer_add(out, ",\n   ");
    add_axis(out, "x", &f->x);
    tw_text_buffer_add(out, "\n   ");
    add_axis(out, "y", &f->y);
    tw_text_buffer_add(out, "\n   \"equal\": %s, \"bare\": %s, ", truth(f->equal), truth(f->bare));
    add_lines(out, f);
    add_shapes(out, f);
    add_surface(out, f->surface);
    tw_text_buffer_add(out, "\"key\": \"%s\"}", keys[f->key]);
}

char *tw_figure_document_text(const tw_figure_set *set, const tw_figure_request *request)
{
    tw_c_locale plain;
    tw_text_buffer out = {0};
    if (!tw_c_locale_push(&plain)) return NULL;
    tw_text_buffer_add(&out, "{\"format\": %d", FORMAT);
    add_quantities(&out);
    add_dimensions(&out);
    add_runs(&out, set);
    add_series(&out, set, request);
    tw_text_buffer_add(&out, ",\n \"figures\": [");
    for (size_t k = 0; k < set->figure_count; k++) {
        tw_text_buffer_add(&out, k > 0 ? ",\n  " : "");
        add_figure(&out, &set->figures[k]);
    }
    tw_text_buffer_add(&out, "]}");
    tw_c_locale_pop(&plain);
    return tw_text_buffer_take(&out);
}

tw_status tw_figure_document_write(const tw_figure_request *request, char **text, tw_error *error)
{
    tw_figure_set set;
    tw_status status = tw_figure_set_make(&set, request, error);
    *text = status == TW_STATUS_OK ? tw_figure_document_text(&set, request) : NULL;
    if (status == TW_STATUS_OK && !*text) status = tw_error_set_memory(error);
    tw_figure_set_free(&set);
    return status;
}
