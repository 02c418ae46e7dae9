/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "plot/curve_label.h"
#include "plot/key_place.h"
#include "plot/plot.h"

void tw_plot_figure_quote(tw_text_buffer *text, const char *words)
{
    tw_text_buffer_add(text, "'");
    for (; *words; words++)
        tw_text_buffer_add(text, *words == '\'' ? "''" : "%c", *words);
    tw_text_buffer_add(text, "'");
}

/* ---- Axes ---- */

/* Values of x and y in all rows of all lines; NaN between lines. */
typedef struct points {
    tw_key_place_point *at;
    size_t count;
} points;

static bool gather(const tw_plot_figure *f, points *out)
{
    size_t rows = 0;
    for (size_t i = 0; i < f->count; i++)
        rows += f->line[i].series->count + 1;
    out->count = 0;
    out->at = malloc(rows * sizeof *out->at);
    if (!out->at) return false;
    for (size_t i = 0; i < f->count; i++) {
        for (size_t row = 0; row < f->line[i].series->count; row++) {
            double value[TW_CURVES];
            tw_curve_values(f->line[i].series, row, value);
            out->at[out->count++] = (tw_key_place_point){value[f->x], value[f->line[i].curve]};
        }
        out->at[out->count++] = (tw_key_place_point){(double)NAN, (double)NAN};
    }
    return true;
}

static tw_axis choose_axis(const tw_plot_figure *f, const points *p, bool of_y)
{
    const tw_curve_label *label = &tw_curve_labels[of_y ? f->line[0].curve : f->x];
    tw_axis_request r = {.dimension = label->dimension,
                         .low = HUGE_VAL,
                         .high = -HUGE_VAL,
                         .zero = label->zero,
                         .log = of_y ? f->log_y : f->log_x,
                         .percent = f->style->percent};
    for (size_t i = 0; i < p->count; i++) {
        const double value = of_y ? p->at[i].y : p->at[i].x;
        if (!isfinite(p->at[i].x + p->at[i].y) || (r.log && !(value > 0.0))) continue;
        r.low = tw_math_min(r.low, value);
        r.high = tw_math_max(r.high, value);
    }
    if (of_y && f->line[0].curve == TW_CURVE_B) { /* its limits are values of interest */
        r.low = tw_math_min(r.low, -0.05);
        r.high = tw_math_max(r.high, 1.05);
    }
    return tw_axis_choose(&r);
}

/* ---- The key ---- */

static size_t characters_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80; /* of UTF-8 */
    return count;
}

/* In ems. */
typedef struct layout {
    tw_plot_style_margins margins;
    double width, height; /* of the frame */
} layout;

static layout layout_of(const tw_plot_figure *f, const tw_axis *y)
{
    const double em = tw_plot_style_em(f->style);
    const tw_plot_style_margins m = {
        .left = 2.5 + 0.56 * tw_axis_characters(y), .right = 1.5, .bottom = 3.7, .top = 0.8};
    const layout l = {m, f->style->width / em - m.left - m.right,
                      f->style->height / em - m.top - m.bottom};
    return l;
}

/* In a free corner, or above the frame. */
static void add_key(tw_text_buffer *text, const tw_plot_figure *f, const points *p, layout *l)
{
    size_t longest = 0;
    for (size_t i = 0; i < f->count; i++) {
        const size_t length = characters_of(f->line[i].title);
        longest = length > longest ? length : longest;
    }
    if (f->count < 2) return;
    const double width = 3.2 + 0.53 * (double)longest, height = 1.25 * (double)f->count + 0.9;
    const char *corner =
        tw_key_place_find(p->at, p->count, (width + 1.0) / l->width, height / l->height);
    if (corner) {
        tw_text_buffer_add(text, "set key %s vertical Left reverse samplen 2 height 0.4\n", corner);
        return;
    }
    const double fits = floor(l->width / (width + 1.0));
    const double rows = fits < 1.0 ? (double)f->count : ceil((double)f->count / fits);
    l->margins.top += 1.25 * rows;
    l->height -= 1.25 * rows;
    /* gnuplot decides on the columns by an estimate of the width, which is too large for SVG. */
    tw_text_buffer_add(text,
                       "set key tmargin center horizontal Left reverse samplen 2\n"
                       "svg_key_width = %.0f\n",
                       -0.35 * (double)longest);
}

/* ---- The script ---- */

static void add_title(tw_text_buffer *text, const char *title)
{
    tw_text_buffer_add(text, title ? "title " : "notitle");
    if (!title) return;
    tw_plot_figure_quote(text, title);
    tw_text_buffer_add(text, " noenhanced");
}

static void add_lines(tw_text_buffer *text, const tw_plot_figure *f, const tw_axis *x,
                      const tw_axis *y, size_t rows)
{
    tw_text_buffer_add(text, "plot");
    for (size_t i = 0; i < f->count; i++) {
        const tw_plot_figure_line *line = &f->line[i];
        tw_text_buffer_add(text, "%s 'curves.csv' every :::%zu::%zu using ",
                           i > 0 ? ", \\\n    " : "", line->block, line->block);
        tw_axis_add_column(text, x, tw_curve_labels[f->x].column);
        tw_text_buffer_add(text, ":");
        tw_axis_add_column(text, y, tw_curve_labels[line->curve].column);
        tw_text_buffer_add(text, " with lines linetype %zu linewidth %g ", i + 1,
                           rows > 4000 ? 1.4 : 1.8);
        add_title(text, f->count > 1 ? line->title : NULL);
    }
    tw_text_buffer_add(text, "\n");
}

static void add_settings(tw_text_buffer *text, const tw_plot_figure *f, points *p, const tw_axis *x,
                         const tw_axis *y)
{
    layout l = layout_of(f, y);
    for (size_t i = 0; i < p->count; i++) {
        p->at[i].x = tw_axis_place(x, p->at[i].x);
        p->at[i].y = tw_axis_place(y, p->at[i].y);
    }
    tw_plot_style_add_settings(text, f->style);
    add_key(text, f, p, &l);
    tw_plot_style_add_margins(text, f->style, &l.margins);
    tw_axis_add(text, x, "x");
    tw_axis_add(text, y, "y");
    tw_plot_style_add_x_label(text, f->style, tw_curve_labels[f->x].text, x->unit);
    tw_plot_style_add_y_label(text, f->style, tw_curve_labels[f->line[0].curve].text, y->unit);
}

tw_status tw_plot_figure_draw(const tw_plot_figure *figure, tw_error *error)
{
    points p;
    if (!gather(figure, &p)) return tw_error_set_memory(error);
    const tw_axis x = choose_axis(figure, &p, false), y = choose_axis(figure, &p, true);
    tw_text_buffer settings = {0}, curves = {0};
    add_settings(&settings, figure, &p, &x, &y);
    add_lines(&curves, figure, &x, &y, p.count);
    free(p.at);
    const tw_plot plot = {figure->directory, figure->name, settings.text, curves.text,
                          figure->style};
    const tw_status status =
        settings.failed || curves.failed ? tw_error_set_memory(error) : tw_plot_draw(&plot, error);
    tw_text_buffer_free(&settings);
    tw_text_buffer_free(&curves);
    return status;
}
