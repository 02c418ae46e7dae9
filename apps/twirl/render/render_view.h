/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of a picture. The projection is parallel, so that lengths across the view are true. */
#ifndef TWIRL_APP_RENDER_VIEW_H
#define TWIRL_APP_RENDER_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_parts.h"

/* A rectangle in the picture, y down [pixels]. */
typedef struct tw_render_box {
    double x, y, width, height;
} tw_render_box;

typedef struct tw_render_view {
    tw_vec3 right, up, towards; /* unit vectors; the last points to the viewer */
    double middle_x, middle_y;  /* centre of the parts, along right and up [m] */
    double centre_x, centre_y;  /* where that is in the picture [pixels] */
    double pixel;               /* width and height of a pixel [m] */
    double far, near;           /* range of the parts along `towards` [m] */
} tw_render_view;

/* Azimuth of the viewer, from x towards y, and elevation above the x-y plane, in degrees. z points
 * up in the picture; seen from straight above, up is opposite to the azimuth, from below along it.
 */
tw_render_view tw_render_view_from(double azimuth, double elevation);

/* Fits all parts into the box, with a margin. */
void tw_render_view_fit(tw_render_view *view, const tw_render_parts *parts, tw_render_box box);

/* Position in the picture, and towards the viewer [pixels]; x to the right, y down. */
tw_vec3 tw_render_view_project(const tw_render_view *view, tw_vec3 x);

/* Whether parts are in the box. */
bool tw_render_view_covers(const tw_render_view *view, const tw_render_parts *parts,
                           tw_render_box box);

#endif
