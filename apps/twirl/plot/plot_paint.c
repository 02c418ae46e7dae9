/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_paint.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "common/output.h"
#include "common/row_writer.h"

/* ---- Texts ---- */

/* In single quotes, as they are. */
static void add_plain(tw_text_buffer *text, const char *words)
{
    tw_text_buffer_add(text, "'");
    for (; *words; words++)
        tw_text_buffer_add(text, *words == '\'' ? "''" : "%c", *words);
    tw_text_buffer_add(text, "'");
}

/* The markup of figures in gnuplot's own; a superscript after a subscript stands behind it. */
static void add_marked(tw_text_buffer *text, const char *words)
{
    for (const char *at = words; *at; at++) {
        if (*at == '{' && (at == words || at[-1] != '^'))
            tw_text_buffer_add(text, "{/:Italic ");
        else if (*at == '^' && at > words + 1 && at[-2] == '_')
            tw_text_buffer_add(text, "{}^");
        else
            tw_text_buffer_add(text, *at == '\'' ? "''" : "%c", *at);
    }
}

static void add_title(tw_text_buffer *text, const char *title, bool plain)
{
    tw_text_buffer_add(text, *title ? " title " : " notitle");
    if (!*title) return;
    if (plain) {
        add_plain(text, title);
        tw_text_buffer_add(text, " noenhanced");
        return;
    }
    tw_text_buffer_add(text, "'");
    add_marked(text, title);
    tw_text_buffer_add(text, "'");
}

/* ---- Axes ---- */

/* Range and ticks of the axis `name`, "x", "y" or "y2". */
static void add_axis(tw_text_buffer *text, const tw_figure_axis *a, const char *name)
{
    enum { TICKS_MAX = 256 };
    tw_figure_tick tick[TICKS_MAX];
    const size_t count = tw_figure_axis_ticks(a, tick, TICKS_MAX);
    /* A number at the end of a logarithmic axis is not shown where its logarithm is rounded. */
    const double more = a->log ? 1e-6 : 0.0;
    tw_text_buffer_add(text, "set %srange [%.9g:%.9g]\n", name, a->low * (1.0 - more),
                       a->high * (1.0 + more));
    if (a->log) {
        tw_text_buffer_add(text, "set logscale %s\nset %stics (", name, name);
        for (size_t k = 0; k < count; k++)
            tw_text_buffer_add(text, "%s'%s' %.9g%s", k > 0 ? ", " : "", tick[k].text, tick[k].at,
                               *tick[k].text ? "" : " 1");
        tw_text_buffer_add(text, ")\n");
    } else if (a->words) {
        tw_text_buffer_add(text, "set %stics noenhanced (", name);
        for (size_t k = 0; k < a->word_count; k++) {
            tw_text_buffer_add(text, k > 0 ? ", " : "");
            add_plain(text, a->words[k]);
            tw_text_buffer_add(text, " %zu", k);
        }
        tw_text_buffer_add(text, ")\n");
    } else {
        size_t small = 0, large = 0; /* between two numbers: small ticks, one by one */
        for (size_t k = 0; k < count && large < 2; k++) {
            large += *tick[k].text != '\0';
            small += large == 1;
        }
        tw_text_buffer_add(text, "set %stics %.9g\nset m%stics %zu\nset format %s '%%.%df'\n", name,
                           a->step, name, small > 0 ? small : 2, name, a->decimals);
    }
    if (!a->log && a->low < 0.0 && a->high > 0.0 && !name[1])
        tw_text_buffer_add(text,
                           "set %szeroaxis linetype 1 linewidth 0.7 linecolor rgb '#999999'\n",
                           *name == 'x' ? "y" : "x");
}

static void add_label(tw_text_buffer *text, const tw_figure_axis *a)
{
    tw_text_buffer label = {0};
    tw_text_buffer_add(&label, "%s%s%s%s", a->label, *a->unit ? "\u00a0[" : "", a->unit,
                       *a->unit ? "]" : "");
    if (a->plain) {
        add_plain(text, label.text ? label.text : "");
        tw_text_buffer_add(text, " noenhanced");
    } else {
        tw_text_buffer_add(text, "'");
        add_marked(text, label.text ? label.text : "");
        tw_text_buffer_add(text, "'");
    }
    text->failed |= label.failed;
    tw_text_buffer_free(&label);
}

/* At places of our own, in centimetres from the lower left: gnuplot's distances from the frame
 * differ from format to format. */
static void add_labels(tw_text_buffer *text, const tw_figure *f, const tw_plot_style *style,
                       double below, double left)
{
    tw_text_buffer_add(text, "set label 101 ");
    add_label(text, &f->x);
    tw_text_buffer_add(text, " at graph 0.5, screen %.4f center\nset label 102 ",
                       below / style->height);
    add_label(text, &f->y);
    tw_text_buffer_add(text, " at screen %.4f, graph 0.5 center rotate\n", left / style->width);
}

/* ---- Layout ---- */

/* A frame, in centimetres from the lower left of the page. */
static void add_frame(tw_text_buffer *text, const tw_plot_style *style, const double from[2],
                      const double to[2])
{
    tw_text_buffer_add(text,
                       "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
                       "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
                       from[0] / style->width, to[0] / style->width, from[1] / style->height,
                       to[1] / style->height);
}

/* The number of titles in the key, and the characters of the longest. */
static size_t titles_of(const tw_figure *f, double *longest)
{
    size_t count = 0;
    *longest = 0.0;
    for (size_t k = 0; k < f->line_count + f->shape_count; k++) {
        const tw_figure_line *line = k < f->line_count ? &f->lines[k] : NULL;
        const tw_figure_shape *shape = line ? NULL : &f->shapes[k - f->line_count];
        if (shape && shape->kind == TW_FIGURE_NOTE) continue;
        const char *title = line ? line->title : shape->title;
        const size_t length = tw_figure_parts_characters(title, line ? line->plain : shape->plain);
        *longest = tw_math_max(*longest, (double)length);
        count += *title != '\0';
    }
    return count;
}

/* In a corner of the frame, or above it; then the frame is less high. */
static void add_key(tw_text_buffer *text, const tw_figure *f, double em, double width, double *top)
{
    static const char *const corners[] = {[TW_FIGURE_KEY_TOP_RIGHT] = "top right",
                                          [TW_FIGURE_KEY_TOP_LEFT] = "top left",
                                          [TW_FIGURE_KEY_BOTTOM_RIGHT] = "bottom right",
                                          [TW_FIGURE_KEY_BOTTOM_LEFT] = "bottom left"};
    if (f->key == TW_FIGURE_KEY_NONE) return;
    if (f->key < TW_FIGURE_KEY_ABOVE) {
        tw_text_buffer_add(text, "set key %s vertical Left reverse samplen 2 height 0.4\n",
                           corners[f->key]);
        return;
    }
    double longest;
    const double count = (double)titles_of(f, &longest);
    const double fits = floor(width / em / (3.2 + 0.53 * longest + 1.0));
    *top -= 1.25 * em * (fits < 1.0 ? count : ceil(count / fits));
    /* gnuplot decides on the columns by an estimate of the width, which is too large for SVG. */
    tw_text_buffer_add(text,
                       "set key tmargin center horizontal Left reverse samplen 2\n"
                       "svg_key_width = %.0f\n",
                       -0.35 * longest);
}

/* Height over width where scales are equal. */
static double shape_of(const tw_figure *f)
{
    return (f->y.high - f->y.low) / (f->x.high - f->x.low);
}

/* A frame that fills the page but for labels, key, and `head` at the top [cm]. */
static void add_plain_layout(tw_text_buffer *text, const tw_figure *f, const tw_plot_style *style,
                             double head)
{
    const double em = tw_plot_style_em(style);
    const double from[2] = {(2.5 + 0.56 * tw_figure_axis_characters(&f->y)) * em, 3.7 * em};
    const double right =
        f->second.quantity ? 2.5 + 0.56 * tw_figure_axis_characters(&f->second) : 1.5;
    double to[2] = {style->width - right * em, style->height - 0.8 * em - head};
    add_key(text, f, em, to[0] - from[0], &to[1]);
    if (f->equal) {
        const double wide = tw_math_min(to[0] - from[0], (to[1] - from[1]) / shape_of(f));
        to[0] = from[0] + wide;
        to[1] = from[1] + wide * shape_of(f);
    }
    add_frame(text, style, from, to);
    add_axis(text, &f->x, "x");
    add_axis(text, &f->y, "y");
    add_labels(text, f, style, em, em);
    if (!f->second.quantity) return;
    tw_text_buffer_add(text, "set ytics nomirror\n");
    add_axis(text, &f->second, "y2");
    tw_text_buffer_add(text, "set label 103 ");
    add_label(text, &f->second);
    tw_text_buffer_add(text, " at screen %.4f, graph 0.5 center rotate\n", 1.0 - em / style->width);
}

/* So high that the frame takes two thirds of the width beside its key. */
static double beside_height(const tw_figure *f, const tw_plot_style *style)
{
    const double em = tw_plot_style_em(style), wide = 0.66 * style->width - 4.2 * em;
    const double high = wide * shape_of(f) + 4.5 * em;
    return tw_math_max(style->height, tw_math_min(high, 1.25 * style->width));
}

/* Equal scales; the key is to the right of the frame. */
static void add_beside_layout(tw_text_buffer *text, const tw_figure *f, const tw_plot_style *style)
{
    const double em = tw_plot_style_em(style);
    const double from[2] = {4.2 * em, 3.7 * em};
    const double wide = (style->height - 4.5 * em) / shape_of(f);
    const double to[2] = {tw_math_min(0.66 * style->width, from[0] + wide),
                          style->height - 0.8 * em};
    add_frame(text, style, from, to);
    tw_text_buffer_add(text,
                       "set size ratio -1\nset key at screen %.4f, screen 0.97 left top vertical "
                       "Left reverse samplen 1.5\n",
                       (to[0] + 0.5 * em) / style->width);
    add_axis(text, &f->x, "x");
    add_axis(text, &f->y, "y");
    add_labels(text, f, style, em, em);
}

/* Equal scales: the frame is the whole figure, what is drawn at its left. */
static void add_bare_layout(tw_text_buffer *text, const tw_figure *f, const tw_plot_style *style)
{
    const double none[2] = {0.0, 0.0}, all[2] = {style->width, style->height};
    add_frame(text, style, none, all);
    tw_text_buffer_add(text,
                       "set yrange [%.5f:%.5f]\nset xrange [%.5f:%.5f]\n"
                       "unset border\nunset tics\n"
                       "set key at screen 0.985,0.97 right top vertical Left reverse samplen 2\n",
                       f->y.low, f->y.high, f->x.low,
                       f->x.low + style->width / style->height * (f->y.high - f->y.low));
}

/* ---- Lines and shapes ---- */

typedef struct painting {
    const tw_figure_set *set;
    const tw_plot_style *style;
    const char *name;      /* of the files */
    tw_row_writer *points; /* NAME.csv */
    size_t blocks;         /* written to it */
    tw_text_buffer settings, curves;
} painting;

static void add_column(tw_text_buffer *text, const tw_figure_axis *axis, size_t quantity)
{
    const char *name = tw_figure_quantity_at(quantity)->name;
    if (axis->factor == 1.0)
        tw_text_buffer_add(text, "(column('%s'))", name);
    else
        tw_text_buffer_add(text, "(%g*column('%s'))", axis->factor, name);
}

static void add_line(painting *p, const tw_figure *f, const tw_figure_line *line, bool several)
{
    size_t rows = 0;
    for (size_t i = 0; i < f->line_count; i++)
        rows += p->set->series[f->lines[i].series].count + 1;
    tw_text_buffer_add(&p->curves, "'curves.csv' every :::%zu::%zu using ", line->series,
                       line->series);
    add_column(&p->curves, &f->x, line->x);
    tw_text_buffer_add(&p->curves, ":");
    add_column(&p->curves, line->second ? &f->second : &f->y, line->y);
    tw_text_buffer_add(&p->curves, "%s with lines linetype %d linewidth %g",
                       line->second ? " axes x1y2" : "", line->style,
                       line->width > 0.0             ? line->width
                       : rows > 4000 || line->second ? 1.4
                                                     : 1.8);
    if (line->dash) tw_text_buffer_add(&p->curves, " dashtype %d", line->dash);
    if (*line->colour) tw_text_buffer_add(&p->curves, " linecolor rgb '%s'", line->colour);
    add_title(&p->curves, several ? line->title : "", line->plain);
}

static const char *colour_of(int style)
{
    static const char *const colours[] = {"#000000", "#444444", "#999999", "#cccccc"};
    return colours[style < 0 ? -style : 0];
}

static void write_points(painting *p, const tw_figure *f, const tw_figure_shape *s)
{
    char title[TW_FIGURE_TEXT_MAX];
    snprintf(title, sizeof title, "%s", s->title);
    for (char *quote = title; (quote = strchr(quote, '"')) != NULL;)
        *quote = '\'';
    if (p->blocks++ > 0) tw_row_writer_add(p->points, "\n");
    for (size_t i = 0; i < s->count; i++) {
        tw_row_writer_add(p->points, "\"%s\",\"%s\"", f->name, title);
        if (isnan(s->at[i][0] + s->at[i][1]))
            tw_row_writer_add(p->points, ",nan,nan,0\n");
        else
            tw_row_writer_add(p->points, ",%.9g,%.9g,%.9g\n", s->at[i][0], s->at[i][1],
                              s->deviation ? s->deviation[i] : 0.0);
    }
}

/* The points of a shape: a block of NAME.csv; none: an entry in the key. */
static void add_data(painting *p, const tw_figure_shape *s, const char *columns)
{
    if (s->count == 0)
        tw_text_buffer_add(&p->curves, "keyentry");
    else
        tw_text_buffer_add(&p->curves, "'%s.csv' every :::%zu::%zu using %s", p->name, p->blocks,
                           p->blocks, columns);
}

static void add_colour(painting *p, const tw_figure_shape *s)
{
    tw_text_buffer_add(&p->curves, " linetype %d", s->style > 0 ? s->style : 1);
    if (s->style <= 0) tw_text_buffer_add(&p->curves, " linecolor rgb '%s'", colour_of(s->style));
    if (*s->colour) tw_text_buffer_add(&p->curves, " linecolor rgb '%s'", s->colour);
}

/* A shape that is only in the key has its title here. */
static void add_band(painting *p, const tw_figure_shape *s)
{
    add_data(p, s, "'x':(column('y')-column('deviation')):(column('y')+column('deviation'))");
    tw_text_buffer_add(&p->curves, " with filledcurves fillstyle transparent solid 0.25 noborder");
    add_colour(p, s);
    add_title(&p->curves, s->count == 0 ? s->title : "", s->plain);
}

static void add_points(painting *p, const tw_figure *f, const tw_figure_shape *s)
{
    static const int marks[] = {0, 7, 4, 8, 12, 2, 1};
    const bool curve = s->kind == TW_FIGURE_CURVE, band = s->deviation && curve && !s->mark;
    const bool bars = s->deviation && !band;
    if (band) add_band(p, s);
    if (band && s->count == 0) return;
    if (band) tw_text_buffer_add(&p->curves, ", \\\n     ");
    add_data(p, s, bars ? "'x':'y':'deviation'" : "'x':'y'");
    tw_text_buffer_add(&p->curves, " with %s",
                       bars      ? (curve ? "yerrorlines" : "yerrorbars")
                       : !curve  ? "points"
                       : s->mark ? "linespoints"
                                 : "lines");
    add_colour(p, s);
    tw_text_buffer_add(&p->curves, " linewidth %g", s->width);
    if (curve && s->dash) tw_text_buffer_add(&p->curves, " dashtype %d", s->dash);
    if (s->mark) tw_text_buffer_add(&p->curves, " pointtype %d pointsize default", marks[s->mark]);
    add_title(&p->curves, s->title, s->plain);
    if (s->count > 0) write_points(p, f, s);
}

static void add_arrow(tw_text_buffer *text, const tw_figure_shape *s)
{
    tw_text_buffer_add(text, "set arrow from %.5g,%.5g to %.5g,%.5g ", s->at[0][0], s->at[0][1],
                       s->at[1][0], s->at[1][1]);
    if (s->style == 0) tw_text_buffer_add(text, "size graph 0.016,18 filled ");
    /* Successive arrows of one colour and width have the dashes of the first in an SVG of gnuplot
     * 5.4: widths differ. */
    const int dash = s->dash ? s->dash : 1;
    tw_text_buffer_add(text, "linewidth %g dashtype %d linecolor rgb '%s' %s\n",
                       s->width + 0.01 * (dash - 1), dash, colour_of(s->style),
                       s->style ? "front" : "back");
}

/* Grey notes are small. */
static void add_note(tw_text_buffer *text, const tw_figure_shape *s)
{
    const bool small = s->style == -2;
    tw_text_buffer_add(text, "set label ");
    if (s->plain) {
        add_plain(text, s->title);
        tw_text_buffer_add(text, " noenhanced");
    } else {
        tw_text_buffer_add(text, small ? "'{/*0.85 " : "'");
        add_marked(text, s->title);
        tw_text_buffer_add(text, small ? "}'" : "'");
    }
    tw_text_buffer_add(text, " at %.5g,%.5g %s", s->at[0][0], s->at[0][1],
                       s->side < 0   ? "right offset character -0.5,0.3"
                       : s->side > 0 ? "left offset character 0.5,0.3"
                                     : "center");
    if (s->style)
        tw_text_buffer_add(text, " textcolor rgb '%s' front",
                           small ? "#777777" : colour_of(s->style));
    tw_text_buffer_add(text, "\n");
}

/* One plot command: shapes in their order, and lines before the first marks. */
static void add_plot(painting *p, const tw_figure *f)
{
    size_t drawn = 0, lines = 0;
    double longest;
    const bool several = titles_of(f, &longest) > 1;
    for (size_t k = 0; k <= f->shape_count; k++) {
        const tw_figure_shape *s = k < f->shape_count ? &f->shapes[k] : NULL;
        for (; (!s || s->kind == TW_FIGURE_POINTS) && lines < f->line_count; lines++) {
            tw_text_buffer_add(&p->curves, drawn++ > 0 ? ", \\\n     " : "plot ");
            add_line(p, f, &f->lines[lines], several);
        }
        if (!s || s->kind > TW_FIGURE_POINTS) continue;
        tw_text_buffer_add(&p->curves, drawn++ > 0 ? ", \\\n     " : "plot ");
        add_points(p, f, s);
    }
    tw_text_buffer_add(&p->curves, drawn > 0 ? "\n" : "plot NaN notitle\n");
}

/* ---- A surface, seen from between the positive axes ---- */

static const double right[3] = {-0.5735764, 0.8191520, 0.0};
static const double upward[3] = {-0.3461886, -0.2424039, 0.9063078};
static const double viewer[3] = {0.7424039, 0.5198368, 0.4226183};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

typedef struct facet {
    double x[3], y[3], depth, light, share;
} facet;

static int compare_depth(const void *a, const void *b)
{
    const double difference = ((const facet *)a)->depth - ((const facet *)b)->depth;
    return (difference > 0.0) - (difference < 0.0);
}

static facet facet_of(const tw_figure_surface *s, const size_t v[3])
{
    static const double light[3] = {0.35, 0.75, 0.56};
    facet f = {.depth = 0.0};
    double u[3], w[3];
    for (int k = 0; k < 3; k++) {
        f.x[k] = dot(right, s->points[v[k]]);
        f.y[k] = dot(upward, s->points[v[k]]);
        f.depth += dot(viewer, s->points[v[k]]);
        f.share += s->shares[v[k]] / 3.0;
        u[k] = s->points[v[1]][k] - s->points[v[0]][k];
        w[k] = s->points[v[2]][k] - s->points[v[0]][k];
    }
    const double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                         u[0] * w[1] - u[1] * w[0]};
    const double size = sqrt(dot(n, n));
    const double facing = size > 0.0 ? dot(n, light) / size : 0.0;
    f.light = 0.72 + 0.28 * tw_math_min(tw_math_max(facing, 0.0), 1.0);
    return f;
}

/* From white to orange or grey, with the share. */
static unsigned facet_colour(const facet *f, bool grey)
{
    static const double full[2][3] = {{213, 94, 0}, {110, 110, 110}};
    const double share = isfinite(f->share) ? tw_math_min(tw_math_max(f->share, 0.0), 1.0) : 0.0;
    unsigned colour = 0;
    for (int k = 0; k < 3; k++) {
        const double part = f->light * (255.0 + share * (full[grey ? 1 : 0][k] - 255.0));
        colour = colour * 256 + (unsigned)part;
    }
    return colour;
}

/* Facets in the order of their depth, and axes where they leave the surface. */
static void add_surface(tw_text_buffer *text, const tw_figure_surface *s, bool grey)
{
    facet *facets = tw_exit_unless(malloc((s->triangle_count + 1) * sizeof *facets));
    for (size_t t = 0; t < s->triangle_count; t++)
        facets[t] = facet_of(s, s->triangles[t]);
    qsort(facets, s->triangle_count, sizeof *facets, compare_depth);
    for (size_t t = 0; t < s->triangle_count; t++) {
        const facet *f = &facets[t];
        tw_text_buffer_add(text,
                           "set object polygon from %.4g,%.4g to %.4g,%.4g to %.4g,%.4g to "
                           "%.4g,%.4g fillstyle solid border rgb '#666666' fillcolor rgb '#%06x' "
                           "linewidth 0.3 back\n",
                           f->x[0], f->y[0], f->x[1], f->y[1], f->x[2], f->y[2], f->x[0], f->y[0],
                           facet_colour(f, grey));
    }
    free(facets);
    for (int k = 0; k < 3; k++) {
        const double from = s->radius[k], to = 1.35 * s->reach;
        tw_text_buffer_add(text,
                           "set arrow from %.4g,%.4g to %.4g,%.4g size graph 0.03,18 filled "
                           "linewidth 1 linecolor rgb '#000000' front\nset label '",
                           from * right[k], from * upward[k], to * right[k], to * upward[k]);
        add_marked(text, s->labels[k]);
        tw_text_buffer_add(text, "' at %.4g,%.4g center front\n", 1.16 * to * right[k],
                           1.16 * to * upward[k]);
    }
}

/* ---- Panels ---- */

/* Square frames in quarters of a square page, from the upper left; one key for all of them, that of
 * the second, below the first. */
static void add_panel(painting *p, const tw_figure *f, int number)
{
    const tw_plot_style *style = p->style;
    const double em = tw_plot_style_em(style), w = style->width, h = style->height;
    const double side = tw_math_min(0.5 * w - 4.7 * em, 0.5 * h - 4.2 * em);
    const double from[2] = {(number % 2) * 0.5 * w + 3.9 * em,
                            (1 - number / 2) * 0.5 * h + 3.5 * em};
    const double to[2] = {from[0] + side, from[1] + side};
    add_frame(&p->curves, style, from, to);
    if (f->bare) {
        tw_text_buffer_add(&p->curves,
                           "unset border\nunset tics\nunset key\nset xrange [%.4g:%.4g]\n"
                           "set yrange [%.4g:%.4g]\n",
                           f->x.low, f->x.high, f->y.low, f->y.high);
    } else {
        tw_text_buffer_add(&p->curves, "set border 15\nset tics in scale 0.8,0.4\n");
        tw_figure_axis axes[2] = {f->x, f->y};
        for (int k = 0; k < 2; k++) {
            tw_figure_axis_thin(&axes[k]);
            add_axis(&p->curves, &axes[k], k ? "y" : "x");
        }
        add_labels(&p->curves, f, style, from[1] - 2.6 * em, from[0] - 3.1 * em);
        if (number == 1)
            tw_text_buffer_add(&p->curves,
                               "set key at screen 0.01, screen %.4f left top vertical Left reverse "
                               "samplen 1.5\n",
                               0.5 + 4.2 * em / h);
        else
            tw_text_buffer_add(&p->curves, "unset key\n");
    }
    if (f->surface) add_surface(&p->curves, f->surface, style->grey);
    add_plot(p, f);
    tw_text_buffer_add(&p->curves, "unset object\nunset arrow\nunset label\n");
}

static void add_sheet(painting *p, const tw_figure *figures, size_t count)
{
    tw_text_buffer_add(&p->curves,
                       "set multiplot\nunset label\nunset xzeroaxis\nunset yzeroaxis\n");
    for (size_t k = 0; k < count; k++)
        add_panel(p, &figures[k], (int)k);
    tw_text_buffer_add(&p->curves, "unset multiplot\n");
}

static void add_figure(painting *p, const tw_figure *f)
{
    if (f->bare)
        add_bare_layout(&p->settings, f, p->style);
    else if (f->key == TW_FIGURE_KEY_BESIDE)
        add_beside_layout(&p->settings, f, p->style);
    else
        add_plain_layout(&p->settings, f, p->style, 0.0);
    /* Not among the settings: those of the formats switch it on again. */
    if (!f->bare && f->key == TW_FIGURE_KEY_NONE) tw_text_buffer_add(&p->curves, "unset key\n");
    for (size_t k = 0; k < f->shape_count; k++) {
        if (f->shapes[k].kind == TW_FIGURE_ARROW) add_arrow(&p->settings, &f->shapes[k]);
        if (f->shapes[k].kind == TW_FIGURE_NOTE) add_note(&p->settings, &f->shapes[k]);
    }
    add_plot(p, f);
}

/* ---- Files ---- */

static void add_all(painting *p, const tw_figure *figures, size_t count)
{
    tw_plot_style_add_settings(&p->settings, p->style);
    if (count > 1)
        add_sheet(p, figures, count);
    else
        add_figure(p, figures);
    tw_exit_unless(p->settings.failed || p->curves.failed ? NULL : p->curves.text);
}

/* Frees the texts. */
static tw_status draw(painting *p, tw_status status, const char *directory, tw_error *error)
{
    const tw_plot plot = {directory, p->name, p->settings.text, p->curves.text, p->style};
    if (status == TW_STATUS_OK) status = tw_plot_draw(&plot, error);
    tw_text_buffer_free(&p->settings);
    tw_text_buffer_free(&p->curves);
    return status;
}

tw_status tw_plot_paint(const tw_figure_set *set, const tw_figure *figures, size_t count,
                        const tw_plot_style *style, const char *directory, tw_error *error)
{
    char path[PATH_MAX + NAME_MAX];
    tw_row_writer points;
    tw_plot_style own = *style;
    painting p = {.set = set,
                  .style = &own,
                  .name = count > 1 ? figures->sheet : figures->name,
                  .points = &points};
    if (figures->equal && figures->key != TW_FIGURE_KEY_BESIDE)
        own.height =
            tw_math_max(style->height, style->width * (figures->bare ? 1.0 : shape_of(figures)));
    if (figures->equal && !figures->bare && figures->key == TW_FIGURE_KEY_BESIDE)
        own.height = beside_height(figures, style);
    snprintf(path, sizeof path, "%s/%s.csv", directory, p.name);
    tw_status status = tw_row_writer_open(&points, path, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&points, "figure,title,x,y,deviation\n");
    add_all(&p, figures, count);
    if (p.blocks > 0)
        status = tw_row_writer_finish(&points, error);
    else
        tw_row_writer_abandon(&points);
    return draw(&p, status, directory, error);
}

size_t tw_plot_paint_next(const tw_figure_set *set, size_t k)
{
    const char *sheet = set->figures[k++].sheet;
    while (*sheet && k < set->figure_count && strcmp(set->figures[k].sheet, sheet) == 0)
        k++;
    return k;
}

tw_status tw_plot_paint_set(tw_figure_set *set, const char *directory, tw_error *error)
{
    tw_plot_style style = tw_plot_style_default();
    tw_status status = tw_plot_make_directory(directory, error);
    tw_plot_style_finish(&style);
    for (size_t k = 0, next; k < set->figure_count && status == TW_STATUS_OK; k = next) {
        next = tw_plot_paint_next(set, k);
        status = tw_plot_paint(NULL, &set->figures[k], next - k, &style, directory, error);
    }
    tw_figure_set_free(set);
    return status;
}

/* ---- curves.csv ---- */

static void write_series(tw_row_writer *writer, const tw_figure_series *s, const bool *used)
{
    char label[TW_FIGURE_TEXT_MAX];
    snprintf(label, sizeof label, "%s", s->label);
    for (char *quote = label; (quote = strchr(quote, '"')) != NULL;)
        *quote = '\'';
    for (size_t row = 0; row < s->count; row++) {
        tw_row_writer_add(writer, "\"%s\"", label);
        for (size_t q = 0; q < tw_figure_quantity_count(); q++) {
            if (!used[q]) continue;
            if (!s->values[q] || isnan(s->values[q][row])) /* printf may write "-nan" */
                tw_row_writer_add(writer, ",nan");
            else
                tw_row_writer_add(writer, ",%.17g", s->values[q][row] + 0.0);
        }
        tw_row_writer_add(writer, "\n");
    }
}

/* A blank line between series: gnuplot does not join across it. */
tw_status tw_plot_paint_curves(const tw_figure_set *set, size_t count, const char *directory,
                               tw_error *error)
{
    char path[PATH_MAX + 16];
    tw_row_writer writer;
    bool *used = tw_exit_unless(calloc(tw_figure_quantity_count(), sizeof *used));
    for (size_t f = 0; f < count; f++)
        for (size_t k = 0; k < set->figures[f].line_count; k++)
            used[set->figures[f].lines[k].x] = used[set->figures[f].lines[k].y] = true;
    snprintf(path, sizeof path, "%s/curves.csv", directory);
    tw_status status = tw_row_writer_open(&writer, path, error);
    if (status == TW_STATUS_OK) {
        tw_row_writer_add(&writer, "label");
        for (size_t q = 0; q < tw_figure_quantity_count(); q++)
            if (used[q]) tw_row_writer_add(&writer, ",%s", tw_figure_quantity_at(q)->name);
        tw_row_writer_add(&writer, "\n");
        for (size_t i = 0; i < set->series_count; i++) {
            if (!set->series[i].drawn) continue; /* after those that are */
            if (i > 0) tw_row_writer_add(&writer, "\n");
            write_series(&writer, &set->series[i], used);
        }
        status = tw_row_writer_finish(&writer, error);
    }
    free(used);
    return status;
}

/* ---- Films ---- */

static double value_of(const tw_figure_series *series, size_t quantity, double row)
{
    const double *values = series->values ? series->values[quantity] : NULL;
    if (!values || series->count == 0) return (double)NAN;
    const double last = (double)(series->count - 1);
    const double at = tw_math_min(tw_math_max(row - (double)series->first, 0.0), last);
    const size_t before = (size_t)at;
    const double share = at - (double)before;
    return share > 0.0 ? (1.0 - share) * values[before] + share * values[before + 1]
                       : values[before];
}

static const tw_figure_axis *upright(const tw_figure *f, const tw_figure_line *line)
{
    return line->second ? &f->second : &f->y;
}

/* The lines of a figure as shown, each a data set of the block $fN. */
static void add_block(tw_text_buffer *text, const tw_figure_set *set, const tw_figure *f)
{
    tw_text_buffer_add(text, "$f%zu << END\n", (size_t)(f - set->figures));
    for (size_t k = 0; k < f->line_count; k++) {
        const tw_figure_line *line = &f->lines[k];
        const tw_figure_series *s = &set->series[line->series];
        for (size_t i = 0; i < s->count; i++) {
            const double row = (double)(s->first + i);
            const double x = value_of(s, line->x, row) * f->x.factor;
            const double y = value_of(s, line->y, row) * upright(f, line)->factor;
            if (isnan(x + y))
                tw_text_buffer_add(text, "NaN NaN\n");
            else
                tw_text_buffer_add(text, "%.7g %.7g\n", x, y);
        }
        tw_text_buffer_add(text, "\n\n");
    }
    tw_text_buffer_add(text, "END\n");
}

static double head_of(const tw_plot_film *film, const tw_plot_picture *p)
{
    return p->title ? 3.2 * tw_plot_style_em(film->style) : 0.0;
}

/* What the pictures of a figure have in common. */
static void add_scene(tw_text_buffer *text, const tw_plot_film *film, const tw_plot_picture *p)
{
    tw_text_buffer_add(text, "reset\nset encoding utf8\n");
    tw_plot_style_add_settings(text, film->style);
    tw_text_buffer_add(
        text,
        "set datafile separator whitespace\nunset datafile columnheaders\nunset key\n"
        "set border 15 linecolor rgb '%s'\nset tics textcolor rgb '%s'\n",
        film->ink, film->ink);
    tw_figure f = {.x = tw_figure_axis_around(0.0, 1.0), .y = tw_figure_axis_around(0.0, 1.0)};
    if (p->figure) f = *p->figure;
    f.key = TW_FIGURE_KEY_NONE;
    add_plain_layout(text, &f, film->style, head_of(film, p));
    if (!p->figure) tw_text_buffer_add(text, "unset border\nunset tics\nunset label\n");
    for (int k = 101; p->figure && k <= (f.second.quantity ? 103 : 102); k++)
        tw_text_buffer_add(text, "set label %d textcolor rgb '%s'\n", k, film->ink);
}

/* Above the frame: the abscissa of the mark, and the stage. */
static void add_heading(tw_text_buffer *text, const tw_figure_set *set, const tw_plot_film *film,
                        const tw_plot_picture *p)
{
    const double em = tw_plot_style_em(film->style), height = film->style->height;
    const tw_figure *f = p->figure;
    const char *place = "at graph 0.5, screen";
    tw_text_buffer_add(text, "set label 111 ");
    add_plain(text, p->title);
    tw_text_buffer_add(text, " %s %.4f center noenhanced textcolor rgb '%s'\n", place,
                       1.0 - em / height, film->ink);
    for (size_t k = 0; f && k < f->line_count; k++) {
        if (f->lines[k].series != p->series) continue;
        const double x = value_of(&set->series[p->series], f->lines[k].x, p->row) * f->x.factor;
        tw_text_buffer_add(text, "set label 112 '");
        add_marked(text, f->x.label);
        tw_text_buffer_add(text, " = %.*f%s%s' %s %.4f center textcolor rgb '%s'\n",
                           f->x.decimals + 1, x, *f->x.unit ? "\u00a0" : "", f->x.unit, place,
                           1.0 - 2.7 * em / height, film->ink);
        return;
    }
}

/* A mark on a line, and the piece between it and the row before. */
static void add_mark(tw_text_buffer *text, const tw_figure_set *set, const tw_plot_film *film,
                     const tw_plot_picture *p, const tw_figure_line *line, size_t number)
{
    const tw_figure_series *s = &set->series[line->series];
    const double fx = p->figure->x.factor, fy = upright(p->figure, line)->factor;
    const double x = value_of(s, line->x, p->row) * fx, y = value_of(s, line->y, p->row) * fy;
    const double u = value_of(s, line->x, floor(p->row)) * fx;
    const double v = value_of(s, line->y, floor(p->row)) * fy;
    const char *axis = line->second ? "second" : "first";
    if (!isfinite(x + y)) return;
    tw_text_buffer_add(
        text,
        "set object %zu circle at first %.7g, %s %.7g size screen %.5f noclip fillstyle "
        "solid border rgb '%s' fillcolor rgb '#d55e00' front\n",
        number, x, axis, y, 0.38 * tw_plot_style_em(film->style) / film->style->width, film->ink);
    if (isfinite(u + v) && p->row > floor(p->row))
        tw_text_buffer_add(text,
                           "set arrow %zu from first %.7g, %s %.7g to first %.7g, %s %.7g nohead "
                           "linewidth 2 linecolor rgb '#0072b2'\n",
                           number, u, axis, v, x, axis, y);
}

/* All of the lines in grey, then in colour what has been passed. */
static void add_passed(tw_text_buffer *text, const tw_figure_set *set, const tw_plot_picture *p)
{
    const tw_figure *f = p->figure;
    const char *before = "plot ";
    for (int past = 0; past < 2; past++) {
        for (size_t k = 0; f && k < f->line_count; k++) {
            const tw_figure_line *line = &f->lines[k];
            const double row = p->row - (double)set->series[line->series].first;
            if (past && line->series != p->series) continue;
            tw_text_buffer_add(text, "%s$f%zu index %zu", before, (size_t)(f - set->figures), k);
            if (past) tw_text_buffer_add(text, " every ::::%zu", (size_t)tw_math_max(row, 0.0));
            tw_text_buffer_add(text, " using 1:2%s with lines linewidth 2 linecolor rgb '%s'%s",
                               line->second ? " axes x1y2" : "", past ? "#0072b2" : "#b8b8b8",
                               line->second ? " dashtype (8,4)" : "");
            before = ", ";
        }
    }
    tw_text_buffer_add(text, f ? "\n" : "plot NaN notitle\n");
}

tw_status tw_plot_paint_film(const tw_figure_set *set, const tw_plot_picture *pictures,
                             size_t count, tw_plot_film *film, tw_error *error)
{
    tw_text_buffer text = {0};
    tw_plot_style_add_png(&text, film->style, film->px_per_cm, film->background);
    for (size_t k = 0; k < set->figure_count; k++) {
        size_t user = 0;
        while (user < count && pictures[user].figure != &set->figures[k])
            user++;
        if (user < count) add_block(&text, set, &set->figures[k]);
    }
    for (size_t k = 0; k < count; k++) {
        const tw_plot_picture *p = &pictures[k];
        if (k == 0 || p->figure != p[-1].figure || !p->title != !p[-1].title)
            add_scene(&text, film, p);
        tw_text_buffer_add(&text, "unset object\nunset arrow\n");
        if (p->title) add_heading(&text, set, film, p);
        for (size_t i = 0; p->figure && i < p->figure->line_count; i++)
            if (p->figure->lines[i].series == p->series)
                add_mark(&text, set, film, p, &p->figure->lines[i], i + 1);
        add_passed(&text, set, p);
    }
    tw_exit_unless(text.failed ? NULL : text.text);
    const tw_status status =
        tw_plot_stream(text.text, "the curve", &film->pipe_end, &film->child, error);
    tw_text_buffer_free(&text);
    return status;
}
