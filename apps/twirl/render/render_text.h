/* SPDX-License-Identifier: BSD-3-Clause */
/* Short texts in pictures, with letters of 5 by 8 dots. */
#ifndef TWIRL_APP_RENDER_TEXT_H
#define TWIRL_APP_RENDER_TEXT_H

#include "render/colour.h"
#include "render/render_paint.h"

enum { TW_RENDER_TEXT_ROWS = 8 }; /* of a line; the last one is for the descender of y */

/* Width of the text [pixels], with dots of `dot` pixels. */
size_t tw_render_text_width(const char *text, size_t dot);

/* Writes the text with its upper left corner at column x and row y, clipped to the picture. Unknown
 * letters are blank. */
void tw_render_text(tw_render_picture *picture, size_t x, size_t y, size_t dot, tw_colour colour,
                    const char *text);

/* Fills a rectangle, clipped to the picture. */
void tw_render_fill(tw_render_picture *picture, size_t x, size_t y, size_t width, size_t height,
                    tw_colour colour);

#endif
