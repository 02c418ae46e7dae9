/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_page.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "base/error.h"
#include "base/file.h"
#include "render/render_png.h"

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
    return tw_render_png_write(tw_render_page_pixels(page), page->width, page->height, page->dpi,
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
