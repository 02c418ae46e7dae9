/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenario/word_list.h"

typedef struct shape_review {
    const tw_review *review;
    const tw_scenario_shape *shape;
    tw_tree_node *node;
    const tw_key_path *key_path;
} shape_review;

enum { X, Y, Z, RADIUS, COLUMNS };

/* The distance of two centres, less the sum of the radii: positive if there is a gap. */
static double gap(const double *a, const double *b)
{
    const double dx = a[X] - b[X], dy = a[Y] - b[Y], dz = a[Z] - b[Z];
    return sqrt(dx * dx + dy * dy + dz * dz) - (a[RADIUS] + b[RADIUS]);
}

/* Spheres given with few digits may be apart by a rounding error. */
static bool touch(const double *a, const double *b)
{
    return gap(a, b) <= 1e-6 * (a[RADIUS] + b[RADIUS]);
}

static bool is_inside(const double *a, const double *b)
{
    return gap(a, b) + 2.0 * a[RADIUS] <= 0.0;
}

/* The key that gives the spheres. */
static const char *key_of(const tw_scenario_shape *shape)
{
    return shape->file ? "file" : "spheres";
}

/* Puts everything connected to the first sphere first in `order`; returns how many that are. */
static size_t find_connected(const tw_scenario_rows *spheres, size_t *order)
{
    size_t connected = 1;
    for (size_t i = 0; i < spheres->count; i++)
        order[i] = i;
    for (size_t next = 0; next < connected; next++)
        for (size_t i = connected; i < spheres->count; i++) {
            const size_t other = order[i];
            if (!touch(spheres->value + COLUMNS * order[next], spheres->value + COLUMNS * other))
                continue;
            order[i] = order[connected];
            order[connected++] = other;
        }
    return connected;
}

static int compare(const void *a, const void *b)
{
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

/* The numbers of the first ten. */
static void list_spheres(size_t *order, size_t count, char *text, size_t size)
{
    enum { MOST = 10 };
    qsort(order, count, sizeof *order, compare);
    for (size_t i = 0; i < count && i < MOST; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", order[i] + 1);
        tw_word_list_add(text, size, number);
    }
    if (count > MOST) tw_word_list_add(text, size, "...");
}

static void review_connection(const shape_review *s)
{
    const size_t count = s->shape->spheres.count;
    char together[300] = "", apart[300] = "";
    size_t *order = malloc(count * sizeof *order);
    if (!order) {
        tw_diagnostics_out_of_memory(s->review->diagnostics);
        return;
    }
    const size_t connected = find_connected(&s->shape->spheres, order);
    list_spheres(order, connected, together, sizeof together);
    list_spheres(order + connected, count - connected, apart, sizeof apart);
    free(order);
    if (connected == count) return;
    tw_review_error(s->review, s->node, s->key_path, key_of(s->shape),
                    "the spheres of a grain must touch or overlap, but there is a gap between "
                    "sphere%s %s and sphere%s %s",
                    connected == 1 ? "" : "s", together, count - connected == 1 ? "" : "s", apart);
}

static void review_radii(const shape_review *s)
{
    const tw_scenario_rows *spheres = &s->shape->spheres;
    for (size_t i = 0; i < spheres->count; i++) {
        const double radius = spheres->value[COLUMNS * i + RADIUS];
        if (!(radius > 0.0))
            tw_review_error(s->review, s->node, s->key_path, key_of(s->shape),
                            "sphere %zu has radius %g; expected a number above 0", i + 1, radius);
    }
}

static void review_hidden(const shape_review *s)
{
    const tw_scenario_rows *spheres = &s->shape->spheres;
    for (size_t i = 0; i < spheres->count; i++)
        for (size_t k = 0; k < spheres->count; k++) {
            const double *a = spheres->value + COLUMNS * i, *b = spheres->value + COLUMNS * k;
            if (i == k || !is_inside(a, b) || (i < k && is_inside(b, a))) continue;
            tw_review_warn(s->review, s->node, s->key_path, key_of(s->shape),
                           "sphere %zu lies inside sphere %zu and cannot touch anything", i + 1,
                           k + 1);
            break;
        }
}

/* The checks of pairs take seconds for more spheres. */
enum { SPHERES_MAX = 10000 };

static void review_cluster(const shape_review *s)
{
    const size_t count = s->shape->spheres.count;
    if (count == 0) return; /* out of memory */
    if (count > SPHERES_MAX)
        tw_review_error(s->review, s->node, s->key_path, key_of(s->shape),
                        "%zu spheres exceed the limit of %d in a grain", count, (int)SPHERES_MAX);
    else
        review_radii(s);
    if (s->node->invalid) return;
    review_connection(s);
    if (!s->node->invalid) review_hidden(s);
}

static void review_bumpy(const shape_review *s)
{
    const tw_scenario_shape *shape = s->shape;
    const uint64_t n = shape->satellites;
    const double centre = shape->central_radius, satellite = shape->satellite_radius;
    if (n == 5 || n == 7)
        tw_review_error(s->review, s->node, s->key_path, "satellites",
                        "%d is not supported; expected 2, 3, 4, 6 or 8", (int)n);
    if (shape->distance > centre + satellite)
        tw_review_error(s->review, s->node, s->key_path, "distance",
                        "the satellites do not touch the central sphere: %g is above "
                        "central_radius + satellite_radius, %g",
                        shape->distance, centre + satellite);
    else if (shape->distance + satellite <= centre)
        tw_review_warn(s->review, s->node, s->key_path, "distance",
                       "the satellites lie inside the central sphere; the grain is a sphere");
}

void tw_review_shapes(const tw_review *r, const tw_tree_node *specimen, const tw_key_path *key_path)
{
    const tw_key_path shapes_path = {key_path, "shapes", 0};
    const tw_tree_node *list = tw_tree_find(specimen, "shapes");
    size_t i = 0;
    if (!list || list->kind != TW_TREE_LIST || list->count != r->scenario->specimen.shape_count)
        return; /* already reported */
    for (tw_tree_node *node = list->first; node; node = node->next, i++) {
        const tw_key_path here = {&shapes_path, NULL, i + 1};
        const shape_review s = {r, &r->scenario->specimen.shapes[i], node, &here};
        if (node->invalid) continue;
        if (s.shape->shape == TW_SCENARIO_BUMPY) review_bumpy(&s);
        if (s.shape->shape == TW_SCENARIO_CLUSTER) review_cluster(&s);
    }
}
