/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <twirl/math.h>

#include "render/render_unit.h"

/* In em. */
static const double bar_left = 0.6, bar_width = 1.1, bar_most = 16.0, tick = 0.3, text_gap = 0.3;

double tw_render_bar_width(const tw_render_quantity *quantity, const tw_render_classes *classes)
{
    const bool none = quantity->scale == TW_RENDER_SCALE_NONE;
    if (quantity->scale != TW_RENDER_SCALE_CLASSES) return none ? 0.0 : 6.8;
    size_t longest = 0;
    for (size_t i = 0; i < classes->count; i++) {
        const size_t length = strlen(classes->of[i].name);
        longest = length > longest ? length : longest;
    }
    return longest > 0 ? bar_left + bar_width + text_gap + 0.64 * (double)longest : 0.0;
}

static void draw_key(const tw_render_canvas *canvas, tw_render_box box,
                     const tw_render_classes *classes)
{
    const double em = canvas->em, x = box.x + bar_left * em, last = (double)classes->count - 1.0;
    for (size_t i = 0; i < classes->count; i++) {
        const double y = box.y + 0.5 * box.height + 1.8 * ((double)i - 0.5 * last) * em;
        cairo_rectangle(canvas->cairo, x, y - 0.5 * em, bar_width * em, em);
        tw_render_canvas_fill(canvas, classes->of[i].colour);
        tw_render_canvas_text(canvas, x + (bar_width + text_gap + 0.1) * em, y,
                              TW_RENDER_ALIGN_LEFT, classes->of[i].name);
    }
}

/* The shape of the bar, with a point where values lie beyond. */
static void trace(cairo_t *cairo, tw_render_box bar, double above, double below)
{
    cairo_move_to(cairo, bar.x, bar.y);
    if (above > 0.0) cairo_line_to(cairo, bar.x + 0.5 * bar.width, bar.y - above);
    cairo_line_to(cairo, bar.x + bar.width, bar.y);
    cairo_line_to(cairo, bar.x + bar.width, bar.y + bar.height);
    if (below > 0.0) cairo_line_to(cairo, bar.x + 0.5 * bar.width, bar.y + bar.height + below);
    cairo_line_to(cairo, bar.x, bar.y + bar.height);
    cairo_close_path(cairo);
}

static void draw_colours(const tw_render_canvas *canvas, tw_render_box bar,
                         const tw_render_choice *choice, const tw_render_range *range)
{
    cairo_t *cairo = canvas->cairo;
    cairo_pattern_t *colours =
        cairo_pattern_create_linear(0.0, bar.y + bar.height, 0.0, bar.y); /* upwards */
    const bool empty = tw_render_range_is_empty(range);
    for (int i = 0; i < TW_COLOUR_STOPS; i++) {
        const tw_colour c = empty ? tw_colour_at(choice->map, 0.5) : tw_colour_stop(choice->map, i);
        cairo_pattern_add_color_stop_rgb(colours, i / (TW_COLOUR_STOPS - 1.0), c.r, c.g, c.b);
    }
    /* Sums of rounded numbers may differ in the last digits. */
    const double slack = 1e-9 * tw_math_max(fabs(range->low), fabs(range->high));
    const double point = 0.9 * canvas->em;
    trace(cairo, bar, range->most > range->high + slack ? point : 0.0,
          range->least < range->low - slack ? point : 0.0);
    cairo_set_source(cairo, colours);
    cairo_fill_preserve(cairo);
    cairo_pattern_destroy(colours);
    cairo_set_source_rgb(cairo, canvas->ink.r, canvas->ink.g, canvas->ink.b);
    cairo_stroke(cairo);
}

/* Returns the width of the text. */
static double draw_tick(const tw_render_canvas *canvas, double x, double y, const char *text)
{
    const double em = canvas->em;
    tw_render_canvas_line(canvas, x, y, x + tick * em, y);
    tw_render_canvas_text(canvas, x + (tick + text_gap) * em, y, TW_RENDER_ALIGN_LEFT, text);
    return tw_render_canvas_text_width(canvas, text);
}

static double draw_ticks(const tw_render_canvas *canvas, tw_render_box bar, tw_render_range range,
                         tw_render_scale scale, double unit)
{
    char text[32];
    const double x = bar.x + bar.width, low = range.low / unit, high = range.high / unit;
    if (!(high - low < 1e300)) return 0.0; /* nothing physical */
    if (tw_render_range_is_empty(&range)) {
        snprintf(text, sizeof text, "%.3g", low);
        return draw_tick(canvas, x, bar.y + 0.5 * bar.height, text);
    }
    double step = tw_render_unit_round((high - low) / 3.0), widest = 0.0;
    if (scale == TW_RENDER_SCALE_COUNT) step = tw_math_max(step, 1.0);
    const double last = floor(high / step + 1e-9);
    for (double i = ceil(low / step - 1e-9); i <= last; i += 1.0) {
        tw_render_unit_print(text, sizeof text, i * step, step);
        const double share = (i * step - low) / (high - low);
        const double y = bar.y + bar.height * (1.0 - share);
        widest = tw_math_max(widest, draw_tick(canvas, x, y, text));
    }
    return widest;
}

void tw_render_bar(const tw_render_canvas *canvas, tw_render_box box,
                   const tw_render_choice *choice, const tw_render_legend *legend)
{
    const tw_render_quantity *quantity = choice->quantity;
    if (quantity->scale == TW_RENDER_SCALE_CLASSES) {
        draw_key(canvas, box, &legend->classes);
        return;
    }
    const double em = canvas->em, height = tw_math_min(0.7 * box.height, bar_most * em);
    const tw_render_box bar = {box.x + bar_left * em, box.y + 0.5 * (box.height - height),
                               bar_width * em, height};
    const tw_render_range *range = &legend->range;
    const double largest = tw_math_max(fabs(range->low), fabs(range->high));
    const tw_render_unit unit = tw_render_unit_for(quantity->unit, largest);
    draw_colours(canvas, bar, choice, range);
    const double widest = draw_ticks(canvas, bar, *range, quantity->scale, unit.size);
    char title[96];
    snprintf(title, sizeof title, unit.name[0] ? "%s [%s]" : "%s%s", quantity->title, unit.name);
    tw_render_canvas_text(canvas, bar.x + bar.width + widest + (tick + text_gap + 0.9) * em,
                          bar.y + 0.5 * bar.height, TW_RENDER_ALIGN_RISING, title);
}
