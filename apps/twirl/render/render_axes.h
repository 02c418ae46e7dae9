/* SPDX-License-Identifier: BSD-3-Clause */
/* The directions of x, y and z, and the scale bar. */
#ifndef TWIRL_APP_RENDER_AXES_H
#define TWIRL_APP_RENDER_AXES_H

#include "render/render_canvas.h"
#include "render/render_view.h"

enum { TW_RENDER_AXES_EM = 5 }; /* side of the square that the axes need [em] */

/* An axis towards the viewer is a circle with a dot, one away from the viewer a circle with a
 * cross. */
void tw_render_axes(const tw_render_canvas *canvas, tw_render_box box, const tw_render_view *view);

/* The round length [m] of a scale bar of at most `most` pixels. */
double tw_render_axes_scale(const tw_render_view *view, double most);

/* The scale bar at the bottom of the box, with its length above it. */
void tw_render_axes_draw_scale(const tw_render_canvas *canvas, tw_render_box box, double length);

#endif
