/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_view.h"

#include <float.h>
#include <twirl/math.h>

static const double margin = 0.04; /* fraction of the picture, on each side */

tw_render_view tw_render_view_from(double azimuth, double elevation)
{
    const double degree = TW_MATH_PI / 180.0;
    const double ca = tw_math_cos(azimuth * degree), sa = tw_math_sin(azimuth * degree);
    const double ce = tw_math_cos(elevation * degree), se = tw_math_sin(elevation * degree);
    tw_render_view view = {0};
    view.towards = tw_vec3_make(ce * ca, ce * sa, se);
    view.right = tw_vec3_make(-sa, ca, 0.0);
    view.up = tw_vec3_cross(view.towards, view.right);
    return view;
}

typedef struct range {
    double low, high;
} range;

static range range_along(const tw_render_parts *parts, tw_vec3 direction)
{
    range r = {DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < parts->count; i++) {
        const tw_render_part *part = &parts->part[i];
        const double a = tw_vec3_dot(part->a, direction), b = tw_vec3_dot(part->b, direction);
        r.low = tw_math_min(r.low, tw_math_min(a, b) - part->radius);
        r.high = tw_math_max(r.high, tw_math_max(a, b) + part->radius);
    }
    return r;
}

void tw_render_view_fit(tw_render_view *view, const tw_render_parts *parts, size_t width,
                        size_t height)
{
    const range x = range_along(parts, view->right), y = range_along(parts, view->up);
    const range z = range_along(parts, view->towards);
    const double across = (x.high - x.low) / (double)width;
    const double upright = (y.high - y.low) / (double)height;
    view->middle_x = 0.5 * (x.low + x.high);
    view->middle_y = 0.5 * (y.low + y.high);
    view->pixel = tw_math_max(across, upright) / (1.0 - 2.0 * margin);
    view->far = z.low;
    view->near = z.high;
}
