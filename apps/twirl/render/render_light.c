/* SPDX-License-Identifier: BSD-3-Clause */
/* Soft light from the upper left behind the viewer, less of it where neighbours cover a part of the
 * sky, and a dark outline. There is no highlight, so that colours can be compared with the bar. */
#include "render/render_light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

/* Grains of similar size in a grid of cubes, to find neighbours. */
typedef struct cubes {
    tw_vec3 corner;
    double side;
    size_t n[3];
    uint32_t *first, *member; /* as in tw_render_light */
    double largest;           /* radius */
} cubes;

/* One grid for each factor of two in size, the largest grains first: a grid for the largest grains
 * would hold hundreds of small ones in each cube. */
enum { LEVELS = 8 };

typedef struct finder {
    const tw_render_parts *parts;
    const tw_render_rod *rods;
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
static bool fill(const finder *f, cubes *g, size_t level)
{
    const size_t total = g->n[0] * g->n[1] * g->n[2], count = f->parts->count;
    g->first = calloc(total + 2, sizeof *g->first);
    g->member = malloc((count + 1) * sizeof *g->member);
    if (!g->first || !g->member) return false;
    for (size_t i = 0; i < count; i++)
        if (level_of(f, i) == level) g->first[cube_at(g, f->rods[i].a) + 2]++;
    for (size_t i = 2; i < total + 2; i++)
        g->first[i] += g->first[i - 1];
    for (size_t i = 0; i < count; i++)
        if (level_of(f, i) == level)
            g->member[g->first[cube_at(g, f->rods[i].a) + 1]++] = (uint32_t)i;
    return true;
}

/* Empty levels have no arrays. */
static bool fill_levels(finder *f)
{
    for (size_t i = 0; i < f->parts->count; i++)
        if (f->parts->part[i].finish == TW_RENDER_GRAIN)
            f->largest = tw_math_max(f->largest, f->rods[i].radius);
    for (size_t level = 0; level < LEVELS; level++) {
        cubes *g = &f->level[level];
        measure(f, g, level);
        if (g->largest > 0.0 && !fill(f, g, level)) return false;
    }
    return true;
}

/* Stores the neighbours of grain i in a level at `out` unless that is NULL. Returns their number.
 */
static size_t find_in_level(const finder *f, const cubes *g, size_t i, uint32_t *out)
{
    const tw_render_rod *rod = &f->rods[i];
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

static bool list_near(tw_render_light *light, const finder *f)
{
    const size_t count = f->parts->count;
    size_t total = 0;
    light->first = malloc((count + 1) * sizeof *light->first);
    if (!light->first) return false;
    for (size_t i = 0; i < count; i++) {
        light->first[i] = (uint32_t)total;
        if (f->parts->part[i].finish == TW_RENDER_GRAIN) total += find_near(f, i, NULL);
    }
    light->first[count] = (uint32_t)total;
    light->near = malloc((total + 1) * sizeof *light->near);
    if (!light->near) return false;
    for (size_t i = 0; i < count; i++)
        if (light->first[i + 1] > light->first[i]) find_near(f, i, light->near + light->first[i]);
    return true;
}

bool tw_render_light_make(tw_render_light *light, const tw_render_parts *parts,
                          const tw_render_rod *rods, double line)
{
    finder f = {.parts = parts, .rods = rods};
    *light = (tw_render_light){.rods = rods, .line = line};
    const bool good = fill_levels(&f) && list_near(light, &f);
    for (size_t level = 0; level < LEVELS; level++) {
        free(f.level[level].first);
        free(f.level[level].member);
    }
    if (!good) tw_render_light_free(light);
    return good;
}

void tw_render_light_free(tw_render_light *light)
{
    free(light->first);
    free(light->near);
    *light = (tw_render_light){0};
}

/* The share of the light from above a surface that a ball keeps away. I. Quilez, "Sphere ambient
 * occlusion": exact while the ball is above the horizon, an approximation otherwise. */
static double covered(const tw_render_rod *ball, tw_vec3 at, tw_vec3 normal)
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
static double outline(const tw_render_light *light, const tw_render_rod *rod, double facing)
{
    const double rim = rod->radius * (1.0 - sqrt(tw_math_max(1.0 - facing * facing, 0.0)));
    const double width = tw_math_min(light->line, 0.15 * rod->radius);
    return rim >= width ? 1.0 : rim_light;
}

double tw_render_light_on(const tw_render_light *light, uint32_t number, tw_render_finish finish,
                          tw_vec3 at)
{
    const tw_vec3 lamp = {-0.35, -0.45, 0.8213};
    const tw_render_rod *rod = &light->rods[number];
    const tw_vec3 n = tw_render_rod_normal(rod, at);
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

static bool is_inside_other(const tw_render_light *light, uint32_t number, tw_vec3 at)
{
    for (uint32_t k = light->first[number]; k < light->first[number + 1]; k++) {
        const tw_render_rod *ball = &light->rods[light->near[k]];
        const tw_vec3 d = tw_vec3_sub(at, ball->a);
        if (tw_vec3_dot(d, d) < ball->radius * ball->radius) return true;
    }
    return false;
}

/* The spheres of a clump overlap: where the rim of one is inside another there is no line. */
double tw_render_light_on_cut(const tw_render_light *light, uint32_t number,
                              const tw_render_plane *plane, tw_vec3 at)
{
    const tw_render_rod *ball = &light->rods[number];
    const double height = tw_vec3_dot(plane->normal, ball->a) - plane->offset;
    const tw_vec3 d = tw_vec3_sub(at, ball->a);
    const double face = sqrt(tw_math_max(ball->radius * ball->radius - height * height, 0.0));
    const double place = sqrt(tw_math_max(tw_vec3_dot(d, d) - height * height, 0.0));
    const bool rim = face - place < tw_math_min(light->line, 0.15 * ball->radius);
    return rim && !is_inside_other(light, number, at) ? rim_light : 1.0;
}
