/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/file.h"

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

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
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
    png_set_write_fn(png, w, write_bytes, flush);
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

static bool write_png(writer *w)
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

tw_status tw_render_png_write(const uint32_t *pixels, size_t width, size_t height, double dpi,
                              bool alpha, const char *path, tw_error *error)
{
    writer w = {pixels, width, height, dpi, alpha, malloc(4 * width), .problem = ""};
    if (!w.row) return tw_error_set_memory(error);
    const tw_status status = tw_replace_file_begin(&w.file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    const bool good = status == TW_STATUS_OK && write_png(&w);
    free(w.row);
    if (status != TW_STATUS_OK) return status;
    if (good || w.file.number != 0) return tw_replace_file_commit(&w.file, error);
    tw_replace_file_abort(&w.file);
    return tw_error_set(error, TW_STATUS_FILE, "cannot write %s: %s",
                        tw_error_shorten_path(path).text, w.problem);
}
