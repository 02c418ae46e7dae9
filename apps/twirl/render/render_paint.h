/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts become pixels: a ray for each sample of the picture, four samples to a pixel. */
#ifndef TWIRL_APP_RENDER_PAINT_H
#define TWIRL_APP_RENDER_PAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_view.h"

typedef struct tw_render_picture {
    size_t width, height; /* [pixels] */
    unsigned char *rgb;   /* rows from the top */
    bool bare;            /* white behind the parts, and no haze */
} tw_render_picture;

/* Fills rgb, which holds 3 width height bytes, with the same bytes for any number of threads.
 * False: no memory. */
bool tw_render_paint(tw_render_picture *picture, const tw_render_view *view,
                     const tw_render_parts *parts, int threads);

#endif
