/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_page.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/types.h>

#include "base/error.h"
#include "base/file.h"
#include "render/render_quantity.h"

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

static double text_width(const tw_render_canvas *canvas, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, text, &extents);
    return extents.x_advance;
}

static void draw_text(const tw_render_canvas *canvas, double x, double y, tw_render_align align,
                      const char *text)
{
    const double width = text_width(canvas, text);
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

static void draw_line(const tw_render_canvas *canvas, double x, double y, double to_x, double to_y)
{
    use(canvas, canvas->ink);
    cairo_move_to(canvas->cairo, x, y);
    cairo_line_to(canvas->cairo, to_x, to_y);
    cairo_stroke(canvas->cairo);
}

/* Fills the current path of cairo and draws its outline. */
static void fill_box(const tw_render_canvas *canvas, tw_colour colour)
{
    use(canvas, colour);
    cairo_fill_preserve(canvas->cairo);
    use(canvas, canvas->ink);
    cairo_stroke(canvas->cairo);
}

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

static void draw_ring(const tw_render_canvas *canvas, double x, double y, const axis *a)
{
    cairo_t *cairo = canvas->cairo;
    const double em = canvas->em, r = ring * em, d = 0.707 * r;
    const tw_colour white = {1.0, 1.0, 1.0};
    const tw_colour paper = tw_colour_lightness(canvas->ink) < 0.5 ? white : (tw_colour){0};
    cairo_arc(cairo, x, y, r, 0.0, turn);
    fill_box(canvas, paper);
    if (a->to.z > 0.0) {
        cairo_arc(cairo, x, y, 0.35 * r, 0.0, turn);
        fill_box(canvas, canvas->ink);
    } else {
        draw_line(canvas, x - d, y - d, x + d, y + d);
        draw_line(canvas, x - d, y + d, x + d, y - d);
    }
    draw_text(canvas, x - (ring + 0.45) * em, y + (ring + 0.45) * em, TW_RENDER_ALIGN_MIDDLE,
              a->name);
}

static void draw_arrow(const tw_render_canvas *canvas, double x, double y, const axis *a)
{
    cairo_t *cairo = canvas->cairo;
    const double em = canvas->em, length = arm * em * a->length;
    const double dx = a->to.x / a->length, dy = a->to.y / a->length; /* along the arrow */
    const double tip = tw_math_min(head * em, 0.6 * length), side = 0.3 * tip;
    const double end_x = x + length * dx, end_y = y + length * dy;
    draw_line(canvas, x, y, end_x - tip * dx, end_y - tip * dy);
    cairo_move_to(cairo, end_x, end_y);
    cairo_line_to(cairo, end_x - tip * dx - side * dy, end_y - tip * dy + side * dx);
    cairo_line_to(cairo, end_x - tip * dx + side * dy, end_y - tip * dy - side * dx);
    cairo_close_path(cairo);
    fill_box(canvas, canvas->ink);
    draw_text(canvas, end_x + label * em * dx, end_y + label * em * dy, TW_RENDER_ALIGN_MIDDLE,
              a->name);
}

/* Where the arrows begin, so that they are in the middle of the box. */
static void find_origin(const tw_render_canvas *canvas, tw_render_box box, const axis a[3],
                        double *x, double *y)
{
    double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
    for (int i = 0; i < 3; i++) {
        left = tw_math_min(left, a[i].to.x);
        right = tw_math_max(right, a[i].to.x);
        top = tw_math_min(top, a[i].to.y);
        bottom = tw_math_max(bottom, a[i].to.y);
    }
    *x = box.x + 0.5 * box.width - 0.5 * arm * canvas->em * (left + right);
    *y = box.y + 0.5 * box.height - 0.5 * arm * canvas->em * (top + bottom);
}

void tw_render_axes(const tw_render_canvas *canvas, tw_render_box box, const tw_render_view *view)
{
    axis a[3];
    double x, y;
    for (int i = 0; i < 3; i++)
        a[i] = axis_of(view, i);
    find_origin(canvas, box, a, &x, &y);
    for (int i = 0; i < 3; i++)
        if (a[i].length >= 0.12) draw_arrow(canvas, x, y, &a[i]);
    for (int i = 0; i < 3; i++)
        if (a[i].length < 0.12) draw_ring(canvas, x, y, &a[i]);
}

/* The round length [m] of a scale bar of at most `most` pixels. */
static double scale_length(const tw_render_view *view, double most)
{
    return tw_render_unit_round(most * view->pixel);
}

void tw_render_axes_draw_scale(const tw_render_canvas *canvas, tw_render_box box, double length)
{
    const double em = canvas->em, y = box.y + box.height - 0.4 * em, half = 0.25 * em;
    const tw_render_unit unit = tw_render_unit_for("m", length);
    char number[32], text[64];
    tw_render_unit_print(number, sizeof number, length / unit.size,
                         tw_render_unit_round(length / unit.size));
    snprintf(text, sizeof text, "%s %s", number, unit.name);
    draw_line(canvas, box.x, y, box.x + box.width, y);
    draw_line(canvas, box.x, y - half, box.x, y + half);
    draw_line(canvas, box.x + box.width, y - half, box.x + box.width, y + half);
    draw_text(canvas, box.x + 0.5 * box.width, y - 0.9 * em, TW_RENDER_ALIGN_MIDDLE, text);
}

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
        fill_box(canvas, classes->of[i].colour);
        draw_text(canvas, x + (bar_width + text_gap + 0.1) * em, y, TW_RENDER_ALIGN_LEFT,
                  classes->of[i].name);
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
    draw_line(canvas, x, y, x + tick * em, y);
    draw_text(canvas, x + (tick + text_gap) * em, y, TW_RENDER_ALIGN_LEFT, text);
    return text_width(canvas, text);
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
    draw_text(canvas, bar.x + bar.width + widest + (tick + text_gap + 0.9) * em,
              bar.y + 0.5 * bar.height, TW_RENDER_ALIGN_RISING, title);
}

static const double edge = 0.5, scale_height = 2.0; /* em */

static void place(tw_render_layout *l, const tw_render_request *r, const tw_render_view *view)
{
    const double em = r->em, room = r->width - l->bar.width;
    if (r->axes)
        l->axes = (tw_render_box){edge * em, r->height - (TW_RENDER_AXES_EM + edge) * em,
                                  TW_RENDER_AXES_EM * em, TW_RENDER_AXES_EM * em};
    if (r->scale) {
        l->scale_length = scale_length(view, 0.25 * room);
        const double width = l->scale_length / view->pixel;
        l->scale =
            (tw_render_box){room - width - 2.0 * edge * em, r->height - (scale_height + edge) * em,
                            width, scale_height * em};
    }
}

static bool collides(const tw_render_layout *l, const tw_render_view *view,
                     const tw_render_parts *parts)
{
    return (l->axes.width > 0.0 && tw_render_view_covers(view, parts, l->axes)) ||
           (l->scale.width > 0.0 && tw_render_view_covers(view, parts, l->scale));
}

tw_render_layout tw_render_layout_make(const tw_render_request *request,
                                       const tw_render_parts *parts, tw_render_view *view)
{
    const tw_render_request *r = request;
    const double em = r->em;
    tw_render_layout l = {.bar.width = 0.0};
    if (r->bar > 0.0 && r->width > 2.0 * r->bar * em && r->height > 8.0 * em)
        l.bar = (tw_render_box){r->width - r->bar * em, 0.0, r->bar * em, r->height};
    l.content = (tw_render_box){0.0, 0.0, r->width - l.bar.width, r->height};
    tw_render_view_fit(view, parts, l.content);
    if (l.content.width < 10.0 * em || r->height < 10.0 * em) return l;
    place(&l, r, view);
    /* No higher than needed: often the corners are almost free. */
    for (double strip = 0.5; strip <= TW_RENDER_AXES_EM + edge && collides(&l, view, parts);
         strip += 0.5) {
        l.content.height = r->height - strip * em;
        tw_render_view_fit(view, parts, l.content);
        place(&l, r, view); /* pixels have another size now */
    }
    return l;
}

typedef struct writer {
    const uint32_t *pixels;
    size_t width, height;
    double dpi;
    bool alpha;
    png_bytep row;
    tw_replace_file file;
    char problem[128];
} writer;

static void fail(png_structp png, png_const_charp text)
{
    writer *w = png_get_error_ptr(png);
    snprintf(w->problem, sizeof w->problem, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void png_write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    writer *w = png_get_io_ptr(png);
    if (!tw_replace_file_write(&w->file, bytes, count)) png_error(png, "write error");
}

static void flush(png_structp png)
{
    (void)png; /* nothing is buffered */
}

static void ignore(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static unsigned char divide(uint32_t premultiplied, uint32_t alpha)
{
    return (unsigned char)(alpha ? (255 * premultiplied + alpha / 2) / alpha : 0);
}

static void fill_row(const writer *w, size_t y)
{
    unsigned char *out = w->row;
    for (size_t x = 0; x < w->width; x++) {
        const uint32_t pixel = w->pixels[y * w->width + x];
        const uint32_t alpha = w->alpha ? pixel >> 24 : 255;
        *out++ = divide(pixel >> 16 & 255, alpha);
        *out++ = divide(pixel >> 8 & 255, alpha);
        *out++ = divide(pixel & 255, alpha);
        if (w->alpha) *out++ = (unsigned char)alpha;
    }
}

static void write_rows(writer *w, png_structp png, png_infop info)
{
    const png_uint_32 per_metre = (png_uint_32)tw_math_min(w->dpi / 0.0254 + 0.5, PNG_UINT_31_MAX);
    png_set_write_fn(png, w, png_write_bytes, flush);
    png_set_IHDR(png, info, (png_uint_32)w->width, (png_uint_32)w->height, 8,
                 w->alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_pHYs(png, info, per_metre, per_metre, PNG_RESOLUTION_METER);
    png_write_info(png, info);
    for (size_t y = 0; y < w->height; y++) {
        fill_row(w, y);
        png_write_row(png, w->row);
    }
    png_write_end(png, info);
}

static bool encode_png(writer *w)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, w, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    snprintf(w->problem, sizeof w->problem, "not enough memory");
    if (!info || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    write_rows(w, png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

/* Writes pixels 0xAARRGGBB, with colours multiplied by alpha, as RGB, or as RGBA if `alpha`; and
 * the resolution. The file appears under its name when it is complete. */
static tw_status png_write(const uint32_t *pixels, size_t width, size_t height, double dpi,
                           bool alpha, const char *path, tw_error *error)
{
    writer w = {pixels, width, height, dpi, alpha, malloc(4 * width), .problem = ""};
    if (!w.row) return tw_error_set_memory(error);
    const tw_status status = tw_replace_file_begin(&w.file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    const bool good = status == TW_STATUS_OK && encode_png(&w);
    free(w.row);
    if (status != TW_STATUS_OK) return status;
    if (good || w.file.number != 0) return tw_replace_file_commit(&w.file, error);
    tw_replace_file_abort(&w.file);
    return tw_error_set(error, TW_STATUS_FILE, "cannot write %s: %s",
                        tw_error_shorten_path(path).text, w.problem);
}

const char *const tw_render_format_names[TW_RENDER_FORMATS] = {
    [TW_RENDER_PNG] = "png",
    [TW_RENDER_PDF] = "pdf",
    [TW_RENDER_SVG] = "svg",
};

bool tw_render_page_make(tw_render_page *page)
{
    const cairo_format_t format = page->transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24;
    page->image = cairo_image_surface_create(format, (int)page->width, (int)page->height);
    if (cairo_surface_status(page->image) == CAIRO_STATUS_SUCCESS) return true;
    tw_render_page_free(page);
    return false;
}

void tw_render_page_free(tw_render_page *page)
{
    cairo_surface_destroy(page->image);
    page->image = NULL;
    cairo_debug_reset_static_data(); /* frees the fonts, which cairo would keep */
}

/* Rows of 4 bytes per pixel follow each other without a gap. */
uint32_t *tw_render_page_pixels(tw_render_page *page)
{
    cairo_surface_flush(page->image);
    return (uint32_t *)(void *)cairo_image_surface_get_data(page->image);
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned int count)
{
    return tw_replace_file_write(file, bytes, count) ? CAIRO_STATUS_SUCCESS
                                                     : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_vectors(const tw_render_page *page, tw_render_format format,
                                     tw_replace_file *file)
{
    const double point = 72.0 / page->dpi;
    const double width = point * (double)page->width, height = point * (double)page->height;
    if (format == TW_RENDER_SVG)
        return cairo_svg_surface_create_for_stream(write_bytes, file, width, height);
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
    /* Otherwise the time of day would be in the file. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return surface;
}

static cairo_status_t write_vectors(const tw_render_page *page, tw_render_format format,
                                    tw_replace_file *file, tw_render_page_draw draw, void *context)
{
    cairo_surface_t *surface = make_vectors(page, format, file);
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, 72.0 / page->dpi, 72.0 / page->dpi);
    cairo_set_source_surface(cairo, page->image, 0.0, 0.0);
    cairo_paint(cairo);
    draw(cairo, context);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static tw_status write_png(tw_render_page *page, const char *path, tw_render_page_draw draw,
                           void *context, tw_error *error)
{
    cairo_t *cairo = cairo_create(page->image);
    draw(cairo, context);
    const cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (status != CAIRO_STATUS_SUCCESS)
        return tw_error_set(error, TW_STATUS_FILE, "cannot draw %s: %s",
                            tw_error_shorten_path(path).text, cairo_status_to_string(status));
    return png_write(tw_render_page_pixels(page), page->width, page->height, page->dpi,
                     page->transparent, path, error);
}

tw_status tw_render_page_write(tw_render_page *page, tw_render_format format, const char *path,
                               tw_render_page_draw draw, void *context, tw_error *error)
{
    cairo_surface_mark_dirty(page->image);
    if (format == TW_RENDER_PNG) return write_png(page, path, draw, context, error);
    tw_replace_file file;
    const tw_status status = tw_replace_file_begin(&file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    if (status != TW_STATUS_OK) return status;
    const cairo_status_t drawn = write_vectors(page, format, &file, draw, context);
    if (drawn == CAIRO_STATUS_SUCCESS || drawn == CAIRO_STATUS_WRITE_ERROR)
        return tw_replace_file_commit(&file, error); /* which reports a failed write */
    tw_replace_file_abort(&file);
    return tw_error_set(error, TW_STATUS_FILE, "cannot write %s: %s",
                        tw_error_shorten_path(path).text, cairo_status_to_string(drawn));
}
