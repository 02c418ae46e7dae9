/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_history.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "common/row_writer.h"
#include "plot/plot.h"

enum { LINES_MAX = 6 };

typedef struct line {
    tw_curve curve;
    const char *title; /* NULL: no key */
    bool second;       /* on the axis at the right */
} line;

typedef struct curve_figure {
    const char *name, *title;
    tw_curve x;                   /* TW_CURVES: axial strain, or time */
    const char *settings, *right; /* right: settings of the axis at the right, if it is used */
    line lines[LINES_MAX];
    int count;
} curve_figure;

static const curve_figure figures[] = {
    {"stress_ratio",
     "Stress ratio",
     TW_CURVES,
     "set ylabel 'q/p  [–]'\n",
     NULL,
     {{TW_CURVE_STRESS_RATIO, NULL, false}},
     1},
    {"volumetric_strain",
     "Volumetric strain",
     TW_CURVES,
     "set ylabel 'Volumetric strain, compression positive  [–]'\n"
     "set yrange [*<-1e-4:1e-4<*]\n",
     NULL,
     {{TW_CURVE_VOLUMETRIC_STRAIN, NULL, false}},
     1},
    {"stress_path",
     "Stress path",
     TW_CURVE_P,
     "set xlabel 'Mean stress p'\nset ylabel 'Deviator stress q'\n"
     "set xrange [*<0:*]\nset yrange [*<0:*]\n"
     "set format x '{/*0.8 %.0s %cPa}'\nset format y '%.0s %cPa'\n",
     NULL,
     {{TW_CURVE_Q, NULL, false}},
     1},
    {"energies",
     "Energies",
     TW_CURVES,
     "set ylabel 'Energy'\nset format y '%.1s %cJ'\n",
     NULL,
     {{TW_CURVE_WORK, "energy input", false},
      {TW_CURVE_STORED, "stored in contacts", false},
      {TW_CURVE_KINETIC, "kinetic", false},
      {TW_CURVE_FRICTION, "dissipated by friction", false},
      {TW_CURVE_DAMPING, "dissipated by damping", false},
      {TW_CURVE_RESIDUAL, "residual", false}},
     6},
    {"contacts",
     "Contacts",
     TW_CURVES,
     "set ylabel 'Coordination number  [–]'\nset ytics nomirror\n",
     "set y2label 'Share of sliding contacts  [–]'\nset y2tics\nset y2range [0:*]\nset border 11\n",
     {{TW_CURVE_COORDINATION, "coordination number", false},
      {TW_CURVE_SLIDING_FRACTION, "sliding", true}},
     2},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

/* gnuplot does not accept an empty range: a constant curve gets one around it. */
static void add_range(tw_text_buffer *text, const char *axis, double low, double high)
{
    const double middle = 0.5 * (low + high), wide = tw_math_max(fabs(low), fabs(high));
    if (low > high || high - low > 1e-9 * wide) return; /* no such axis, or no need */
    const double half = wide > 0.0 ? 0.1 * wide : 1.0;
    tw_text_buffer_add(text, "set %srange [%.17g:%.17g]\n", axis, middle - half, middle + half);
}

static void add_to_range(double value, double *low, double *high)
{
    *low = tw_math_min(*low, value); /* ignores NaN */
    *high = tw_math_max(*high, value);
}

static void add_ranges(tw_text_buffer *text, const tw_plot_history *d, const curve_figure *f,
                       tw_curve x)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    static const char *const names[] = {"x", "y", "y2"};
    for (size_t row = 0; row < d->table->count; row++) {
        double value[TW_CURVES];
        tw_curve_values(d->table, row, d->axis, value);
        add_to_range(value[x], &low[0], &high[0]);
        for (int i = 0; i < f->count; i++) {
            const int k = f->lines[i].second ? 2 : 1;
            if (d->present[f->lines[i].curve])
                add_to_range(value[f->lines[i].curve], &low[k], &high[k]);
        }
    }
    if (low[2] <= high[2]) tw_text_buffer_add(text, "%s", f->right);
    for (int k = 0; k < 3; k++)
        add_range(text, names[k], low[k], high[k]);
}

static void add_curve_list(tw_text_buffer *text, const tw_plot_history *d, const curve_figure *f,
                           tw_curve x)
{
    tw_text_buffer_add(text, "plot");
    for (int i = 0, drawn = 0; i < f->count; i++) {
        const line *l = &f->lines[i];
        if (!d->present[l->curve]) continue;
        tw_text_buffer_add(text, "%s 'curves.csv' using '%s':'%s' %swith lines linetype %d %s%s%s",
                           drawn++ > 0 ? ", \\\n    " : "", tw_curve_names[x],
                           tw_curve_names[l->curve], l->second ? "axes x1y2 " : "", i + 1,
                           l->title ? "title '" : "notitle", l->title ? l->title : "",
                           l->title ? "'" : "");
    }
    tw_text_buffer_add(text, "\n");
}

/* A figure with a single curve has a colour for each stage. */
static bool has_stages(const tw_plot_history *d, const curve_figure *f)
{
    return f->count == 1 && d->table->stages > 1 && d->table->stages <= TW_HISTORY_STAGES_MAX;
}

static void add_stage_list(tw_text_buffer *text, const tw_plot_history *d, const curve_figure *f,
                           tw_curve x)
{
    tw_text_buffer_add(text, "plot");
    for (size_t i = 0; i < d->table->stages; i++) {
        char name[TW_HISTORY_STAGE_MAX];
        snprintf(name, sizeof name, "%s", d->table->stage[i]);
        for (char *quote = name; (quote = strchr(quote, '\'')) != NULL;)
            *quote = ' '; /* would end the title */
        tw_text_buffer_add(text,
                           "%s 'curves.csv' every :::%zu::%zu using '%s':'%s' with lines "
                           "linetype %zu title '%s' noenhanced",
                           i > 0 ? ", \\\n    " : "", i, i, tw_curve_names[x],
                           tw_curve_names[f->lines[0].curve], i + 1, name);
    }
    tw_text_buffer_add(text, "\n");
}

static tw_status draw(const tw_plot_history *d, const curve_figure *f, const char *directory,
                      tw_error *error)
{
    tw_text_buffer settings = {0}, curves = {0};
    const tw_curve x = f->x == TW_CURVES ? d->abscissa : f->x;
    const char *label = x == TW_CURVE_TIME ? "set xlabel 'Time'\nset format x '{/*0.8 %.1s %cs}'\n"
                                           : "set xlabel 'Axial strain  [–]'\n";
    tw_text_buffer_add(&settings, "%sset title '%s'\n%s%s", tw_plot_style, f->title, label,
                       f->settings);
    add_ranges(&settings, d, f, x);
    if (has_stages(d, f))
        add_stage_list(&curves, d, f, x);
    else
        add_curve_list(&curves, d, f, x);
    const tw_plot plot = {directory, f->name, settings.text, curves.text};
    const tw_status status =
        settings.failed || curves.failed ? tw_error_set_memory(error) : tw_plot_draw(&plot, error);
    tw_text_buffer_free(&settings);
    tw_text_buffer_free(&curves);
    return status;
}

static bool can_draw(const tw_plot_history *d, const curve_figure *f)
{
    bool any = false;
    for (int i = 0; i < f->count; i++)
        any = any || d->present[f->lines[i].curve];
    return any && d->present[f->x == TW_CURVES ? d->abscissa : f->x];
}

static void write_row(tw_row_writer *writer, const tw_plot_history *d, size_t row)
{
    const char *comma = "";
    double value[TW_CURVES];
    tw_curve_values(d->table, row, d->axis, value);
    for (int c = 0; c < TW_CURVES; c++) {
        if (!d->present[c]) continue;
        if (isnan(value[c])) /* printf may write "-nan" */
            tw_row_writer_add(writer, "%snan", comma);
        else
            tw_row_writer_add(writer, "%s%.17g", comma, value[c] + 0.0);
        comma = ",";
    }
    tw_row_writer_add(writer, "\n");
}

/* A blank line between stages: gnuplot does not join across it. */
static void write_rows(tw_row_writer *writer, const tw_plot_history *d)
{
    const tw_history_table *table = d->table;
    const char *comma = "";
    for (int c = 0; c < TW_CURVES; c++) {
        if (!d->present[c]) continue;
        tw_row_writer_add(writer, "%s%s", comma, tw_curve_names[c]);
        comma = ",";
    }
    tw_row_writer_add(writer, "\n");
    for (size_t i = 0; i < table->count; i++) {
        if (i > 0 && table->row[i].stage != table->row[i - 1].stage)
            tw_row_writer_add(writer, "\n");
        write_row(writer, d, i);
    }
}

static tw_status write_curves(const tw_plot_history *d, const char *directory, tw_error *error)
{
    char path[PATH_MAX + 16];
    tw_row_writer writer;
    snprintf(path, sizeof path, "%s/curves.csv", directory);
    const tw_status status = tw_row_writer_open(&writer, path, error);
    if (status != TW_STATUS_OK) return status;
    write_rows(&writer, d);
    return tw_row_writer_finish(&writer, error);
}

tw_plot_history tw_plot_history_of(const tw_history_table *table, int axis)
{
    tw_plot_history history = {.table = table, .axis = axis};
    tw_curve_find(table, axis, history.present);
    history.abscissa =
        history.present[TW_CURVE_AXIAL_STRAIN] ? TW_CURVE_AXIAL_STRAIN : TW_CURVE_TIME;
    return history;
}

bool tw_plot_history_any(const tw_plot_history *history)
{
    bool any = false;
    for (int i = 0; i < FIGURES; i++)
        any = any || can_draw(history, &figures[i]);
    return any;
}

tw_status tw_plot_history_draw(const tw_plot_history *history, const char *directory,
                               tw_text_buffer *names, tw_error *error)
{
    tw_status status = write_curves(history, directory, error);
    for (int i = 0; status == TW_STATUS_OK && i < FIGURES; i++) {
        if (!can_draw(history, &figures[i])) continue;
        status = draw(history, &figures[i], directory, error);
        tw_text_buffer_add(names, "%s%s", names->length > 0 ? ", " : "", figures[i].name);
    }
    return status;
}
