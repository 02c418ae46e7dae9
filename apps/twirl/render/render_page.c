/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_page.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/types.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "render/render_paint.h"
#include "render/render_quantity.h"

/* Positions and lengths are in pixels, y down; they need not be integers. */

/* ---- Lines and text ---- */

typedef struct pen {
    cairo_t *cairo;
    const char *font;
    double em, line; /* size of the font, width of lines */
    tw_colour colour;
} pen;

/* Where the given position is in the text. Vertically it is the middle of the digits. */
typedef enum align {
    LEFT,
    MIDDLE,
    RIGHT,
    RISING /* the middle, and the text reads upwards */
} align;

static const double half_digit = 0.36; /* half the height of a digit [em] */
static const double quarter = 1.57079632679489662;

/* The font is that family, or what the system has instead. Without hinting the text has the same
 * widths on paper and on the screen. */
static void pen_begin(const pen *ink)
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

static void pen_use(const pen *ink, tw_colour colour)
{
    cairo_set_source_rgb(ink->cairo, colour.r, colour.g, colour.b);
}

static double pen_width(const pen *ink, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(ink->cairo, text, &extents);
    return extents.x_advance;
}

/* To the place where a text of this width begins, in the middle of its digits. */
static void go_to(const pen *ink, double x, double y, align where, double width)
{
    const double share = where == LEFT ? 0.0 : where == RIGHT ? 1.0 : 0.5;
    cairo_translate(ink->cairo, x, y);
    if (where == RISING) cairo_rotate(ink->cairo, -quarter);
    cairo_move_to(ink->cairo, -share * width, half_digit * ink->em);
    pen_use(ink, ink->colour);
}

static void pen_text(const pen *ink, double x, double y, align where, const char *text)
{
    const double width = pen_width(ink, text);
    cairo_save(ink->cairo);
    go_to(ink, x, y, where, width);
    cairo_show_text(ink->cairo, text);
    cairo_restore(ink->cairo);
    cairo_new_path(ink->cairo);
}

static void pen_line(const pen *ink, double x, double y, double to_x, double to_y)
{
    pen_use(ink, ink->colour);
    cairo_move_to(ink->cairo, x, y);
    cairo_line_to(ink->cairo, to_x, to_y);
    cairo_stroke(ink->cairo);
}

/* Fills the current path of cairo and draws its outline. */
static void pen_fill(const pen *ink, tw_colour colour)
{
    pen_use(ink, colour);
    cairo_fill_preserve(ink->cairo);
    pen_use(ink, ink->colour);
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
static double put_label(const pen *ink, const char *text, bool show)
{
    double width = 0.0;
    piece p;
    while (next_piece(&text, &p)) {
        cairo_select_font_face(ink->cairo, ink->font,
                               p.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(ink->cairo, p.size * ink->em);
        width += pen_width(ink, p.text);
        if (!show) continue;
        cairo_rel_move_to(ink->cairo, 0.0, -p.rise * ink->em);
        cairo_show_text(ink->cairo, p.text);
        cairo_rel_move_to(ink->cairo, 0.0, p.rise * ink->em);
    }
    return width;
}

/* As pen_text, for a text with the markup of figures (twirl/figure.h): symbols in italics,
 * subscripts, superscripts. */
static void pen_label(const pen *ink, double x, double y, align where, const char *text)
{
    cairo_save(ink->cairo);
    go_to(ink, x, y, where, put_label(ink, text, false));
    put_label(ink, text, true);
    cairo_restore(ink->cairo);
    cairo_new_path(ink->cairo);
}

/* ---- The page ---- */

/* A box of width 0 is not drawn. */
typedef struct page {
    const tw_render_options *set;
    const tw_render_legend *legend;
    tw_render_view view;
    tw_render_box bar, axes, scale;
    double scale_length; /* [m] */
    pen ink;
} page;

static const double turn = 6.28318530717958648;
static const double arm = 2.0, head = 0.55, label = 0.55, ring = 0.3; /* em */

/* An axis in the picture: x to the right, y down, z towards the viewer. */
typedef struct axis {
    const char *name;
    tw_vec3 to; /* unit vector */
    double length;
} axis;

static axis axis_of(const tw_render_view *view, int i)
{
    static const char *const names[] = {"x", "y", "z"};
    const tw_vec3 unit = tw_vec3_make(i == 0, i == 1, i == 2);
    const tw_vec3 to = tw_vec3_make(tw_vec3_dot(unit, view->right), -tw_vec3_dot(unit, view->up),
                                    tw_vec3_dot(unit, view->towards));
    return (axis){names[i], to, sqrt(to.x * to.x + to.y * to.y)};
}

static void draw_ring(const page *canvas, double x, double y, const axis *a)
{
    cairo_t *cairo = canvas->ink.cairo;
    const double em = canvas->ink.em, r = ring * em, d = 0.707 * r;
    const tw_colour white = {1.0, 1.0, 1.0};
    const tw_colour paper = tw_colour_lightness(canvas->ink.colour) < 0.5 ? white : (tw_colour){0};
    cairo_arc(cairo, x, y, r, 0.0, turn);
    pen_fill(&canvas->ink, paper);
    if (a->to.z > 0.0) {
        cairo_arc(cairo, x, y, 0.35 * r, 0.0, turn);
        pen_fill(&canvas->ink, canvas->ink.colour);
    } else {
        pen_line(&canvas->ink, x - d, y - d, x + d, y + d);
        pen_line(&canvas->ink, x - d, y + d, x + d, y - d);
    }
    pen_text(&canvas->ink, x - (ring + 0.45) * em, y + (ring + 0.45) * em, MIDDLE, a->name);
}

static void draw_arrow(const page *canvas, double x, double y, const axis *a)
{
    cairo_t *cairo = canvas->ink.cairo;
    const double em = canvas->ink.em, length = arm * em * a->length;
    const double dx = a->to.x / a->length, dy = a->to.y / a->length; /* along the arrow */
    const double tip = tw_math_min(head * em, 0.6 * length), side = 0.3 * tip;
    const double end_x = x + length * dx, end_y = y + length * dy;
    pen_line(&canvas->ink, x, y, end_x - tip * dx, end_y - tip * dy);
    cairo_move_to(cairo, end_x, end_y);
    cairo_line_to(cairo, end_x - tip * dx - side * dy, end_y - tip * dy + side * dx);
    cairo_line_to(cairo, end_x - tip * dx + side * dy, end_y - tip * dy - side * dx);
    cairo_close_path(cairo);
    pen_fill(&canvas->ink, canvas->ink.colour);
    pen_text(&canvas->ink, end_x + label * em * dx, end_y + label * em * dy, MIDDLE, a->name);
}

/* Where the arrows begin, so that they are in the middle of the box. */
static void find_origin(const page *canvas, tw_render_box box, const axis a[3], double *x,
                        double *y)
{
    double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
    for (int i = 0; i < 3; i++) {
        left = tw_math_min(left, a[i].to.x);
        right = tw_math_max(right, a[i].to.x);
        top = tw_math_min(top, a[i].to.y);
        bottom = tw_math_max(bottom, a[i].to.y);
    }
    *x = box.x + 0.5 * box.width - 0.5 * arm * canvas->ink.em * (left + right);
    *y = box.y + 0.5 * box.height - 0.5 * arm * canvas->ink.em * (top + bottom);
}

/* An axis towards the viewer is a circle with a dot, one away from the viewer a circle with a
 * cross. */
static void draw_axes(const page *canvas)
{
    axis a[3];
    double x, y;
    for (int i = 0; i < 3; i++)
        a[i] = axis_of(&canvas->view, i);
    find_origin(canvas, canvas->axes, a, &x, &y);
    for (int i = 0; i < 3; i++)
        if (a[i].length >= 0.12) draw_arrow(canvas, x, y, &a[i]);
    for (int i = 0; i < 3; i++)
        if (a[i].length < 0.12) draw_ring(canvas, x, y, &a[i]);
}

/* At the bottom of its box, with its length above it. */
static void draw_scale(const page *canvas)
{
    const tw_render_box box = canvas->scale;
    const double length = canvas->scale_length;
    const double em = canvas->ink.em, y = box.y + box.height - 0.4 * em, half = 0.25 * em;
    const tw_render_unit unit = tw_render_unit_for("m", length);
    char number[32], text[64];
    tw_render_unit_print(number, sizeof number, length / unit.size,
                         tw_render_unit_round(length / unit.size));
    snprintf(text, sizeof text, "%s %s", number, unit.name);
    pen_line(&canvas->ink, box.x, y, box.x + box.width, y);
    pen_line(&canvas->ink, box.x, y - half, box.x, y + half);
    pen_line(&canvas->ink, box.x + box.width, y - half, box.x + box.width, y + half);
    pen_text(&canvas->ink, box.x + 0.5 * box.width, y - 0.9 * em, MIDDLE, text);
}

/* In em. */
static const double note_height = 2.2;
static const double bar_left = 0.6, bar_width = 1.1, bar_most = 16.0, tick = 0.3, text_gap = 0.3;

/* The width that the colour bar or the key of classes needs [em]; 0: the colours have no meaning.
 * It does not depend on the font. */
static double bar_room(const tw_render_quantity *quantity, const tw_render_classes *classes)
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

static void draw_key(const page *canvas, tw_render_box box, const tw_render_classes *classes)
{
    const double em = canvas->ink.em, x = box.x + bar_left * em,
                 last = (double)classes->count - 1.0;
    for (size_t i = 0; i < classes->count; i++) {
        const double y = box.y + 0.5 * box.height + 1.8 * ((double)i - 0.5 * last) * em;
        cairo_rectangle(canvas->ink.cairo, x, y - 0.5 * em, bar_width * em, em);
        pen_fill(&canvas->ink, classes->of[i].colour);
        pen_text(&canvas->ink, x + (bar_width + text_gap + 0.1) * em, y, LEFT, classes->of[i].name);
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

static void draw_colours(const page *canvas, tw_render_box bar, const tw_render_range *range)
{
    cairo_t *cairo = canvas->ink.cairo;
    const tw_colour_map map = canvas->set->choice.map;
    cairo_pattern_t *colours =
        cairo_pattern_create_linear(0.0, bar.y + bar.height, 0.0, bar.y); /* upwards */
    const bool empty = tw_render_range_is_empty(range);
    for (int i = 0; i < TW_COLOUR_STOPS; i++) {
        const tw_colour c = empty ? tw_colour_at(map, 0.5) : tw_colour_stop(map, i);
        cairo_pattern_add_color_stop_rgb(colours, i / (TW_COLOUR_STOPS - 1.0), c.r, c.g, c.b);
    }
    /* Sums of rounded numbers may differ in the last digits. */
    const double slack = 1e-9 * tw_math_max(fabs(range->low), fabs(range->high));
    const double point = 0.9 * canvas->ink.em;
    trace(cairo, bar, range->most > range->high + slack ? point : 0.0,
          range->least < range->low - slack ? point : 0.0);
    cairo_set_source(cairo, colours);
    cairo_fill_preserve(cairo);
    cairo_pattern_destroy(colours);
    pen_use(&canvas->ink, canvas->ink.colour);
    cairo_stroke(cairo);
}

/* Returns the width of the text. */
static double draw_tick(const page *canvas, double x, double y, const char *text)
{
    const double em = canvas->ink.em;
    pen_line(&canvas->ink, x, y, x + tick * em, y);
    pen_text(&canvas->ink, x + (tick + text_gap) * em, y, LEFT, text);
    return pen_width(&canvas->ink, text);
}

static double draw_ticks(const page *canvas, tw_render_box bar, tw_render_range range,
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

/* Upright, with title, unit and round ticks. An end is pointed if there are values beyond it. */
static void draw_bar(const page *canvas)
{
    const tw_render_box box = canvas->bar;
    const tw_render_legend *legend = canvas->legend;
    const tw_render_quantity *quantity = canvas->set->choice.quantity;
    if (quantity->scale == TW_RENDER_SCALE_CLASSES) {
        draw_key(canvas, box, &legend->classes);
        return;
    }
    const double em = canvas->ink.em, height = tw_math_min(0.7 * box.height, bar_most * em);
    const tw_render_box bar = {box.x + bar_left * em, box.y + 0.5 * (box.height - height),
                               bar_width * em, height};
    const tw_render_range *range = &legend->range;
    const double largest = tw_math_max(fabs(range->low), fabs(range->high));
    const tw_render_unit unit = tw_render_unit_for(quantity->unit, largest);
    draw_colours(canvas, bar, range);
    const double widest = draw_ticks(canvas, bar, *range, quantity->scale, unit.size);
    char title[96];
    snprintf(title, sizeof title, unit.name[0] ? "%s [%s]" : "%s%s", quantity->title, unit.name);
    pen_label(&canvas->ink, bar.x + bar.width + widest + (tick + text_gap + 0.9) * em,
              bar.y + 0.5 * bar.height, RISING, title);
}

/* ---- Layout ---- */

/* What a field is, above the section. */
static void draw_note(const page *canvas)
{
    const double em = canvas->ink.em, window = canvas->legend->window;
    const tw_render_unit unit = tw_render_unit_for("m", window);
    char text[128];
    snprintf(text, sizeof text,
             "section %c = %.3g, coarse graining in %.3g %s (%.3g mean diameters)",
             "abc"[canvas->set->choice.cut_edge], canvas -> set -> choice.cut_at,
             window / unit.size, unit.name, canvas->set->choice.window);
    pen_text(&canvas->ink, em, 0.5 * note_height * em, LEFT, text);
}

/* In em; axes: the side of the square that they need. */
static const double edge = 0.5, scale_height = 2.0, axes_side = 5.0;

static void place(page *p)
{
    const double em = p->ink.em, height = (double)p->set->height;
    const double room = (double)p->set->width - p->bar.width, side = axes_side * em;
    if (p->set->axes) p->axes = (tw_render_box){edge * em, height - side - edge * em, side, side};
    if (p->set->scale) {
        p->scale_length = tw_render_unit_round(0.25 * room * p->view.pixel);
        const double width = p->scale_length / p->view.pixel;
        p->scale = (tw_render_box){room - width - 2.0 * edge * em,
                                   height - (scale_height + edge) * em, width, scale_height * em};
    }
}

/* Whether the box is in what the frame shows. */
static bool is_covered(const page *p, const tw_render_frame *frame, tw_render_box box)
{
    const tw_render_view *v = &p->view;
    const double left = v->centre_x + (frame->right.low - v->middle_x) / v->pixel;
    const double right = v->centre_x + (frame->right.high - v->middle_x) / v->pixel;
    const double bottom = v->centre_y - (frame->up.low - v->middle_y) / v->pixel;
    return box.x < right && box.x + box.width > left && box.y < bottom;
}

static bool collides(const page *p, const tw_render_frame *frame, const tw_render_parts *parts)
{
    const tw_render_box boxes[] = {p->axes, p->scale};
    bool hit = false;
    for (int k = 0; k < 2; k++) {
        if (boxes[k].width > 0.0)
            hit = hit || (parts ? tw_render_view_covers(&p->view, parts, boxes[k])
                                : is_covered(p, frame, boxes[k]));
    }
    return hit;
}

/* Fits the view to the frame, too. With `parts` these decide which corners are free, otherwise the
 * frame does. Axes and scale bar are in the lower corners if these are free, otherwise below
 * the content. What has no room is left out. */
static void lay_out(page *p, const tw_render_frame *frame, const tw_render_parts *parts)
{
    const tw_render_options *set = p->set;
    const double em = p->ink.em, width = (double)set->width, height = (double)set->height;
    const double bar = set->bar ? em * bar_room(set->choice.quantity, &p->legend->classes) : 0.0;
    if (bar > 0.0 && width > 2.0 * bar && height > 8.0 * em)
        p->bar = (tw_render_box){width - bar, 0.0, bar, height};
    const double top = p->legend->window > 0.0 && height > 8.0 * em ? note_height * em : 0.0;
    tw_render_box content = {0.0, top, width - p->bar.width, height - top};
    tw_render_view_fit(&p->view, frame, content);
    if (content.width < 10.0 * em || height < 10.0 * em) return;
    place(p);
    /* No higher than needed: often the corners are almost free. */
    for (double strip = 0.5; strip <= axes_side + edge && collides(p, frame, parts); strip += 0.5) {
        content.height = height - top - strip * em;
        tw_render_view_fit(&p->view, frame, content);
        place(p); /* pixels have another size now */
    }
}

/* ---- The file ---- */

enum { PNG_HEADER = 33 }; /* bytes: signature, and the chunk IHDR */

typedef struct picture_file {
    tw_replace_file file;
    size_t header; /* bytes of the header of a PNG that are still to come */
    double dpi;
} picture_file;

/* The resolution, which cairo does not store: the chunk pHYs. */
static bool write_resolution(picture_file *out)
{
    unsigned char chunk[21] = {0, 0, 0, 9, 'p', 'H', 'Y', 's', [16] = 1};
    const uint32_t per_metre = (uint32_t)tw_math_min(out->dpi / 0.0254 + 0.5, INT32_MAX);
    for (int k = 0; k < 8; k++)
        chunk[8 + k] = (unsigned char)(per_metre >> (24 - 8 * (k % 4)));
    const uint32_t check = tw_crc32(0, chunk + 4, 13);
    for (int k = 0; k < 4; k++)
        chunk[17 + k] = (unsigned char)(check >> (24 - 8 * k));
    return tw_replace_file_write(&out->file, chunk, sizeof chunk);
}

static cairo_status_t write_bytes(void *context, const unsigned char *bytes, unsigned int count)
{
    picture_file *out = context;
    const size_t begin = count < out->header ? count : out->header;
    out->header -= begin;
    const bool good = tw_replace_file_write(&out->file, bytes, begin) &&
                      (begin == 0 || out->header > 0 || write_resolution(out)) &&
                      tw_replace_file_write(&out->file, bytes + begin, count - begin);
    return good ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_vectors(const tw_render_options *set, picture_file *out)
{
    const double point = 72.0 / out->dpi;
    const double width = point * (double)set->width, height = point * (double)set->height;
    if (set->format == TW_RENDER_SVG)
        return cairo_svg_surface_create_for_stream(write_bytes, out, width, height);
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_bytes, out, width, height);
    /* Otherwise the time of day would be in the file. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return surface;
}

static void decorate(const page *p)
{
    pen_begin(&p->ink);
    if (p->bar.width > 0.0) draw_bar(p);
    if (p->axes.width > 0.0) draw_axes(p);
    if (p->scale.width > 0.0) draw_scale(p);
    if (p->legend->window > 0.0 && (double)p->set->height > 8.0 * p->ink.em) draw_note(p);
}

/* The bitmap with lines and text: on top of it, or as vectors. */
static cairo_status_t draw(page *p, cairo_surface_t *bitmap, picture_file *out)
{
    const bool png = p->set->format == TW_RENDER_PNG;
    cairo_surface_t *surface = png ? cairo_surface_reference(bitmap) : make_vectors(p->set, out);
    p->ink.cairo = cairo_create(surface);
    if (!png) {
        cairo_scale(p->ink.cairo, 72.0 / out->dpi, 72.0 / out->dpi);
        cairo_set_source_surface(p->ink.cairo, bitmap, 0.0, 0.0);
        cairo_paint(p->ink.cairo);
    }
    decorate(p);
    cairo_status_t status = cairo_status(p->ink.cairo);
    cairo_destroy(p->ink.cairo);
    if (png && status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, out);
    if (!png) cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static tw_status write_file(page *p, cairo_surface_t *bitmap, const char *path, tw_error *error)
{
    picture_file out = {.header = p->set->format == TW_RENDER_PNG ? PNG_HEADER : 0,
                        .dpi = p->set->size.dpi};
    const tw_status status =
        tw_replace_file_begin(&out.file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    if (status != TW_STATUS_OK) return status;
    const cairo_status_t drawn = draw(p, bitmap, &out);
    if (drawn == CAIRO_STATUS_SUCCESS || drawn == CAIRO_STATUS_WRITE_ERROR)
        return tw_replace_file_commit(&out.file, error); /* which reports a failed write */
    tw_replace_file_abort(&out.file);
    return tw_error_set(error, TW_STATUS_FILE, "cannot write %s: %s",
                        tw_error_shorten_path(path).text, cairo_status_to_string(drawn));
}

static page page_of(const tw_render_options *set, const tw_render_legend *legend)
{
    const double point = set->size.dpi / 72.0;
    const double ink = tw_colour_lightness(set->background) > 0.5 ? 0.0 : 1.0;
    return (page){.set = set,
                  .legend = legend,
                  .view = tw_render_view_from(set->azimuth, set->elevation),
                  .ink = {.font = set->font,
                          .em = set->font_size * point,
                          .line = 0.6 * point,
                          .colour = {ink, ink, ink}}};
}

/* The grains or chains alone; NULL: out of memory. */
static cairo_surface_t *paint(const page *p, const tw_render_parts *parts, int threads)
{
    const tw_render_options *set = p->set;
    cairo_surface_t *bitmap =
        cairo_image_surface_create(set->transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                   (int)set->width, (int)set->height);
    /* Rows of 4 bytes per pixel follow each other without a gap. */
    uint32_t *pixels = (uint32_t *)(void *)cairo_image_surface_get_data(bitmap);
    if (!pixels) {
        cairo_surface_destroy(bitmap);
        return NULL;
    }
    tw_render_paint(set, &p->view, parts, 0.5 * set->size.dpi / 72.0, threads, pixels);
    cairo_surface_mark_dirty(bitmap);
    return bitmap;
}

tw_status tw_render_page(const tw_render_options *set, const tw_render_parts *parts,
                         const tw_render_legend *legend, int threads, const char *path,
                         double *pixel, tw_error *error)
{
    page p = page_of(set, legend);
    tw_render_frame frame = tw_render_frame_empty();
    tw_render_frame_add(&frame, &p.view, parts);
    lay_out(&p, &frame, parts);
    *pixel = p.view.pixel;
    cairo_surface_t *bitmap = paint(&p, parts, threads);
    if (!bitmap) return tw_error_set_memory(error);
    const tw_status status = write_file(&p, bitmap, path, error);
    cairo_surface_destroy(bitmap);
    cairo_debug_reset_static_data(); /* frees the fonts, which cairo would keep */
    return status;
}

cairo_surface_t *tw_render_page_bitmap(const tw_render_options *set, const tw_render_frame *frame,
                                       const tw_render_parts *parts, const tw_render_legend *legend,
                                       int threads, double *pixel)
{
    page p = page_of(set, legend);
    lay_out(&p, frame, NULL);
    *pixel = p.view.pixel;
    cairo_surface_t *bitmap = paint(&p, parts, threads);
    if (!bitmap) return NULL;
    p.ink.cairo = cairo_create(bitmap);
    decorate(&p);
    cairo_destroy(p.ink.cairo);
    return bitmap;
}
