/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts as the viewer sees them. Lengths are in samples, with x to the right, y down and z towards
 * the viewer. */
#ifndef TWIRL_APP_RENDER_ROD_H
#define TWIRL_APP_RENDER_ROD_H

#include "render/render_view.h"

typedef struct tw_render_rod {
    tw_vec3 a, b, along; /* along: unit vector, or zero for a ball */
    double length, radius;
} tw_render_rod;

/* `fine`: samples along the edge of a pixel. */
tw_render_rod tw_render_rod_of(const tw_render_part *part, const tw_render_view *view, int fine);

/* z of the near surface at (x, y), or -HUGE_VAL outside. */
double tw_render_rod_height(const tw_render_rod *rod, double x, double y);

/* The plane in these coordinates. */
tw_render_plane tw_render_rod_plane(const tw_render_plane *plane, const tw_render_view *view,
                                    int fine);

/* Cuts a ball: z of the plane at (x, y) if that is inside, -HUGE_VAL if the plane is below the
 * ball, otherwise z of the near surface as given. */
double tw_render_rod_cut(const tw_render_rod *ball, const tw_render_plane *plane, double x,
                         double y, double z);

/* z of the plane at (x, y). */
double tw_render_rod_plane_z(const tw_render_plane *plane, double x, double y);

/* Surface normal at a point, away from the nearest point of the axis. */
tw_vec3 tw_render_rod_normal(const tw_render_rod *rod, tw_vec3 at);

#endif
