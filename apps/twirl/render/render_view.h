/* SPDX-License-Identifier: BSD-3-Clause */
/* From where a picture is taken. Parallel projection: lengths across the view are true wherever
 * they lie. */
#ifndef TWIRL_APP_RENDER_VIEW_H
#define TWIRL_APP_RENDER_VIEW_H

#include <stddef.h>

#include "render/render_parts.h"

typedef struct tw_render_view {
    tw_vec3 right, up, towards; /* unit vectors; the last points at the eye */
    double middle_x, middle_y;  /* of the picture, along right and up [m] */
    double pixel;               /* width and height of a pixel [m] */
    double far, near;           /* range of what is there along `towards` [m] */
} tw_render_view;

/* The eye's azimuth from x towards y and its elevation above the x-y plane, both in degrees. What
 * points along z is upright in the picture; seen from above or below, what points to the eye's
 * back. */
tw_render_view tw_render_view_from(double azimuth, double elevation);

/* Everything is in the picture, with a margin. */
void tw_render_view_fit(tw_render_view *view, const tw_render_parts *parts, size_t width,
                        size_t height);

#endif
