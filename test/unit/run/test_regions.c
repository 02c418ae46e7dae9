/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions made region by region: no overlap, as a search through all grains and images finds; all
 * grains, each once; the same whoever makes them and in which order; and by volume where regions
 * meet. */
#include "base/mat3.h"
#include "base/parallel.h"
#include "base/random.h"
#include "check.h"
#include "run/specimen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spheres of radii between `smallest` and `largest`, as likely by number. */
typedef struct grading {
    uint64_t seed;
    double smallest, largest;
} grading;

static double radius_of(uint64_t grain, void *context)
{
    const grading *g = context;
    tw_random random = tw_random_seed(g->seed + grain);
    return g->smallest + (g->largest - g->smallest) * tw_random_uniform(&random);
}

typedef struct specimen {
    tw_run_regions regions;
    grading sizes;
    tw_vec3 *x;
    double *radius;
} specimen;

static void scatter_one(const tw_run_regions *r, uint64_t region, tw_vec3 *x)
{
    assert_int_equal(tw_run_regions_scatter(r, region, NULL, x + tw_run_regions_first(r, region)),
                     TW_SCATTER_DONE);
}

/* Grains that fill a quarter of a cell with edges in these proportions. */
static void make(specimen *s, uint64_t count, uint64_t seed, double smallest, tw_mat3 shape)
{
    double volume = 0.0;
    s->sizes = (grading){seed, smallest, 1.0};
    s->x = malloc(count * sizeof *s->x);
    s->radius = malloc(count * sizeof *s->radius);
    assert_true(s->x && s->radius);
    for (uint64_t i = 0; i < count; i++) {
        const double r = s->radius[i] = radius_of(i, &s->sizes);
        volume += 4.0 / 3.0 * TW_MATH_PI * r * r * r;
        s->x[i] = tw_vec3_make(nan(""), 0, 0);
    }
    const double unit = cbrt(4.0 * volume / tw_mat3_det(shape));
    s->regions = (tw_run_regions){
        .count = count, .seed = seed, .largest = 1.0, .radius = radius_of, .context = &s->sizes};
    for (int k = 0; k < 9; k++)
        s->regions.cell.m[k] = unit * shape.m[k];
    tw_run_regions_divide(&s->regions);
    for (uint64_t k = 0; k < tw_run_regions_count(&s->regions); k++)
        scatter_one(&s->regions, k, s->x);
}

static void discard(specimen *s)
{
    free(s->x);
    free(s->radius);
}

/* Overlap of the two that overlap most, of all images. */
static double most_overlap(const specimen *s)
{
    const tw_mat3 inverse = tw_mat3_inverse(s->regions.cell);
    double most = -HUGE_VAL;
    for (uint64_t i = 0; i < s->regions.count; i++)
        for (uint64_t j = 0; j < i; j++) {
            const tw_vec3 f = tw_mat3_mul_vec(inverse, tw_vec3_sub(s->x[j], s->x[i]));
            const tw_vec3 near = {f.x - rint(f.x), f.y - rint(f.y), f.z - rint(f.z)};
            const bool large = s->regions.count >= 1000; /* only the nearest can touch */
            for (int n = large ? 13 : 0; n < (large ? 14 : 27); n++) {
                const tw_vec3 image = {near.x + n % 3 - 1, near.y + n / 3 % 3 - 1,
                                       near.z + n / 9 - 1};
                const tw_vec3 branch = tw_mat3_mul_vec(s->regions.cell, image);
                most = tw_math_max(most, s->radius[i] + s->radius[j] - tw_vec3_norm(branch));
            }
        }
    return most;
}

static void check_specimen(uint64_t count, double smallest, tw_mat3 shape, int x, int y, int z)
{
    specimen s;
    make(&s, count, 7, smallest, shape);
    const tw_run_regions *r = &s.regions;
    assert_int_equal(r->many[0], x);
    assert_int_equal(r->many[1], y);
    assert_int_equal(r->many[2], z);
    assert_int_equal(tw_run_regions_first(r, 0), 0);
    assert_int_equal(tw_run_regions_first(r, tw_run_regions_count(r)), count);
    for (uint64_t i = 0; i < count; i++)
        assert_true(isfinite(s.x[i].x)); /* it has a place */
    check_at_most(most_overlap(&s), 1e-13);
    discard(&s);
}

static void grains_of_regions_do_not_overlap(void **state)
{
    (void)state;
    const tw_mat3 cube = {{1, 0, 0, 0, 1, 0, 0, 0, 1}},
                  tilted = {{1, 0.3, -0.4, 0, 1, 0.2, 0, 0, 1}},
                  long_one = {{1, 0, 0, 0, 2, 0, 0, 0, 3}},
                  column = {{1, 0.2, 0.3, 0, 1, -0.4, 0, 0, 12}};
    check_specimen(600, 1.0, cube, 1, 1, 1); /* its own neighbour on all sides */
    check_specimen(4000, 1.0, cube, 2, 2, 2);
    check_specimen(9000, 0.8, tilted, 2, 2, 2);
    check_specimen(8000, 0.4, long_one, 1, 2, 3);
    check_specimen(20, 1.0, tilted, 1, 1, 1); /* three diameters: undivided */
    check_specimen(700, 0.1, cube, 1, 1, 1);
    check_specimen(900, 1.0, column, 1, 1, 6); /* divided along one edge only */
}

typedef struct work {
    const tw_run_regions *regions;
    tw_vec3 *x;
} work;

static void scatter_some(void *context, size_t begin, size_t end)
{
    const work *w = context;
    for (size_t k = begin; k < end; k++)
        scatter_one(w->regions, k, w->x);
}

static void any_order_and_threads_give_the_same(void **state)
{
    (void)state;
    const tw_mat3 cube = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    specimen s;
    make(&s, 4000, 11, 0.9, cube);
    const uint64_t all = tw_run_regions_count(&s.regions);
    tw_vec3 *again = calloc(4000, sizeof *again);
    assert_non_null(again);
    for (uint64_t k = all; k-- > 0;)
        scatter_one(&s.regions, k, again);
    assert_memory_equal(again, s.x, 4000 * sizeof *again);
    for (int i = 0; i < 4000; i++)
        again[i] = tw_vec3_make(0, 0, 0);
    tw_parallel_set_threads(3);
    tw_parallel_for(all, 1, scatter_some, &(work){&s.regions, again});
    assert_memory_equal(again, s.x, 4000 * sizeof *again);
    free(again);
    discard(&s);
}

/* How many of the three directions have a plane that is nearer than so many diameters. */
static int planes_within(const specimen *s, tw_vec3 x, double diameters)
{
    const double at[3] = {x.x, x.y, x.z};
    int planes = 0;
    for (int k = 0; k < 3; k++) { /* the largest grain has the diameter 2 */
        const double edge = s->regions.cell.m[4 * k] / (double)s->regions.many[k];
        const double part = at[k] / edge;
        planes += fabs(part - rint(part)) * edge < 2.0 * diameters;
    }
    return planes;
}

static int part_at(const specimen *s, tw_vec3 x)
{
    if (planes_within(s, x, 2.5) == 3) return 3;
    if (planes_within(s, x, 1.5) == 2) return 2;
    return planes_within(s, x, 0.5);
}

/* Volumes by random points. */
static void parts_have_grains_by_their_volume(void **state)
{
    (void)state;
    enum { POINTS = 1000000 };
    const tw_mat3 cube = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    specimen s;
    make(&s, 15000, 5, 0.6, cube);
    const tw_run_regions *r = &s.regions;
    double volume[4] = {0}, grains[4] = {0};
    tw_random random = tw_random_seed(1);
    for (int n = 0; n < POINTS; n++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = r->cell.m[4 * k] * tw_random_uniform(&random);
        volume[part_at(&s, tw_vec3_make(at[0], at[1], at[2]))] += 1.0 / POINTS;
    }
    for (uint64_t i = 0; i < r->count; i++)
        grains[part_at(&s, s.x[i])]++;
    /* Rounding: less than a grain at either end of a part, with up to three of a kind in a region.
     * Points: five deviations of their share. */
    for (int part = 0; part < 4; part++)
        check_at_most(fabs(grains[part] - volume[part] * (double)r->count),
                      6.0 * (double)tw_run_regions_count(r) +
                          5.0 * sqrt(volume[part] / POINTS) * (double)r->count);
    discard(&s);
}

/* ---- Specimens of scenarios ---- */

static tw_sim *make_scenario(const char *arrangement, int count, int threads)
{
    char text[400];
    tw_scenario_errors errors;
    tw_error error;
    const tw_run_scatter_watch watch = {NULL, NULL};
    double porosity;
    const int length =
        snprintf(text, sizeof text,
                 "specimen: {count: %d, seed: 4, arrangement: %s, preparation: {pressure: 1 "
                 "kPa}, sizes: {distribution: uniform, d_min: 0.5 mm, d_max: 1 mm},\n"
                 "  shapes: [{shape: sphere, share: 3}, {shape: bumpy, share: 1}]}\n"
                 "material: {kn: 1e6 N/m}\n",
                 count, arrangement);
    tw_scenario *scenario =
        tw_scenario_read_text(text, (size_t)length, "regions.yaml", NULL, 0, &errors);
    if (!scenario) fail_msg("%s", errors.count ? errors.text[0] : "out of memory");
    tw_parallel_set_threads(threads);
    tw_sim *sim = tw_run_grains_make(scenario, "cpu", &watch, &porosity, &error);
    if (!sim) fail_msg("%s", error.text);
    check_at_most(fabs(porosity - 0.75), 1e-12);
    tw_scenario_free(scenario);
    tw_scenario_errors_free(&errors);
    return sim;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_grains(const char *arrangement)
{
    enum { COUNT = 8001 };
    static double size[COUNT];
    tw_sim *one = make_scenario(arrangement, COUNT, 1),
           *three = make_scenario(arrangement, COUNT, 3);
    assert_true(tw_sim_hash(one) == tw_sim_hash(three));
    int spheres[8] = {0}, grains[8] = {0}, all = 0, used = 0;
    const tw_mat3 cell = tw_sim_cell(one);
    for (int i = 0; i < COUNT; i++) {
        tw_body_state body;
        assert_int_equal(tw_sim_get_body(one, (uint32_t)i, &body, NULL), TW_STATUS_OK);
        const int part = (body.x.x > 0.5 * cell.m[0]) + 2 * (body.x.y > 0.5 * cell.m[4]) +
                         4 * (body.x.z > 0.5 * cell.m[8]);
        grains[part]++;
        if (body.shape != 0) continue;
        spheres[part]++;
        all++;
        size[used++] = body.size; /* a sphere of size 1 has radius 1 */
    }
    assert_int_equal(all, 6001); /* three of four, exactly */
    for (int k = 0; k < 8; k++)  /* at most as far off as by chance */
        check_at_most(fabs(spheres[k] - 0.75 * grains[k]), 5.0 * sqrt(0.75 * 0.25 * grains[k]));
    /* Kolmogorov-Smirnov: 2.23 is passed once in ten thousand times. */
    qsort(size, (size_t)used, sizeof *size, compare_numbers);
    for (int i = 0; i < used; i++)
        check_at_most(fabs((size[i] - 0.25e-3) / 0.25e-3 - (i + 0.5) / used), 2.23 / sqrt(used));
    tw_sim_free(one);
    tw_sim_free(three);
}

static void grains_are_those_of_the_scenario(void **state)
{
    (void)state;
    check_grains("regions");
    check_grains("random");
    tw_sim_free(make_scenario("regions", 30, 1)); /* of a few diameters */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_of_regions_do_not_overlap),
        cmocka_unit_test(any_order_and_threads_give_the_same),
        cmocka_unit_test(parts_have_grains_by_their_volume),
        cmocka_unit_test(grains_are_those_of_the_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
