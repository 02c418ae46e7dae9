/* SPDX-License-Identifier: BSD-3-Clause */
/* Paints parts into a picture, with several samples per pixel. */
#ifndef TWIRL_APP_RENDER_PAINT_H
#define TWIRL_APP_RENDER_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/render_content.h"

typedef struct tw_render_picture {
    size_t width, height; /* [pixels] */
    uint32_t *pixels;     /* 0xAARRGGBB, colours multiplied by alpha; rows from the top */
    tw_colour background;
    bool transparent; /* the background is; otherwise alpha is 255 everywhere */
    double line;      /* width of outlines [pixels] */
} tw_render_picture;

/* Fills the pixels. The result does not depend on the number of threads. False: out of memory. */
bool tw_render_paint(tw_render_picture *picture, const tw_render_view *view,
                     const tw_render_parts *parts, int threads);

#endif
