/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a picture: PNG, or PDF or SVG with the grains as a bitmap under vector lines and
 * text. */
#ifndef TWIRL_APP_RENDER_PAGE_H
#define TWIRL_APP_RENDER_PAGE_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

typedef enum tw_render_format { TW_RENDER_PNG, TW_RENDER_PDF, TW_RENDER_SVG } tw_render_format;

enum { TW_RENDER_FORMATS = 3 };
extern const char *const tw_render_format_names[TW_RENDER_FORMATS]; /* the endings of files */

typedef struct tw_render_page {
    size_t width, height; /* [pixels] */
    double dpi;
    bool transparent;
    cairo_surface_t *image;
} tw_render_page;

/* False: out of memory; there is nothing to free. */
bool tw_render_page_make(tw_render_page *page);
void tw_render_page_free(tw_render_page *page);

/* For tw_render_paint, before anything is drawn. */
uint32_t *tw_render_page_pixels(tw_render_page *page);

/* Draws on the picture, in pixels. */
typedef void (*tw_render_page_draw)(cairo_t *cairo, void *context);

/* The file appears under its name when it is complete. */
tw_status tw_render_page_write(tw_render_page *page, tw_render_format format, const char *path,
                               tw_render_page_draw draw, void *context, tw_error *error);

#endif
