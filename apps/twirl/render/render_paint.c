/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture is split into bands of rows, each painted by one thread: first the nearest part at
 * each sample, then its shading. Lengths are in samples here, with x to the right, y down and z
 * towards the viewer. */
#include "render/render_paint.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <twirl/math.h>

enum { FINE = 2 /* samples along the edge of a pixel */, BAND = 16 /* pixel rows */ };

static const uint32_t nothing = UINT32_MAX;

typedef struct band {
    size_t first, rows, columns; /* in samples */
    double *z;
    uint32_t *part;
} band;

/* A part in the coordinates of the view. */
typedef struct rod {
    tw_vec3 a, b, along; /* along: unit vector, or zero for a ball */
    double length, radius;
} rod;

typedef struct stage {
    const tw_render_picture *picture;
    const tw_render_view *view;
    const tw_render_parts *parts;
    rod *rods;
    atomic_size_t next; /* first band not yet begun */
    atomic_bool failed; /* out of memory for a band */
} stage;

static tw_vec3 project(const stage *s, tw_vec3 x)
{
    const tw_render_view *view = s->view;
    const double scale = FINE / view->pixel;
    const double across = tw_vec3_dot(x, view->right) - view->middle_x;
    const double upright = tw_vec3_dot(x, view->up) - view->middle_y;
    return tw_vec3_make(scale * across + 0.5 * FINE * (double)s->picture->width,
                        0.5 * FINE * (double)s->picture->height - scale * upright,
                        scale * tw_vec3_dot(x, view->towards));
}

static void project_parts(const stage *s)
{
    for (size_t i = 0; i < s->parts->count; i++) {
        const tw_render_part *part = &s->parts->part[i];
        rod *r = &s->rods[i];
        *r = (rod){.a = project(s, part->a), .b = project(s, part->b)};
        const tw_vec3 axis = tw_vec3_sub(r->b, r->a);
        r->radius = FINE / s->view->pixel * part->radius;
        r->length = tw_vec3_norm(axis);
        if (r->length > 0.0) r->along = tw_vec3_scale(1.0 / r->length, axis);
    }
}

/* z of the near surface of the ball at (x, y), or -HUGE_VAL outside it. */
static double ball_height(tw_vec3 centre, double radius, double x, double y)
{
    const double dx = x - centre.x, dy = y - centre.y;
    const double rest = radius * radius - dx * dx - dy * dy;
    return rest >= 0.0 ? centre.z + sqrt(rest) : -HUGE_VAL;
}

/* The same for the cylindrical side of a rod. With q = (x, y, z) - a, |q - (q.d) d| = radius is a
 * quadratic equation in z; the larger root is nearer to the viewer. */
static double side_height(const rod *r, double x, double y)
{
    const tw_vec3 d = r->along, flat = {x - r->a.x, y - r->a.y, 0.0};
    const double dot = tw_vec3_dot(flat, d);
    const double a = 1.0 - d.z * d.z, half_b = -dot * d.z;
    const double c = tw_vec3_dot(flat, flat) - dot * dot - r->radius * r->radius;
    const double rest = half_b * half_b - a * c;
    if (a < 1e-12 || rest < 0.0) return -HUGE_VAL; /* end on, or outside */
    const double z = (-half_b + sqrt(rest)) / a, place = dot + z * d.z;
    return place >= 0.0 && place <= r->length ? r->a.z + z : -HUGE_VAL;
}

static double rod_height(const rod *r, double x, double y)
{
    const double end = ball_height(r->a, r->radius, x, y);
    if (r->length <= 0.0) return end;
    return tw_math_max(side_height(r, x, y), tw_math_max(end, ball_height(r->b, r->radius, x, y)));
}

/* Surface normal at a point, away from the nearest point of the axis. */
static tw_vec3 rod_normal(const rod *r, tw_vec3 at)
{
    const tw_vec3 q = tw_vec3_sub(at, r->a);
    const double place = tw_math_min(tw_math_max(tw_vec3_dot(q, r->along), 0.0), r->length);
    return tw_vec3_scale(1.0 / r->radius, tw_vec3_add_scaled(q, -place, r->along));
}

/* Samples are at the centres of their squares: the first i with low <= i + 1/2, within 0..end. */
static size_t first_sample(double low, size_t end)
{
    const double first = ceil(low - 0.5);
    return first <= 0.0 ? 0 : first >= (double)end ? end : (size_t)first;
}

static void cover(const stage *s, band *b, uint32_t number)
{
    const rod *r = &s->rods[number];
    const double top = tw_math_min(r->a.y, r->b.y) - r->radius,
                 low = tw_math_max(r->a.y, r->b.y) + r->radius;
    const double left = tw_math_min(r->a.x, r->b.x) - r->radius,
                 right = tw_math_max(r->a.x, r->b.x) + r->radius;
    const double start = (double)b->first;
    const size_t y_end = first_sample(low - start, b->rows);
    const size_t x_begin = first_sample(left, b->columns), x_end = first_sample(right, b->columns);
    for (size_t y = first_sample(top - start, b->rows); y < y_end; y++) {
        for (size_t x = x_begin; x < x_end; x++) {
            const double z = rod_height(r, (double)x + 0.5, start + (double)y + 0.5);
            const size_t sample = y * b->columns + x;
            if (!(z > b->z[sample])) continue;
            b->z[sample] = z;
            b->part[sample] = number;
        }
    }
}

/* Light grey, lighter at the top. */
static tw_colour background(const tw_render_picture *picture, double y)
{
    const tw_colour white = {1.0, 1.0, 1.0}, top = {0.97, 0.975, 0.98}, end = {0.86, 0.875, 0.89};
    if (picture->bare) return white;
    return tw_colour_mix(top, end, y / (double)(FINE * picture->height));
}

/* A light at the upper left behind the viewer, ambient light and a highlight. Surfaces that face
 * away are darker, which separates the grains; distant ones fade. */
static tw_colour light_on(const stage *s, const rod *r, tw_colour colour, tw_vec3 at, tw_colour sky)
{
    const tw_vec3 lamp = {-0.408, -0.560, 0.721}, n = rod_normal(r, at);
    const double lit = tw_math_max(tw_vec3_dot(n, lamp), 0.0), facing = tw_math_max(n.z, 0.0);
    const double light = (0.42 + 0.68 * lit) * (0.55 + 0.45 * sqrt(facing));
    const double mirrored = tw_math_max(2.0 * tw_vec3_dot(n, lamp) * n.z - lamp.z, 0.0);
    const double gleam = 0.18 * tw_math_pow(mirrored, 24.0);
    const tw_colour white = {1.0, 1.0, 1.0};
    const tw_colour shade = {colour.r * light, colour.g * light, colour.b * light};
    const tw_colour shown = tw_colour_mix(shade, white, gleam);
    if (s->picture->bare) return shown;
    const double z = at.z * s->view->pixel / FINE;
    const double depth = (s->view->near - z) / (s->view->near - s->view->far);
    return tw_colour_mix(shown, sky, 0.45 * depth * depth);
}

static tw_colour sample_colour(const stage *s, const band *b, size_t x, size_t y)
{
    const size_t sample = y * b->columns + x;
    const double down = (double)(b->first + y) + 0.5;
    const tw_colour sky = background(s->picture, down);
    if (b->part[sample] == nothing) return sky;
    const tw_vec3 at = {(double)x + 0.5, down, b->z[sample]};
    const uint32_t part = b->part[sample];
    return light_on(s, &s->rods[part], s->parts->part[part].colour, at, sky);
}

static void shade_pixel(const stage *s, const band *b, size_t x, size_t y, unsigned char *rgb)
{
    tw_colour sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < FINE * FINE; i++) {
        const tw_colour c = sample_colour(s, b, FINE * x + i % FINE, FINE * y + i / FINE);
        sum = (tw_colour){sum.r + c.r, sum.g + c.g, sum.b + c.b};
    }
    const double share = 1.0 / (FINE * FINE);
    tw_colour_bytes((tw_colour){share * sum.r, share * sum.g, share * sum.b}, rgb);
}

static void paint_band(const stage *s, band *b)
{
    for (size_t i = 0; i < b->rows * b->columns; i++) {
        b->z[i] = -HUGE_VAL;
        b->part[i] = nothing;
    }
    for (size_t i = 0; i < s->parts->count; i++)
        cover(s, b, (uint32_t)i);
    const size_t width = s->picture->width;
    unsigned char *rgb = s->picture->rgb + 3 * width * (b->first / FINE);
    for (size_t y = 0; y < b->rows / FINE; y++) {
        for (size_t x = 0; x < width; x++, rgb += 3)
            shade_pixel(s, b, x, y, rgb);
    }
}

static bool paint_rows(const stage *s, size_t first, size_t rows)
{
    band b = {FINE * first, FINE * rows, FINE * s->picture->width, NULL, NULL};
    b.z = malloc(b.rows * b.columns * sizeof *b.z);
    b.part = malloc(b.rows * b.columns * sizeof *b.part);
    const bool room = b.z && b.part;
    if (room) paint_band(s, &b);
    free(b.z);
    free(b.part);
    return room;
}

static void *paint_bands(void *context)
{
    stage *s = context;
    const size_t height = s->picture->height;
    for (;;) {
        const size_t first = BAND * atomic_fetch_add(&s->next, 1);
        if (first >= height) return NULL;
        if (!paint_rows(s, first, height - first < BAND ? height - first : BAND))
            atomic_store(&s->failed, true);
    }
}

bool tw_render_paint(tw_render_picture *picture, const tw_render_view *view,
                     const tw_render_parts *parts, int threads)
{
    enum { MOST = 64 };
    pthread_t other[MOST];
    int others = 0;
    stage s = {.picture = picture, .view = view, .parts = parts};
    s.rods = malloc((parts->count + 1) * sizeof *s.rods);
    if (!s.rods) return false;
    project_parts(&s);
    while (others < threads - 1 && others < MOST &&
           pthread_create(&other[others], NULL, paint_bands, &s) == 0)
        others++;
    paint_bands(&s);
    while (others > 0)
        pthread_join(other[--others], NULL);
    free(s.rods);
    return !atomic_load(&s.failed);
}
