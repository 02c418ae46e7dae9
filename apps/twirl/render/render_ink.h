/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and text of pictures, drawn with cairo. Positions and lengths are in pixels, y down; they
 * need not be integers. */
#ifndef TWIRL_APP_RENDER_INK_H
#define TWIRL_APP_RENDER_INK_H

#include <cairo.h>

#include "render/render_quantity.h"

typedef struct tw_render_ink {
    cairo_t *cairo;
    const char *font;
    double em, line; /* size of the font, width of lines */
    tw_colour colour;
} tw_render_ink;

/* Where the given position is in the text. Vertically it is the middle of the digits. */
typedef enum tw_render_align {
    TW_RENDER_LEFT,
    TW_RENDER_MIDDLE,
    TW_RENDER_RIGHT,
    TW_RENDER_RISING /* the middle, and the text reads upwards */
} tw_render_align;

/* Chooses font and width of lines; first of all. */
void tw_render_ink_begin(const tw_render_ink *ink);

void tw_render_ink_use(const tw_render_ink *ink, tw_colour colour);
double tw_render_ink_width(const tw_render_ink *ink, const char *text);
void tw_render_ink_text(const tw_render_ink *ink, double x, double y, tw_render_align align,
                        const char *text);
void tw_render_ink_line(const tw_render_ink *ink, double x, double y, double to_x, double to_y);

/* Fills the current path of cairo and draws its outline. */
void tw_render_ink_fill(const tw_render_ink *ink, tw_colour colour);

/* The same as tw_render_ink_text for a text with the markup of figures (twirl/figure.h): symbols in
 * italics, subscripts, superscripts. */
void tw_render_ink_label(const tw_render_ink *ink, double x, double y, tw_render_align align,
                         const char *text);

#endif
