/* SPDX-License-Identifier: BSD-3-Clause */
/* Paints parts into a picture, with four samples per pixel. */
#ifndef TWIRL_APP_RENDER_PAINT_H
#define TWIRL_APP_RENDER_PAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_view.h"

typedef struct tw_render_picture {
    size_t width, height; /* [pixels] */
    unsigned char *rgb;   /* rows from the top */
    bool bare;            /* white background, no haze */
} tw_render_picture;

/* Fills rgb, which has room for 3 width height bytes. The result does not depend on the number of
 * threads. False: out of memory. */
bool tw_render_paint(tw_render_picture *picture, const tw_render_view *view,
                     const tw_render_parts *parts, int threads);

#endif
