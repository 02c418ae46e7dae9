/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_envelope.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/math.h>

#include "base/error.h"
#include "common/row_writer.h"
#include "plot/axis.h"
#include "plot/envelope.h"
#include "plot/plot.h"

typedef struct envelope_figure {
    tw_envelope surface;
    const tw_plot_style *style;
    const char *stage;
    double unit;      /* of the response, in SI units */
    char label[32];   /* Δσ or Δε */
    char in_unit[32]; /* "10^{−6}", "kPa" */
    double reach;     /* of the response, as drawn */
} envelope_figure;

static const char letters[] = "xyz";

static void choose_unit(envelope_figure *d)
{
    const double reach = tw_envelope_reach(&d->surface);
    int exponent = 0;
    d->unit = 1.0;
    if (d->surface.is_strain) {
        for (; reach < 10.0 * d->unit && exponent > -15; exponent--)
            d->unit /= 10.0;
        snprintf(d->in_unit, sizeof d->in_unit, "10^{−%d}", -exponent);
        snprintf(d->label, sizeof d->label, "Δ{/:Italic ε}");
    } else {
        d->unit = reach >= 2e3 ? 1e3 : 1.0;
        snprintf(d->in_unit, sizeof d->in_unit, reach >= 2e3 ? "kPa" : "Pa");
        snprintf(d->label, sizeof d->label, "Δ{/:Italic σ}");
    }
    d->reach = reach / d->unit;
}

/* ---- The file: points of the sections ---- */

typedef struct section {
    tw_row_writer *writer;
    int axis, part;
    bool any;
} section;

static void add_point(void *target, const double point[3], bool begins)
{
    section *s = target;
    if (begins && s->any) tw_row_writer_add(s->writer, "\n");
    s->any = true;
    tw_row_writer_add(s->writer, "%d,%d,%.9g,%.9g,%.9g\n", s->axis, s->part, point[0], point[1],
                      point[2]);
}

/* Columns: axis across the section, 0 for the response or 1 for its companion, coordinates. */
static tw_status write_sections(const envelope_figure *d, const char *plots, tw_error *error)
{
    char path[PATH_MAX + NAME_MAX];
    tw_row_writer writer;
    snprintf(path, sizeof path, "%s/%s_envelope.csv", plots, d->stage);
    const tw_status status = tw_row_writer_open(&writer, path, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&writer, "axis,part,x,y,z\n");
    section s = {.writer = &writer};
    for (s.axis = 0; s.axis < 3; s.axis++) {
        for (s.part = 0; s.part < (d->surface.has_other ? 2 : 1); s.part++) {
            tw_envelope_cut(&d->surface, s.part ? d->surface.other : d->surface.end, s.axis,
                            add_point, &s);
            if (s.any) tw_row_writer_add(&writer, "\n");
            s.any = false;
        }
    }
    return tw_row_writer_finish(&writer, error);
}

/* ---- The view: facets in the order of their depth ---- */

/* Parallel projection, from between the positive axes. */
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

static facet facet_of(const envelope_figure *d, const size_t v[3])
{
    static const double light[3] = {0.35, 0.75, 0.56};
    facet f = {.depth = 0.0};
    double u[3], w[3];
    const tw_envelope *s = &d->surface;
    for (int k = 0; k < 3; k++) {
        f.x[k] = dot(right, s->end[v[k]]) / d->unit;
        f.y[k] = dot(upward, s->end[v[k]]) / d->unit;
        f.depth += dot(viewer, s->end[v[k]]);
        f.share += s->share[v[k]] / 3.0;
        u[k] = s->end[v[1]][k] - s->end[v[0]][k];
        w[k] = s->end[v[2]][k] - s->end[v[0]][k];
    }
    const double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                         u[0] * w[1] - u[1] * w[0]};
    const double size = sqrt(dot(n, n));
    const double facing = size > 0.0 ? dot(n, light) / size : 0.0;
    f.light = 0.72 + 0.28 * tw_math_min(tw_math_max(facing, 0.0), 1.0);
    return f;
}

/* From white, where the response is elastic, to orange or grey. */
static unsigned colour_of(const facet *f, bool grey)
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

static tw_status add_view(tw_text_buffer *text, const envelope_figure *d, tw_error *error)
{
    const tw_envelope *s = &d->surface;
    facet *facets = malloc(s->triangles * sizeof *facets);
    if (!facets) return tw_error_set_memory(error);
    for (size_t t = 0; t < s->triangles; t++)
        facets[t] = facet_of(d, s->triangle[t]);
    qsort(facets, s->triangles, sizeof *facets, compare_depth);
    for (size_t t = 0; t < s->triangles; t++) {
        const facet *f = &facets[t];
        tw_text_buffer_add(text,
                           "set object polygon from %.4g,%.4g to %.4g,%.4g to %.4g,%.4g to "
                           "%.4g,%.4g fillstyle solid border rgb '#666666' fillcolor rgb '#%06x' "
                           "linewidth 0.3 back\n",
                           f->x[0], f->y[0], f->x[1], f->y[1], f->x[2], f->y[2], f->x[0], f->y[0],
                           colour_of(f, d->style->grey));
    }
    free(facets);
    for (int k = 0; k < 3; k++) {
        const double from = tw_envelope_radius(s, k) / d->unit, to = 1.35 * d->reach;
        tw_text_buffer_add(text,
                           "set arrow from %.4g,%.4g to %.4g,%.4g size graph 0.03,18 filled "
                           "linewidth 1 linecolor rgb '#000000' front\n"
                           "set label '%s_%c' at %.4g,%.4g center front\n",
                           from * right[k], from * upward[k], to * right[k], to * upward[k],
                           d->label, letters[k], 1.16 * to * right[k], 1.16 * to * upward[k]);
    }
    return TW_STATUS_OK;
}

/* ---- The four panels ---- */

/* gnuplot: margins of a square frame in the quarter at `column`, `row` from the upper left. */
static void add_panel(tw_text_buffer *text, const envelope_figure *d, int column, int row)
{
    const double em = tw_plot_style_em(d->style), w = d->style->width, h = d->style->height;
    const double side = tw_math_min(0.5 * w - 4.7 * em, 0.5 * h - 4.2 * em);
    const double left = column * 0.5 * w + 3.9 * em, bottom = (1 - row) * 0.5 * h + 3.5 * em;
    tw_text_buffer_add(text,
                       "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
                       "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
                       left / w, (left + side) / w, bottom / h, (bottom + side) / h);
    if (column == 0 && row == 0) return;
    /* Across z: x to the right, y up; across x: y, z; across y: x, z. */
    const int across = row == 0 ? 2 : column == 0 ? 1 : 0;
    const int x = across == 0 ? 1 : 0, y = across == 2 ? 1 : 2;
    tw_text_buffer_add(text,
                       "set label 101 '%s_%c [%s]' at graph 0.5, screen %.4f center\n"
                       "set label 102 '%s_%c [%s]' at screen %.4f, graph 0.5 center rotate\n",
                       d->label, letters[x], d->in_unit, (bottom - 2.6 * em) / h, d->label,
                       letters[y], d->in_unit, (left - 2.9 * em) / w);
    tw_text_buffer_add(text, "plot ");
    for (int part = 0; part < (d->surface.has_other ? 2 : 1); part++)
        tw_text_buffer_add(text,
                           "%s'%s_envelope.csv' using (column('axis') == %d && column('part') == "
                           "%d ? %g*column('%c') : NaN):(%g*column('%c')) with lines linetype %d "
                           "linewidth 1.8 title '%s'",
                           part ? ", " : "", d->stage, across, part, 1.0 / d->unit, letters[x],
                           1.0 / d->unit, letters[y], part + 1,
                           !part                  ? "total"
                           : d->surface.is_strain ? "reversible"
                                                  : "no slip");
    if (d->surface.is_strain && d->surface.has_other)
        tw_text_buffer_add(text,
                           ", '%s_probes.csv' using (%g*column('irreversible_%c%c')):(%g*"
                           "column('irreversible_%c%c')) with points linetype 3 pointtype 7 "
                           "pointsize default title 'irreversible'",
                           d->stage, 1.0 / d->unit, letters[x], letters[x], 1.0 / d->unit,
                           letters[y], letters[y]);
    tw_text_buffer_add(text, "\n");
}

static tw_status add_plots(tw_text_buffer *text, const envelope_figure *d, tw_error *error)
{
    const double view = 1.6 * d->reach;
    const tw_axis_request both = {.dimension = TW_AXIS_RATIO, .low = -d->reach, .high = d->reach};
    const tw_axis axis = tw_axis_choose(&both);
    const double wide = tw_math_max(axis.high, 1.08 * d->reach);
    tw_text_buffer_add(text, "set multiplot\nunset label\nunset xzeroaxis\nunset yzeroaxis\n");
    add_panel(text, d, 0, 0);
    tw_text_buffer_add(text,
                       "unset border\nunset tics\nunset key\nset xrange [%.4g:%.4g]\n"
                       "set yrange [%.4g:%.4g]\n",
                       -view, view, -view, view);
    const tw_status status = add_view(text, d, error);
    tw_text_buffer_add(text,
                       "plot NaN notitle\nunset object\nunset arrow\nunset label\nset border 15\n"
                       "set tics in scale 0.8,0.4\nset xtics %.4g\nset ytics %.4g\n"
                       "set xrange [%.4g:%.4g]\nset yrange [%.4g:%.4g]\n"
                       "set xzeroaxis linetype 1 linewidth 0.7 linecolor rgb '#999999'\n"
                       "set yzeroaxis linetype 1 linewidth 0.7 linecolor rgb '#999999'\n"
                       "set key at screen 0.01, screen %.4f left top vertical Left reverse samplen "
                       "1.5\n",
                       axis.step, axis.step, -wide, wide, -wide, wide,
                       0.5 + 4.2 * tw_plot_style_em(d->style) / d->style->height);
    add_panel(text, d, 1, 0);
    tw_text_buffer_add(text, "unset key\n");
    add_panel(text, d, 0, 1);
    add_panel(text, d, 1, 1);
    tw_text_buffer_add(text, "unset multiplot\n");
    return status;
}

static tw_status draw(const envelope_figure *d, const char *plots, tw_error *error)
{
    char name[2 * NAME_MAX];
    tw_text_buffer settings = {0}, curves = {0};
    snprintf(name, sizeof name, "%s_envelope", d->stage);
    tw_plot_style_add_settings(&settings, d->style);
    tw_status status = add_plots(&curves, d, error);
    const tw_plot plot = {plots, name, settings.text, curves.text, d->style};
    if (settings.failed || curves.failed) status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = tw_plot_draw(&plot, error);
    tw_text_buffer_free(&settings);
    tw_text_buffer_free(&curves);
    return status;
}

tw_status tw_plot_envelope(const char *path, const char *stage, const char *plots,
                           const tw_plot_style *style, tw_text_buffer *names, tw_error *error)
{
    tw_plot_style square = *style; /* four square panels */
    square.height = tw_math_max(style->height, style->width);
    envelope_figure d = {.style = &square, .stage = stage};
    tw_status status = tw_envelope_read(&d.surface, path, error);
    if (status == TW_STATUS_OK && d.surface.triangles > 0) {
        choose_unit(&d);
        status = write_sections(&d, plots, error);
        if (status == TW_STATUS_OK) status = draw(&d, plots, error);
        tw_text_buffer_add(names, "%s%s_envelope", names->length > 0 ? ", " : "", stage);
    }
    tw_envelope_free(&d.surface);
    return status;
}
