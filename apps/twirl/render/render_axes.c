/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_axes.h"

#include <math.h>
#include <stdio.h>
#include <twirl/math.h>

#include "render/render_unit.h"

static const double turn = 6.28318530717958648;
static const double arm = 2.0, head = 0.55, label = 0.55, ring = 0.3; /* em */

/* An axis in the picture: x to the right, y down, z towards the viewer. */
typedef struct axis {
    const char *name;
    tw_vec3 to; /* unit vector */
    double length;
} axis;

static axis axis_of(const tw_render_view *view, int i)
{
    static const char *const names[] = {"x", "y", "z"};
    const tw_vec3 unit = tw_vec3_make(i == 0, i == 1, i == 2);
    const tw_vec3 to = tw_vec3_make(tw_vec3_dot(unit, view->right), -tw_vec3_dot(unit, view->up),
                                    tw_vec3_dot(unit, view->towards));
    return (axis){names[i], to, sqrt(to.x * to.x + to.y * to.y)};
}

static void draw_ring(const tw_render_canvas *canvas, double x, double y, const axis *a)
{
    cairo_t *cairo = canvas->cairo;
    const double em = canvas->em, r = ring * em, d = 0.707 * r;
    const tw_colour white = {1.0, 1.0, 1.0};
    const tw_colour paper = tw_colour_lightness(canvas->ink) < 0.5 ? white : (tw_colour){0};
    cairo_arc(cairo, x, y, r, 0.0, turn);
    tw_render_canvas_fill(canvas, paper);
    if (a->to.z > 0.0) {
        cairo_arc(cairo, x, y, 0.35 * r, 0.0, turn);
        tw_render_canvas_fill(canvas, canvas->ink);
    } else {
        tw_render_canvas_line(canvas, x - d, y - d, x + d, y + d);
        tw_render_canvas_line(canvas, x - d, y + d, x + d, y - d);
    }
    tw_render_canvas_text(canvas, x - (ring + 0.45) * em, y + (ring + 0.45) * em,
                          TW_RENDER_ALIGN_MIDDLE, a->name);
}

static void draw_arrow(const tw_render_canvas *canvas, double x, double y, const axis *a)
{
    cairo_t *cairo = canvas->cairo;
    const double em = canvas->em, length = arm * em * a->length;
    const double dx = a->to.x / a->length, dy = a->to.y / a->length; /* along the arrow */
    const double tip = tw_math_min(head * em, 0.6 * length), side = 0.3 * tip;
    const double end_x = x + length * dx, end_y = y + length * dy;
    tw_render_canvas_line(canvas, x, y, end_x - tip * dx, end_y - tip * dy);
    cairo_move_to(cairo, end_x, end_y);
    cairo_line_to(cairo, end_x - tip * dx - side * dy, end_y - tip * dy + side * dx);
    cairo_line_to(cairo, end_x - tip * dx + side * dy, end_y - tip * dy - side * dx);
    cairo_close_path(cairo);
    tw_render_canvas_fill(canvas, canvas->ink);
    tw_render_canvas_text(canvas, end_x + label * em * dx, end_y + label * em * dy,
                          TW_RENDER_ALIGN_MIDDLE, a->name);
}

/* Where the arrows begin, so that they are in the middle of the box. */
static void find_origin(const tw_render_canvas *canvas, tw_render_box box, const axis a[3],
                        double *x, double *y)
{
    double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
    for (int i = 0; i < 3; i++) {
        left = tw_math_min(left, a[i].to.x);
        right = tw_math_max(right, a[i].to.x);
        top = tw_math_min(top, a[i].to.y);
        bottom = tw_math_max(bottom, a[i].to.y);
    }
    *x = box.x + 0.5 * box.width - 0.5 * arm * canvas->em * (left + right);
    *y = box.y + 0.5 * box.height - 0.5 * arm * canvas->em * (top + bottom);
}

void tw_render_axes(const tw_render_canvas *canvas, tw_render_box box, const tw_render_view *view)
{
    axis a[3];
    double x, y;
    for (int i = 0; i < 3; i++)
        a[i] = axis_of(view, i);
    find_origin(canvas, box, a, &x, &y);
    for (int i = 0; i < 3; i++)
        if (a[i].length >= 0.12) draw_arrow(canvas, x, y, &a[i]);
    for (int i = 0; i < 3; i++)
        if (a[i].length < 0.12) draw_ring(canvas, x, y, &a[i]);
}

double tw_render_axes_scale(const tw_render_view *view, double most)
{
    return tw_render_unit_round(most * view->pixel);
}

void tw_render_axes_draw_scale(const tw_render_canvas *canvas, tw_render_box box, double length)
{
    const double em = canvas->em, y = box.y + box.height - 0.4 * em, half = 0.25 * em;
    const tw_render_unit unit = tw_render_unit_for("m", length);
    char number[32], text[64];
    tw_render_unit_print(number, sizeof number, length / unit.size,
                         tw_render_unit_round(length / unit.size));
    snprintf(text, sizeof text, "%s %s", number, unit.name);
    tw_render_canvas_line(canvas, box.x, y, box.x + box.width, y);
    tw_render_canvas_line(canvas, box.x, y - half, box.x, y + half);
    tw_render_canvas_line(canvas, box.x + box.width, y - half, box.x + box.width, y + half);
    tw_render_canvas_text(canvas, box.x + 0.5 * box.width, y - 0.9 * em, TW_RENDER_ALIGN_MIDDLE,
                          text);
}
