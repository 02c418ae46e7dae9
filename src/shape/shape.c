/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/shape.h"

#include "base/error.h"
#include "base/memory.h"
#include "shape/union.h"

#include <string.h>

/* The union is measured to about 1e-15. Off-diagonal terms and offsets below these limits, relative
 * to the shape, are treated as rounding of the input: following them would rotate or shift
 * symmetric shapes at random. */
static const double shape_offset_tiny = 1e-12;
static const double shape_inertia_tiny = 1e-9;
static const double shape_moments_tiny = 1e-12;
static const double shape_residual_max = 1e-9;

static void shape_choose_frame(tw_shape *shape, const tw_union *measured)
{
    const tw_mat3 inertia = measured->inertia;
    const double off =
        tw_math_max(fabs(inertia.m[1]), tw_math_max(fabs(inertia.m[2]), fabs(inertia.m[5])));
    shape->axes = tw_mat3_identity();
    shape->moments = tw_vec3_make(inertia.m[0], inertia.m[4], inertia.m[8]);
    if (off <= shape_inertia_tiny * tw_mat3_max_abs(inertia)) return;
    double values[3];
    tw_mat3 vectors;
    tw_mat3_eigen_symmetric(inertia, values, &vectors);
    shape->axes = tw_mat3_transpose(vectors);
    shape->moments = tw_vec3_make(values[0], values[1], values[2]);
}

static void shape_level(double *a, double *b)
{
    if (fabs(*a - *b) <= shape_moments_tiny * (*a + *b)) *a = *b = 0.5 * (*a + *b);
}

/* Makes moments that agree up to rounding equal, so that a symmetric top is exactly symmetric. */
static void shape_level_moments(tw_vec3 *m)
{
    shape_level(&m->x, &m->y);
    shape_level(&m->y, &m->z);
    shape_level(&m->z, &m->x);
    /* all three equal: the pairs above may still differ by rounding */
    const double big = tw_vec3_max_abs(*m), small = tw_math_min(m->x, tw_math_min(m->y, m->z));
    if (big - small <= shape_moments_tiny * big) m->x = m->y = m->z = big;
}

static void shape_place_spheres(tw_shape *shape)
{
    shape->radius = 0.0;
    for (size_t i = 0; i < shape->count; i++)
        shape->radius = tw_math_max(
            shape->radius, shape->spheres[i].radius +
                               tw_vec3_norm(tw_vec3_sub(shape->spheres[i].centre, shape->centre)));
    if (tw_vec3_norm(shape->centre) <= shape_offset_tiny * shape->radius)
        shape->centre = tw_vec3_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < shape->count; i++) {
        tw_vec3 *c = &shape->spheres[i].centre;
        *c = tw_mat3_mul_vec(shape->axes, tw_vec3_sub(*c, shape->centre));
    }
}

tw_status tw_shape_make(tw_shape *shape, const tw_sphere *spheres, size_t count, tw_error *error)
{
    memset(shape, 0, sizeof *shape);
    tw_union measured;
    const tw_status status = tw_union_measure(spheres, count, &measured, error);
    if (status != TW_STATUS_OK) return status;
    /* also catches moments outside the range of double */
    const double trace = tw_mat3_trace(measured.inertia);
    if (!(measured.residual <= shape_residual_max) || !(trace >= DBL_MIN && trace <= DBL_MAX))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "cannot measure the volume of the shape: its spheres are too small or "
                            "too large for their "
                            "distances; sizes of order 1 are expected");
    size_t capacity = 0;
    if (tw_buffer_reserve(&shape->spheres, &capacity, count, sizeof *spheres) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "out of memory for a shape of %zu spheres",
                            count);
    memcpy(shape->spheres, spheres, count * sizeof *spheres);
    shape->count = count;
    shape->volume = measured.volume;
    shape->centre = measured.centre;
    shape_choose_frame(shape, &measured);
    shape_level_moments(&shape->moments);
    shape_place_spheres(shape);
    return TW_STATUS_OK;
}

tw_status tw_shape_make_sphere(tw_shape *shape, tw_error *error)
{
    const tw_sphere sphere = {{0.0, 0.0, 0.0}, 1.0};
    return tw_shape_make(shape, &sphere, 1, error);
}

enum { SHAPE_SATELLITES_MAX = 8 };

/* Unit vectors to the satellites; false for an unsupported number. */
static bool shape_bumpy_directions(int satellites, tw_vec3 *direction)
{
    static const double line[2][3] = {{1, 0, 0}, {-1, 0, 0}};
    static const double triangle[3][3] = {
        {1, 0, 0}, {-0.5, 0.86602540378443865, 0}, {-0.5, -0.86602540378443865, 0}};
    static const double tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const double octahedron[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                            {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const double cube[8][3] = {{1, 1, 1},  {-1, 1, 1},  {1, -1, 1},  {-1, -1, 1},
                                      {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
    const double(*table)[3] = satellites == 2   ? line
                              : satellites == 3 ? triangle
                              : satellites == 4 ? tetrahedron
                              : satellites == 6 ? octahedron
                              : satellites == 8 ? cube
                                                : NULL;
    if (!table) return false;
    for (int k = 0; k < satellites; k++) {
        const tw_vec3 v = tw_vec3_make(table[k][0], table[k][1], table[k][2]);
        direction[k] = satellites == 3 ? v : tw_vec3_scale(1.0 / tw_vec3_norm(v), v);
    }
    return true;
}

tw_status tw_shape_make_bumpy(tw_shape *shape, const tw_shape_bumpy *bumpy, tw_error *error)
{
    memset(shape, 0, sizeof *shape);
    tw_vec3 direction[SHAPE_SATELLITES_MAX];
    if (!shape_bumpy_directions(bumpy->satellites, direction))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%d satellites: a bumpy grain must have 2, 3, 4, 6 or 8",
                            bumpy->satellites);
    tw_sphere spheres[SHAPE_SATELLITES_MAX + 1] = {{{0.0, 0.0, 0.0}, bumpy->central_radius}};
    for (int k = 0; k < bumpy->satellites; k++) {
        spheres[k + 1].centre = tw_vec3_scale(bumpy->distance, direction[k]);
        spheres[k + 1].radius = bumpy->satellite_radius;
    }
    return tw_shape_make(shape, spheres, (size_t)bumpy->satellites + 1, error);
}

void tw_shape_free(tw_shape *shape)
{
    size_t capacity = shape->count;
    tw_buffer_free(&shape->spheres, &capacity);
    shape->count = 0;
}
