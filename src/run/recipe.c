/* SPDX-License-Identifier: BSD-3-Clause */
/* The grains of a scenario by their numbers: shapes, sizes, orientations, and positions. */
#include "run/recipe.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/mat3.h"
#include "base/parallel.h"
#include "base/random.h"

/* ---- Shapes ---- */

static tw_status add_shape(tw_sim *sim, const tw_scenario_shape *shape, uint32_t *number,
                           tw_error *error)
{
    *number = 0; /* the sphere */
    if (shape->shape == TW_SCENARIO_SPHERE) return TW_STATUS_OK;
    if (shape->shape == TW_SCENARIO_BUMPY)
        return tw_sim_add_shape_bumpy(sim, (int)shape->satellites, shape->satellite_radius,
                                      shape->central_radius, shape->distance, number, error);
    const size_t count = shape->spheres.count;
    tw_sphere *spheres = malloc(count * sizeof *spheres);
    if (!spheres) return tw_error_set_memory(error);
    for (size_t i = 0; i < count; i++) {
        const double *v = shape->spheres.value + 4 * i;
        spheres[i] = (tw_sphere){{v[0], v[1], v[2]}, v[3]};
    }
    const tw_status status = tw_sim_add_shape(sim, spheres, count, number, error);
    free(spheres);
    return status;
}

/* A shape of size 1: its number, volume, and bounding radius about the centre of mass; and the
 * material of its grains. */
typedef struct kind {
    uint32_t shape;
    double volume, radius;
    uint32_t material;
} kind;

tw_status tw_run_recipe_add_shapes(const tw_scenario *s, tw_sim *sim, tw_error *error)
{
    uint32_t unused;
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < s->specimen.shape_count && status == TW_STATUS_OK; k++)
        status = add_shape(sim, &s->specimen.shapes[k], &unused, error);
    return status;
}

/* Has the engine compute the volumes: a scratch simulation with one body of each shape. */
static bool measure_shapes(const tw_scenario *s, kind *kinds, tw_error *error)
{
    const size_t count = s->specimen.shape_count;
    const tw_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1.0;
    def.density = 1.0;
    def.cell = unit;
    memset(def.periodic, 0, sizeof def.periodic);
    tw_sim *sim = tw_sim_create(&def, error);
    bool good = sim != NULL;
    for (size_t k = 0; good && k < count; k++) {
        const tw_scenario_shape *shape = &s->specimen.shapes[k];
        good = add_shape(sim, shape, &kinds[k].shape, error) == TW_STATUS_OK;
        kinds[k].material = (uint32_t)tw_scenario_shape_material(s, shape);
        tw_body_def body = tw_body_def_default();
        body.shape = kinds[k].shape;
        body.size = 1.0;
        good = tw_sim_add_body(sim, &body, NULL, error) == TW_STATUS_OK;
    }
    const size_t sphere_count = good ? tw_sim_sphere_count(sim) : 0;
    tw_sphere_state *spheres = good ? malloc(sphere_count * sizeof *spheres) : NULL;
    if (spheres) {
        tw_sim_get_spheres(sim, spheres, sphere_count, NULL);
        for (size_t i = 0; i < sphere_count; i++) {
            kind *k = &kinds[spheres[i].body];
            k->radius = tw_math_max(k->radius, tw_vec3_norm(spheres[i].x) + spheres[i].radius);
            tw_body_state body;
            tw_sim_get_body(sim, spheres[i].body, &body, NULL); /* it exists */
            k->volume = body.mass;                              /* the density is 1 */
        }
    } else if (good) {
        tw_error_set_memory(error);
    }
    free(spheres);
    tw_sim_free(sim);
    return spheres != NULL;
}

/* ---- Sizes ---- */

static double draw_on_curve(const tw_scenario_rows *curve, double fraction)
{
    const double *v = curve->value;
    size_t i = 1;
    while (i + 1 < curve->count && v[2 * i + 1] <= fraction)
        i++;
    const double part = (fraction - v[2 * i - 1]) / (v[2 * i + 1] - v[2 * i - 1]);
    return v[2 * i - 2] *
           tw_math_pow(v[2 * i] / v[2 * i - 2], tw_math_min(tw_math_max(part, 0.0), 1.0));
}

static double draw(const tw_scenario_sizes *s, tw_random *random)
{
    double d;
    switch (s->distribution) {
    case TW_SCENARIO_UNIFORM:
        return s->d_min + (s->d_max - s->d_min) * tw_random_uniform(random);
    case TW_SCENARIO_LOGNORMAL:
        do
            d = s->d50 * tw_math_exp(s->deviation * tw_random_normal(random));
        while (d < s->d_min || d > s->d_max);
        return d;
    case TW_SCENARIO_GRADING:
        return draw_on_curve(&s->curve, tw_random_uniform(random));
    default:
        return s->d;
    }
}

/* Distributions by volume: a draw is accepted with a probability proportional to 1/d^3. */
static double draw_diameter(const tw_scenario_sizes *s, tw_random *random)
{
    const bool curve = s->distribution == TW_SCENARIO_GRADING;
    if (!curve && s->by != TW_SCENARIO_VOLUME) return draw(s, random);
    const double smallest = curve ? s->curve.value[0] : s->d_min;
    for (;;) {
        const double d = draw(s, random), part = smallest / d;
        if (tw_random_uniform(random) <= part * part * part) return d;
    }
}

/* ---- One grain ---- */

struct tw_run_recipe {
    const tw_scenario *scenario;
    kind *kinds;
    uint64_t stride; /* neighbours may have neighbouring numbers: those of a shape are far apart */
    tw_run_regions regions;
};

static tw_quat draw_orientation(tw_random *random)
{
    const double u = tw_random_uniform(random), a = 2.0 * TW_MATH_PI * tw_random_uniform(random),
                 b = 2.0 * TW_MATH_PI * tw_random_uniform(random);
    return (tw_quat){sqrt(1.0 - u) * tw_math_sin(a), sqrt(1.0 - u) * tw_math_cos(a),
                     sqrt(u) * tw_math_sin(b), sqrt(u) * tw_math_cos(b)};
}

/* Multiples of it, modulo the count, are all numbers of grains, evenly spread. */
static uint64_t find_stride(uint64_t count)
{
    const double golden = 0.6180339887498949;
    for (uint64_t stride = (uint64_t)(golden * (double)count) + 1;; stride++) {
        uint64_t a = count, b = stride;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

/* Shapes in exact proportions. */
static const kind *kind_at(const tw_run_recipe *r, uint64_t grain)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    double total = 0.0, sum = 0.0;
    for (size_t k = 0; k < s->shape_count; k++)
        total += s->shapes[k].share;
    const double at = total * ((double)(grain * r->stride % s->count) + 0.5) / (double)s->count;
    for (size_t k = 0; k + 1 < s->shape_count; k++) {
        sum += s->shapes[k].share;
        if (at < sum) return &r->kinds[k];
    }
    return &r->kinds[s->shape_count - 1];
}

double tw_run_recipe_grain(const tw_run_recipe *r, uint64_t grain, tw_body_def *body)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const kind *k = kind_at(r, grain);
    tw_random random = tw_random_seed(tw_random_key(s->seed, 0, grain));
    const double d = draw_diameter(&s->sizes, &random);
    *body = tw_body_def_default();
    body->shape = k->shape;
    body->material = k->material;
    body->type = 1 + k->material; /* for viewers and other programs */
    body->size = d * tw_math_cbrt(TW_MATH_PI / 6.0 / k->volume);
    body->q = draw_orientation(&random);
    body->half_step = 1; /* at rest: the time is of no importance */
    return TW_MATH_PI / 6.0 * d * d * d;
}

/* ---- All of them ---- */

static double radius_of(uint64_t grain, void *context)
{
    const tw_run_recipe *r = context;
    tw_body_def body;
    tw_run_recipe_grain(r, grain, &body);
    return kind_at(r, grain)->radius * body.size;
}

static double largest_radius(const tw_run_recipe *r)
{
    const tw_scenario_specimen *specimen = &r->scenario->specimen;
    const tw_scenario_sizes *s = &specimen->sizes;
    const double d = s->distribution == TW_SCENARIO_GRADING
                         ? s->curve.value[2 * s->curve.count - 2]
                         : (s->distribution == TW_SCENARIO_MONO ? s->d : s->d_max);
    double most = 0.0;
    for (size_t k = 0; k < specimen->shape_count; k++)
        most = tw_math_max(most, r->kinds[k].radius *
                                     (d * tw_math_cbrt(TW_MATH_PI / 6.0 / r->kinds[k].volume)));
    return most * (1.0 + 1e-12); /* of sizes that are rounded */
}

tw_run_recipe *tw_run_recipe_open(const tw_scenario *scenario, tw_error *error)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    tw_run_recipe *r = calloc(1, sizeof *r);
    kind *kinds = calloc(s->shape_count, sizeof *kinds);
    if (!r || !kinds) {
        free(r);
        free(kinds);
        tw_error_set_memory(error);
        return NULL;
    }
    *r = (tw_run_recipe){scenario, kinds, find_stride(s->count), {.count = s->count}};
    if (!measure_shapes(scenario, kinds, error)) {
        tw_run_recipe_free(r);
        return NULL;
    }
    r->regions.whole = s->arrangement != TW_SCENARIO_REGIONS;
    r->regions.seed = s->seed;
    r->regions.largest = largest_radius(r);
    r->regions.radius = radius_of;
    r->regions.context = r;
    return r;
}

void tw_run_recipe_free(tw_run_recipe *recipe)
{
    if (recipe) free(recipe->kinds);
    free(recipe);
}

const tw_run_regions *tw_run_recipe_divide(tw_run_recipe *recipe, const tw_mat3 *cell)
{
    recipe->regions.cell = *cell;
    tw_run_regions_divide(&recipe->regions);
    return &recipe->regions;
}

tw_run_scatter_result tw_run_recipe_make(const tw_run_recipe *recipe, uint64_t region,
                                         const tw_run_scatter_watch *watch, tw_body_def *bodies)
{
    const uint64_t first = tw_run_regions_first(&recipe->regions, region),
                   count = tw_run_regions_first(&recipe->regions, region + 1) - first;
    tw_vec3 *x = malloc((count + 1) * sizeof *x);
    const tw_run_scatter_result result =
        x ? tw_run_regions_scatter(&recipe->regions, region, watch, x) : TW_SCATTER_NO_MEMORY;
    for (uint64_t i = 0; i < count && result == TW_SCATTER_DONE; i++) {
        tw_run_recipe_grain(recipe, first + i, &bodies[i]);
        bodies[i].x = x[i];
    }
    free(x);
    return result;
}

/* The volume of all grains is a sum over blocks: whoever makes a block finds the same bits, and no
 * process needs all grains. Blocks and regions are made so many together. */
enum { BLOCK = 1024, TOGETHER = 64 };

typedef struct together {
    const tw_run_recipe *recipe;
    uint64_t first;
    double volume[TOGETHER]; /* of blocks */
    tw_body_def *bodies;     /* of regions */
    tw_run_scatter_result results[TOGETHER];
} together;

static bool is_stopped(const tw_run_scatter_watch *watch, double share)
{
    return watch && watch->placed && watch->placed(share, watch->context);
}

static void add_blocks(void *context, size_t begin, size_t end)
{
    together *t = context;
    for (size_t k = begin; k < end; k++) {
        const uint64_t from = (t->first + k) * BLOCK, count = t->recipe->regions.count;
        tw_body_def unused;
        t->volume[k] = 0.0;
        for (uint64_t i = from; i < from + BLOCK && i < count; i++)
            t->volume[k] += tw_run_recipe_grain(t->recipe, i, &unused);
    }
}

bool tw_run_recipe_add_volumes(const tw_run_recipe *r, const tw_run_scatter_watch *watch,
                               double *sum)
{
    const uint64_t all = (r->regions.count + BLOCK - 1) / BLOCK;
    together t = {.recipe = r};
    for (*sum = 0.0; t.first < all; t.first += TOGETHER) {
        const uint64_t some = all - t.first < TOGETHER ? all - t.first : TOGETHER;
        if (is_stopped(watch, 0.0)) return false;
        tw_parallel_for(some, 1, add_blocks, &t);
        for (uint64_t k = 0; k < some; k++)
            *sum += t.volume[k];
    }
    return true;
}

static void make_regions(void *context, size_t begin, size_t end)
{
    together *t = context;
    for (size_t k = begin; k < end; k++) {
        tw_body_def *bodies = t->bodies + tw_run_regions_first(&t->recipe->regions, t->first + k);
        t->results[k] = tw_run_recipe_make(t->recipe, t->first + k, NULL, bodies);
    }
}

tw_run_scatter_result tw_run_recipe_make_all(const tw_run_recipe *r,
                                             const tw_run_scatter_watch *watch, tw_body_def *bodies)
{
    const uint64_t all = tw_run_regions_count(&r->regions);
    together t = {.recipe = r, .bodies = bodies};
    if (all == 1) return tw_run_recipe_make(r, 0, watch, bodies);
    for (; t.first < all; t.first += TOGETHER) {
        const uint64_t some = all - t.first < TOGETHER ? all - t.first : TOGETHER;
        if (is_stopped(watch, (double)t.first / (double)all)) return TW_SCATTER_STOPPED;
        tw_parallel_for(some, 1, make_regions, &t);
        for (uint64_t k = 0; k < some; k++)
            if (t.results[k] != TW_SCATTER_DONE) return t.results[k];
    }
    return TW_SCATTER_DONE;
}
