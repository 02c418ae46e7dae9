/* SPDX-License-Identifier: BSD-3-Clause */
/* Short texts in pictures, in letters of 5 by 8 dots. */
#ifndef TWIRL_APP_RENDER_TEXT_H
#define TWIRL_APP_RENDER_TEXT_H

#include "render/colour.h"
#include "render/render_paint.h"

enum { TW_RENDER_TEXT_ROWS = 8 }; /* of a line: seven, and one below for y */

/* How many pixels wide the text is, a dot being `dot` pixels. */
size_t tw_render_text_width(const char *text, size_t dot);

/* Writes it with its upper left corner at column x of row y; what lies outside of the picture is
 * left out. Letters without a shape here are blanks. */
void tw_render_text(tw_render_picture *picture, size_t x, size_t y, size_t dot, tw_colour colour,
                    const char *text);

/* Fills a rectangle as far as it lies within the picture. */
void tw_render_fill(tw_render_picture *picture, size_t x, size_t y, size_t width, size_t height,
                    tw_colour colour);

#endif
