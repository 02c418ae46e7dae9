/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the content of a picture, its colour bar, axes and scale bar are. */
#ifndef TWIRL_APP_RENDER_LAYOUT_H
#define TWIRL_APP_RENDER_LAYOUT_H

#include "render/render_view.h"

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

#endif
