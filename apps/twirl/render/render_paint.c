/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture is split into bands of rows, each painted by one thread: first the nearest part at
 * each sample, then its shading. Lengths are in samples here, with x to the right, y down and z
 * towards the viewer. */
#include "render/render_paint.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <twirl/math.h>

#include "render/render_light.h"

enum { FINE = 3 /* samples along the edge of a pixel */, BAND = 16 /* pixel rows */ };

static const uint32_t nothing = UINT32_MAX;

typedef struct band {
    size_t first, rows, columns; /* in samples */
    double *z;
    uint32_t *part;
} band;

typedef struct stage {
    const tw_render_picture *picture;
    const tw_render_view *view;
    const tw_render_parts *parts;
    tw_render_rod *rods;
    uint32_t *order; /* of the parts: the nearest first, which hide most of the others */
    tw_render_light light;
    tw_render_plane plane; /* of the cut, if there is one */
    atomic_size_t next;    /* first band not yet begun */
    atomic_bool failed;    /* out of memory for a band */
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

static double nearest_z(const tw_render_rod *rod)
{
    return tw_math_max(rod->a.z, rod->b.z) + rod->radius;
}

static bool project_parts(stage *s)
{
    const size_t count = s->parts->count;
    rank *ranks = malloc((count + 1) * sizeof *ranks);
    if (!ranks) return false;
    for (size_t i = 0; i < count; i++) {
        s->rods[i] = tw_render_rod_of(&s->parts->part[i], s->view, FINE);
        if (s->parts->part[i].finish == TW_RENDER_LINE) /* it would fade in small pictures */
            s->rods[i].radius = tw_math_max(s->rods[i].radius, 0.5 * FINE * s->picture->line);
        ranks[i] = (rank){nearest_z(&s->rods[i]), (uint32_t)i};
    }
    qsort(ranks, count, sizeof *ranks, nearer);
    for (size_t i = 0; i < count; i++)
        s->order[i] = ranks[i].part;
    free(ranks);
    return true;
}

/* Samples are at the centres of their squares: the first i with low <= i + 1/2, within 0..end. */
static size_t first_sample(double low, size_t end)
{
    const double first = ceil(low - 0.5);
    return !(first > 0.0) ? 0 : first < (double)end ? (size_t)first : end;
}

static void cover_row(const stage *s, band *b, uint32_t number, size_t y, double left, double right)
{
    const tw_render_rod *r = &s->rods[number];
    const bool cut = s->parts->cut && s->parts->part[number].finish == TW_RENDER_GRAIN;
    const double down = (double)(b->first + y) + 0.5, near = nearest_z(r);
    const size_t end = first_sample(right, b->columns);
    for (size_t x = first_sample(left, b->columns); x < end; x++) {
        const size_t sample = y * b->columns + x;
        if (!(near > b->z[sample])) continue;
        double z = tw_render_rod_height(r, (double)x + 0.5, down);
        if (cut) z = tw_render_rod_cut(r, &s->plane, (double)x + 0.5, down, z);
        if (!(z > b->z[sample])) continue;
        b->z[sample] = z;
        b->part[sample] = number;
    }
}

static void cover(const stage *s, band *b, uint32_t number)
{
    const tw_render_rod *r = &s->rods[number];
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
    return tw_colour_mix(colour, s->picture->background,
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
                      at.z >= tw_render_rod_plane_z(&s->plane, at.x, at.y);
    const double light = flat ? tw_render_light_on_cut(&s->light, number, &s->plane, at)
                              : tw_render_light_on(&s->light, number, part->finish, at);
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
    const tw_colour *back = &s->picture->background;
    const double rest = s->picture->transparent ? 0.0 : 1.0 - alpha;
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
    const size_t width = s->picture->width;
    uint32_t *pixel = s->picture->pixels + width * (b->first / FINE);
    for (size_t y = 0; y < b->rows / FINE; y++) {
        for (size_t x = 0; x < width; x++)
            *pixel++ = shade_pixel(s, b, x, y);
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

static void paint_all(stage *s, int threads)
{
    enum { MOST = 64 };
    pthread_t other[MOST];
    int others = 0;
    while (others < threads - 1 && others < MOST &&
           pthread_create(&other[others], NULL, paint_bands, s) == 0)
        others++;
    paint_bands(s);
    while (others > 0)
        pthread_join(other[--others], NULL);
}

bool tw_render_paint(tw_render_picture *picture, const tw_render_view *view,
                     const tw_render_parts *parts, int threads)
{
    stage s = {.picture = picture, .view = view, .parts = parts};
    s.rods = malloc((parts->count + 1) * sizeof *s.rods);
    s.order = malloc((parts->count + 1) * sizeof *s.order);
    const bool ready = s.rods && s.order && project_parts(&s) &&
                       tw_render_light_make(&s.light, parts, s.rods, FINE * picture->line);
    if (ready) {
        s.plane = tw_render_rod_plane(&parts->plane, view, FINE);
        paint_all(&s, threads);
        tw_render_light_free(&s.light);
    }
    free(s.rods);
    free(s.order);
    return ready && !atomic_load(&s.failed);
}
