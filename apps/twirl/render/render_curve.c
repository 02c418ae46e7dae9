/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_curve.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <twirl/math.h>

enum { TICKS_MAX = 64 };

static const double turn = 6.28318530717958648;
static const double tick = 0.35, gap = 0.4; /* [em] */
static const tw_colour blue = {0.0, 0.447, 0.698}, red = {0.835, 0.369, 0.0};

/* Where the numbers of an axis are in the picture [pixels]. */
typedef struct scale {
    const tw_figure_axis *axis;
    double from, to; /* the ends of the axis */
} scale;

static double place(const scale *s, double shown)
{
    const tw_figure_axis *a = s->axis;
    const double share = a->log ? tw_math_log(shown / a->low) / tw_math_log(a->high / a->low)
                                : (shown - a->low) / (a->high - a->low);
    return s->from + share * (s->to - s->from);
}

bool tw_render_curve_shows(const tw_figure *figure, size_t series)
{
    for (size_t k = 0; k < figure->line_count; k++)
        if (figure->lines[k].series == series) return true;
    return false;
}

double tw_render_curve_value(const tw_figure_series *series, size_t quantity, double row)
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

/* Rows from..to of a line, in the series; the ends may lie between rows. */
static void draw_rows(const tw_render_ink *ink, const tw_figure_set *set, const tw_figure_line *l,
                      const scale *x, const scale *y, double from, double to)
{
    const tw_figure_series *series = &set->series[l->series];
    bool open = false;
    for (double at = from; from < to;) {
        const double u = tw_render_curve_value(series, l->x, at) * x->axis->factor;
        const double v = tw_render_curve_value(series, l->y, at) * y->axis->factor;
        const double px = place(x, u), py = place(y, v);
        const bool there = isfinite(px) && isfinite(py);
        if (there) (open ? cairo_line_to : cairo_move_to)(ink->cairo, px, py);
        open = there;
        if (at >= to) break;
        at = tw_math_min(floor(at) + 1.0, to);
    }
    cairo_stroke(ink->cairo);
}

/* The present point. */
static void draw_mark(const tw_render_ink *ink, const tw_figure_set *set, const tw_figure_line *l,
                      const scale *x, const scale *y, double row)
{
    const tw_figure_series *series = &set->series[l->series];
    const double u = tw_render_curve_value(series, l->x, row) * x->axis->factor;
    const double v = tw_render_curve_value(series, l->y, row) * y->axis->factor;
    const double px = place(x, u), py = place(y, v);
    if (!isfinite(px) || !isfinite(py)) return;
    cairo_arc(ink->cairo, px, py, 0.38 * ink->em, 0.0, turn);
    tw_render_ink_fill(ink, red);
}

/* Returns the width of the widest number. */
static double draw_ticks(const tw_render_ink *ink, const scale *s, double across, bool upright,
                         bool right)
{
    tw_figure_tick ticks[TICKS_MAX];
    size_t count = tw_figure_axis_ticks(s->axis, ticks, TICKS_MAX);
    double widest = 0.0;
    if (count > TICKS_MAX) count = TICKS_MAX;
    for (size_t k = 0; k < count; k++) {
        const double at = place(s, ticks[k].at), out = (right ? 1.0 : -1.0) * tick * ink->em;
        const double length = *ticks[k].text ? out : 0.5 * out;
        if (upright) {
            tw_render_ink_line(ink, across, at, across + length, at);
            tw_render_ink_label(ink, across + out + (right ? 1.0 : -1.0) * gap * ink->em, at,
                                right ? TW_RENDER_LEFT : TW_RENDER_RIGHT, ticks[k].text);
        } else {
            tw_render_ink_line(ink, at, across, at, across - length);
            tw_render_ink_label(ink, at, across - out + 0.9 * ink->em, TW_RENDER_MIDDLE,
                                ticks[k].text);
        }
        widest = tw_math_max(widest, tw_render_ink_width(ink, ticks[k].text));
    }
    return widest;
}

static void title_of(const tw_figure_axis *axis, char *text, size_t size)
{
    snprintf(text, size, *axis->unit ? "%s [%s]" : "%s", axis->label, axis->unit);
}

static void draw_axes(const tw_render_ink *ink, tw_render_box box, const scale *x, const scale *y,
                      const scale *second)
{
    char text[TW_FIGURE_NAME_MAX + 40];
    const double em = ink->em, bottom = box.y + box.height, middle = box.y + 0.5 * box.height;
    draw_ticks(ink, x, bottom, false, false);
    title_of(x->axis, text, sizeof text);
    tw_render_ink_label(ink, box.x + 0.5 * box.width, bottom + 2.6 * em, TW_RENDER_MIDDLE, text);
    double widest = draw_ticks(ink, y, box.x, true, false);
    title_of(y->axis, text, sizeof text);
    tw_render_ink_label(ink, box.x - widest - (tick + gap + 1.0) * em, middle, TW_RENDER_RISING,
                        text);
    if (!second) return;
    widest = draw_ticks(ink, second, box.x + box.width, true, true);
    title_of(second->axis, text, sizeof text);
    tw_render_ink_label(ink, box.x + box.width + widest + (tick + gap + 1.0) * em, middle,
                        TW_RENDER_RISING, text);
}

static void draw_lines(const tw_render_ink *ink, const tw_figure_set *set, const tw_figure *figure,
                       const scale *x, const scale *y, const scale *second, size_t series,
                       double row)
{
    const tw_colour grey = {0.72, 0.72, 0.72};
    const double dashes[] = {0.5 * ink->em, 0.3 * ink->em};
    cairo_set_line_width(ink->cairo, 1.8 * ink->line);
    for (int past = 0; past < 2; past++) {
        for (size_t k = 0; k < figure->line_count; k++) {
            const tw_figure_line *l = &figure->lines[k];
            const tw_figure_series *s = &set->series[l->series];
            const double first = (double)s->first, last = first + (double)s->count - 1.0;
            const double now = l->series == series ? tw_math_min(row, last) : first;
            cairo_set_dash(ink->cairo, dashes, l->second ? 2 : 0, 0.0);
            tw_render_ink_use(ink, past ? blue : grey);
            draw_rows(ink, set, l, x, l->second ? second : y, past ? first : now,
                      past ? now : last);
        }
    }
    cairo_set_dash(ink->cairo, NULL, 0, 0.0);
    cairo_set_line_width(ink->cairo, ink->line);
    for (size_t k = 0; k < figure->line_count; k++) {
        const tw_figure_line *l = &figure->lines[k];
        if (l->series == series) draw_mark(ink, set, l, x, l->second ? second : y, row);
    }
}

void tw_render_curve_draw(const tw_render_ink *ink, tw_render_box box, const tw_figure_set *set,
                          const tw_figure *figure, size_t series, double row)
{
    const double em = ink->em, side = 5.0 * em;
    const bool twice = figure->second.quantity != NULL;
    box = (tw_render_box){box.x + side, box.y + em, box.width - (twice ? 2.0 : 1.3) * side,
                          box.height - 5.0 * em};
    if (twice) box.width += 0.4 * side;
    if (box.width < 4.0 * em || box.height < 4.0 * em) return;
    const scale x = {&figure->x, box.x, box.x + box.width};
    const scale y = {&figure->y, box.y + box.height, box.y};
    const scale second = {&figure->second, y.from, y.to};
    cairo_rectangle(ink->cairo, box.x, box.y, box.width, box.height);
    tw_render_ink_use(ink, ink->colour);
    cairo_stroke(ink->cairo);
    draw_axes(ink, box, &x, &y, twice ? &second : NULL);
    cairo_save(ink->cairo);
    draw_lines(ink, set, figure, &x, &y, &second, series, row);
    cairo_restore(ink->cairo);
}
