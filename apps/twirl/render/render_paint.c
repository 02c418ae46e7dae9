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

/* Grains of similar size in a grid of cubes, to find neighbours. */
typedef struct cubes {
    tw_vec3 corner;
    double side;
    size_t n[3];
    uint32_t *first, *member; /* as in light_map */
    double largest;           /* radius */
} cubes;

/* One grid for each factor of two in size, the largest grains first: a grid for the largest grains
 * would hold hundreds of small ones in each cube. */
enum { LEVELS = 8 };

typedef struct finder {
    const tw_render_parts *parts;
    const rod_shape *rods;
    double largest; /* radius of all */
    cubes level[LEVELS];
} finder;

/* A ball of radius r at a distance of 2.2 r covers 1/20 of the sky: less does not matter. */
static const double reach = 2.2;

/* LEVELS: not a grain. */
static size_t level_of(const finder *f, size_t i)
{
    if (f->parts->part[i].finish != TW_RENDER_GRAIN) return LEVELS;
    size_t level = 0;
    for (double r = 2.0 * f->rods[i].radius; level < LEVELS - 1 && r <= f->largest; r *= 2.0)
        level++;
    return level;
}

static size_t place_along(const cubes *g, int axis, double x)
{
    const double place = floor(x / g->side);
    const size_t last = g->n[axis] - 1;
    return !(place > 0.0) ? 0 : place < (double)last ? (size_t)place : last;
}

static size_t cube_at(const cubes *g, tw_vec3 x)
{
    const tw_vec3 from = tw_vec3_sub(x, g->corner);
    return (place_along(g, 2, from.z) * g->n[1] + place_along(g, 1, from.y)) * g->n[0] +
           place_along(g, 0, from.x);
}

static void measure(const finder *f, cubes *g, size_t level)
{
    tw_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < f->parts->count; i++) {
        if (level_of(f, i) != level) continue;
        const tw_vec3 x = f->rods[i].a;
        low =
            tw_vec3_make(tw_math_min(low.x, x.x), tw_math_min(low.y, x.y), tw_math_min(low.z, x.z));
        high = tw_vec3_make(tw_math_max(high.x, x.x), tw_math_max(high.y, x.y),
                            tw_math_max(high.z, x.z));
        g->largest = tw_math_max(g->largest, f->rods[i].radius);
    }
    const double size[] = {high.x - low.x, high.y - low.y, high.z - low.z};
    g->corner = low;
    g->side = 2.0 * g->largest;
    for (int i = 0; i < 3; i++) /* at most 128 cubes along each axis */
        g->side = tw_math_max(g->side, size[i] / 128.0);
    for (int i = 0; i < 3; i++) {
        const double whole = size[i] / g->side; /* not a number if grains are too far apart */
        g->n[i] = g->largest > 0.0 && whole >= 1.0 ? 1 + (size_t)whole : 1;
    }
}

/* Counting sort of the grains of a level by cube. */
static void fill(const finder *f, cubes *g, size_t level)
{
    const size_t total = g->n[0] * g->n[1] * g->n[2], count = f->parts->count;
    g->first = tw_exit_unless(calloc(total + 2, sizeof *g->first));
    g->member = tw_exit_unless(malloc((count + 1) * sizeof *g->member));
    for (size_t i = 0; i < count; i++)
        if (level_of(f, i) == level) g->first[cube_at(g, f->rods[i].a) + 2]++;
    for (size_t i = 2; i < total + 2; i++)
        g->first[i] += g->first[i - 1];
    for (size_t i = 0; i < count; i++)
        if (level_of(f, i) == level)
            g->member[g->first[cube_at(g, f->rods[i].a) + 1]++] = (uint32_t)i;
}

/* Empty levels have no arrays. */
static void fill_levels(finder *f)
{
    for (size_t i = 0; i < f->parts->count; i++)
        if (f->parts->part[i].finish == TW_RENDER_GRAIN)
            f->largest = tw_math_max(f->largest, f->rods[i].radius);
    for (size_t level = 0; level < LEVELS; level++) {
        cubes *g = &f->level[level];
        measure(f, g, level);
        if (g->largest > 0.0) fill(f, g, level);
    }
}

/* Stores the neighbours of grain i in a level at `out` unless that is NULL. Returns their number.
 */
static size_t find_in_level(const finder *f, const cubes *g, size_t i, uint32_t *out)
{
    const rod_shape *rod = &f->rods[i];
    const double most = rod->radius + reach * g->largest;
    const tw_vec3 all = {most, most, most}, x = tw_vec3_sub(rod->a, g->corner);
    const tw_vec3 low = tw_vec3_sub(x, all), high = tw_vec3_add(x, all);
    const size_t from[] = {place_along(g, 0, low.x), place_along(g, 1, low.y),
                           place_along(g, 2, low.z)};
    const size_t to[] = {place_along(g, 0, high.x), place_along(g, 1, high.y),
                         place_along(g, 2, high.z)};
    size_t found = 0;
    for (size_t row = 0; row < (to[2] - from[2] + 1) * (to[1] - from[1] + 1); row++) {
        const size_t c = from[2] + row / (to[1] - from[1] + 1);
        const size_t b = from[1] + row % (to[1] - from[1] + 1), start = (c * g->n[1] + b) * g->n[0];
        for (uint32_t k = g->first[start + from[0]]; k < g->first[start + to[0] + 1]; k++) {
            const uint32_t j = g->member[k];
            const double limit = rod->radius + reach * f->rods[j].radius;
            const tw_vec3 d = tw_vec3_sub(f->rods[j].a, rod->a);
            if (j == i || tw_vec3_dot(d, d) >= limit * limit) continue;
            if (out) out[found] = j;
            found++;
        }
    }
    return found;
}

static size_t find_near(const finder *f, size_t i, uint32_t *out)
{
    size_t found = 0;
    for (size_t level = 0; level < LEVELS; level++)
        if (f->level[level].first)
            found += find_in_level(f, &f->level[level], i, out ? out + found : NULL);
    return found;
}

static void list_near(light_map *light, const finder *f)
{
    const size_t count = f->parts->count;
    size_t total = 0;
    light->first = tw_exit_unless(malloc((count + 1) * sizeof *light->first));
    for (size_t i = 0; i < count; i++) {
        light->first[i] = (uint32_t)total;
        if (f->parts->part[i].finish == TW_RENDER_GRAIN) total += find_near(f, i, NULL);
    }
    light->first[count] = (uint32_t)total;
    light->near = tw_exit_unless(malloc((total + 1) * sizeof *light->near));
    for (size_t i = 0; i < count; i++)
        if (light->first[i + 1] > light->first[i]) find_near(f, i, light->near + light->first[i]);
}

static light_map light_make(const tw_render_parts *parts, const rod_shape *rods, double line)
{
    finder f = {.parts = parts, .rods = rods};
    light_map light = {.rods = rods, .line = line};
    fill_levels(&f);
    list_near(&light, &f);
    for (size_t level = 0; level < LEVELS; level++) {
        free(f.level[level].first);
        free(f.level[level].member);
    }
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

enum { FINE = 3 /* samples along the edge of a pixel */, BAND = 16 /* pixel rows */ };

static const uint32_t nothing = UINT32_MAX;

typedef struct band {
    size_t first, rows, columns; /* in samples */
    double *z;
    uint32_t *part;
} band;

typedef struct stage {
    const tw_render_options *set;
    const tw_render_view *view;
    const tw_render_parts *parts;
    rod_shape *rods;
    uint32_t *order; /* of the parts: the nearest first, which hide most of the others */
    light_map light;
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
        s->rods[i] = rod_of(&s->parts->part[i], s->view, FINE);
        if (s->parts->part[i].finish == TW_RENDER_LINE) /* it would fade in small pictures */
            s->rods[i].radius = tw_math_max(s->rods[i].radius, 0.5 * FINE * line);
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

/* Distant chains fade into the background. */
static tw_colour fade(const stage *s, tw_colour colour, double z)
{
    const double depth = (s->view->near - z * s->view->pixel / FINE) /
                         tw_math_max(s->view->near - s->view->far, s->view->pixel);
    return tw_colour_mix(colour, s->set->background,
                         0.6 * tw_math_min(tw_math_max(depth, 0.0), 1.0));
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

static uint32_t shade_pixel(const stage *s, const band *b, size_t x, size_t y)
{
    tw_colour sum = {0.0, 0.0, 0.0}, c;
    int samples = 0;
    for (size_t i = 0; i < FINE * FINE; i++) {
        if (!sample_colour(s, b, FINE * x + i % FINE, FINE * y + i / FINE, &c)) continue;
        sum = (tw_colour){sum.r + c.r, sum.g + c.g, sum.b + c.b};
        samples++;
    }
    const double share = 1.0 / (FINE * FINE), alpha = samples * share;
    const tw_colour *back = &s->set->background;
    const double rest = s->set->transparent ? 0.0 : 1.0 - alpha;
    return byte_of(alpha + rest) << 24 | byte_of(share * sum.r + rest * back->r) << 16 |
           byte_of(share * sum.g + rest * back->g) << 8 | byte_of(share * sum.b + rest * back->b);
}

static void paint_band(const stage *s, band *b)
{
    for (size_t i = 0; i < b->rows * b->columns; i++) {
        b->z[i] = -HUGE_VAL;
        b->part[i] = nothing;
    }
    for (size_t i = 0; i < s->parts->count; i++)
        cover(s, b, s->order[i]);
    const size_t width = s->set->width;
    uint32_t *pixel = s->pixels + width * (b->first / FINE);
    for (size_t y = 0; y < b->rows / FINE; y++) {
        for (size_t x = 0; x < width; x++)
            *pixel++ = shade_pixel(s, b, x, y);
    }
}

static void paint_rows(void *context, size_t number)
{
    const stage *s = context;
    const size_t first = BAND * number, left = s->set->height - first;
    band b = {FINE * first, FINE * (left < BAND ? left : BAND), FINE * s->set->width, NULL, NULL};
    b.z = tw_exit_unless(malloc(b.rows * b.columns * sizeof *b.z));
    b.part = tw_exit_unless(malloc(b.rows * b.columns * sizeof *b.part));
    paint_band(s, &b);
    free(b.z);
    free(b.part);
}

void tw_render_paint(const tw_render_options *set, const tw_render_view *view,
                     const tw_render_parts *parts, double line, int threads, uint32_t *pixels)
{
    stage s = {.set = set, .view = view, .parts = parts, .pixels = pixels};
    s.rods = tw_exit_unless(malloc((parts->count + 1) * sizeof *s.rods));
    s.order = tw_exit_unless(malloc((parts->count + 1) * sizeof *s.order));
    project_parts(&s, line);
    s.light = light_make(parts, s.rods, FINE * line);
    s.plane = rod_plane(&parts->plane, view, FINE);
    tw_parallel_tasks((set->height + BAND - 1) / BAND, threads, paint_rows, &s);
    free(s.light.first);
    free(s.light.near);
    free(s.rods);
    free(s.order);
}
