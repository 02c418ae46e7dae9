/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_ink.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const double half_digit = 0.36; /* half the height of a digit [em] */
static const double quarter = 1.57079632679489662;

/* The font is that family, or what the system has instead. Without hinting the text has the same
 * widths on paper and on the screen. */
void tw_render_ink_begin(const tw_render_ink *ink)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(ink->cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(ink->cairo, ink->font, CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(ink->cairo, ink->em);
    cairo_set_line_width(ink->cairo, ink->line);
}

void tw_render_ink_use(const tw_render_ink *ink, tw_colour colour)
{
    cairo_set_source_rgb(ink->cairo, colour.r, colour.g, colour.b);
}

double tw_render_ink_width(const tw_render_ink *ink, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(ink->cairo, text, &extents);
    return extents.x_advance;
}

/* To the place where a text of this width begins, in the middle of its digits. */
static void go_to(const tw_render_ink *ink, double x, double y, tw_render_align align, double width)
{
    const double share = align == TW_RENDER_LEFT ? 0.0 : align == TW_RENDER_RIGHT ? 1.0 : 0.5;
    cairo_translate(ink->cairo, x, y);
    if (align == TW_RENDER_RISING) cairo_rotate(ink->cairo, -quarter);
    cairo_move_to(ink->cairo, -share * width, half_digit * ink->em);
    tw_render_ink_use(ink, ink->colour);
}

void tw_render_ink_text(const tw_render_ink *ink, double x, double y, tw_render_align align,
                        const char *text)
{
    const double width = tw_render_ink_width(ink, text);
    cairo_save(ink->cairo);
    go_to(ink, x, y, align, width);
    cairo_show_text(ink->cairo, text);
    cairo_restore(ink->cairo);
    cairo_new_path(ink->cairo);
}

void tw_render_ink_line(const tw_render_ink *ink, double x, double y, double to_x, double to_y)
{
    tw_render_ink_use(ink, ink->colour);
    cairo_move_to(ink->cairo, x, y);
    cairo_line_to(ink->cairo, to_x, to_y);
    cairo_stroke(ink->cairo);
}

void tw_render_ink_fill(const tw_render_ink *ink, tw_colour colour)
{
    tw_render_ink_use(ink, colour);
    cairo_fill_preserve(ink->cairo);
    tw_render_ink_use(ink, ink->colour);
    cairo_stroke(ink->cairo);
}

/* A piece of a label in one font. */
typedef struct piece {
    char text[128];
    bool italic;
    double size, rise; /* [em] */
} piece;

static const double small_size = 0.72;

/* Takes the next piece from *text; false: there is none. */
static bool next_piece(const char **text, piece *p)
{
    const char *at = *text;
    const bool below = *at == '_', above = *at == '^';
    if (!*at) return false;
    *p = (piece){.size = below || above ? small_size : 1.0,
                 .rise = below   ? -0.2
                         : above ? 0.35
                                 : 0.0};
    if (below || above) at++;
    size_t length;
    if (*at == '{') {
        at++;
        length = strcspn(at, "}");
        p->italic = !below && !above;
        *text = at + length + (at[length] == '}');
    } else {
        const size_t one = tw_text_utf8_length(at, strlen(at));
        length = below || above ? (one ? one : strnlen(at, 1)) : strcspn(at, "{_^");
        *text = at + length;
    }
    snprintf(p->text, sizeof p->text, "%.*s", (int)length, at);
    return true;
}

/* Shows a label, or only measures it. Returns its width. */
static double put_label(const tw_render_ink *ink, const char *text, bool show)
{
    double width = 0.0;
    piece p;
    while (next_piece(&text, &p)) {
        cairo_select_font_face(ink->cairo, ink->font,
                               p.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(ink->cairo, p.size * ink->em);
        width += tw_render_ink_width(ink, p.text);
        if (!show) continue;
        cairo_rel_move_to(ink->cairo, 0.0, -p.rise * ink->em);
        cairo_show_text(ink->cairo, p.text);
        cairo_rel_move_to(ink->cairo, 0.0, p.rise * ink->em);
    }
    return width;
}

void tw_render_ink_label(const tw_render_ink *ink, double x, double y, tw_render_align align,
                         const char *text)
{
    cairo_save(ink->cairo);
    go_to(ink, x, y, align, put_label(ink, text, false));
    put_label(ink, text, true);
    cairo_restore(ink->cairo);
    cairo_new_path(ink->cairo);
}
