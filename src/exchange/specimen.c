/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen.h"

#include "exchange/fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tw_specimen *tw_specimen_make(tw_error *error)
{
    tw_specimen *specimen = calloc(1, sizeof *specimen);
    if (!specimen) tw_fault_memory(error);
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
    free(specimen);
}

/* Room for one more item of `size` bytes; the items, or NULL. The count a file claims is never
 * trusted: room grows with the rows that are really there. */
static void *specimen_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return items;
    const size_t wanted = *capacity ? 2 * *capacity : 64;
    void *grown = wanted <= SIZE_MAX / size ? realloc(items, wanted * size) : NULL;
    if (grown) *capacity = wanted;
    return grown;
}

tw_body_def *tw_specimen_add_body(tw_specimen *specimen, tw_error *error)
{
    tw_body_def *bodies = specimen_grow(specimen->bodies, specimen->body_count,
                                        &specimen->body_capacity, sizeof *bodies);
    if (!bodies) {
        tw_fault_memory(error);
        return NULL;
    }
    specimen->bodies = bodies;
    bodies[specimen->body_count] = tw_body_def_default();
    return &bodies[specimen->body_count++];
}

tw_specimen_shape *tw_specimen_add_shape(tw_specimen *specimen, tw_error *error)
{
    tw_specimen_shape *shapes = specimen_grow(specimen->shapes, specimen->shape_count,
                                              &specimen->shape_capacity, sizeof *shapes);
    if (!shapes) {
        tw_fault_memory(error);
        return NULL;
    }
    specimen->shapes = shapes;
    memset(&shapes[specimen->shape_count], 0, sizeof *shapes);
    return &shapes[specimen->shape_count++];
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
        tw_fault_memory(error);
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
        const uint32_t shape = specimen->bodies[i].shape;
        const tw_specimen_shape *of = shape > 0 ? &specimen->shapes[shape - 1] : NULL;
        count += !of ? 1 : of->satellites > 0 ? (size_t)of->satellites + 1 : of->count;
    }
    return count;
}

tw_specimen *tw_specimen_read(const char *path, tw_error *error)
{
    switch (tw_exchange_recognise(path, error)) {
    case TW_EXCHANGE_DFILE:
        return tw_specimen_read_dfile(path, error);
    case TW_EXCHANGE_CSV:
        return tw_specimen_read_csv(path, error);
    case TW_EXCHANGE_LAMMPS_DATA:
        return tw_specimen_read_lammps_data(path, error);
    case TW_EXCHANGE_LAMMPS_DUMP:
        return tw_specimen_read_lammps_dump(path, error);
    case TW_EXCHANGE_CHECKPOINT:
        tw_fault_set(
            error, TW_STATUS_INPUT,
            "%s: this is a checkpoint (HDF5); a D-file, a CSV of spheres or a file of LAMMPS "
            "is wanted",
            tw_fault_path(path).text);
        return NULL;
    case TW_EXCHANGE_UNKNOWN:
        break;
    }
    return NULL;
}
