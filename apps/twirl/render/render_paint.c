/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_paint.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/parallel.h"
#include "common/output.h"
#include "render/render_content.h"

/* Parts as the viewer sees them. Lengths are in samples, with x to the right, y down and z towards
 * the viewer. */

typedef struct rod_shape {
    tw_vec3 a, b, along; /* along: unit vector, or zero for a ball */
    double length, radius;
} rod_shape;

/* `fine`: samples along the edge of a pixel. */
static rod_shape rod_of(const tw_render_part *part, const tw_render_view *view, int fine)
{
    const tw_vec3 back = tw_vec3_scale(-part->back, view->towards);
    const tw_vec3 a = tw_render_view_project(view, tw_vec3_add(part->a, back));
    const tw_vec3 b = tw_render_view_project(view, tw_vec3_add(part->b, back));
    rod_shape rod = {.a = tw_vec3_scale(fine, a), .b = tw_vec3_scale(fine, b)};
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
static double side_height(const rod_shape *rod, double x, double y)
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

/* z of the near surface at (x, y), or -HUGE_VAL outside. */
static double rod_height(const rod_shape *rod, double x, double y)
{
    const double end = ball_height(rod->a, rod->radius, x, y);
    if (rod->length <= 0.0) return end;
    const double other = ball_height(rod->b, rod->radius, x, y);
    return tw_math_max(side_height(rod, x, y), tw_math_max(end, other));
}

/* The plane in these coordinates. */
static tw_render_plane rod_plane(const tw_render_plane *plane, const tw_render_view *view, int fine)
{
    const double across = tw_vec3_dot(plane->normal, view->right);
    const double upright = tw_vec3_dot(plane->normal, view->up);
    const double rest = plane->offset - across * view->middle_x - upright * view->middle_y;
    return (tw_render_plane){
        tw_vec3_make(across, -upright, tw_vec3_dot(plane->normal, view->towards)),
        fine * (rest / view->pixel + across * view->centre_x - upright * view->centre_y)};
}

/* z of the plane at (x, y). */
static double rod_plane_z(const tw_render_plane *plane, double x, double y)
{
    return (plane->offset - plane->normal.x * x - plane->normal.y * y) / plane->normal.z;
}

/* Cuts a ball: z of the plane at (x, y) if that is inside, -HUGE_VAL if the plane is below the
 * ball, otherwise z of the near surface as given. */
static double rod_cut(const rod_shape *ball, const tw_render_plane *plane, double x, double y,
                      double z)
{
    const double limit = rod_plane_z(plane, x, y);
    if (z <= limit) return z;
    return 2.0 * ball->a.z - z < limit ? limit : -HUGE_VAL;
}

/* Surface normal at a point, away from the nearest point of the axis. */
static tw_vec3 rod_normal(const rod_shape *rod, tw_vec3 at)
{
    const tw_vec3 q = tw_vec3_sub(at, rod->a);
    const double place = tw_math_min(tw_math_max(tw_vec3_dot(q, rod->along), 0.0), rod->length);
    return tw_vec3_scale(1.0 / rod->radius, tw_vec3_add_scaled(q, -place, rod->along));
}

/* The light on the parts of a picture. */

/* Which grains are near each grain and keep light from it. */
typedef struct light_map {
    const rod_shape *rods;
    uint32_t *first; /* the neighbours of i are near[first[i]] ... near[first[i + 1] - 1] */
    uint32_t *near;
    double line; /* width of outlines [samples] */
} light_map;

/* Soft light from the upper left behind the viewer, less of it where neighbours cover a part of the
 * sky, and a dark outline. There is no highlight, so that colours can be compared with the bar. */

/* The grains in the order of a curve that fills space: either half of them, either half of that and
 * so on are near each other. Node k of the tree has the children 2 k + 1 and 2 k + 2. */
enum { LEAF = 8 }; /* grains */

typedef struct tree_entry {
    uint64_t code; /* position along the curve */
    uint32_t grain;
} tree_entry;

typedef struct tree_node {
    tw_vec3 low, high; /* of the centres */
    double largest;    /* radius */
} tree_node;

typedef struct grain_tree {
    const rod_shape *rods;
    tree_entry *entry;
    size_t count;
    tree_node *node;
} grain_tree;

/* A ball of radius r at a distance of 2.2 r covers 1/20 of the sky: less does not matter. */
static const double reach = 2.2;

static tree_node join(tree_node a, tree_node b)
{
    return (tree_node){.low = {tw_math_min(a.low.x, b.low.x), tw_math_min(a.low.y, b.low.y),
                               tw_math_min(a.low.z, b.low.z)},
                       .high = {tw_math_max(a.high.x, b.high.x), tw_math_max(a.high.y, b.high.y),
                                tw_math_max(a.high.z, b.high.z)},
                       .largest = tw_math_max(a.largest, b.largest)};
}

static tree_node join_entries(const grain_tree *t, size_t from, size_t to)
{
    tree_node all = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, 0.0};
    for (size_t k = from; k < to; k++) {
        const rod_shape *rod = &t->rods[t->entry[k].grain];
        all = join(all, (tree_node){rod->a, rod->a, rod->radius});
    }
    return all;
}

static void fill_nodes(grain_tree *t, size_t node, size_t from, size_t to)
{
    const size_t middle = from + (to - from) / 2, child = 2 * node + 1;
    if (to - from <= LEAF) {
        t->node[node] = join_entries(t, from, to);
        return;
    }
    fill_nodes(t, child, from, middle);
    fill_nodes(t, child + 1, middle, to);
    t->node[node] = join(t->node[child], t->node[child + 1]);
}

/* Morton's curve: the bits of the three coordinates in turn. */
static uint64_t code_of(const tree_node *all, tw_vec3 x)
{
    const double share[] = {(x.x - all->low.x) / (all->high.x - all->low.x),
                            (x.y - all->low.y) / (all->high.y - all->low.y),
                            (x.z - all->low.z) / (all->high.z - all->low.z)};
    uint64_t code = 0;
    for (int axis = 0; axis < 3; axis++) {
        /* Not a number if all are in a plane. */
        const uint64_t place = share[axis] > 0.0 ? (uint64_t)(share[axis] * 0x1fffff) : 0;
        for (int bit = 0; bit < 21; bit++)
            code |= (place >> bit & 1) << (3 * bit + axis);
    }
    return code;
}

static int compare_entries(const void *a, const void *b)
{
    const tree_entry *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->grain < y->grain ? -1 : 1;
}

static grain_tree make_tree(const tw_render_parts *parts, const rod_shape *rods)
{
    grain_tree t = {.rods = rods};
    t.entry = tw_exit_unless(malloc((parts->count + 1) * sizeof *t.entry));
    t.node = tw_exit_unless(malloc((parts->count + 1) * sizeof *t.node));
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].finish == TW_RENDER_GRAIN) t.entry[t.count++].grain = (uint32_t)i;
    const tree_node all = join_entries(&t, 0, t.count);
    for (size_t k = 0; k < t.count; k++)
        t.entry[k].code = code_of(&all, rods[t.entry[k].grain].a);
    qsort(t.entry, t.count, sizeof *t.entry, compare_entries);
    fill_nodes(&t, 0, 0, t.count);
    return t;
}

/* Stores the neighbours of grain i among entries from .. to - 1 at `out` unless that is NULL.
 * Returns their number. */
static size_t find_near(const grain_tree *t, size_t node, size_t from, size_t to, size_t i,
                        uint32_t *out)
{
    const tree_node *n = &t->node[node];
    const rod_shape *rod = &t->rods[i];
    const double most = rod->radius + reach * n->largest;
    if (rod->a.x < n->low.x - most || rod->a.x > n->high.x + most || rod->a.y < n->low.y - most ||
        rod->a.y > n->high.y + most || rod->a.z < n->low.z - most || rod->a.z > n->high.z + most)
        return 0;
    size_t found = 0;
    if (to - from > LEAF) {
        const size_t middle = from + (to - from) / 2;
        found = find_near(t, 2 * node + 1, from, middle, i, out);
        return found + find_near(t, 2 * node + 2, middle, to, i, out ? out + found : NULL);
    }
    for (size_t k = from; k < to; k++) {
        const uint32_t j = t->entry[k].grain;
        const double limit = rod->radius + reach * t->rods[j].radius;
        const tw_vec3 d = tw_vec3_sub(t->rods[j].a, rod->a);
        if (j == i || tw_vec3_dot(d, d) >= limit * limit) continue;
        if (out) out[found] = j;
        found++;
    }
    return found;
}

static light_map light_make(const tw_render_parts *parts, const rod_shape *rods, double line)
{
    const size_t count = parts->count;
    const grain_tree t = make_tree(parts, rods);
    light_map light = {.rods = rods, .line = line};
    size_t total = 0;
    light.first = tw_exit_unless(malloc((count + 1) * sizeof *light.first));
    for (size_t i = 0; i < count; i++) {
        light.first[i] = (uint32_t)total;
        if (parts->part[i].finish == TW_RENDER_GRAIN)
            total += find_near(&t, 0, 0, t.count, i, NULL);
    }
    light.first[count] = (uint32_t)total;
    light.near = tw_exit_unless(malloc((total + 1) * sizeof *light.near));
    for (size_t i = 0; i < count; i++)
        if (light.first[i + 1] > light.first[i])
            find_near(&t, 0, 0, t.count, i, light.near + light.first[i]);
    free(t.entry);
    free(t.node);
    return light;
}

/* The share of the light from above a surface that a ball keeps away. I. Quilez, "Sphere ambient
 * occlusion": exact while the ball is above the horizon, an approximation otherwise. */
static double covered(const rod_shape *ball, tw_vec3 at, tw_vec3 normal)
{
    const tw_vec3 d = tw_vec3_sub(ball->a, at);
    const double square = tw_vec3_dot(d, d), distance = sqrt(square);
    const double h2 = square / (ball->radius * ball->radius), h = distance / ball->radius;
    if (!(h > 1.0)) return 1.0;
    const double slope = tw_vec3_dot(d, normal) / distance;
    if (1.0 - h2 * slope * slope <= 0.0) return tw_math_max(slope, 0.0) / h2;
    const double part = tw_math_min(tw_math_max(0.5 * (slope * h + 1.0) / h2, 0.0), 1.0);
    return part * sqrt(part);
}

static const double rim_light = 0.35;

/* Dark within a line's width of the rim. n.z is 0 at the rim, where the distance to it in the
 * picture is radius (1 - sqrt(1 - n.z^2)). */
static double outline(const light_map *light, const rod_shape *rod, double facing)
{
    const double rim = rod->radius * (1.0 - sqrt(tw_math_max(1.0 - facing * facing, 0.0)));
    const double width = tw_math_min(light->line, 0.15 * rod->radius);
    return rim >= width ? 1.0 : rim_light;
}

/* The fraction of its colour that the part shows at a point of its surface: 1 where the surface
 * faces the viewer and nothing is in the way. */
static double light_on(const light_map *light, uint32_t number, tw_render_finish finish, tw_vec3 at)
{
    const tw_vec3 lamp = {-0.35, -0.45, 0.8213};
    const rod_shape *rod = &light->rods[number];
    const tw_vec3 n = rod_normal(rod, at);
    const double facing = tw_math_max(n.z, 0.0);
    /* 1 at n = z and between that and the lamp */
    double lit = tw_math_min(1.0, 1.0 + 0.6 * (tw_vec3_dot(n, lamp) - lamp.z));
    lit = tw_math_max(lit, 0.4);
    if (finish != TW_RENDER_GRAIN) return lit;
    double open = 1.0;
    for (uint32_t k = light->first[number]; k < light->first[number + 1]; k++)
        open *= 1.0 - covered(&light->rods[light->near[k]], at, n);
    return lit * (0.3 + 0.7 * open) * outline(light, rod, facing);
}

static bool is_inside_other(const light_map *light, uint32_t number, tw_vec3 at)
{
    for (uint32_t k = light->first[number]; k < light->first[number + 1]; k++) {
        const rod_shape *ball = &light->rods[light->near[k]];
        const tw_vec3 d = tw_vec3_sub(at, ball->a);
        if (tw_vec3_dot(d, d) < ball->radius * ball->radius) return true;
    }
    return false;
}

/* The spheres of a clump overlap: where the rim of one is inside another there is no line. */
static double light_on_cut(const light_map *light, uint32_t number, const tw_render_plane *plane,
                           tw_vec3 at)
{
    const rod_shape *ball = &light->rods[number];
    const double height = tw_vec3_dot(plane->normal, ball->a) - plane->offset;
    const tw_vec3 d = tw_vec3_sub(at, ball->a);
    const double face = sqrt(tw_math_max(ball->radius * ball->radius - height * height, 0.0));
    const double place = sqrt(tw_math_max(tw_vec3_dot(d, d) - height * height, 0.0));
    const bool rim = face - place < tw_math_min(light->line, 0.15 * ball->radius);
    return rim && !is_inside_other(light, number, at) ? rim_light : 1.0;
}

/* The picture is split into bands of rows, each painted by one thread: first the nearest part at
 * each sample, then its shading. Lengths are in samples here, with x to the right, y down and z
 * towards the viewer. */

enum { BAND = 16 }; /* pixel rows */

static const uint32_t nothing = UINT32_MAX;

typedef struct band {
    size_t first, rows, columns; /* in samples */
    double *z;
    uint32_t *part;
    float *clear; /* share of the light that walls let through */
} band;

/* What is solid, and what is glass. */
enum { SOLID, GLASS, LAYERS };

typedef struct stage {
    const tw_render_options *set;
    const tw_render_view *view;
    const tw_render_parts *parts;
    rod_shape *rods;
    tw_vec3 *walls;  /* corners of triangles */
    uint32_t *order; /* of the parts: the nearest first, which hide most of the others */
    light_map light;
    bool glass;            /* there is some */
    tw_render_plane plane; /* of the cut, if there is one */
    uint32_t *pixels;
} stage;

typedef struct rank {
    double near;
    uint32_t part;
} rank;

static int nearer(const void *a, const void *b)
{
    const rank *p = a, *q = b;
    if (p->near != q->near) return p->near < q->near ? 1 : -1;
    return p->part < q->part ? -1 : 1;
}

static double nearest_z(const rod_shape *rod)
{
    return tw_math_max(rod->a.z, rod->b.z) + rod->radius;
}

static void project_parts(stage *s, double line)
{
    const size_t count = s->parts->count;
    rank *ranks = tw_exit_unless(malloc((count + 1) * sizeof *ranks));
    for (size_t i = 0; i < count; i++) {
        s->rods[i] = rod_of(&s->parts->part[i], s->view, s->set->fine);
        if (s->parts->part[i].finish == TW_RENDER_LINE) /* it would fade in small pictures */
            s->rods[i].radius = tw_math_max(s->rods[i].radius, 0.5 * s->set->fine * line);
        ranks[i] = (rank){nearest_z(&s->rods[i]), (uint32_t)i};
    }
    qsort(ranks, count, sizeof *ranks, nearer);
    for (size_t i = 0; i < count; i++)
        s->order[i] = ranks[i].part;
    free(ranks);
}

/* Samples are at the centres of their squares: the first i with low <= i + 1/2, within 0..end. */
static size_t first_sample(double low, size_t end)
{
    const double first = ceil(low - 0.5);
    return !(first > 0.0) ? 0 : first < (double)end ? (size_t)first : end;
}

static void cover_row(const stage *s, band *b, uint32_t number, size_t y, double left, double right)
{
    const rod_shape *r = &s->rods[number];
    const bool cut = s->parts->cut && s->parts->part[number].finish == TW_RENDER_GRAIN;
    const double down = (double)(b->first + y) + 0.5, near = nearest_z(r);
    const size_t end = first_sample(right, b->columns);
    for (size_t x = first_sample(left, b->columns); x < end; x++) {
        const size_t sample = y * b->columns + x;
        if (!(near > b->z[sample])) continue;
        double z = rod_height(r, (double)x + 0.5, down);
        if (cut) z = rod_cut(r, &s->plane, (double)x + 0.5, down, z);
        if (!(z > b->z[sample])) continue;
        b->z[sample] = z;
        b->part[sample] = number;
    }
}

static void cover(const stage *s, band *b, uint32_t number)
{
    const rod_shape *r = &s->rods[number];
    const double top = tw_math_min(r->a.y, r->b.y) - r->radius,
                 low = tw_math_max(r->a.y, r->b.y) + r->radius;
    const double left = tw_math_min(r->a.x, r->b.x) - r->radius,
                 right = tw_math_max(r->a.x, r->b.x) + r->radius;
    const double start = (double)b->first;
    const size_t y_end = first_sample(low - start, b->rows);
    for (size_t y = first_sample(top - start, b->rows); y < y_end; y++)
        cover_row(s, b, number, y, left, right);
}

/* ---- Walls ---- */

/* Where the line from p to q is at this height; the same for both triangles of an edge. */
static double crossing(tw_vec3 p, tw_vec3 q, double y)
{
    if (q.y < p.y || (q.y == p.y && q.x < p.x)) return crossing(q, p, y);
    return p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x);
}

/* A sample at an edge belongs to one of its triangles. */
static void cover_wall_row(const stage *s, band *layers, const tw_vec3 *t, size_t y, tw_vec3 n)
{
    const band *b = &layers[SOLID];
    const double down = (double)(b->first + y) + 0.5;
    double left = HUGE_VAL, right = -HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const tw_vec3 p = t[k], q = t[(k + 1) % 3];
        if ((p.y <= down) == (q.y <= down)) continue;
        const double x = crossing(p, q, down);
        left = tw_math_min(left, x);
        right = tw_math_max(right, x);
    }
    const size_t end = first_sample(right, b->columns);
    /* more at the rim, as of glass */
    const double side = 1.0 - fabs(n.z), share = 0.10 + 0.30 * side * side;
    for (size_t x = first_sample(left, b->columns); x < end; x++) {
        const size_t sample = y * b->columns + x;
        const double across = (double)x + 0.5;
        const double z = t[0].z - (n.x * (across - t[0].x) + n.y * (down - t[0].y)) / n.z;
        if (!(z > b->z[sample])) continue;
        if (s->parts->cut && z > rod_plane_z(&s->plane, across, down)) continue;
        b->clear[sample] *= (float)(1.0 - share);
    }
}

static void cover_wall(const stage *s, band *layers, const tw_vec3 *t)
{
    const band *b = &layers[SOLID];
    const double start = (double)b->first;
    const double top = tw_math_min(t[0].y, tw_math_min(t[1].y, t[2].y)) - start;
    const double low = tw_math_max(t[0].y, tw_math_max(t[1].y, t[2].y)) - start;
    const size_t end = first_sample(low, b->rows);
    size_t y = first_sample(top, b->rows);
    if (y >= end) return;
    const tw_vec3 across = tw_vec3_cross(tw_vec3_sub(t[1], t[0]), tw_vec3_sub(t[2], t[0]));
    const tw_vec3 n = tw_vec3_scale(1.0 / tw_vec3_norm(across), across);
    for (; y < end && fabs(n.z) > 1e-9; y++) /* otherwise it is seen edge-on */
        cover_wall_row(s, layers, t, y, n);
}

/* Distant chains fade into the background. */
static tw_colour fade(const stage *s, tw_colour colour, double z)
{
    const double depth = (s->view->near - z * s->view->pixel / s->set->fine) /
                         tw_math_max(s->view->near - s->view->far, s->view->pixel);
    return tw_colour_mix(colour, s->set->background,
                         0.6 * tw_math_min(tw_math_max(depth, 0.0), 1.0));
}

static size_t neighbour(double place, size_t count, bool joined, int side)
{
    const double n = (double)count, at = floor(place) + side;
    if (joined) return (size_t)(at - n * floor(at / n)) % count;
    return (size_t)tw_math_min(tw_math_max(at, 0.0), n - 1.0);
}

/* Colour of the section at a place; false: beside it. Between points it changes linearly. */
static bool section_colour(const tw_render_section *section, tw_vec3 x, tw_colour *colour)
{
    const double a = tw_vec3_dot(x, section->to_across), b = tw_vec3_dot(x, section->to_up);
    if (!(a >= 0.0 && a <= 1.0 && b >= 0.0 && b <= 1.0)) return false;
    const double i = a * (double)section->across - 0.5, j = b * (double)section->up - 0.5;
    tw_colour row[2];
    for (int side = 0; side < 2; side++) {
        const tw_colour *first =
            &section->colour[section->across * neighbour(j, section->up, section->joined[1], side)];
        row[side] = tw_colour_mix(first[neighbour(i, section->across, section->joined[0], 0)],
                                  first[neighbour(i, section->across, section->joined[0], 1)],
                                  i - floor(i));
    }
    *colour = tw_colour_mix(row[0], row[1], j - floor(j));
    return true;
}

/* Where a sample is in space. */
static tw_vec3 place_of(const stage *s, double x, double y, double z)
{
    const tw_render_view *v = s->view;
    const double fine = s->set->fine;
    const double across = v->middle_x + (x / fine - v->centre_x) * v->pixel;
    const double upright = v->middle_y - (y / fine - v->centre_y) * v->pixel;
    return tw_vec3_add_scaled(tw_vec3_add_scaled(tw_vec3_scale(across, v->right), upright, v->up),
                              z / fine * v->pixel, v->towards);
}

/* Whether the section is seen there. */
static bool is_section(const stage *s, const band *b, size_t x, size_t y, tw_colour *colour)
{
    const double right = (double)x + 0.5, down = (double)(b->first + y) + 0.5;
    const double z = rod_plane_z(&s->plane, right, down);
    return s->parts->section.colour && !(b->z[y * b->columns + x] > z) &&
           section_colour(&s->parts->section, place_of(s, right, down, z), colour);
}

/* False: the background. */
static bool sample_colour(const stage *s, const band *b, size_t x, size_t y, tw_colour *colour)
{
    const size_t sample = y * b->columns + x;
    const uint32_t number = b->part[sample];
    if (number == nothing || s->parts->part[number].finish == TW_RENDER_GAP) return false;
    const tw_render_part *part = &s->parts->part[number];
    *colour = part->colour;
    if (part->finish == TW_RENDER_LINE) return true;
    const tw_vec3 at = {(double)x + 0.5, (double)(b->first + y) + 0.5, b->z[sample]};
    const bool flat = s->parts->cut && part->finish == TW_RENDER_GRAIN &&
                      at.z >= rod_plane_z(&s->plane, at.x, at.y);
    const double light = flat ? light_on_cut(&s->light, number, &s->plane, at)
                              : light_on(&s->light, number, part->finish, at);
    *colour = (tw_colour){light * part->colour.r, light * part->colour.g, light * part->colour.b};
    if (part->finish == TW_RENDER_CHAIN) *colour = fade(s, *colour, at.z);
    return true;
}

static uint32_t byte_of(double share)
{
    return (uint32_t)(255.0 * tw_math_min(tw_math_max(share, 0.0), 1.0) + 0.5);
}

/* How much glass hides where it is before what is solid: more at its rim. */
static double tint(const stage *s, const band *layers, size_t x, size_t y)
{
    const band *b = &layers[GLASS];
    const size_t sample = y * b->columns + x;
    if (b->part[sample] == nothing || layers[SOLID].z[sample] > b->z[sample]) return 0.0;
    const tw_vec3 at = {(double)x + 0.5, (double)(b->first + y) + 0.5, b->z[sample]};
    const double side = 1.0 - rod_normal(&s->rods[b->part[sample]], at).z;
    return 0.08 + 0.42 * tw_math_min(side * side, 1.0);
}

static uint32_t shade_pixel(const stage *s, const band *layers, size_t x, size_t y)
{
    tw_colour sum = {0.0, 0.0, 0.0}, c;
    const size_t fine = (size_t)s->set->fine;
    double samples = 0.0;
    for (size_t i = 0; i < fine * fine; i++) {
        const size_t across = fine * x + i % fine, down = fine * y + i / fine;
        const bool section = is_section(s, &layers[SOLID], across, down, &c);
        const bool solid = section || sample_colour(s, &layers[SOLID], across, down, &c);
        const double veil = s->glass ? tint(s, layers, across, down) : 0.0;
        const double clear =
            s->walls && !section
                ? (double)layers[SOLID].clear[down * layers[SOLID].columns + across]
                : 1.0;
        if (!solid && !(veil > 0.0) && !(clear < 1.0)) continue;
        double share = solid ? 1.0 : 0.0;
        if (!solid) c = (tw_colour){0.0, 0.0, 0.0};
        if (veil > 0.0) {
            const tw_colour glass = s->set->choice.line;
            c = solid ? tw_colour_mix(c, glass, veil)
                      : (tw_colour){veil * glass.r, veil * glass.g, veil * glass.b};
            share = solid ? 1.0 : veil;
        }
        if (clear < 1.0) {
            c = tw_colour_mix(s->set->choice.wall, c, clear);
            share = 1.0 - clear * (1.0 - share);
        }
        sum = (tw_colour){sum.r + c.r, sum.g + c.g, sum.b + c.b};
        samples += share;
    }
    const double share = 1.0 / (double)(fine * fine), alpha = samples * share;
    const tw_colour *back = &s->set->background;
    const double rest = s->set->transparent ? 0.0 : 1.0 - alpha;
    return byte_of(alpha + rest) << 24 | byte_of(share * sum.r + rest * back->r) << 16 |
           byte_of(share * sum.g + rest * back->g) << 8 | byte_of(share * sum.b + rest * back->b);
}

static void paint_band(const stage *s, band *layers)
{
    const band *b = layers;
    for (size_t i = 0; i < s->parts->count; i++) {
        const bool glass = s->parts->part[s->order[i]].finish == TW_RENDER_GLASS;
        cover(s, &layers[glass ? GLASS : SOLID], s->order[i]);
    }
    const size_t width = s->set->width, fine = (size_t)s->set->fine;
    for (size_t i = 0; s->walls && i < s->parts->wall_count; i++)
        cover_wall(s, layers, &s->walls[3 * i]);
    uint32_t *pixel = s->pixels + width * (b->first / fine);
    for (size_t y = 0; y < b->rows / fine; y++) {
        for (size_t x = 0; x < width; x++)
            *pixel++ = shade_pixel(s, layers, x, y);
    }
}

static void paint_rows(void *context, size_t number)
{
    const stage *s = context;
    const size_t first = BAND * number, left = s->set->height - first, fine = (size_t)s->set->fine;
    band layers[LAYERS];
    for (int k = 0; k <= (s->glass ? GLASS : SOLID); k++) {
        band *b = &layers[k];
        *b = (band){.first = fine * first,
                    .rows = fine * (left < BAND ? left : BAND),
                    .columns = fine * s->set->width};
        b->z = tw_exit_unless(malloc(b->rows * b->columns * sizeof *b->z));
        b->part = tw_exit_unless(malloc(b->rows * b->columns * sizeof *b->part));
        if (s->walls && k == SOLID)
            b->clear = tw_exit_unless(malloc(b->rows * b->columns * sizeof *b->clear));
        for (size_t i = 0; i < b->rows * b->columns; i++) {
            if (b->clear) b->clear[i] = 1.0F;
            b->z[i] = -HUGE_VAL;
            b->part[i] = nothing;
        }
    }
    paint_band(s, layers);
    for (int k = 0; k <= (s->glass ? GLASS : SOLID); k++) {
        free(layers[k].z);
        free(layers[k].part);
        free(layers[k].clear);
    }
}

void tw_render_paint(const tw_render_options *set, const tw_render_view *view,
                     const tw_render_parts *parts, double line, int threads, uint32_t *pixels)
{
    const int fine = set->fine;
    stage s = {
        .set = set, .view = view, .parts = parts, .pixels = pixels, .glass = set->choice.glass};
    s.rods = tw_exit_unless(malloc((parts->count + 1) * sizeof *s.rods));
    s.order = tw_exit_unless(malloc((parts->count + 1) * sizeof *s.order));
    project_parts(&s, line);
    s.light = light_make(parts, s.rods, fine * line);
    s.plane = rod_plane(&parts->plane, view, fine);
    if (parts->wall_count > 0)
        s.walls = tw_exit_unless(malloc(3 * parts->wall_count * sizeof *s.walls));
    for (size_t i = 0; i < 3 * parts->wall_count; i++)
        s.walls[i] = tw_vec3_scale(fine, tw_render_view_project(view, parts->wall[i]));
    tw_parallel_tasks((set->height + BAND - 1) / BAND, threads, paint_rows, &s);
    free(s.light.first);
    free(s.light.near);
    free(s.walls);
    free(s.rods);
    free(s.order);
}
