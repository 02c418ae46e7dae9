/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_view.h"

#include <float.h>
#include <twirl/math.h>

static const double margin = 0.02; /* fraction of the box, on each side */

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
        if (part->finish == TW_RENDER_GAP) continue;
        const double a = tw_vec3_dot(part->a, direction), b = tw_vec3_dot(part->b, direction);
        r.low = tw_math_min(r.low, tw_math_min(a, b) - part->radius);
        r.high = tw_math_max(r.high, tw_math_max(a, b) + part->radius);
    }
    return r;
}

void tw_render_view_fit(tw_render_view *view, const tw_render_parts *parts, tw_render_box box)
{
    const range x = range_along(parts, view->right), y = range_along(parts, view->up);
    const range z = range_along(parts, view->towards);
    const double across = (x.high - x.low) / box.width;
    const double upright = (y.high - y.low) / box.height;
    view->middle_x = 0.5 * (x.low + x.high);
    view->middle_y = 0.5 * (y.low + y.high);
    view->centre_x = box.x + 0.5 * box.width;
    view->centre_y = box.y + 0.5 * box.height;
    view->pixel = tw_math_max(across, upright) / (1.0 - 2.0 * margin);
    view->far = z.low;
    view->near = z.high;
}

tw_vec3 tw_render_view_project(const tw_render_view *view, tw_vec3 x)
{
    const double scale = 1.0 / view->pixel;
    return tw_vec3_make(view->centre_x + scale * (tw_vec3_dot(x, view->right) - view->middle_x),
                        view->centre_y - scale * (tw_vec3_dot(x, view->up) - view->middle_y),
                        scale * tw_vec3_dot(x, view->towards));
}

bool tw_render_view_covers(const tw_render_view *view, const tw_render_parts *parts,
                           tw_render_box box)
{
    for (size_t i = 0; i < parts->count; i++) {
        const tw_render_part *part = &parts->part[i];
        const tw_vec3 a = tw_render_view_project(view, part->a);
        const tw_vec3 b = tw_render_view_project(view, part->b);
        const double r = part->radius / view->pixel;
        if (tw_math_max(a.x, b.x) + r > box.x && tw_math_min(a.x, b.x) - r < box.x + box.width &&
            tw_math_max(a.y, b.y) + r > box.y && tw_math_min(a.y, b.y) - r < box.y + box.height)
            return true;
    }
    return false;
}
