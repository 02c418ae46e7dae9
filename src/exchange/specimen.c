/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

tw_specimen *tw_specimen_make(tw_error *error)
{
    tw_specimen *specimen = calloc(1, sizeof *specimen);
    if (!specimen) tw_error_set_memory(error);
    return specimen;
}

void tw_specimen_free(tw_specimen *specimen)
{
    if (!specimen) return;
    for (size_t i = 0; i < specimen->shape_count; i++)
        free(specimen->shapes[i].spheres);
    free(specimen->shapes);
    free(specimen->bodies);
    free(specimen->mass);
    free(specimen->molecule);
    free(specimen->atom);
    free(specimen->moment);
    free(specimen->laws);
    free(specimen->results);
    free(specimen);
}

/* The count that a file states is never trusted: memory grows with the rows that are there. */

tw_body_def *tw_specimen_add_body(tw_specimen *specimen, tw_error *error)
{
    if (tw_buffer_reserve(&specimen->bodies, &specimen->body_capacity, specimen->body_count + 1,
                          sizeof *specimen->bodies) != TW_STATUS_OK) {
        tw_error_set_memory(error);
        return NULL;
    }
    tw_body_def *body = &specimen->bodies[specimen->body_count++];
    *body = tw_body_def_default();
    return body;
}

tw_specimen_shape *tw_specimen_add_shape(tw_specimen *specimen, tw_error *error)
{
    if (tw_buffer_reserve(&specimen->shapes, &specimen->shape_capacity, specimen->shape_count + 1,
                          sizeof *specimen->shapes) != TW_STATUS_OK) {
        tw_error_set_memory(error);
        return NULL;
    }
    tw_specimen_shape *shape = &specimen->shapes[specimen->shape_count++];
    memset(shape, 0, sizeof *shape);
    return shape;
}

tw_body_def *tw_specimen_add_spheres(tw_specimen *specimen, const void *rows, size_t count,
                                     size_t stride, tw_error *error)
{
    const char *row = rows;
    const tw_sphere first = *(const tw_sphere *)rows;
    tw_body_def *body = tw_specimen_add_body(specimen, error);
    if (!body) return NULL;
    body->x = first.centre;
    body->size = first.radius;
    if (count == 1) return body;
    tw_specimen_shape *shape = tw_specimen_add_shape(specimen, error);
    if (!shape) return NULL;
    shape->spheres = malloc(count * sizeof *shape->spheres);
    if (!shape->spheres) {
        tw_error_set_memory(error);
        return NULL;
    }
    body->shape = (uint32_t)specimen->shape_count;
    body->size = ldexp(1.0, ilogb(first.radius));
    shape->count = count;
    for (size_t i = 0; i < count; i++, row += stride) {
        const tw_sphere *s = (const tw_sphere *)(const void *)row;
        const tw_vec3 arm = tw_vec3_sub(s->centre, first.centre);
        shape->spheres[i].centre =
            tw_vec3_make(arm.x / body->size, arm.y / body->size, arm.z / body->size);
        shape->spheres[i].radius = s->radius / body->size;
    }
    return body;
}

size_t tw_specimen_spheres(const tw_specimen *specimen)
{
    size_t count = 0;
    for (size_t i = 0; i < specimen->body_count; i++) {
        const uint32_t number = specimen->bodies[i].shape;
        const tw_specimen_shape *shape = number > 0 ? &specimen->shapes[number - 1] : NULL;
        count += !shape ? 1 : shape->satellites > 0 ? (size_t)shape->satellites + 1 : shape->count;
    }
    return count;
}
