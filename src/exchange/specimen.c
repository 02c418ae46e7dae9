/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <twirl/exchange.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text_file.h"

void tw_specimen_free(tw_specimen *specimen)
{
    if (!specimen) return;
    for (size_t i = 0; i < specimen->shape_count; i++)
        free(specimen->shapes[i].spheres);
    free(specimen->shapes);
    free(specimen->bodies);
    free(specimen->mass);
    free(specimen->laws);
    free(specimen->results);
    free(specimen);
}

/* Makes room for one more. The count that a file states is never trusted: memory grows with the
 * rows that are there. */
static bool grow(tw_specimen_reader *reader, void *array, size_t *capacity, size_t count,
                 size_t size)
{
    if (tw_buffer_reserve(array, capacity, count + 1, size) == TW_STATUS_OK) return true;
    reader->lines.status = tw_error_set_memory(reader->lines.error);
    return false;
}

tw_body_def *tw_specimen_add_body(tw_specimen_reader *reader)
{
    tw_specimen *s = reader->specimen;
    if (!grow(reader, &s->bodies, &reader->body_capacity, s->body_count, sizeof *s->bodies))
        return NULL;
    s->bodies[s->body_count] = tw_body_def_default();
    return &s->bodies[s->body_count++];
}

tw_specimen_shape *tw_specimen_add_shape(tw_specimen_reader *reader)
{
    tw_specimen *s = reader->specimen;
    if (!grow(reader, &s->shapes, &reader->shape_capacity, s->shape_count, sizeof *s->shapes))
        return NULL;
    s->shapes[s->shape_count] = (tw_specimen_shape){0};
    return &s->shapes[s->shape_count++];
}

tw_body_def *tw_specimen_add_spheres(tw_specimen_reader *reader, const void *rows, size_t count,
                                     size_t stride)
{
    const char *row = rows;
    const tw_sphere first = *(const tw_sphere *)rows;
    tw_body_def *body = tw_specimen_add_body(reader);
    if (!body) return NULL;
    body->x = first.centre;
    body->size = first.radius;
    if (count == 1) return body;
    tw_specimen_shape *shape = tw_specimen_add_shape(reader);
    if (shape) shape->spheres = malloc(count * sizeof *shape->spheres);
    if (!shape || !shape->spheres) {
        reader->lines.status = tw_error_set_memory(reader->lines.error);
        return NULL;
    }
    body->shape = (uint32_t)reader->specimen->shape_count;
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

bool tw_specimen_check_type(tw_lines *lines, const char *column, double value)
{
    if (tw_lines_is_integer(value, 1.0) && value <= INT32_MAX) return true;
    return tw_lines_refuse(lines, "column '%s': expected a whole number from 1 to %d, found %.17g",
                           column, (int)INT32_MAX, value);
}

size_t tw_specimen_sphere_count(const tw_specimen *specimen)
{
    size_t count = 0;
    for (size_t i = 0; i < specimen->body_count; i++) {
        const uint32_t number = specimen->bodies[i].shape;
        const tw_specimen_shape *shape = number > 0 ? &specimen->shapes[number - 1] : NULL;
        count += !shape ? 1 : shape->satellites > 0 ? (size_t)shape->satellites + 1 : shape->count;
    }
    return count;
}

tw_specimen *tw_specimen_reader_run(tw_specimen_reader *reader, const char *path,
                                    bool (*read)(tw_specimen_reader *reader), tw_error *error)
{
    tw_error_clear(error);
    reader->specimen = calloc(1, sizeof *reader->specimen);
    if (!reader->specimen) {
        tw_error_set_memory(error);
        return NULL;
    }
    const bool opened = tw_lines_open(&reader->lines, path, error);
    const bool done = opened && read(reader);
    if (opened) tw_lines_close(&reader->lines);
    if (done) return reader->specimen;
    tw_specimen_free(reader->specimen);
    return NULL;
}
