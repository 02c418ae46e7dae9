/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and text around a picture, by cairo. Positions and lengths are in pixels, y down; they need
 * not be integers. */
#ifndef TWIRL_APP_RENDER_CANVAS_H
#define TWIRL_APP_RENDER_CANVAS_H

#include <cairo.h>

#include "render/colour.h"

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

double tw_render_canvas_text_width(const tw_render_canvas *canvas, const char *text);
void tw_render_canvas_text(const tw_render_canvas *canvas, double x, double y,
                           tw_render_align align, const char *text);
void tw_render_canvas_line(const tw_render_canvas *canvas, double x, double y, double to_x,
                           double to_y);

/* Fills the current path of cairo and draws its outline. */
void tw_render_canvas_fill(const tw_render_canvas *canvas, tw_colour colour);

#endif
