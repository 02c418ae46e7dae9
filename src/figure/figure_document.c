/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON document of a set. README.md describes it. */
#include <twirl/figure.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "figure/figure_internal.h"

enum { FORMAT = 1, TICKS_MAX = 256 };

/* ---- Tables ---- */

static void add_quantities(tw_text_buffer *out)
{
    tw_json_begin(out, "quantities", '[');
    for (size_t k = 0; k < tw_figure_quantity_count(); k++) {
        const tw_figure_quantity *q = tw_figure_quantity_at(k);
        tw_json_begin(out, NULL, '{');
        tw_json_text(out, "name", q->name);
        tw_json_text(out, "label", q->label);
        tw_json_text(out, "word", q->word);
        tw_json_text(out, "dimension", tw_figure_axis_dimensions[q->dimension].name);
        tw_json_truth(out, "zero", q->zero);
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
    tw_json_begin(out, "columns", '[');
    for (int c = 0; c < TW_HISTORY_COLUMN_COUNT; c++) {
        const tw_history_column column = (tw_history_column)c;
        tw_json_begin(out, NULL, '{');
        tw_json_text(out, "name", tw_figure_history_name(column));
        tw_json_text(out, "dimension",
                     tw_figure_axis_dimensions[tw_figure_history_dimension(column)].name);
        tw_json_text(out, "text", tw_figure_history_text(column));
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
    tw_json_begin(out, "results", '[');
    for (size_t k = 0; k < tw_figure_result_count(); k++) {
        const tw_figure_result *result = tw_figure_result_at(k);
        tw_json_begin(out, NULL, '{');
        tw_json_text(out, "name", result->name);
        tw_json_text(out, "dimension", tw_figure_axis_dimensions[result->dimension].name);
        tw_json_text(out, "text", result->text);
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
}

static void add_dimensions(tw_text_buffer *out)
{
    tw_json_begin(out, "dimensions", '[');
    for (size_t d = 0; d < TW_FIGURE_DIMENSIONS; d++) {
        const tw_figure_axis_units *units = &tw_figure_axis_dimensions[d];
        tw_json_begin(out, NULL, '{');
        tw_json_text(out, "name", units->name);
        tw_json_text(out, "si", units->si);
        tw_json_begin(out, "units", '[');
        for (size_t k = 0; k < units->count; k++) {
            tw_json_begin(out, NULL, '{');
            tw_json_text(out, "name", units->unit[k].name);
            tw_json_number(out, "size", units->unit[k].size);
            tw_json_number(out, "from", units->unit[k].from);
            tw_json_end(out, '}');
        }
        tw_text_buffer_add(out, "]}");
    }
    tw_json_end(out, ']');
}

/* ---- Runs and series ---- */

static void add_warning(void *target, const char *text)
{
    tw_json_text(target, NULL, text);
}

/* The last part of the path; the path as given where two are alike. */
static void add_name(tw_text_buffer *out, const tw_figure_set *set, size_t number)
{
    bool alike = false;
    const tw_figure_name own = tw_figure_name_of(set->runs[number].input);
    for (size_t k = 0; k < set->run_count; k++)
        alike = alike ||
                (k != number && strcmp(own.text, tw_figure_name_of(set->runs[k].input).text) == 0);
    tw_json_text(out, "name", alike ? set->runs[number].input : own.text);
}

static void add_runs(tw_text_buffer *out, const tw_figure_set *set)
{
    tw_json_begin(out, "runs", '[');
    for (size_t r = 0; r < set->run_count; r++) {
        const tw_figure_run *run = &set->runs[r];
        tw_json_begin(out, NULL, '{');
        add_name(out, set, r);
        tw_json_text(out, "input", run->input);
        tw_json_begin(out, "warnings", '[');
        for (size_t k = 0; run->scenario && k < run->scenario->stage_count; k++)
            tw_figure_warnings(&run->history, &run->scenario->stages[k], add_warning, out);
        tw_json_end(out, ']');
        tw_json_text(out, "problem", *run->warning ? run->warning : NULL);
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
}

static void add_values(tw_text_buffer *out, const tw_figure_series *s, size_t from, bool columns)
{
    tw_json_begin(out, "values", '{');
    for (size_t k = 0; k < tw_figure_quantity_count(); k++) {
        const char *name = tw_figure_quantity_at(k)->name;
        const int column = columns ? tw_figure_quantity_column(s, k) : -1;
        if (s->values[k] && column >= 0)
            tw_json_text(out, name, tw_figure_history_name((tw_history_column)column));
        else if (s->values[k])
            tw_json_numbers(out, name, s->values[k] + from, s->count - from, 1);
    }
    tw_json_end(out, '}');
}

/* None of a history that is not kept in memory. */
static void add_results(tw_text_buffer *out, const tw_figure_series *s)
{
    const size_t count = s->history->rows ? tw_figure_result_count() : 0;
    double *value = malloc((count + 1) * sizeof *value);
    const bool good = value && (count == 0 || tw_figure_result_compute(s, value));
    tw_json_begin(out, "results", '{');
    for (size_t k = 0; good && k < count; k++)
        if (isfinite(value[k])) tw_json_number(out, tw_figure_result_at(k)->name, value[k]);
    tw_json_end(out, '}');
    out->failed |= !good;
    free(value);
}

static void add_series(tw_text_buffer *out, const tw_figure_set *set,
                       const tw_figure_request *request)
{
    tw_json_begin(out, "series", '[');
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        const tw_figure_part *parts = s->history->parts + s->part;
        /* A test that has got another stage since is another series. */
        const bool seen = s->part_count < 2 || parts[s->part_count - 1].first < request->from;
        const size_t before = seen && request->from > s->first ? request->from - s->first : 0;
        const size_t from = before < s->count ? before : s->count;
        tw_json_begin(out, NULL, '{');
        tw_json_count(out, "run", s->run);
        tw_json_text(out, "stage", s->stage);
        tw_json_begin(out, "stages", '[');
        for (size_t k = 0; k < s->part_count; k++)
            tw_json_text(out, NULL, parts[k].stage);
        tw_json_end(out, ']');
        tw_json_text(out, "label", s->label);
        tw_json_text(out, "kind", tw_figure_kind_name(s->kind));
        tw_json_truth(out, "loading", tw_figure_series_is_loading(s->kind));
        tw_json_number(out, "axis", s->axis);
        tw_json_truth(out, "drawn", s->drawn);
        tw_json_text(out, "abscissa", tw_figure_set_abscissa(s->kind));
        tw_json_count(out, "first", s->first);
        tw_json_count(out, "rows", s->count);
        tw_json_count(out, "from", from);
        add_results(out, s);
        add_values(out, s, from, request->columns);
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
}

/* ---- Figures ---- */

static void add_ticks(tw_text_buffer *out, const tw_figure_axis *axis)
{
    tw_figure_tick tick[TICKS_MAX];
    const size_t count = tw_figure_axis_ticks(axis, tick, TICKS_MAX);
    tw_json_begin(out, "ticks", '[');
    for (size_t k = 0; k < count; k++) {
        if (*tick[k].text == '\0') continue;
        tw_json_begin(out, NULL, '[');
        tw_json_number(out, NULL, tick[k].at);
        tw_json_text(out, NULL, tick[k].text);
        tw_json_end(out, ']');
    }
    tw_json_end(out, ']');
    tw_json_begin(out, "minor", '[');
    for (size_t k = 0; k < count; k++)
        if (*tick[k].text == '\0') tw_json_number(out, NULL, tick[k].at);
    tw_json_end(out, ']');
}

static void add_axis(tw_text_buffer *out, const char *name, const tw_figure_axis *axis)
{
    tw_json_begin(out, name, '{');
    tw_json_text(out, "label", axis->label);
    tw_json_text(out, "unit", axis->unit);
    tw_json_text(out, "q", axis->quantity);
    tw_json_number(out, "factor", axis->factor);
    tw_json_number(out, "low", axis->low);
    tw_json_number(out, "high", axis->high);
    tw_json_truth(out, "log", axis->log);
    tw_json_truth(out, "zero", axis->zero);
    tw_json_number(out, "step", axis->step);
    tw_json_number(out, "decimals", axis->decimals);
    add_ticks(out, axis);
    tw_json_end(out, '}');
}

static void add_lines(tw_text_buffer *out, const tw_figure *f)
{
    tw_json_begin(out, "lines", '[');
    for (size_t k = 0; k < f->line_count; k++) {
        const tw_figure_line *line = &f->lines[k];
        tw_json_begin(out, NULL, '{');
        tw_json_count(out, "series", line->series);
        tw_json_text(out, "x", tw_figure_quantity_at(line->x)->name);
        tw_json_text(out, "y", tw_figure_quantity_at(line->y)->name);
        tw_json_text(out, "title", line->title);
        tw_json_truth(out, "plain", line->plain);
        tw_json_number(out, "style", line->style);
        tw_json_number(out, "dash", line->dash);
        tw_json_truth(out, "second", line->second);
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
}

static void add_shapes(tw_text_buffer *out, const tw_figure *f)
{
    static const char *const kinds[] = {"curve", "points", "arrow", "note"};
    tw_json_begin(out, "shapes", '[');
    for (size_t k = 0; k < f->shape_count; k++) {
        const tw_figure_shape *s = &f->shapes[k];
        tw_json_begin(out, NULL, '{');
        tw_json_text(out, "kind", kinds[s->kind]);
        tw_json_text(out, "title", s->title);
        tw_json_truth(out, "plain", s->plain);
        tw_json_number(out, "style", s->style);
        tw_json_number(out, "dash", s->dash);
        tw_json_number(out, "mark", s->mark);
        tw_json_number(out, "side", s->side);
        tw_json_number(out, "width", s->width);
        tw_json_numbers(out, "x", s->at[0], s->count, 2);
        tw_json_numbers(out, "y", s->at[0] + 1, s->count, 2);
        tw_json_begin(out, "texts", '[');
        for (size_t i = 0; s->texts && i < s->count; i++)
            tw_json_text(out, NULL, s->texts[i]);
        tw_json_end(out, ']');
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
}

static void add_surface(tw_text_buffer *out, const tw_figure_surface *s)
{
    if (!s) {
        tw_json_text(out, "surface", NULL);
        return;
    }
    tw_json_begin(out, "surface", '{');
    tw_json_begin(out, "points", '[');
    for (size_t i = 0; i < s->point_count; i++)
        tw_json_numbers(out, NULL, s->points[i], 3, 1);
    tw_json_end(out, ']');
    tw_json_numbers(out, "shares", s->shares, s->point_count, 1);
    tw_json_begin(out, "triangles", '[');
    for (size_t t = 0; t < s->triangle_count; t++) {
        tw_json_begin(out, NULL, '[');
        for (int k = 0; k < 3; k++)
            tw_json_count(out, NULL, s->triangles[t][k]);
        tw_json_end(out, ']');
    }
    tw_json_end(out, ']');
    tw_json_number(out, "reach", s->reach);
    tw_json_numbers(out, "radius", s->radius, 3, 1);
    tw_json_begin(out, "labels", '[');
    for (int k = 0; k < 3; k++)
        tw_json_text(out, NULL, s->labels[k]);
    tw_text_buffer_add(out, "]}");
}

static void add_figure(tw_text_buffer *out, const tw_figure *f)
{
    static const char *const keys[] = {"none",        "top right", "top left", "bottom right",
                                       "bottom left", "above",     "beside"};
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "name", f->name);
    tw_json_text(out, "kind", f->kind);
    tw_json_text(out, "group", f->group);
    tw_json_text(out, "title", f->title);
    tw_json_text(out, "stage", f->stage);
    if (f->stage)
        tw_json_count(out, "run", f->run);
    else
        tw_json_text(out, "run", NULL);
    tw_json_text(out, "sheet", f->sheet);
    add_axis(out, "x", &f->x);
    add_axis(out, "y", &f->y);
    if (f->second.quantity)
        add_axis(out, "second", &f->second);
    else
        tw_json_text(out, "second", NULL);
    tw_json_truth(out, "equal", f->equal);
    tw_json_truth(out, "bare", f->bare);
    add_lines(out, f);
    add_shapes(out, f);
    add_surface(out, f->surface);
    tw_json_text(out, "key", keys[f->key]);
    tw_json_end(out, '}');
}

static void add_figures(tw_text_buffer *out, const char *name, const tw_figure_set *set)
{
    tw_json_begin(out, name, '[');
    for (size_t k = 0; k < set->figure_count; k++)
        add_figure(out, &set->figures[k]);
    tw_json_end(out, ']');
}

char *tw_figure_document_figures(const tw_figure_set *set)
{
    tw_c_locale plain;
    tw_text_buffer out = {0};
    if (!tw_c_locale_push(&plain)) return NULL;
    add_figures(&out, NULL, set);
    tw_c_locale_pop(&plain);
    return tw_text_buffer_take(&out);
}

char *tw_figure_document_text(const tw_figure_set *set, const tw_figure_request *request)
{
    tw_c_locale plain;
    tw_text_buffer out = {0};
    if (!tw_c_locale_push(&plain)) return NULL;
    tw_json_begin(&out, NULL, '{');
    tw_json_count(&out, "format", FORMAT);
    add_quantities(&out);
    add_dimensions(&out);
    tw_json_number(&out, "energy_limit", TW_FIGURE_ENERGY_LIMIT);
    add_runs(&out, set);
    add_series(&out, set, request);
    add_figures(&out, "figures", set);
    tw_json_end(&out, '}');
    tw_c_locale_pop(&plain);
    return tw_text_buffer_take(&out);
}

tw_status tw_figure_document_write(const tw_figure_request *request, char **text, tw_error *error)
{
    assert(request && text);
    tw_figure_set set;
    tw_status status = tw_figure_set_make(&set, request, error);
    *text = status == TW_STATUS_OK ? tw_figure_document_text(&set, request) : NULL;
    if (status == TW_STATUS_OK && !*text) status = tw_error_set_memory(error);
    tw_figure_set_free(&set);
    return status;
}
