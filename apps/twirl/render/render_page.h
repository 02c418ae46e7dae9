/* SPDX-License-Identifier: BSD-3-Clause */
/* The page around the content: canvas, axes, colour bar, layout, and the file. */
#ifndef TWIRL_APP_RENDER_PAGE_H
#define TWIRL_APP_RENDER_PAGE_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "render/render_content.h"
#include "render/render_quantity.h"

/* Lines and text around a picture, by cairo. Positions and lengths are in pixels, y down; they need
 * not be integers. */

typedef struct tw_render_canvas {
    cairo_t *cairo;
    double em;   /* size of the font */
    double line; /* width of lines */
    tw_colour ink;
} tw_render_canvas;

/* Where the given position is in the text. Vertically it is the middle of the digits. */
typedef enum tw_render_align {
    TW_RENDER_ALIGN_LEFT,
    TW_RENDER_ALIGN_MIDDLE,
    TW_RENDER_ALIGN_RISING /* the middle, and the text reads upwards */
} tw_render_align;

/* The font is that family, or what the system has instead. */
void tw_render_canvas_begin(tw_render_canvas *canvas, const char *family);

/* The directions of x, y and z, and the scale bar. */

enum { TW_RENDER_AXES_EM = 5 }; /* side of the square that the axes need [em] */

/* An axis towards the viewer is a circle with a dot, one away from the viewer a circle with a
 * cross. */
void tw_render_axes(const tw_render_canvas *canvas, tw_render_box box, const tw_render_view *view);

/* The scale bar at the bottom of the box, with its length above it. */
void tw_render_axes_draw_scale(const tw_render_canvas *canvas, tw_render_box box, double length);

/* The colour bar of a picture, or the key of its classes. */

/* The width that it needs [em]; 0: the colours have no meaning. It does not depend on the font. */
double tw_render_bar_width(const tw_render_quantity *quantity, const tw_render_classes *classes);

/* Upright, with title, unit and round ticks. An end is pointed if there are values beyond it. */
void tw_render_bar(const tw_render_canvas *canvas, tw_render_box box,
                   const tw_render_choice *choice, const tw_render_legend *legend);

/* Where the content of a picture, its colour bar, axes and scale bar are. */

/* What is wanted. */
typedef struct tw_render_request {
    double width, height; /* of the picture [pixels] */
    double em;            /* size of the font [pixels] */
    double bar;           /* width of the colour bar with its text [em]; 0: none */
    bool axes, scale;
} tw_render_request;

/* A box of width 0 is not drawn. */
typedef struct tw_render_layout {
    tw_render_box content, bar, axes, scale;
    double scale_length; /* [m] */
} tw_render_layout;

/* Fits the view too. Axes and scale bar are in the lower corners if these are free, otherwise below
 * the content. What has no room is left out. */
tw_render_layout tw_render_layout_make(const tw_render_request *request,
                                       const tw_render_parts *parts, tw_render_view *view);

/* The file of a picture: PNG, or PDF or SVG with the grains as a bitmap under vector lines and
 * text. */

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
