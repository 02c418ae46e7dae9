/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_rod.h"

#include <math.h>
#include <twirl/math.h>

tw_render_rod tw_render_rod_of(const tw_render_part *part, const tw_render_view *view, int fine)
{
    const tw_vec3 back = tw_vec3_scale(-part->back, view->towards);
    const tw_vec3 a = tw_render_view_project(view, tw_vec3_add(part->a, back));
    const tw_vec3 b = tw_render_view_project(view, tw_vec3_add(part->b, back));
    tw_render_rod rod = {.a = tw_vec3_scale(fine, a), .b = tw_vec3_scale(fine, b)};
    const tw_vec3 axis = tw_vec3_sub(rod.b, rod.a);
    rod.radius = fine * part->radius / view->pixel;
    rod.length = tw_vec3_norm(axis);
    if (rod.length > 0.0) rod.along = tw_vec3_scale(1.0 / rod.length, axis);
    return rod;
}

static double ball_height(tw_vec3 centre, double radius, double x, double y)
{
    const double dx = x - centre.x, dy = y - centre.y;
    const double rest = radius * radius - dx * dx - dy * dy;
    return rest >= 0.0 ? centre.z + sqrt(rest) : -HUGE_VAL;
}

/* The cylindrical side. With q = (x, y, z) - a, |q - (q.d) d| = radius is a quadratic equation in
 * z; the larger root is nearer to the viewer. */
static double side_height(const tw_render_rod *rod, double x, double y)
{
    const tw_vec3 d = rod->along, flat = {x - rod->a.x, y - rod->a.y, 0.0};
    const double dot = tw_vec3_dot(flat, d);
    const double a = 1.0 - d.z * d.z, half_b = -dot * d.z;
    const double c = tw_vec3_dot(flat, flat) - dot * dot - rod->radius * rod->radius;
    const double rest = half_b * half_b - a * c;
    if (a < 1e-12 || rest < 0.0) return -HUGE_VAL; /* end on, or outside */
    const double z = (-half_b + sqrt(rest)) / a, place = dot + z * d.z;
    return place >= 0.0 && place <= rod->length ? rod->a.z + z : -HUGE_VAL;
}

double tw_render_rod_height(const tw_render_rod *rod, double x, double y)
{
    const double end = ball_height(rod->a, rod->radius, x, y);
    if (rod->length <= 0.0) return end;
    const double other = ball_height(rod->b, rod->radius, x, y);
    return tw_math_max(side_height(rod, x, y), tw_math_max(end, other));
}

tw_render_plane tw_render_rod_plane(const tw_render_plane *plane, const tw_render_view *view,
                                    int fine)
{
    const double across = tw_vec3_dot(plane->normal, view->right);
    const double upright = tw_vec3_dot(plane->normal, view->up);
    const double rest = plane->offset - across * view->middle_x - upright * view->middle_y;
    return (tw_render_plane){
        tw_vec3_make(across, -upright, tw_vec3_dot(plane->normal, view->towards)),
        fine * (rest / view->pixel + across * view->centre_x - upright * view->centre_y)};
}

double tw_render_rod_plane_z(const tw_render_plane *plane, double x, double y)
{
    return (plane->offset - plane->normal.x * x - plane->normal.y * y) / plane->normal.z;
}

double tw_render_rod_cut(const tw_render_rod *ball, const tw_render_plane *plane, double x,
                         double y, double z)
{
    const double limit = tw_render_rod_plane_z(plane, x, y);
    if (z <= limit) return z;
    return 2.0 * ball->a.z - z < limit ? limit : -HUGE_VAL;
}

tw_vec3 tw_render_rod_normal(const tw_render_rod *rod, tw_vec3 at)
{
    const tw_vec3 q = tw_vec3_sub(at, rod->a);
    const double place = tw_math_min(tw_math_max(tw_vec3_dot(q, rod->along), 0.0), rod->length);
    return tw_vec3_scale(1.0 / rod->radius, tw_vec3_add_scaled(q, -place, rod->along));
}
