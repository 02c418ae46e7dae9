/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_canvas.h"

static const double half_digit = 0.36; /* half the height of a digit [em] */

static void use(const tw_render_canvas *canvas, tw_colour colour)
{
    cairo_set_source_rgb(canvas->cairo, colour.r, colour.g, colour.b);
}

/* Without hinting the text has the same widths on paper and on the screen. */
void tw_render_canvas_begin(tw_render_canvas *canvas, const char *family)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas->cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(canvas->cairo, family, CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, canvas->em);
    cairo_set_line_width(canvas->cairo, canvas->line);
}

double tw_render_canvas_text_width(const tw_render_canvas *canvas, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, text, &extents);
    return extents.x_advance;
}

void tw_render_canvas_text(const tw_render_canvas *canvas, double x, double y,
                           tw_render_align align, const char *text)
{
    const double width = tw_render_canvas_text_width(canvas, text);
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, x, y);
    if (align == TW_RENDER_ALIGN_RISING) cairo_rotate(canvas->cairo, -1.57079632679489662);
    cairo_move_to(canvas->cairo, align == TW_RENDER_ALIGN_LEFT ? 0.0 : -0.5 * width,
                  half_digit * canvas->em);
    use(canvas, canvas->ink);
    cairo_show_text(canvas->cairo, text);
    cairo_restore(canvas->cairo);
    cairo_new_path(canvas->cairo);
}

void tw_render_canvas_line(const tw_render_canvas *canvas, double x, double y, double to_x,
                           double to_y)
{
    use(canvas, canvas->ink);
    cairo_move_to(canvas->cairo, x, y);
    cairo_line_to(canvas->cairo, to_x, to_y);
    cairo_stroke(canvas->cairo);
}

void tw_render_canvas_fill(const tw_render_canvas *canvas, tw_colour colour)
{
    use(canvas, colour);
    cairo_fill_preserve(canvas->cairo);
    use(canvas, canvas->ink);
    cairo_stroke(canvas->cairo);
}
