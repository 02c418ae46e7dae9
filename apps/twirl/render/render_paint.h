/* SPDX-License-Identifier: BSD-3-Clause */
/* Paints parts into a picture, with several samples per pixel. */
#ifndef TWIRL_APP_RENDER_PAINT_H
#define TWIRL_APP_RENDER_PAINT_H

#include <stdint.h>

#include "render/render_content.h"
#include "render/render_options.h"

/* Fills the pixels: 0xAARRGGBB, colours multiplied by alpha; rows from the top. `line` is the width
 * of outlines [pixels]. The result does not depend on the number of threads. */
void tw_render_paint(const tw_render_options *set, const tw_render_view *view,
                     const tw_render_parts *parts, double line, int threads, uint32_t *pixels);

#endif
